# SPDX-License-Identifier: MIT
"""What panels cost, the studio's and a script's, and whether Dear ImGui's demo windows leave memory
behind.

    python tests/benchmarks/bench_panels.py [--frames 1000]

First the studio at 1280 x 720 with a source of 2,000 lines, 5,000 lines in the console, and
sliders: the processor time of a whole frame with each panel in front, and without any panel. Only
on a GPU is that the interface's own time, as a software OpenGL draws on the same processors. The
profiler and the plots have something to show, and the picture is one launch's.

Then a frame function with 20 launches of an empty kernel and 20 widgets in a panel: the time from
its first line to its last, in a headless window of 1280 x 720 with the studio. That is Python, its
bindings, and what they call. Then all demo windows at once: what Dear ImGui has allocated, and the
process's memory, when they have been shown for a while and at the end.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import lathe
from lathe import imgui, implot

SIZE = (1280, 720)
SOURCE_LINES = 2000
CONSOLE_LINES = 5000
PANELS = (
    "Kernels",
    "Parameters",
    "Things",
    "Profiler",
    "Console",
    "Thread",
    "Values",
    "History",
    "Plots",
)
COUNT = 20  # kernels, and widgets
SOURCE = 'extern "C" __global__ void nothing(float* values, int count, float factor) {}'


def long_source() -> str:
    """A kernel of as many lines, with four sliders."""
    head = """__constant__ float speed = 1.0f;  // @slider 0 2
__constant__ float scale = 4.0f;  // @slider 1 8
__constant__ float shade = 0.5f;  // @slider 0 1
__constant__ float turn = 0.0f;   // @slider 0 6
"""
    rest = """extern "C" __global__ void waves(float* values, int width, int height, float time)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    values[y * width + x] = shade + 0.5f * sinf(scale * x / width + turn + speed * time);
}
"""
    lines = SOURCE_LINES - head.count("\n") - rest.count("\n")
    helpers = "".join(
        f"__device__ float helper{k}(float x) {{ return {k}.5f * sqrtf(x) + {k}; }}  // of a row\n"
        for k in range(lines)
    )
    return head + helpers + rest


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Without a copy of the console's lines in the terminal."""
    sys.stdout.flush()
    kept = os.dup(1)
    with open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), 1)
    yield
    os.dup2(kept, 1)
    os.close(kept)


class Studio:
    """An App that shows a picture of one launch, with panels or without."""

    def __init__(self, ui: bool) -> None:
        self.app = lathe.App(f"panels {ui}", size=SIZE, headless=True, ui=ui, history="64 MB")
        self.app.frame_limit = None
        self.values = self.app.zeros((360, 640))
        self.kernel = self.app.kernel(long_source(), "waves").over((360, 640))
        self.log = self.app.log_values("mean")
        with silence():
            for k in range(CONSOLE_LINES):
                self.app.log(f"line {k} of the console, as long as such lines are: {k * 0.37:.3f}")
        self.frames(60)

    def frames(self, count: int) -> float:
        """The median of the process's processor milliseconds a frame."""
        times = []
        for _ in range(count):
            begin = time.process_time()
            if self.app.frame():
                self.kernel(self.values, 640, 360, self.app.time)
                self.log(float(self.app.step % 100))
                self.app.image(self.values)
            times.append(time.process_time() - begin)
        return 1e3 * statistics.median(times)


def panels(frames: int) -> None:
    bare, full = Studio(ui=False), Studio(ui=True)
    print(f"{'ms of processor a frame':<26} {'all':>8} {'panels':>8}")
    without = statistics.median([bare.frames(frames) for _ in range(3)])
    print(f"{'without panels':<26} {without:8.3f}")
    for title in PANELS:
        full.app.show_panel(title)
        full.frames(20)
        took = full.frames(frames)
        print(f"{title + ' in front':<26} {took:8.3f} {took - without:8.3f}")
    lathe.save_png("panels.png", full.app.screenshot(True))
    bare.app.close()
    full.app.close()


def studio(name: str, draw: Callable[[], None], frames: int) -> None:
    """Runs `draw` in each step of a program of its own."""
    app = lathe.App(name, size=(1280, 720), headless=True, ui=True)
    app.frame(draw)
    app.run(frames=frames)
    app.close()


def script(frames: int) -> None:
    app = lathe.App("script", size=(1280, 720), headless=True, ui=True)
    values = app.zeros(64)
    nothing = app.kernel(SOURCE, "nothing")
    numbers = [0.5] * COUNT
    times: dict[str, list[float]] = {"20 kernels": [], "20 widgets": [], "together": []}

    def frame() -> None:
        begin = time.perf_counter()
        for number in numbers:
            nothing[1, 64](values, 64, number)
        launched = time.perf_counter()
        with app.panel("widgets"):
            for index, number in enumerate(numbers):
                _, numbers[index] = imgui.slider_float(f"widget {index}", number, 0.0, 1.0)
        end = time.perf_counter()
        for name, seconds in zip(
            times, (launched - begin, end - launched, end - begin), strict=True
        ):
            times[name].append(seconds)

    app.frame(frame)
    app.run(frames=frames)
    print(f"{'ms a frame':<12} {'median':>8} {'19 in 20':>9}")
    for name, seconds in times.items():
        settled = sorted(seconds[len(seconds) // 5 :])
        most = settled[len(settled) * 19 // 20]
        print(f"{name:<12} {1e3 * statistics.median(settled):8.3f} {1e3 * most:9.3f}")
    app.close()


def megabytes() -> float:
    """The process's memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6


def show_every_demo() -> None:
    imgui.show_demo_window()
    implot.show_demo_window()
    imgui.show_metrics_window()
    imgui.show_debug_log_window()
    imgui.show_id_stack_tool_window()
    imgui.show_about_window()
    implot.show_metrics_window()
    for name in ("Dear ImGui Demo", "ImPlot Demo"):
        imgui.begin(name)
        imgui.get_state_storage().set_all_int(1)  # unfolds all
        imgui.end()


def demos(frames: int) -> None:
    told = {frames // 4, frames // 2, frames}
    frame = 0

    def draw() -> None:
        nonlocal frame
        frame += 1
        show_every_demo()
        if frame in told:
            info = imgui.get_current_context().debug_alloc_info
            held = info.total_alloc_count - info.total_free_count
            print(f"{frame:>6} frames: {held} allocations of Dear ImGui, {megabytes():.1f} MB")

    begin = time.perf_counter()
    studio("demos", draw, frames)
    print(f"{1e3 * (time.perf_counter() - begin) / frames:.1f} ms a frame")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=1000)
    frames = parser.parse_args().frames
    panels(min(frames, 200))
    script(min(frames, 500))
    demos(frames)


if __name__ == "__main__":
    main()
