# SPDX-License-Identifier: MIT
"""Three viewers of one program, one of which stops reading: the others' frames, and the memory.

    bench_viewers.py [--seconds 600] [--size 640x400] [--codec auto]

Two viewers look for a tenth of the time; then a third comes, which reads nothing after its first
frames. Prints a row for each tenth.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from websockets.sync.client import ClientConnection, connect

SCRIPT = """
import lathe
app = lathe.App("viewers", size=({width}, {height}))
rings = app.kernel('''__global__ void rings(float* p, int width, float time) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = i % width - width / 2, y = i / width - 200;
    p[i] = sinf(sqrtf(x * x + y * y) * 0.1f - 4 * time); }}''')
p = app.zeros(({height}, {width}))
@app.frame
def frame(step):
    rings.over(p.size)(p, {width}, step.time)
    app.image(p, colormap="viridis", range=(-1, 1))
app.run()
"""


class Viewer:
    """Counts frames in a thread."""

    def __init__(self, address: str, reads: int | None = None) -> None:
        self.frames = 0
        self._address = address
        self._reads = reads
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        with (
            contextlib.suppress(Exception),
            connect(self._address, max_size=None, proxy=None, compression=None) as line,
        ):
            line.send("codec h264")
            while self._reads is None or self.frames < self._reads:
                self._take(line)
            time.sleep(1e6)

    def _take(self, line: ClientConnection) -> None:
        data = line.recv()
        if isinstance(data, str):
            if data.startswith("ping "):
                line.send("pong " + data[5:])
            return
        line.send(f"shown {struct.unpack_from('<I', data, 4)[0]}")
        self.frames += 1


def resident_mb(process: int) -> float:
    text = Path(f"/proc/{process}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+)", text)
    assert found
    return int(found[1]) / 1024


def children_of(process: int) -> list[int]:
    """Its encoders."""
    done = subprocess.run(
        ["ps", "--ppid", str(process), "-o", "pid="], capture_output=True, text=True, check=False
    )
    return [int(pid) for pid in done.stdout.split()]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--size", default="640x400")
    parser.add_argument("--codec", default="auto", choices=["auto", "jpeg", "h264"])
    options = parser.parse_args()
    width, height = map(int, options.size.split("x"))
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "viewers.py"
        script.write_text(SCRIPT.format(width=width, height=height))
        words = ["-m", "lathe", "serve", str(script), "--port", "0", "--no-ui"]
        words += ["--codec", options.codec]
        with subprocess.Popen(
            [sys.executable, *words], stdout=subprocess.PIPE, text=True
        ) as program:
            assert program.stdout is not None
            found = re.search(r"http(\S+)/\?(\S+)", program.stdout.readline())
            assert found
            address = f"ws{found[1]}/view?{found[2]}"
            first, second = Viewer(address), Viewer(address)
            third: Viewer | None = None
            print("     s   first  second   third   resident   encoders           files")
            for tenth in range(1, 11):
                before = first.frames, second.frames, third.frames if third else 0
                began = time.monotonic()
                time.sleep(options.seconds / 10)
                took = time.monotonic() - began
                after = first.frames, second.frames, third.frames if third else 0
                rates = [(b - a) / took for a, b in zip(before, after, strict=True)]
                encoders = children_of(program.pid)
                print(
                    f"{tenth * options.seconds / 10:6.0f}"
                    + "".join(f"{rate:8.1f}" for rate in rates)
                    + f"{resident_mb(program.pid):8.0f} MB"
                    + f"{len(encoders):8}, {sum(map(resident_mb, encoders)):4.0f} MB"
                    + f"{len(list(Path(f'/proc/{program.pid}/fd').iterdir())):10}",
                    flush=True,
                )
                third = third or Viewer(address, reads=3)
            program.kill()


if __name__ == "__main__":
    main()
