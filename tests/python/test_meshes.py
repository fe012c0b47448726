# SPDX-License-Identifier: MIT
"""Meshes: triangles in space, by arrays of the App and of others."""

from __future__ import annotations

import numpy as np
import pytest

import lathe

SQUARE = [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]
HALVES = [[0, 1, 2], [0, 2, 3]]  # right and below, left and above


@pytest.fixture
def app():
    app = lathe.App("mesh", size=(100, 100), headless=True)
    app.frame_limit = 100
    camera = app.orbit_camera
    camera.yaw = camera.pitch = 0
    camera.distance = 1000
    camera.field_of_view = 2 * np.arctan(1 / 1000)  # from -1 to 1
    return app


def lit(color, normal=(0, 0, 1)):
    """shaders/light.glsl in other words."""
    key, fill = (np.array(v) / np.linalg.norm(v) for v in ([-0.45, 0.55, 0.9], [0.8, -0.1, 0.5]))
    n = np.asarray(normal, float)
    light = 0.86 * max(n @ key, 0) + 0.12 * max(n @ fill, 0) + 0.096 + 0.064 * n[1]
    return 255 * np.asarray(color) * min(light, 1) ** (1 / 2.2)


def shown(app, *arrays, **style):
    """Red, green and blue of the right and of the left half."""
    assert app.frame()
    app.mesh(*arrays, **style)
    picture = app.screenshot()
    return picture[80, 70].astype(float), picture[20, 30].astype(float)


def check(seen, right, left):
    np.testing.assert_allclose(seen, (lit(right), lit(left)), atol=1)


WHITE, RED, GREEN, BLACK = (1, 1, 1), (1, 0, 0), (0, 1, 0), (0, 0, 0)


def test_arrays_of_the_app_are_drawn_in_place_and_others_are_copied(app):
    vertices, triangles = app.asarray(SQUARE, np.float32), app.asarray(HALVES, np.int32)
    before = app.stats
    check(shown(app, vertices, triangles, color=WHITE), WHITE, WHITE)
    after = app.stats
    assert after.bytes_drawn_in_place - before.bytes_drawn_in_place == 48 + 24
    assert after.bytes_drawn_by_copy == before.bytes_drawn_by_copy
    assert after.bytes_uploaded == before.bytes_uploaded
    for make in (list, np.array, lathe.asarray, lambda x: np.asfortranarray(np.array(x))):
        check(shown(app, make(SQUARE), make(HALVES), color=WHITE), WHITE, WHITE)
    for dtype in (np.uint8, np.int16, np.uint32, np.int64, np.uint64):
        for corners in (np.array(HALVES, dtype), lathe.asarray(np.array(HALVES, dtype))):
            check(shown(app, SQUARE, corners, color=WHITE), WHITE, WHITE)


def test_values_and_colors_of_vertices_and_of_faces(app):
    of_vertices = shown(app, SQUARE, HALVES, values=[2, 2, 2, 2], colormap="gray", range=(0, 4))
    check(of_vertices, (128 / 255,) * 3, (128 / 255,) * 3)
    of_faces = shown(app, SQUARE, HALVES, values=np.array([3, 7]), colormap="gray", range="auto")
    check(of_faces, BLACK, WHITE)
    check(shown(app, SQUARE, HALVES, values=[np.nan, 1], colormap="gray"), (1, 0, 1), WHITE)
    for colors in (
        np.array([(1.0, 0, 0, 1), (0, 1, 0, 1)]),
        np.uint8([[255, 0, 0, 9], [0, 255, 0, 9]]),
    ):
        check(shown(app, SQUARE, HALVES, colors=colors, values=[0, 0]), RED, GREEN)
    check(shown(app, SQUARE, HALVES, colors=[(1.0, 0, 0, 1)] * 4), RED, RED)


def test_normals_and_smooth(app):
    tilted = np.array([0.6, 0.0, 0.8])
    seen = shown(app, SQUARE, HALVES, color=WHITE, normals=np.tile(3 * tilted, (4, 1)))
    np.testing.assert_allclose(seen, [lit(WHITE, tilted)] * 2, atol=1)
    roof = [[-1, -1, 0], [-1, 1, 0], [0, -1, 1], [0, 1, 1], [1, -1, 0], [1, 1, 0]]
    sides = [[0, 2, 3], [0, 3, 1], [2, 4, 5], [2, 5, 3]]
    slope = np.sqrt(0.5)

    def row(**style):
        assert app.frame()
        app.mesh(roof, sides, color=WHITE, **style)
        return app.screenshot()[50, :, 0].astype(float)

    flat = row()
    np.testing.assert_allclose(flat[10:49], lit(WHITE, (-slope, 0, slope))[0], atol=1)
    np.testing.assert_allclose(flat[51:90], lit(WHITE, (slope, 0, slope))[0], atol=1)
    smooth = row(smooth=True)
    np.testing.assert_allclose(smooth[49:51], lit(WHITE)[0], atol=2)  # the ridge looks upwards
    assert abs(np.diff(smooth[2:98])).max() < 6


def test_what_is_not_lit_has_its_own_colours(app):
    roof = [[-1, -1, 0], [1, -1, 0], [1, 1, 0.5], [-1, 1, 0.9]]
    color, middle = (0.2, 0.6, 1.0), [[0, 0, 0]]
    for draw in (
        lambda: app.mesh(roof, HALVES, color=color, lit=False),
        lambda: app.mesh(roof, HALVES, colors=[(*color, 1)] * 4, smooth=True, lit=False),
        lambda: app.instances(roof, HALVES, middle, color=color, lit=False),
        lambda: app.height_field(np.eye(4), color=color, lit=False),
    ):
        assert app.frame()
        app.orbit_camera.pitch = 0.6
        draw()
        np.testing.assert_allclose(app.screenshot()[50, 50], (51, 153, 255), atol=1)


def test_wireframe_draws_the_edges_over_the_faces(app):
    assert app.frame()
    app.mesh(SQUARE, HALVES, color=WHITE, wireframe=True)
    picture = app.screenshot()[:, :, 0]
    assert all(picture[99 - k, k] < 60 for k in range(10, 90))  # the diagonal
    np.testing.assert_allclose(picture[80, 70], lit(WHITE)[0], atol=1)


def test_a_mesh_is_a_thing(app):
    def draw():
        return shown(app, SQUARE, HALVES, values=[1, 3], range=(1, 3), colormap="gray", name="hull")

    check(draw(), BLACK, WHITE)
    hull = app.thing("hull")
    assert (hull.kind, hull.count) == ("mesh", 2)
    hull.range = (-1, 3)
    check(draw(), (128 / 255,) * 3, WHITE)
    hull.color = RED
    check(draw(), RED, RED)
    hull.opacity = 0.5
    assert 100 < draw()[0][0] < 140
    hull.shown = False
    assert max(draw()[0]) < 30
    shown(app, SQUARE, HALVES)
    assert [thing.name for thing in app.things] == ["mesh"]


def test_indices_outside_are_told_once_and_not_drawn(app, capfd):
    for _ in range(3):
        seen = shown(app, SQUARE, [[0, 1, 2], [0, -1, 3], [9, 1, 2]], color=WHITE, smooth=True)
        np.testing.assert_allclose(seen[0], lit(WHITE), atol=1)
        assert max(seen[1]) < 30
    told = [line for line in capfd.readouterr().err.splitlines() if "indices outside" in line]
    assert len(told) == 1 and "a mesh of 4 vertices has 2 indices outside of 0 to 3" in told[0]


def test_no_triangles_draw_nothing(app):
    assert max(shown(app, SQUARE, np.zeros((0, 3), int), smooth=True)[0]) < 30
    assert max(shown(app, np.zeros((0, 3)), np.zeros((0, 3), int), wireframe=True)[0]) < 30


def test_meshes_are_checked_at_once(app):
    with pytest.raises(ValueError, match=r"vertices are \(n, 3\), got an array of shape \(4, 2\)"):
        app.mesh(np.zeros((4, 2)), HALVES)
    with pytest.raises(ValueError, match=r"triangles are \(m, 3\)"):
        app.mesh(SQUARE, [[0, 1, 2, 3]])
    for corners in ([[0.0, 1.0, 2.0]], lathe.zeros((1, 3)), np.zeros((1, 3), bool)):
        with pytest.raises(TypeError, match="triangles are integers, numbers of vertices, got "):
            app.mesh(SQUARE, corners)
    for wrong in ("a mesh", None, {}):
        with pytest.raises(TypeError, match="vertices: an array of numbers, got "):
            app.mesh(wrong, HALVES)
        with pytest.raises(TypeError, match="triangles: an array of numbers, got "):
            app.mesh(SQUARE, wrong)
    with pytest.raises(ValueError, match=r"values are \(4,\), one a vertex, or \(2,\), one a tri"):
        app.mesh(SQUARE, HALVES, values=[1, 2, 3])
    with pytest.raises(ValueError, match=r"colors are \(4, 4\), one a vertex, or \(2, 4\), one a"):
        app.mesh(SQUARE, HALVES, colors=np.zeros((4, 3)))
    with pytest.raises(ValueError, match=r"normals are \(4, 3\), one a vertex"):
        app.mesh(SQUARE, HALVES, normals=[[0, 0, 1]])
    with pytest.raises(ValueError, match="colormap is one of"):
        app.mesh(SQUARE, HALVES, colormap="jett")
    with pytest.raises(TypeError, match="opacity is a number, got 'half'"):
        app.mesh(SQUARE, HALVES, opacity="half")
    with pytest.raises(TypeError):
        app.mesh(SQUARE)


def test_blended_meshes_are_in_order_whatever_the_order_of_calls():
    def picture(order):
        app = lathe.App("glass", size=(120, 90), headless=True)
        app.frame_limit = 5
        square = np.array([[-1, -1, 0], [1, -1, 0], [-1, 1, 0], [1, 1, 0]], np.float32)
        two = [[0, 1, 2], [1, 3, 2]]
        for _ in range(2):
            assert app.frame()
            app.orbit_camera.yaw = 0.4
            for z in order:
                app.mesh(
                    square + np.float32([0, 0, z]),
                    two,
                    color=(1 - abs(z), 0.5, abs(z)),
                    opacity=0.4,
                )
            app.points([[0, 0, 0.3]], radius=0.3, color=(1, 1, 1))
            app.height_field(np.zeros((4, 4), np.float32), color=(0, 1, 0), opacity=0.5)
        return app.screenshot().astype(int)

    first = picture([-0.7, 0.0, 0.6])
    assert np.abs(first - picture([0.6, -0.7, 0.0])).max() <= 1
    assert first.std() > 20
