# SPDX-License-Identifier: MIT
"""The mouse takes hold of elements that a script wants to be taken, and moves them."""

from __future__ import annotations

import numpy as np
import pytest

import lathe

PLACES = [[0.0, 0.0, 0.0], [1.0, 0.3, 0.2], [-0.8, 0.5, -0.4]]


def app_with(draw, size=(200, 160)):
    app = lathe.App("grips", size=size, headless=True)
    app.frame(lambda: draw(app))
    app.run(frames=3)
    return app


def pixel_of(app, item, index, step=2):
    """The middle of the pixels that show an element."""
    width, height = app.size
    found = [
        (x, y)
        for x in range(0, width, step)
        for y in range(0, height, step)
        if (picked := app.pick(x, y)) and (picked.item, picked.index) == (item, index)
    ]
    assert found, f"nowhere is {item} {index}"
    return np.mean(found, axis=0)


def drag(app, begin, by):
    app.input.move_mouse(*begin)
    app.run(frames=1)
    app.input.press_button()
    app.run(frames=1)
    app.input.move_mouse(*np.add(begin, by))
    app.run(frames=1)


def release(app):
    app.input.release_button()
    app.run(frames=2)


def test_what_is_taken_follows_the_mouse_and_the_camera_stays():
    beads = lathe.asarray(np.array(PLACES, np.float32))
    grips = []

    def draw(app):
        grips.append(app.grip("beads"))
        if grips[-1]:
            beads[grips[-1].index] = np.array(grips[-1].target, np.float32)
        app.points(beads, radius=0.15, name="beads")

    app = app_with(draw)
    camera = app.camera
    begin = pixel_of(app, "beads", 1)
    drag(app, begin, (31, -17))
    grip = grips[-1]
    assert (grip.item, grip.index) == ("beads", 1)
    assert grip.position == pytest.approx(PLACES[1], abs=1e-5)
    _, ahead = app.sight_line(100, 80)
    moved = np.subtract(grip.target, grip.position)
    assert abs(moved @ ahead) < 1e-5, "parallel to the screen"
    assert np.linalg.norm(moved) > 0.1
    assert app.camera == camera
    release(app)
    assert grips[-1] is None
    assert pixel_of(app, "beads", 1) == pytest.approx(np.add(begin, (31, -17)), abs=2)
    assert beads.get()[[0, 2]].tolist() == np.array(PLACES, np.float32)[[0, 2]].tolist()


def test_where_nobody_wants_it_the_camera_moves():
    beads = lathe.asarray(np.array(PLACES, np.float32))
    wanted = True

    def draw(app):
        if wanted:
            app.grip("others")
        app.points(beads, radius=0.15, name="beads")

    app = app_with(draw)
    camera = app.camera
    begin = pixel_of(app, "beads", 0)
    drag(app, begin, (20, 0))
    release(app)
    assert app.camera != camera


def test_along_is_what_the_mouse_wants_on_each_axis():
    beads = lathe.asarray(np.array(PLACES, np.float32))
    grips = []

    def draw(app):
        grips.append(app.grip("beads"))
        app.points(beads, radius=0.15, name="beads")

    app = app_with(draw)
    begin = pixel_of(app, "beads", 0)
    drag(app, begin, (0, 0))
    assert grips[-1].along == pytest.approx(grips[-1].position, abs=1e-9)
    end = np.add(begin, (25, 8))
    app.input.move_mouse(*end)
    app.run(frames=1)
    grip = grips[-1]
    origin, ray = app.sight_line(*end)
    first_origin, first_ray = app.sight_line(*begin)

    def nearest(origin, ray, axis):
        """By least squares: the axis' parameter where it and the ray are nearest."""
        columns = np.column_stack([np.eye(3)[axis], -ray])
        return np.linalg.lstsq(columns, origin - grip.position, rcond=None)[0][0]

    for axis in range(3):
        moved = nearest(origin, ray, axis) - nearest(first_origin, first_ray, axis)
        assert grip.along[axis] - grip.position[axis] == pytest.approx(moved, abs=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_an_arrow_of_a_gizmo_moves_along_its_axis(dtype):
    places = lathe.asarray(np.array(PLACES, dtype))

    def draw(app):
        app.gizmo(places, 1, size=0.8)

    app = app_with(draw)
    begin = pixel_of(app, "gizmo", 2)
    tip = pixel_of(app, "gizmo", 2) - pixel_of(app, "gizmo.ball", 0)
    drag(app, begin, 20 * tip / np.linalg.norm(tip))
    release(app)
    moved = places.get() - np.array(PLACES, dtype)
    assert moved[1, 2] > 0.05
    assert (moved[1, :2] == 0).all()
    assert (moved[[0, 2]] == 0).all()


def test_the_ball_of_a_gizmo_moves_in_the_plane():
    places = lathe.asarray(np.array(PLACES, np.float32)[:, :2].copy())
    app = app_with(lambda app: (app.points(places, size=5), app.gizmo(places, 0)))
    before = pixel_of(app, "gizmo.ball", 0)
    drag(app, before, (24, 10))
    release(app)
    assert pixel_of(app, "gizmo.ball", 0) == pytest.approx(np.add(before, (24, 10)), abs=2)
    assert (places.get()[1:] == np.array(PLACES, np.float32)[1:, :2]).all()


def test_what_is_no_element_is_refused(app):
    places = app.zeros((4, 3))
    with pytest.raises(TypeError, match="an element of a GPUArray"):
        app.gizmo(np.zeros((4, 3)), 0)
    with pytest.raises(ValueError, match=r"\(n, 2\) or \(n, 3\), got \(4, 4\)"):
        app.gizmo(app.zeros((4, 4)), 0)
    with pytest.raises(IndexError, match="4 elements, got index 4"):
        app.gizmo(places, 4)
