# SPDX-License-Identifier: MIT
"""F7 in an App with a history: the launch that made what the picture shows is followed."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import lathe
from lathe.native import native

SOURCE = """__global__ void grow(float* u, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float v = u[y * width + x];
    const float w = 0.75f * v * v + 0.1f * v;
    u[y * width + x] = w - floorf(w) + x;
}"""


class Program:
    """A chaotic row of numbers; each step has two launches."""

    def __init__(self, history: int | str) -> None:
        self.app = lathe.App("grow", size=(1280, 720), headless=True, ui=True, history=history)
        self.kernel = self.app.kernel(SOURCE, name="grow.cu")
        self.u = self.app.asarray(np.linspace(0, 1, 48 * 64, dtype="float32").reshape(48, 64))
        self.before: dict[int, np.ndarray[Any, Any]] = {}
        """u before the second launch of a step, as it first was."""
        self.steps: list[int] = []
        self.app.frame(self.frame)

    def frame(self, step: Any) -> None:
        self.steps.append(step.index)
        self.kernel.over(self.u.shape)(self.u, 64, 48)
        self.before.setdefault(step.index, self.u.get())
        self.kernel.over(self.u.shape)(self.u, 64, 48)
        self.app.image(self.u, range=(0, 64), name="u")

    def press_f7(self) -> int:
        """The step that is shown then."""
        self.app.input.move_mouse(450, 250)
        self.app.run(frames=4)
        self.app.input.press_key("f7")
        self.app.run(frames=1)
        return int(self.app.step)

    def until_followed(self) -> list[Any]:
        deadline = time.monotonic() + 60
        while not self.app.followed and time.monotonic() < deadline:
            self.app.run(frames=1)
        return self.app.followed


def value_before(program: Program) -> tuple[float, tuple[int, int]]:
    """v of the thread that was followed, and its element."""
    last = program.app.followed[-1].values
    return last["v"], (last["y"], last["x"])


@pytest.mark.parametrize("is_paused", [False, True])
def test_the_last_launch_of_the_step_that_is_shown_is_followed(is_paused: bool) -> None:
    program = Program("16 MiB")
    app = program.app
    app.run(frames=3)
    app.run_control.paused = is_paused
    shown = program.press_f7()
    program.until_followed()
    v, element = value_before(program)
    before = program.before[shown][element]
    if native.gpu_status()["is_software"]:
        assert v == before
    else:  # a GPU's compiler may fuse other products into sums in the code that tells its steps
        assert v == pytest.approx(before, abs=np.spacing(np.float32(2048)))
    app.run(frames=6)  # it goes on from where it was
    assert program.steps.count(shown) == 3
    if is_paused:
        assert app.step == shown
    assert len(app.history.branches) == 1, "the state is as it was, to the last bit"
    straight = Program(0)
    straight.app.run(frames=app.step + 1)
    assert straight.app.step == app.step
    assert straight.u.get().tobytes() == program.u.get().tobytes()


def test_without_a_history_it_is_the_next_launch() -> None:
    program = Program(0)
    program.app.run(frames=3)
    shown = program.press_f7()
    program.until_followed()
    assert program.steps.count(shown) == 1
    v, _ = value_before(program)
    assert np.isfinite(v)
