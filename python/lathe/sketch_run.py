# SPDX-License-Identifier: MIT
"""Sketches on an App: arrays, launches and drawings as the directives say."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from lathe import options as run_options
from lathe._lathe import Kernel
from lathe.app import App
from lathe.array.gpu_array import GPUArray
from lathe.native import native
from lathe.sketch import parse
from lathe.sketch_parts import SEED, Buffer, Launch, Sketch, SketchError

__all__ = ["run_sketch"]


def run_sketch(file: Path, options: run_options.RunOptions) -> None:
    """Runs a sketch until its window is closed or its frames are done."""
    sketch = parse(file.read_text(), str(file))
    run_options.use(options)
    try:
        app = App(sketch.title, sketch.size, background=sketch.background)
        _Runner(app, file, sketch).run()
    finally:
        run_options.use(run_options.RunOptions())


class _Runner:
    """Arrays, kernels and drawings of a sketch on an App; reads the file again when it changes."""

    def __init__(self, app: App, file: Path, sketch: Sketch) -> None:
        self.app, self.file, self.sketch = app, file, sketch
        self.arrays: dict[str, GPUArray] = {}
        self.kernels: dict[str, Kernel] = {}
        self.taken = ""
        app._prompt.more_names = lambda: {**self.arrays, **self.kernels}
        app._watch.path = None  # the slot watches the file; its text is taken with the kernels
        app.kernel(file, "")
        self.take(sketch)
        app.frame(self.step)
        app.init(self.start)

    def run(self) -> None:
        self.app.run()

    @contextmanager
    def at(self, line: int) -> Iterator[None]:
        """A mistake within is told with the line of its directive."""
        try:
            yield
        except (TypeError, ValueError, OverflowError, MemoryError, native.LogicError) as error:
            why = str(error) or type(error).__name__
            raise SketchError(f"{self.file}:{line}: {why}") from None

    def make(self, buffer: Buffer) -> GPUArray:
        """A new array with the buffer's first contents."""
        there = native.gpu_status()["devices"][0]["total_bytes"]
        if buffer.bytes > there:
            raise SketchError(
                f"{self.file}:{buffer.line}: buffer {buffer.name} is of {buffer.bytes / 2**30:.1f} "
                f"GiB, the device has {there / 2**30:.1f}"
            )
        try:
            array: GPUArray = self.app._studio.array(buffer.shape, np.dtype(buffer.dtype))
        except native.Error as error:
            raise SketchError(f"{self.file}:{buffer.line}: {error}") from None
        with self.at(buffer.line):
            array.set(buffer.make())
        return array

    def take(self, sketch: Sketch) -> None:
        """Makes what the directives name; arrays of the same name and kind keep their contents."""
        self.sketch = sketch
        arrays: dict[str, GPUArray] = {}
        for name, buffer in sketch.buffers.items():
            old = self.arrays.get(name)
            same = old is not None and old.shape == buffer.shape and old.dtype == buffer.dtype
            arrays[name] = old if old is not None and same else self.make(buffer)
        self.arrays = arrays
        if sketch.camera is not None:
            self.app.use_camera(sketch.camera)
        slot = self.app.kernel(self.file, "").slot
        assert slot is not None
        self.slot, self.taken = slot, slot.source
        self.kernels = {}
        for launch in sketch.launches:
            if slot.ready and launch.kernel not in slot.kernel_names:
                raise SketchError(
                    f"{self.file}:{launch.line}: there is no kernel '{launch.kernel}'; there are: "
                    f"{', '.join(slot.kernel_names)}"
                )
            self.kernels[launch.kernel] = self.app.kernel(self.file, launch.kernel)

    def start(self) -> None:
        for name, buffer in self.sketch.buffers.items():
            self.arrays[name].set(buffer.make())
        for launch in self.sketch.launches:
            if launch.once:
                self.launch(launch)

    def step(self) -> None:
        slot = self.slot
        if slot.source != self.taken and slot.state == "good" and not slot.moving:
            self.taken = self.slot.source
            self.take(parse(self.taken, str(self.file)))
        for launch in self.sketch.launches:
            if not launch.once:
                self.launch(launch)
        for drawing in self.sketch.drawings:
            arguments = dict(drawing.arguments)
            if drawing.values is not None:
                arguments["values"] = self.arrays[drawing.values]
            with self.at(drawing.line):
                getattr(self.app, drawing.method)(self.arrays[drawing.buffer], **arguments)

    def launch(self, launch: Launch) -> None:
        kernel = self.kernels[launch.kernel]
        with self.at(launch.line):
            launcher = kernel.over(launch.grid[::-1], launch.block)
        for _ in range(launch.times):
            arguments = self.arguments(launch, kernel)
            with self.at(launch.line):
                launcher(**arguments)
            for a, b in launch.swaps:
                self.arrays[a], self.arrays[b] = self.arrays[b], self.arrays[a]

    def program_values(self, launch: Launch) -> dict[str, Any]:
        """What `native.program_parameters` names, for a launch of this step."""
        app = self.app
        width, height, depth = (*launch.grid, 1, 1)[:3]
        x, y = app.cell_under_mouse or (-1, -1)
        return {
            "width": width, "height": height, "depth": depth, "count": width * height * depth,
            "time": app.time, "dt": app.dt, "frame": max(app.step, 0), "seed": SEED,
            "mouse_x": x, "mouse_y": y,
            "mouse_down": int(x >= 0 and app.input.button_down("right")),
        }  # fmt: skip

    def arguments(self, launch: Launch, kernel: Kernel) -> dict[str, Any]:
        known = self.program_values(launch) | self.arrays
        sliders = self.app._studio.parameters
        given: dict[str, Any] = {}
        for name, kind in kernel.parameters:
            if name in known:
                given[name] = known[name]
            elif not sliders.has(name):
                raise SketchError(
                    f"{self.file}:{launch.line}: parameter {name} ({kind}) of {launch.kernel} is "
                    f"neither a buffer ({', '.join(self.arrays)}) nor a slider"
                )
        return given
