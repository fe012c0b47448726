# SPDX-License-Identifier: MIT
"""``lathe bench first-light``: what the first release promises, measured and not judged."""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from lathe.cli.messages import choose_device, load_engine, parse_count
from lathe.cli.tables import percentile

if TYPE_CHECKING:
    from lathe.app import App

__all__ = ["bench"]

CELLS = 512
SIZE = (1280, 720)
STEPS = 8
EDIT_TIMEOUT = 5.0
MAPPED_BYTES = 64 << 20


def bench(arguments: argparse.Namespace) -> int:
    """Prints a table of measurements."""
    frames = parse_count("--frames", arguments.frames)
    edits = parse_count("--edits", arguments.edits)
    choose_device(arguments.device)
    load_engine()
    from lathe.native import native

    status = native.gpu_status()
    names = ", ".join(d["name"] for d in status["devices"])
    print(f"machine   {platform.processor() or platform.machine()}, {_cores()} cores")
    print(f"device    {names} ({status['driver_kind']}, CUDA {status['driver_version']})")
    app, launch = _open()
    print(f"GL        {app.gl['renderer']}, {app.gl['window']}")
    print(f"interop   {native.interop_mode().name}: {native.interop_reason()}\n")
    _frames(app, launch, frames)
    _mapping(app)
    _edits(app, launch, edits)
    _import_time()
    return 0


def _cores() -> int:
    import os

    return len(os.sched_getaffinity(0))


class _Launch:
    """One frame of Gray-Scott: STEPS steps and the picture."""

    def __init__(self, app: App) -> None:
        import numpy as np

        from lathe.native import resource

        random = np.random.default_rng(1)
        u = 1 - 0.5 * (random.random((CELLS, CELLS)) > 0.7)
        self.app = app
        self.now = [app.asarray(u, np.float32), app.asarray(0.5 * (1 - u), np.float32)]
        self.then = [app.zeros((CELLS, CELLS)), app.zeros((CELLS, CELLS))]
        self.kernel = app.kernel(resource("apps/gray_scott/gray_scott.cu"), "step")
        self.over = self.kernel.over((CELLS, CELLS), (32, 8))

    def __call__(self) -> None:
        for _ in range(STEPS):
            self.over(*self.now, *self.then, CELLS, CELLS, 0.04, 0.06, 0.2097, 0.1049, 1.0)
            self.now, self.then = self.then, self.now
        self.app.image(self.now[1], colormap="magma", range=(0, 0.4), smooth=True)


def _open() -> tuple[App, _Launch]:
    from lathe.app import App

    app = App("lathe bench", SIZE, headless=True, ui=False)
    app.frame_limit = None
    return app, _Launch(app)


def _frames(app: App, launch: _Launch, frames: int) -> None:
    for _ in range(20):
        if app.frame():
            launch()
    app._steps.start()  # times of these frames only
    started = time.perf_counter()
    for _ in range(frames):
        if app.frame():
            launch()
    seconds = time.perf_counter() - started
    times = app.frame_times
    print(
        f"gray_scott {CELLS} x {CELLS}, {STEPS} steps a frame, "
        f"{SIZE[0]} x {SIZE[1]}, {frames} frames"
    )
    print(f"  frames/s                 {frames / seconds:8.1f}")
    p50, p95 = percentile(times, 0.5), percentile(times, 0.95)
    print(f"  frame, p50 / p95         {p50:8.1f} / {p95:.1f} ms")
    for name in ("work_ms", "sim_ms", "draw_ms"):
        part = app._studio.stats[name]
        print(f"  {name[:-3]:<24} {part['p50']:8.2f} / {part['p95']:.2f} ms")
    print(f"  bytes through the host   {app.stats.bytes_copied:8d}\n")


def _mapping(app: App) -> None:
    """Map, one launch of one thread, unmap: the fixed cost of a frame's CUDA part."""
    nothing = app.kernel("__global__ void nothing(float* x, int n) { if (n < 0) x[0] = 0; }", "")
    x = app.zeros(MAPPED_BYTES // 4)
    launch = nothing[1, 1]
    studio = app._studio
    times = []
    for _ in range(220):
        started = time.perf_counter()
        launch(x, 0)
        studio.unmap()
        times.append(1e6 * (time.perf_counter() - started))
        studio.synchronize()  # as a frame does, and GL's side of the unmap with it
    print(f"map + launch + unmap of a shared array of {MAPPED_BYTES >> 20} MiB, from Python")
    p50, p95 = percentile(times[20:], 0.5), percentile(times[20:], 0.95)
    print(f"  p50 / p95                {p50:8.1f} / {p95:.1f} us\n")


def _edits(app: App, launch: _Launch, edits: int) -> None:
    """From a new text in the editor to the first frame computed by it, without the typing pause."""
    slot = launch.kernel.slot
    assert slot is not None
    original = slot.source
    latencies, compiles = [], []
    for _ in range(2):  # the frame that is open holds the measurement before this one
        if app.frame():
            launch()
    app._steps.start()
    for i in range(edits):
        # A number that changes the picture, in a text that no cache has seen.
        factor = f"real(1.{i:03d}{time.time_ns() % 1000000:06d})"
        text = original.replace("reaction = a * b * b;", f"reaction = a * b * b * {factor};")
        before = slot.generation
        started = time.perf_counter()
        slot.source = text
        slot.compile_now()
        while slot.generation == before and time.perf_counter() - started < EDIT_TIMEOUT:
            if app.frame():
                launch()
        if app.frame():  # ends the frame that the new version computed
            latencies.append(1e3 * (time.perf_counter() - started))
            launch()
        compiles.append(slot.compile_milliseconds)
    print(f"{edits} edits of the running kernel")
    p50, p95 = percentile(latencies, 0.5), percentile(latencies, 0.95)
    print(f"  edit -> changed pixels   {p50:8.1f} ms p50, {p95:.1f} ms p95")
    print(f"  of it compiling          {percentile(compiles, 0.5):8.1f} ms p50")
    print(f"  longest frame meanwhile  {max(app.frame_times):8.1f} ms\n")


def _import_time() -> None:
    """Fresh interpreters: `import lathe` and its App class, beyond NumPy."""

    def measure(statement: str) -> float:
        code = (
            "import numpy, time; t = time.perf_counter(); "
            f"{statement}; print(1e3 * (time.perf_counter() - t))"
        )
        runs = [
            float(
                subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
            )
            for _ in range(5)
        ]
        return sorted(runs)[2]

    print(f"import lathe               {measure('import lathe'):8.1f} ms beyond NumPy")
    print(
        f"  with the engine          {measure('import lathe; lathe.App'):8.1f} ms, no driver opened"
    )
