# SPDX-License-Identifier: MIT
"""``lathe bench stream``: what `lathe serve` costs the loop, how many frames a viewer gets, and how
long it takes from a key to changed pixels."""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lathe.cli.messages import UserError, choose_device, load_engine, parse_count, parse_size
from lathe.cli.tables import Table, as_markdown, as_text, percentile, where_and_when

if TYPE_CHECKING:
    from lathe.app import App
    from lathe.broadcast.server import PageServer

__all__ = ["bench_stream"]

SIZE = (1500, 1200)
SECONDS = 6

# A picture in which everything moves, with edges and shades.
SOURCE = """
__global__ void rings(uchar4* picture, int width, int height, float time) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float u = (x - 0.5f * width) / height, v = float(y) / height - 0.5f;
    float r = sqrtf(u * u + v * v), a = 0.5f + 0.5f * sinf(40 * r - 4 * time);
    float b = 0.5f + 0.5f * sinf(30 * u + 2 * time), c = r < 0.4f ? 1.0f : 0.2f;
    picture[y * width + x] = make_uchar4(a * 255, b * 255, c * 255, 255);
}
"""


@dataclass(frozen=True, slots=True)
class _Cost:
    """Milliseconds of a frame."""

    passed: float
    processors: float  # all threads of this process
    loop: float  # the loop's thread, while it works


class _Program:
    """A program that is served. It moves, or rests and answers keys."""

    def __init__(self, size: tuple[int, int], panels: bool, codec: str) -> None:
        import numpy as np

        from lathe import options as run_options
        from lathe.app import App
        from lathe.broadcast.server import PageServer
        from lathe.native import native

        self.broadcast = native.Broadcast(codec)
        run_options.use(
            run_options.RunOptions(headless=False, display=self.broadcast, session=False)
        )
        self.app: App = App("lathe bench stream", size, ui=panels, vsync=False)
        run_options.use(run_options.RunOptions())
        self.server: PageServer = PageServer(self.broadcast, port=0)
        width, height = size
        self.picture = self.app.zeros((height, width, 4), np.uint8)
        self.kernel = self.app.kernel(SOURCE, name="rings.cu").over((height, width))
        self.size = size
        self.time = 0.0

    def frame(self) -> float:
        """Milliseconds of a frame that moves."""
        began = time.perf_counter()
        self.app.frame()
        self._draw(1 / 60)
        return (time.perf_counter() - began) * 1e3

    def answer(self) -> None:
        """A frame of a picture that changes with each key only."""
        self.app.frame()
        self._draw(1.0 if self.app.input.key_pressed("k") else 0.0)
        time.sleep(0.005)

    def _draw(self, later: float) -> None:
        self.time += later
        self.kernel(self.picture, *self.size, self.time)
        self.app.image(self.picture)

    def frames_until(self, is_done: Callable[[], bool]) -> _Cost:
        times = []
        processors, loop = time.process_time(), time.thread_time()
        while not is_done():
            times.append(self.frame())
        frames = max(len(times), 1)
        return _Cost(
            percentile(times, 0.5),
            1e3 * (time.process_time() - processors) / frames,
            1e3 * (time.thread_time() - loop) / frames,
        )


class _Viewer:
    """The process that looks; a thread reads its lines."""

    def __init__(self, url: str, keys: int, megabits: float) -> None:
        address = url.replace("http", "ws").replace("/?", "/view?")
        numbers = [str(SECONDS), str(keys), str(megabits)]
        words = ["-m", "lathe.broadcast.counting_viewer", address, *numbers]
        self._process = subprocess.Popen(
            [sys.executable, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.lines: list[str] = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.lines.append(line)

    def has(self, lines: int) -> bool:
        """So many lines have come."""
        if self._process.poll():
            raise RuntimeError("the viewer has failed")
        return len(self.lines) >= lines

    def go_on(self) -> None:
        """The picture rests from now on."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()


def bench_stream(arguments: argparse.Namespace) -> int:
    """Measures, and prints a table."""
    size = parse_size(arguments.size) if arguments.size else SIZE
    keys = parse_count("--keys", arguments.keys)
    megabits = _parse_megabits(arguments.line)
    choose_device(arguments.device)
    load_engine()
    table = Table(
        f"{size[0]} x {size[1]} pixels, the viewer on the same machine, codec {arguments.codec}"
        + (f", {megabits:g} Mbit/s" if megabits else ""),
        ("", "picture alone", "with panels"),
        note="The loop is not held back to 60 frames a second here.",
    )
    # Panels never rest: they count frames.
    columns = [
        _measure(size, panels, 0 if panels else keys, arguments.codec, megabits)
        for panels in (False, True)
    ]
    for key in columns[0]:
        table.rows.append((key, *(column[key] for column in columns)))
    print(where_and_when(arguments.command_line))
    for text in as_markdown(table) if arguments.markdown else as_text(table):
        print(text)
    return 0


def _parse_megabits(text: str) -> float:
    if not text:
        return 0.0
    try:
        megabits = float(text)
    except ValueError:
        megabits = 0.0
    if not 0 < megabits < math.inf:
        raise UserError(f"--line {text} is no line: it carries some Mbit a second, as in --line 20")
    return megabits


def _measure(
    size: tuple[int, int], panels: bool, keys: int, codec: str, megabits: float
) -> dict[str, str]:
    program = _Program(size, panels, codec)
    end = time.perf_counter() + SECONDS / 2
    alone = program.frames_until(lambda: time.perf_counter() > end)
    viewer = _Viewer(program.server.url, keys, megabits)
    program.frames_until(lambda: viewer.has(1))
    seen = program.frames_until(lambda: viewer.has(2))
    status = program.broadcast.status
    viewer.go_on()
    while not viewer.has(3):
        program.answer()
    counts = json.loads(viewer.lines[1])
    delays = [1e3 * delay for delay in json.loads(viewer.lines[2])]
    program.server.close()
    program.app.close()
    program.app.frame()
    key = "ms from a key to its frame"
    return {
        "frames/s without a viewer": f"{1e3 / alone.passed:.0f}",
        "frames/s of the loop with one": f"{1e3 / seen.passed:.0f}",
        "the loop's ms a frame for it": f"{seen.passed - alone.passed:.2f}",
        "ms that the loop's thread works for it": f"{seen.loop - alone.loop:.2f}",
        "ms of processors a frame, without": f"{alone.processors:.1f}",
        "ms of processors a frame, with": f"{seen.processors:.1f}",
        "frames/s that the viewer gets": f"{counts['frames']:.0f}",
        "KB a frame": f"{counts['bytes'] / 1e3:.0f}",
        "of them H.264, %": f"{100 * counts['videos']:.0f}",
        "ms to encode a frame": f"{status['encode_ms']:.1f}",
        "ms of processors to encode it": f"{status['encode_cpu_ms']:.1f}",
        f"{key}, p50": f"{percentile(delays, 0.5):.1f}" if delays else "–",
        f"{key}, p95": f"{percentile(delays, 0.95):.1f}" if delays else "–",
    }
