# SPDX-License-Identifier: MIT
"""What a script's own panels cost, and whether Dear ImGui's demo windows leave memory behind.

    python tests/benchmarks/bench_panels.py [--frames 1000]

First a frame function with 20 launches of an empty kernel and 20 widgets in a panel: the time from
its first line to its last, in a headless window of 1280 x 720 with the studio. That is Python, its
bindings, and what they call. Then all demo windows at once: what Dear ImGui has allocated, and the
process's memory, when they have been shown for a while and at the end.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import lathe
from lathe import imgui, implot

COUNT = 20  # kernels, and widgets
SOURCE = 'extern "C" __global__ void nothing(float* values, int count, float factor) {}'


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
    script(min(frames, 500))
    demos(frames)


if __name__ == "__main__":
    main()
