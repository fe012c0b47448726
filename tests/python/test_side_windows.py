# SPDX-License-Identifier: MIT
"""Further windows of an App: views of its own for the same arrays, in the same frames."""

from __future__ import annotations

import numpy as np
import pytest

import lathe


@pytest.fixture
def app():
    app = lathe.App("first", size=(96, 64), headless=True, background=(0, 0, 0))
    app.frame_limit = 100
    return app


def grey(picture):
    return picture[..., 0].astype(int)


def test_both_show_one_array_without_a_copy(app):
    side = app.open_window("second", size=(64, 32))
    x = app.zeros((32, 64), np.float32)
    for value in (0.25, 0.75):
        assert app.frame()
        x[...] = value
        app.image(x, colormap="gray")
        side.image(x, colormap="viridis", range=(0, 1))
        side.points([[0, 0]], size=4, color=(1, 0, 0))
    assert side.screenshot().shape == (32, 64, 3) and side.size == (64, 32)
    assert abs(grey(app.screenshot())[32, 48] - 0.75 * 255) <= 2
    expected = (94, 201, 98)  # viridis at 0.75
    np.testing.assert_allclose(side.screenshot()[2, 2], expected, atol=8)
    assert tuple(side.screenshot()[16, 32]) == (255, 0, 0)
    stats = app.stats
    assert stats.bytes_drawn_by_copy == 0
    assert stats.bytes_uploaded == 2 * 8, "only the point"
    assert stats.bytes_drawn_in_place == 2 * 2 * x.nbytes + 2 * 8


def test_its_picture_is_what_the_first_window_would_show(app):
    rng = np.random.default_rng(3)
    x = app.asarray(rng.normal(size=(200, 3)), np.float32)
    volume = app.asarray(rng.random((8, 8, 8)), np.float32)
    side = app.open_window("same", size=(96, 64))
    for _ in range(3):
        assert app.frame()
        for each in (app, side):
            each.volume(volume, mode="mip")
            each.points(x, radius=0.05, color=(0.9, 0.4, 0.1))
            each.axes()
            each.title("both")
    np.testing.assert_array_equal(side.screenshot(), app.screenshot())


def test_cameras_are_its_own_and_can_be_linked(app):
    side = app.open_window("cameras")
    x = app.asarray([[0.0, 0, 0], [1, 1, 1]], np.float32)

    def step():
        assert app.frame()
        app.points(x, radius=0.1)
        side.points(x, radius=0.1)

    step()
    step()
    step()
    before = app.orbit_camera.distance
    assert side.orbit_camera.distance > 0
    side.input.move_mouse(320, 240)
    side.input.scroll(0, 2)
    step()
    step()
    assert app.orbit_camera.distance == before
    assert side.orbit_camera.distance < before
    side.link(app)
    step()
    assert side.orbit_camera.distance == app.orbit_camera.distance


def test_tiles_and_picks(app):
    side = app.open_window("tiles", size=(200, 100))
    left, right = side.views(1, 2)
    seen = []
    for mouse in ((175, 75), (50, 50), (50, 50), (0, 0)):
        assert app.frame()
        left.image([[0.5]], name="left")
        right.image(np.arange(4.0).reshape(2, 2), range="auto", name="right")
        seen.append(side.picked)
        side.input.move_mouse(*mouse)
    assert app.picked is None, "nothing is drawn there"
    assert seen[1].item == "right" and seen[1].index == (1, 1) and seen[1].value == 3
    assert seen[3].item == "left"


def test_the_title_finds_it_again_until_it_is_closed(app):
    side = app.open_window("detail", size=(40, 30))
    assert app.open_window("detail") is side
    assert app.frame()
    side.image([[1.0]])
    side.close()
    assert app.frame()
    assert not side.is_open
    side.image([[1.0]])  # shown nowhere
    with pytest.raises(lathe.Error, match='"detail" is closed'):
        side.screenshot()
    again = app.open_window("detail", size=(20, 10))
    assert again is not side and again.is_open and again.size == (20, 10)
    assert app.frame()
    again.image([[1.0]], colormap="gray")
    assert grey(again.screenshot())[5, 10] == 255


def test_it_may_draw_while_the_first_window_has_nothing(app):
    side = app.open_window("alone", size=(20, 20))
    x = app.zeros((4, 4), np.float32)
    assert app.frame()
    x[...] = 1
    side.image(x, colormap="gray")
    assert (side.screenshot() == 255).all() and not app.screenshot().any()


def test_a_mistake_in_one_window_is_told_and_both_go_on(app):
    side = app.open_window("wrong")
    assert app.frame()
    with pytest.raises(ValueError):
        side.points(np.zeros((3, 7)))
    app.image([[1.0]])
    assert app.frame()
    with pytest.raises(lathe.Error, match="impossible"):
        app.open_window("huge", size=(0, 10))
