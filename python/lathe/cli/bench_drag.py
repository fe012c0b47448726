# SPDX-License-Identifier: MIT
"""``lathe bench drag``: from a number that moves in the source to changed pixels."""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from lathe.cli.messages import choose_device, load_engine, parse_count
from lathe.cli.tables import percentile

if TYPE_CHECKING:
    from lathe._lathe import KernelSlot
    from lathe.app import App

__all__ = ["bench_drag"]

SIZE = (1280, 720)
TIMEOUT = 5.0

# Each run has a source of its own: no cache has seen it.
SOURCE = """// {stamp}
#define BANDS 4
__global__ void waves(uchar4* picture, int width, int height, int grabs) {{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float u = (x - 0.5f * width) / height, v = float(y) / height - 0.5f;
    float r = sqrtf(u * u + v * v), sum = 0;
    #pragma unroll 1
    for (int i = 1; i <= BANDS; ++i) sum += sinf(i * r * 6.2832f + 0.300f * i) / i;
    unsigned char level = __saturatef(0.5f + 0.25f * sum) * 255.0f;
    picture[y * width + x] = make_uchar4(level, grabs, 128, 255);
}}
"""
LINE = 1 + SOURCE[: SOURCE.index("0.300f")].count("\n")
COLUMN = 1 + SOURCE.splitlines()[LINE - 1].index("0.300f")


class _Picture:
    """A kernel that paints all of the picture, and what of it is looked at."""

    def __init__(self) -> None:
        from lathe.app import App

        self.app: App = App("lathe bench drag", SIZE, headless=True, ui=False)
        self.app.frame_limit = None
        source = SOURCE.format(stamp=time.time_ns())
        self.picture = self.app.zeros((*reversed(SIZE), 4), np.uint8)
        kernel = self.app.kernel(source, name="waves.cu")
        assert kernel.slot is not None
        self.slot: KernelSlot = kernel.slot
        self.kernel = kernel.over(tuple(reversed(SIZE)))
        for _ in range(10):
            self.frame()

    def frame(self) -> None:
        if self.app.frame():
            self.kernel(self.picture, *SIZE, 0)
            self.app.image(self.picture)

    def pixels(self) -> Any:
        return self.app.screenshot()[::8, ::8].copy()


def bench_drag(arguments: argparse.Namespace) -> int:
    """Prints a table of measurements."""
    drags = parse_count("--drags", arguments.drags)
    choose_device(arguments.device)
    load_engine()
    from lathe.native import native

    status = native.gpu_status()
    names = ", ".join(d["name"] for d in status["devices"])
    print(f"device    {names} ({status['driver_kind']}, CUDA {status['driver_version']})")
    picture = _Picture()
    if arguments.inspect:
        picture.app.inspecting = "costs"
    print(f"GL        {picture.app.gl['renderer']}, {picture.app.gl['window']}\n")
    _first(picture)
    _drags(picture, drags)
    _edits(picture, max(drags // 8, 5))
    return 0


def _first(picture: _Picture) -> None:
    """The press: until the version with a variable runs."""
    before = picture.pixels()
    started = time.perf_counter()
    with picture.slot.literal(LINE, COLUMN) as number:
        number.step()
        while number.way == "compiling" and time.perf_counter() - started < TIMEOUT:
            picture.frame()
        picture.frame()
        picture.frame()
        milliseconds = 1e3 * (time.perf_counter() - started)
        changed = bool((picture.pixels() != before).any())
    print(f"press -> changed pixels    {milliseconds:8.1f} ms, {'' if changed else 'NOT '}changed")


def _drags(picture: _Picture, drags: int) -> None:
    """Each move: a frame computes it, the next one has shown it."""
    _settle(picture)
    latencies: list[float] = []
    frames: list[int] = []
    with picture.slot.literal(LINE, COLUMN) as number:
        for _ in range(drags):
            before = picture.pixels()
            started = time.perf_counter()
            number.step()
            for count in range(1, 100):
                picture.frame()  # launches
                picture.app._studio.synchronize()
                latency = time.perf_counter() - started
                picture.frame()  # ends the frame of the launch, whose pixels are looked at
                if (picture.pixels() != before).any():
                    latencies.append(1e3 * latency)
                    frames.append(count)
                    break
        by_variable = picture.pixels()
        generation = picture.slot.generation
    _settle(picture)
    apart = np.abs(picture.pixels().astype(int) - by_variable)
    p50, p95 = percentile(latencies, 0.5), percentile(latencies, 0.95)
    print(f"{drags} moves, {len(latencies)} of them changed pixels")
    print(f"  move -> computed         {p50:8.1f} ms p50, {p95:.1f} ms p95")
    print(f"  frames until then        {max(frames, default=0):8d} at most")
    print(f"  after the release        {int(apart.max()):8d} of 255 apart at most, ", end="")
    print(f"{int((apart.max(-1) > 0).sum())} of {apart[..., 0].size} pixels")
    print(f"  versions swapped         {picture.slot.generation - generation:8d} by the release")


def _edits(picture: _Picture, edits: int) -> None:
    """The same change as an edit of the text, compiled without the pause of typing."""
    latencies = []
    original = picture.slot.source
    for i in range(edits):
        text = original.replace(" * i) / i", f" * i + {i + 1}e-3f) / i", 1)
        before = picture.slot.generation
        started = time.perf_counter()
        picture.slot.source = text
        picture.slot.compile_now()
        while picture.slot.generation == before and time.perf_counter() - started < TIMEOUT:
            picture.frame()
        picture.frame()
        picture.app._studio.synchronize()
        latencies.append(1e3 * (time.perf_counter() - started))
    p50, p95 = percentile(latencies, 0.5), percentile(latencies, 0.95)
    print(f"{edits} edits of the text")
    print(f"  edit -> computed         {p50:8.1f} ms p50, {p95:.1f} ms p95")


def _settle(picture: _Picture) -> None:
    picture.slot.wait()
    for _ in range(3):
        picture.frame()
