# SPDX-License-Identifier: MIT
"""The strip below the run control, with a mouse."""

from __future__ import annotations

import os

import numpy as np
import pytest

import lathe

WIDTH = 1280
LEFT = 190  # of the strip: the menus stand before it


class Player:
    """A counter that is drawn, in a window's panels."""

    def __init__(self, **options):
        self.app = lathe.App("player", headless=True, ui=True, history="16 MiB", **options)
        self.app.frame_limit = 10_000
        self.x = self.app.zeros((8, 8))
        self.add = 1.0
        self.app.frame(self.frame)

    def frame(self):
        self.x += self.add
        self.app.image(self.x, range=(0, 100))

    def click(self, place, y, *, until=None):
        """Presses at a part of the strip, and moves to `until` before it lets go."""
        mouse = self.app.input
        mouse.move_mouse(LEFT + place * (WIDTH - LEFT), y)
        self.app.run(frames=2)
        mouse.press_button()
        self.app.run(frames=2)
        if until is not None:
            mouse.move_mouse(LEFT + until * (WIDTH - LEFT), y)
            self.app.run(frames=3)
        mouse.release_button()
        self.app.run(frames=2)


@pytest.fixture
def player():
    return Player()


def line_y(player):
    """Where the strip is: the row of its light blue line, over most of the width."""
    picture = player.app.screenshot(with_ui=True)[:80].astype(int)
    blue = (picture[:, :, 2] - picture[:, :, 0] > 40).mean(axis=1)
    return int(np.argmax(blue))


def test_a_drag_goes_back_and_another_future_is_a_branch(player):
    app = player.app
    app.run(frames=100)
    y = line_y(player)
    player.click(0.9, y, until=0.5)
    assert app.run_control.paused
    assert 45 <= app.step <= 55
    assert (player.x.get() == app.step + 1).all()
    assert "app.run_control.go_to(" in app.console[-1][2]
    here = app.step
    player.add = 2.0
    app.run_control.paused = False
    app.run(frames=20)
    assert [b.fork for b in app.history.branches] == [0, here + 1]
    assert (player.x.get() == here + 1 + 2 * (app.step - here)).all()
    app.run_control.paused = True
    app.run(frames=2)
    if folder := os.environ.get("LATHE_TEST_PICTURES"):
        lathe.save_png(f"{folder}/time_line.png", app.screenshot(with_ui=True))
    player.add = 1.0
    player.click(0.9, y + 5)  # the first branch's line lies below
    assert app.history.branch == 0
    assert (player.x.get() == app.step + 1).all()


def test_the_row_has_a_step_back(player):
    app = player.app
    app.run(frames=20)
    app.run_control.paused = True
    app.run(frames=1)
    app.input.press_key(",")
    app.run(frames=2)
    assert (app.step, app.run_control.paused) == (18, True)
    app.input.release_key(",")
    app.run(frames=2)
    assert (app.step, app.run_control.paused) == (18, True)


def test_without_a_history_there_is_no_strip():
    with_strip = Player()
    with_strip.app.run(frames=4)
    without = lathe.App("still", headless=True, ui=True)
    x = without.zeros((8, 8))
    without.frame(lambda: without.image(x))
    without.run(frames=4)
    a = with_strip.app.screenshot(with_ui=True)
    b = without.screenshot(with_ui=True)
    assert (a[:60] != b[:60]).any()
