# SPDX-License-Identifier: MIT
"""A viewer that only counts, in a process of its own; for ``lathe bench stream``.

``python -m lathe.broadcast.counting_viewer ADDRESS SECONDS KEYS MBIT`` looks for so long, then
presses so many keys on a picture at rest, each of which must change it, and prints JSON. With MBIT
its line carries no more than that a second; 0: whatever comes.
"""

from __future__ import annotations

import json
import struct
import sys
import time

from websockets.sync.client import connect

__all__: list[str] = []

_QUIET = 0.5  # seconds without a frame: the picture rests, and has been sent in full quality


def _main(address: str, seconds: float, keys: int, megabits: float) -> None:
    with connect(address, max_size=None, proxy=None, compression=None) as line:
        line.send("codec h264")

        videos: list[bool] = []  # whether each frame was H.264

        def take(timeout: float) -> int:
            """Bytes of a frame that came; 0: something else did, or nothing."""
            try:
                data = line.recv(timeout=timeout)
            except TimeoutError:
                return 0
            if isinstance(data, str):
                if data.startswith("ping "):
                    line.send("pong " + data[5:])
                return 0
            if megabits:
                time.sleep(len(data) * 8e-6 / megabits)
            line.send(f"shown {struct.unpack_from('<I', data, 4)[0]}")
            videos.append(data[1] != 0)
            return len(data)

        while not take(1.0):
            pass
        print("ready", flush=True)
        frames = sent = 0
        videos.clear()
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            if size := take(0.05):
                frames += 1
                sent += size
        counts = {
            "frames": frames / seconds,
            "bytes": sent / max(frames, 1),
            "videos": sum(videos) / max(len(videos), 1),
        }
        print(json.dumps(counts), flush=True)
        sys.stdin.readline()  # the picture is at rest from now on
        delays = []
        for _ in range(keys):
            quiet_since = time.perf_counter()
            while time.perf_counter() - quiet_since < _QUIET:
                if take(0.05):
                    quiet_since = time.perf_counter()
            pressed = time.perf_counter()
            line.send("key 75 down 0\nkey 75 up 0")
            while not take(1.0):
                if time.perf_counter() - pressed > 10:
                    raise TimeoutError("a key changed nothing")
            delays.append(time.perf_counter() - pressed)
        print(json.dumps(delays), flush=True)


if __name__ == "__main__":
    _main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
