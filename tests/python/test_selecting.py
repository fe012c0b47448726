# SPDX-License-Identifier: MIT
"""What lies in a rectangle of the screen, against NumPy's projection."""

from __future__ import annotations

import numpy as np
import pytest
from projections import to_pixels

import lathe

SIZE = WIDTH, HEIGHT = 320, 240
RECTANGLES = [(100, 60, 250, 200), (250, 200, 100, 60), (0, 0, 160, 240), (151.5, 80, 152.5, 90)]


@pytest.fixture
def app():
    app = lathe.App("selecting", size=SIZE, headless=True, background=(0, 0, 0))
    app.frame_limit = 100
    return app


@pytest.fixture
def random():
    return np.random.default_rng(13)


def is_inside(pixels, depth, rectangle, camera):
    """And whether it is that by a hair, where float32 may see it otherwise."""
    low, high = np.minimum(rectangle[:2], rectangle[2:]), np.maximum(rectangle[:2], rectangle[2:])
    edge = np.minimum(pixels - low, high - pixels).min(axis=1)
    seen = depth > 1e-3 * camera.distance if not camera.orthographic else depth == depth
    return (edge > 0) & seen, np.abs(edge) < 0.01


def check(found, expected, unsure):
    assert found.dtype == np.int64
    assert (np.diff(found) > 0).all()
    mask = np.zeros(len(expected), bool)
    mask[found] = True
    assert ((mask == expected) | unsure).all()
    assert unsure.sum() < 0.01 * len(expected) + 5
    return len(found)


@pytest.mark.parametrize("orthographic", [False, True])
def test_points(app, random, orthographic):
    count = 20_000
    camera = app.orbit_camera
    camera.yaw, camera.pitch, camera.roll, camera.distance = 2, -0.5, 0.3, 2
    camera.orthographic = orthographic
    x = random.normal(size=(count, 3)).astype(np.float32)  # some are behind the eye
    radii = np.where(random.random(count) < 0.1, 0, 0.01).astype(np.float32)
    assert app.frame()
    app.points(x, size=2, name="all")
    app.points(x, radius=radii, name="some")
    app.screenshot()
    pixels, depth = to_pixels(camera, SIZE, x)
    total = 0
    for rectangle in RECTANGLES:
        found = app.view.select(*rectangle)
        inside, unsure = is_inside(pixels, depth, rectangle, camera)
        total += check(found["all"].get(), inside, unsure)
        check(found["some"].get(), inside & (radii > 0), unsure)
    assert total > count / 4
    assert app.view.select(400, 0, 500, 50) == {}


def test_points_of_the_plane(app, random):
    x = random.uniform(-2, 2, (5000, 2)).astype(np.float32)
    app.pan_zoom_camera.center, app.pan_zoom_camera.height = (0.5, 0.25), 3
    assert app.frame()
    app.points(x)
    app.screenshot()
    pixels = (x - (0.5, 0.25)) * (80, -80) + (160, 120)
    for rectangle in RECTANGLES:
        inside, unsure = is_inside(pixels, np.ones(5000), rectangle, lathe.Camera())
        found = app.select(*rectangle).get("points")
        check(np.zeros(0, np.int64) if found is None else found.get(), inside, unsure)


def test_triangles_and_segments_by_their_middle(app, random):
    corners = random.normal(size=(3000, 3)).astype(np.float32)
    triangles = random.integers(0, 3000, (4000, 3)).astype(np.int32)
    triangles[7] = 5000  # a vertex that is not there
    app.orbit_camera.distance = 6
    assert app.frame()
    app.mesh(corners, triangles, name="faces")
    app.lines(corners, segments=True, name="pairs")
    app.lines(corners, name="line")
    app.lines(corners, closed=True, name="ring")
    app.screenshot()
    rectangle = RECTANGLES[0]
    found = {name: each.get() for name, each in app.select(*rectangle).items()}

    def expected(middles):
        return is_inside(*to_pixels(app.orbit_camera, SIZE, middles), rectangle, app.orbit_camera)

    valid = np.delete(np.arange(4000), 7)
    middles = np.full((4000, 3), 1e6)
    middles[valid] = corners.astype(float)[triangles[valid]].mean(axis=1)
    assert check(found["faces"], *expected(middles)) > 300
    following = (corners + np.roll(corners, -1, axis=0)) / 2
    check(found["ring"], *expected(following))
    following[-1] = 1e6
    check(found["line"], *expected(following))
    following[1::2] = 1e6
    assert check(found["pairs"], *expected(following)) > 100


@pytest.mark.parametrize("y_up", [False, True])
def test_elements_of_pictures(app, y_up):
    height, width = 30, 40  # of 8 pixels each
    assert app.frame()
    app.image(np.zeros((height, width)), y_up=y_up, name="u")
    app.screenshot()
    rows, columns = np.mgrid[:height, :width]
    x, y = 8 * columns + 4, 8 * (height - 1 - rows if y_up else rows) + 4
    for x0, y0, x1, y1 in [(10, 21, 101, 206), (-50, -50, 500, 21), (300, 10, 289, 1)]:
        inside = (x > min(x0, x1)) & (x < max(x0, x1)) & (y > min(y0, y1)) & (y < max(y0, y1))
        found = app.select(x0, y0, x1, y1)["u"].get()
        np.testing.assert_array_equal(found, np.flatnonzero(inside))
    assert app.select(0, 0, 2, 2) == {}


def test_hidden_things_are_not_selected(app):
    assert app.frame()
    app.points([[0, 0, 0]])
    app.screenshot()
    assert list(app.select(0, 0, *SIZE)) == ["points"]
    app.thing("points").shown = False
    assert app.select(0, 0, *SIZE) == {}


def test_indices_are_used_on_the_device(app, random):
    x = app.asarray(random.normal(size=(1000, 3)), np.float32)
    assert app.frame()
    app.points(x, name="cells")
    app.screenshot()
    chosen = app.select(0, 0, 160, 240)["cells"]
    left = x[chosen].get()
    np.testing.assert_array_equal(left, x.get()[chosen.get()])


def test_a_drag_with_shift_and_control_selects(app, random):
    left, right = app.views(1, 2)
    x = random.normal(size=(3000, 3)).astype(np.float32)

    def draw():
        assert app.frame()
        left.points(x, name="left")
        right.points(x, name="right")
        return app.screenshot()

    draw()
    camera = right.camera
    assert app.selected == {}
    app.input.move_mouse(200, 60)
    app.input.press_button("left", modifiers=["shift", "control"])
    draw()
    app.input.move_mouse(260, 180)
    shown = draw().min(axis=2).astype(int)
    assert (shown[60, 205:255] > 100).all(), "the rectangle is drawn"
    assert (shown[65:175, 200] > 100).all()
    assert app.selected == {}
    app.input.release_button("left", modifiers=["shift", "control"])
    app.input.move_mouse(300, 200)
    draw()
    assert right.camera == camera
    assert list(app.selected) == ["right"]
    found = app.selected["right"].get()
    expected = right.select(200 - 161, 60, 260 - 161, 180)["right"].get()
    assert len(np.setxor1d(found, expected)) < 0.02 * len(expected), "up to the gap between tiles"
    assert len(found) > 100
    app.input.press_button("left", modifiers=["shift"])
    app.input.move_mouse(290, 200)
    app.input.release_button("left", modifiers=["shift"])
    draw()
    assert right.camera != camera, "that pans"
