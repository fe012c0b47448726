# SPDX-License-Identifier: MIT
"""What tools/build tells of a build that takes long."""

from __future__ import annotations

from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


class Clock:
    """Stands in for the module time."""

    now = 1000.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def build(monkeypatch, clock):
    loader = SourceFileLoader("build", str(ROOT / "tools/build"))
    spec = spec_from_loader("build", loader)
    assert spec
    module = module_from_spec(spec)
    loader.exec_module(module)
    monkeypatch.setattr(module, "time", clock)
    return module


def test_a_line_comes_each_minute(build, clock, monkeypatch, capsys):
    monkeypatch.setattr(build, "IN_TERMINAL", False)
    progress = build.Progress()
    for done in range(1, 201):  # a second each
        clock.now += 1
        progress.step(done, 200)
    assert capsys.readouterr().out.splitlines() == [
        "build: step 60 of 200, about 2 min left",
        "build: step 120 of 200, about 80 s left",
        "build: step 180 of 200, about 20 s left",
    ]
    progress.end()
    assert capsys.readouterr().out == "build: done in 3 min\n"


def test_steps_that_take_minutes_are_told_each(build, clock, monkeypatch, capsys):
    monkeypatch.setattr(build, "IN_TERMINAL", False)
    progress = build.Progress()
    for done in (1, 2):
        clock.now += 150
        progress.step(done, 2)
    assert capsys.readouterr().out.splitlines() == [
        "build: step 1 of 2, about 2 min left",
        "build: step 2 of 2",
    ]


def test_a_terminal_has_one_line_that_changes(build, clock, monkeypatch, capsys):
    monkeypatch.setattr(build, "IN_TERMINAL", True)
    progress = build.Progress()
    for done in (1, 4, 5, 40):
        clock.now = 1000 + 6 * done
        progress.step(done, 40)
    progress.end()
    assert capsys.readouterr().out.split("\r\033[K") == [
        "",
        "build: step 1 of 40",  # too early to say how long it takes
        "build: step 4 of 40, about 4 min left",
        "build: step 5 of 40, about 4 min left",
        "build: step 40 of 40",
        "build: done in 4 min\n",
    ]


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0, "5 s"), (7, "5 s"), (8, "10 s"), (89, "90 s"), (90, "2 min"), (600, "10 min")],
)
def test_times_are_round(build, seconds, told):
    assert build.minutes(seconds) == told
