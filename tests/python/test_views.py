# SPDX-License-Identifier: MIT
"""Views: tiles of the picture, each with drawing calls and cameras of its own."""

from __future__ import annotations

import numpy as np
import pytest

import lathe


@pytest.fixture
def app():
    app = lathe.App("views", size=(202, 102), headless=True)
    app.frame_limit = 100
    return app


def test_two_pictures_side_by_side(app):
    left, right = app.views(1, 2)
    assert (left.tile, right.tile) == ((0, 0, 0.5, 1), (0.5, 0, 0.5, 1))
    ramp = np.linspace(0, 1, 100 * 100).reshape(100, 100)
    assert app.frame()
    left.image(ramp, colormap="gray")
    right.image(app.asarray(1 - ramp, np.float32), colormap="gray")
    shown = app.screenshot()[1:101, :, 0] / 255
    np.testing.assert_allclose(shown[:, :100], ramp, atol=1 / 255)
    np.testing.assert_allclose(shown[:, 102:], 1 - ramp, atol=1 / 255)


def test_the_apps_own_calls_draw_in_its_first_view(app):
    assert app.view is app.views(2, 1)[0]
    assert isinstance(app.view, lathe.View)
    assert app.frame()
    app.image(np.ones((4, 4)), colormap="gray")
    app.use_camera("orbit")
    app.view.orbit_camera.distance = 7
    shown = app.screenshot()
    assert tuple(shown[25, 101]) == (255, 255, 255)
    assert shown[76, 101].max() < 30
    assert app.orbit_camera.distance == 7


def test_views_stay_themselves(app):
    four = app.views(2, 2)
    four[1].pan_zoom_camera.height = 5
    assert app.views(1, 2)[1] is four[1]
    assert four[1].pan_zoom_camera.height == 5
    assert app.views() == [app.view]
    four[3].image(np.ones((4, 4)))  # shown no more, and no error


def test_a_view_keeps_what_it_draws_in():
    def a_view():
        return lathe.App("short", size=(64, 48), headless=True).views(1, 2)[1]

    view = a_view()
    view.image(np.ones((4, 4)))
    assert view.pan_zoom_camera.height == 2


@pytest.mark.parametrize("wrong", [(0, 1), (1, -2), (65, 1)])
def test_wrong_numbers_of_tiles(app, wrong):
    with pytest.raises(ValueError, match="views are 1 to 64 rows and columns"):
        app.views(*wrong)


def test_views_check_as_the_app_does(app):
    with pytest.raises(ValueError, match="a picture is"):
        app.views(1, 2)[1].image(np.zeros(3))
    with pytest.raises(ValueError, match="camera is 'orbit' or 'pan_zoom'"):
        app.view.use_camera("fly")
