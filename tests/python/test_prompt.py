# SPDX-License-Identifier: MIT
"""Lines of Python that are typed below the console of a running program."""

from __future__ import annotations

import gc
import os
import sys
import types
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lathe


class Program:
    """A headless studio with a picture, and its user's keyboard."""

    def __init__(self) -> None:
        self.app = lathe.App("prompt", headless=True, ui=True, size=(1280, 720))
        self.cells = self.app.zeros((48, 64), name="cells")
        self.frames(3)
        self.key("f2")

    def frames(self, count: int) -> None:
        for _ in range(count):
            assert self.app.frame()
            self.app.image(self.cells)

    def key(self, name: str) -> None:
        self.app.input.press_key(name)
        self.frames(1)
        self.app.input.release_key(name)
        self.frames(2)

    def type(self, text: str) -> None:
        self.app.input.type_text(text)
        self.frames(2)

    def line(self, text: str) -> list[tuple[str, str]]:
        """Level and text of what the console has more once the line was entered."""
        before = len(self.app._studio.console.lines)
        if text:
            self.type(text)
        self.key("enter")
        return [line[1:] for line in self.app._studio.console.lines[before:]]

    def keep(self, name: str) -> None:
        if folder := os.environ.get("LATHE_TEST_PICTURES"):
            lathe.save_png(Path(folder) / f"{name}.png", self.app.screenshot(with_ui=True))


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """The module of a script that runs."""
    module = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", module)
    return module


@pytest.fixture
def program(script: types.ModuleType) -> Program:
    made = Program()
    script.cells = made.cells  # type: ignore[attr-defined]
    return made


def test_lines_reach_the_names_of_the_script(program: Program, script: Any) -> None:
    script.speed = 2.0
    assert program.line("speed * 3") == [("info", ">>> speed * 3"), ("info", "6.0")]
    program.line("speed = 5")
    assert script.speed == 5
    assert program.line("app.step")[1] == ("info", str(program.app.step - 2))
    assert program.line("print(np.pi, lathe.zeros(2))")[1][1] == f"{np.pi} [0. 0.]"


def test_arrays_that_are_drawn_change(program: Program) -> None:
    program.line("cells[10:20] = 0.5")
    np.testing.assert_array_equal(program.cells.get()[:, 0], np.repeat([0, 0.5, 0], [10, 10, 28]))
    assert program.line("float(cells.get().max())")[1] == ("info", "0.5")
    program.keep("prompt")


def test_statements_of_several_lines(program: Program, script: Any) -> None:
    assert program.line("for i in range(2):") == [("info", ">>> for i in range(2):")]
    assert program.line("    print('line', i)") == [("info", "...     print('line', i)")]
    program.keep("prompt-more")
    assert program.line("") == [("info", "... "), ("info", "line 0\nline 1")]


def test_mistakes_are_shown_and_the_program_goes_on(program: Program) -> None:
    errors = program.app._studio.console.errors
    said = program.line("1 / 0")
    assert said[1][0] == "error" and "ZeroDivisionError: division by zero" in said[1][1]
    assert "prompt.py" not in said[1][1]
    assert "SyntaxError" in program.line("x = = 2")[1][1]
    assert program.app._studio.console.errors == errors + 2
    program.frames(2)


def test_up_brings_back_and_tab_completes(program: Program, script: Any) -> None:
    script.velocity_of_light = 299_792_458
    program.line("7 * 6")
    program.line("'other'")
    program.key("up")
    program.key("up")
    assert program.line("") == [("info", ">>> 7 * 6"), ("info", "42")]
    program.type("velo")
    program.key("tab")
    assert program.line("")[1][1] == "299792458"
    program.type("app.run_c")
    program.key("tab")
    assert "RunControl" in program.line("")[1][1]
    program.type("app.ze")
    program.key("tab")
    program.type("2)")
    assert program.line("")[0][1] == ">>> app.zeros(2)"
    before = len(program.app._studio.console.lines)
    program.type("app.fra")
    program.key("tab")  # app.frame, as far as all agree
    program.key("tab")
    program.keep("prompt-words")
    words = program.app._studio.console.lines[before][2]
    assert "app.frame(" in words and "app.frame_limit" in words


def test_exit_closes_the_program(program: Program) -> None:
    program.app.input.type_text("exit()")
    program.app.frame()
    program.app.input.press_key("enter")
    assert not all(program.app.frame() for _ in range(5))


def test_names_of_the_script_are_left_alone(program: Program, script: Any) -> None:
    script.np = "mine"
    assert program.line("np")[1] == ("info", "'mine'")
    assert script.np == "mine"


def test_the_prompt_keeps_no_app(script: types.ModuleType) -> None:
    program = Program()
    program.line("2 + 2")
    vars(script).clear()
    gone = weakref.ref(program.app)
    del program
    gc.collect()
    assert gone() is None


def test_without_panels_there_is_none() -> None:
    app = lathe.App("plain", headless=True, ui=False, size=(64, 48))
    assert app.frame()


def test_names_of_a_sketch_follow_it(program: Program, script: Any) -> None:
    arrays = {"u": "first", "cells": "never"}
    program.app._prompt.more_names = lambda: arrays
    assert program.line("u")[1][1] == "'first'"
    arrays["u"] = "second"  # as two arrays that are swapped
    assert program.line("u")[1][1] == "'second'"
    program.line("u = 'mine'")
    assert program.line("u")[1][1] == "'mine'"
    assert "GPUArray" in program.line("type(cells)")[1][1]
