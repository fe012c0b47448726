# SPDX-License-Identifier: MIT
"""A run that goes back and on, beside one that never did."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

import lathe
from lathe.sizes import bytes_from

LOGISTIC = """
__global__ void logistic(float* x, float r) {
    float v = x[threadIdx.x];
    x[threadIdx.x] = r * v * (1 - v);
}
"""


class Program:
    """An array, and values of the script: a number, NumPy's and the device's arrays, a generator"""

    def __init__(self, history="4 MiB", **options):
        self.app = lathe.App("logistic", size=(64, 64), headless=True, history=history, **options)
        self.r = 3.7
        self.x = self.app.asarray(np.linspace(0.1, 0.9, 32, dtype=np.float32)[None])
        state = self.app.state
        state.count = 0
        state.log = []
        state.noise = lathe.random.default_rng(1)
        state.sums = np.zeros(3)
        state.drift = lathe.zeros(4)
        state.kernel = self.app.kernel(LOGISTIC)  # no value: it stays as it is
        self.app.frame(self.frame)

    def frame(self, step):
        state = self.app.state
        state.kernel[1, 32](self.x, self.r)
        self.x += state.noise.uniform(0, 1e-4, 32).astype("float32")
        state.count += 1
        state.log.append(step.index)
        state.sums += step.time
        state.drift += 0.5
        self.app.image(self.x)

    def values(self):
        state = self.app.state
        return (
            self.x.get().tobytes(),
            state.count,
            state.log,
            state.sums.tolist(),
            state.drift.get().tolist(),
            state.noise.position,
        )


def straight(steps):
    program = Program(history=0)
    program.app.run(frames=steps)
    return program.values()


def test_back_and_on_is_the_straight_run_to_the_bit():
    program = Program()
    program.app.run(frames=30)
    end = program.values()
    assert end == straight(30)
    program.app.run_control.go_to(9)
    program.app.run(frames=1)
    assert program.app.step == 9
    assert program.values() == straight(10)
    program.app.run(frames=20)
    assert program.values() == end
    assert len(program.app.history.branches) == 1


def test_another_future_is_a_branch():
    program = Program()
    program.app.run(frames=20)
    old = program.values()
    program.app.run_control.go_to(9)
    program.app.run(frames=1)
    program.r = 3.5
    program.app.run(frames=10)
    assert program.values() != old
    first, second = program.app.history.branches
    assert (second.parent, second.fork, second.end) == (first.number, 10, 20)
    assert program.app.history.branch == second.number
    program.app.run_control.go_to(19, branch=first.number)
    program.r = 3.7
    program.app.run(frames=1)
    assert program.values() == old


def test_step_back_pauses():
    program = Program()
    program.app.run(frames=5)
    program.app.run_control.step_back()
    program.app.run(frames=3)
    assert (program.app.step, program.app.run_control.paused) == (3, True)
    assert program.values() == straight(4)


def test_a_script_that_changes_its_state_begins_a_branch():
    program = Program()
    program.app.run(frames=6)
    program.app.run_control.go_to(2)
    program.app.run(frames=1)
    program.app.state.count = 100
    program.app.run(frames=2)
    assert [branch.fork for branch in program.app.history.branches] == [0, 2]


def test_the_budget_is_kept():
    program = Program(history="20 kB")
    program.app.run(frames=60)
    history = program.app.history
    assert history.budget == 20_000
    assert 0 < history.bytes <= 20_000
    assert history.steps[0] == 0 and history.steps[-1] == 59
    assert len(history.steps) < 20


def test_a_budget_that_is_too_small_for_one_state_says_so_and_the_run_goes_on():
    program = Program(history=100)
    program.app.run(frames=3)
    assert program.app.step == 2
    assert "100 are allowed" in program.app.history.ended_by
    program.app.run_control.step_back()
    program.app.run(frames=1)
    assert program.app.step == 1
    said = [text for _, _, text in program.app.console]
    assert said[-1] == f"to go back the run starts over: {program.app.history.ended_by}"


def test_a_run_without_a_history_says_that_it_starts_over():
    app = lathe.App("none", size=(16, 16), headless=True)
    steps = []
    app.frame(lambda step: steps.append(step.index))
    app.run(frames=3)
    app.run_control.step_back()
    app.run(frames=1)
    assert steps == [0, 1, 2, 0, 1]
    assert "the run starts over: it has no history (an option of App)" in app.console[-1][2]


def test_bad_requests_are_refused():
    program = Program()
    with pytest.raises(ValueError, match="from 0 on, got -1"):
        program.app.run_control.go_to(-1)
    program.app.run(frames=3)
    program.app.run_control.go_to(1, branch=77)
    with pytest.raises(lathe.Error, match="no branch 77"):
        program.app.run(frames=1)
    program.app.run(frames=1)
    assert program.app.step == 3


def test_sizes_are_read():
    assert [bytes_from(size) for size in (7, "7", "1 KiB", "1.5 MB", "2gib")] == [
        7,
        7,
        1024,
        1_500_000,
        2**31,
    ]
    for wrong in ("much", "-1", "1 XB", "1 2"):
        with pytest.raises(ValueError, match="like '512 MiB'"):
            bytes_from(wrong)


class Waves:
    """Two arrays that take turns, as scripts have them."""

    def __init__(self, app: lathe.App) -> None:
        self.now, self.then = app.asarray([1.0, 2.0]), app.zeros(2)
        self.front, self.back = app.texture((2, 2)), app.texture((2, 2))
        self.trail: deque[float] = deque(maxlen=3)
        self.app = app
        self.me = self
        self._scratch = 0

    def step(self, by: float) -> None:
        self.then[:] = self.now * 0.5 + by
        self.now, self.then = self.then, self.now
        self.back.fill(by)
        self.front, self.back = self.back, self.front
        self.trail.append(by)
        self._scratch += 1


def test_arrays_and_textures_that_change_places_go_back_with_their_names() -> None:
    app = lathe.App("turns", size=(32, 32), headless=True, history="1 MiB")
    app.state.waves = waves = Waves(app)
    app.state.dice = np.random.default_rng(1)
    seen: dict[int, list[object]] = {}

    @app.frame
    def frame(step: lathe.Step) -> None:
        waves.step(float(app.state.dice.integers(100)))
        values = [waves.now.get().tolist(), waves.then.get().tolist(), list(waves.trail)]
        values += [waves.front.get().tolist(), waves.back.get().tolist()]
        assert seen.setdefault(step.index, values) == values
        app.image(waves.now.reshape(1, 2), range=(0, 100))

    app.run(frames=12)
    for step in (4, 9, 3):  # an odd and an even number of turns back
        app.run_control.go_to(step)
        app.run(frames=1)
        assert app.step == step
        app.run(frames=3)
    assert len(app.history.branches) == 1
    assert app.state.waves is waves
    assert waves._scratch > 12, "what begins with an underscore is the script's business"
    assert waves.trail.maxlen == 3
