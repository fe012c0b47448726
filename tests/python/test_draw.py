# SPDX-License-Identifier: MIT
"""Drawing calls: what cannot be drawn is refused at once; a step that fails leaves the picture."""

from __future__ import annotations

import numpy as np
import pytest

import lathe


def test_pictures_are_checked_at_once(app):
    x = app.zeros((4, 4))
    with pytest.raises(ValueError, match=r"colormap is one of .*viridis.*got 'jett'"):
        app.image(x, colormap="jett")
    with pytest.raises(ValueError, match="float64"):
        app.image(app.zeros((4, 4), np.float64))
    with pytest.raises(TypeError, match=r"got ndarray; app\.asarray"):
        app.image(np.zeros((4, 4), np.float32))
    with pytest.raises(ValueError, match="another App"):
        app.image(lathe.zeros((4, 4)))
    with pytest.raises(TypeError, match="range is two numbers"):
        app.image(x, range=3)
    with pytest.raises(TypeError, match="gamma is a number, got 'much'"):
        app.image(x, gamma="much")


def test_points_are_checked_at_once(app):
    p = app.zeros((5, 2))
    with pytest.raises(ValueError, match="blend is one of opaque, alpha, additive, got 'mix'"):
        app.points(p, blend="mix")
    with pytest.raises(ValueError, match=r"values are \(5,\) float32"):
        app.points(p, values=app.zeros(4))
    with pytest.raises(ValueError, match=r"colors are \(5, 4\)"):
        app.points(p, colors=app.zeros((5, 3)))
    with pytest.raises(TypeError, match="positions: an Array of the App, got list"):
        app.lines([[0, 0], [1, 1]])
    with pytest.raises(ValueError, match="a colour is"):
        app.lines(p, color="red")


def test_a_failed_step_leaves_the_last_picture(app):
    ramp = app.asarray(np.linspace(0, 1, 48 * 64).reshape(48, 64), np.float32)
    dark = app.zeros((48, 64))
    assert app.frame()
    app.image(ramp)
    shown = app.screenshot()
    assert len(np.unique(shown)) > 10
    assert app.frame()
    app.image(dark)
    app.show_error(ValueError("after half of the drawing"))
    app._end_frame()
    np.testing.assert_array_equal(app._studio.screenshot(), shown)


def test_broken_steps_do_not_begin(app):
    assert app.frame()
    app.show_error(ValueError("broken"))
    step = app.step
    app.frame_limit = 5
    assert not app.frame()  # frames without steps until the limit
    assert app.step == step
