# SPDX-License-Identifier: MIT
"""The right mouse button stirs the water of `sph`, and takes the law of a place of `pendulum`."""

from __future__ import annotations

import numpy as np
import pytest

import lathe
from lathe.cli.list_apps import apps
from lathe.options import RunOptions
from lathe.script import run_script


def started(name, monkeypatch, *settings):
    """The App of an experiment after three frames of 320 x 180 pixels."""
    run = lathe.App.run
    file = apps()[name]
    options = RunOptions(
        name=name, script=file, size=(320, 180), headless=True, ui=False, assignments=settings
    )
    monkeypatch.setattr(lathe.App, "run", lambda app: run(app, frames=3))
    run_script(file, options)
    monkeypatch.setattr(lathe.App, "run", run)
    return options.app


@pytest.mark.parametrize("look", ["water", "speed"])
def test_the_mouse_takes_water_along(look, monkeypatch):
    app = started("sph", monkeypatch, f"look={look}", "rows=20", "scene=wave")
    app.run(frames=10)  # the camera of particles looks at the tank
    fluid = app.state.fluid
    app.input.move_mouse(100, 150)  # pixels from the top left, in the water
    app.input.press_button("right")
    app.run(frames=1)
    for k in range(4):
        app.input.move_mouse(104 + 4 * k, 150)
        app.run(frames=1)
    stirred = fluid.state.get()
    app.input.release_button("right")
    app.run(frames=1)
    # The tank, 5.366 wide, fills the picture's width but for some pixels; the floor is low in it.
    near = np.hypot(*(stirred[:, :2] - (116 / 320 * 5.366, 0.4)).T) < 0.3
    assert near.sum() > 30
    assert stirred[near, 2].mean() > 0.3 + stirred[~near, 2].mean()


def test_a_click_takes_the_law_of_a_place(monkeypatch):
    app = started("pendulum", monkeypatch)
    app.input.move_mouse(44, 45)  # the map is 178 pixels wide, in the middle of 180 rows
    app.input.press_button("right")
    app.run(frames=1)
    assert app.parameters["damping"] == pytest.approx(0.2 + 0.6 * 44 / 178, abs=0.01)
    assert app.parameters["drive"] == pytest.approx(1.6 - 0.7 * 45 / 180, abs=0.01)
