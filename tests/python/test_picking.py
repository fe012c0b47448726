# SPDX-License-Identifier: MIT
"""Picking: against the pixels of the picture, and against rays that NumPy traces."""

from __future__ import annotations

import numpy as np
import pytest
from projections import rays as rays_of

import lathe

WIDTH, HEIGHT = 320, 240
PICKS = 1000


@pytest.fixture
def app():
    app = lathe.App("picking", size=(WIDTH, HEIGHT), headless=True, background=(0, 0, 0))
    app.frame_limit = 100
    return app


@pytest.fixture
def random():
    return np.random.default_rng(11)


def rays(app, x, y):
    """The eye, and directions through pixels."""
    origins, along = rays_of(app.orbit_camera, (WIDTH, HEIGHT), x, y)
    return origins[0], along


def picks(app, x, y):
    return [app.pick(*place) for place in zip(x, y, strict=True)]


def show(app):
    app.screenshot()  # ends the step


def test_opaque_points_are_those_of_the_picture(app, random):
    count = 400
    x = random.normal(size=(count, 3)).astype(np.float32)
    ids = np.arange(1, count + 1)
    colors = np.stack([ids % 256, ids // 256, 0 * ids + 255, 0 * ids + 255], 1).astype(np.uint8)
    values = random.normal(size=count).astype(np.float32)
    assert app.frame()
    app.points(x, colors=colors, values=values, size=9, blend="opaque", round=False, name="dots")
    picture = app.screenshot().astype(int)
    shown = picture[..., 0] + 256 * picture[..., 1]
    rows, columns = np.nonzero(shown)
    chosen = random.choice(len(rows), PICKS)
    wrong = 0
    for row, column in zip(rows[chosen], columns[chosen], strict=True):
        found = app.pick(column + 0.5, row + 0.5)
        assert (found.item, found.kind) == ("dots", "points")
        if found.index != shown[row, column] - 1:
            wrong += 1  # at an edge, where two pixels meet
            continue
        assert found.value == values[found.index]
        assert found.position == tuple(x[found.index])
    assert wrong <= PICKS // 200
    for row, column in random.integers(0, (HEIGHT, WIDTH), (50, 2)):
        near = shown[max(row - 5, 0) : row + 6, max(column - 5, 0) : column + 6]
        if not near.any():
            assert app.pick(column + 0.5, row + 0.5) is None


def test_blended_points_are_the_last_ones(app):
    assert app.frame()
    app.points([[0, 0], [0.01, 0], [5, 5]], size=40, values=[1, 2, 3])
    show(app)
    assert app.pick(WIDTH / 2, HEIGHT / 2).index == 1
    assert app.pick(WIDTH / 2, HEIGHT / 2).value == 2
    assert app.pick(WIDTH / 2, HEIGHT / 2 + 19).index == 1
    assert app.pick(WIDTH / 2, HEIGHT / 2 + 30) is None


def test_spheres_are_hit_where_rays_hit_them(app, random):
    count = 500
    x = random.normal(size=(count, 3)).astype(np.float32)
    radii = random.uniform(0.04, 0.15, count).astype(np.float32)
    assert app.frame()
    app.points(x, radius=app.asarray(radii), values=radii, name="cells")
    show(app)
    at_x, at_y = random.normal((WIDTH / 2, HEIGHT / 2), 25, (PICKS, 2)).T
    eye, along = rays(app, at_x, at_y)
    to = x.astype(float) - eye
    middle = along @ to.T
    under = radii.astype(float) ** 2 - ((to**2).sum(1) - middle**2)
    t = np.where(under > 0, middle - np.sqrt(np.abs(under)), np.inf)
    first = t.argmin(1)
    found = picks(app, at_x, at_y)
    hits = 0
    for k in range(PICKS):
        if not np.isfinite(t[k, first[k]]) or np.sort(t[k])[1] - t[k, first[k]] < 1e-3:
            continue
        if under[k, first[k]] < 0.02 * radii[first[k]] ** 2:  # it grazes
            continue
        hits += 1
        assert found[k].index == first[k]
        assert found[k].value == radii[first[k]]
        place = eye + t[k, first[k]] * along[k]
        np.testing.assert_allclose(found[k].position, place, atol=1e-4)
    assert hits > 200


def test_triangles_are_hit_where_rays_hit_them(app, random):
    count = 200
    vertices = random.normal(size=(3 * count, 3)).astype(np.float32)
    vertices[3:] = vertices[3:] * 0.4 + np.repeat(vertices[:-3:3], 3, axis=0)
    triangles = random.permutation(3 * count).reshape(-1, 3).astype(np.int32)
    values = random.normal(size=3 * count).astype(np.float32)
    assert app.frame()
    app.view.mesh(vertices, triangles, values=values, name="faces")
    show(app)
    at_x, at_y = random.normal((WIDTH / 2, HEIGHT / 2), 25, (PICKS, 2)).T
    eye, along = rays(app, at_x, at_y)
    corners = vertices.astype(float)[triangles]
    hits = 0
    for k, found in enumerate(picks(app, at_x, at_y)):
        # eye + t along = (1 - b - c) A + b B + c C
        systems = np.stack(
            [np.broadcast_to(along[k], (count, 3)), corners[:, 0] - corners[:, 1],
             corners[:, 0] - corners[:, 2]], axis=2
        )  # fmt: skip
        t, b, c = np.linalg.solve(systems, (corners[:, 0] - eye)[..., None])[..., 0].T
        inside = np.minimum(np.minimum(b, c), 1 - b - c)
        t = np.where((inside > 0) & (t > 0), t, np.inf)
        first, second = np.sort(t)[:2]
        if not np.isfinite(first) or second - first < 1e-3 or np.abs(inside).min() < 1e-5:
            continue
        hits += 1
        face = t.argmin()
        assert (found.item, found.index) == ("faces", face)
        np.testing.assert_allclose(found.position, eye + first * along[k], atol=1e-4)
        a_b_c = values[triangles[face]].astype(float)
        expected = a_b_c @ [1 - b[face] - c[face], b[face], c[face]]
        assert found.value == pytest.approx(expected, abs=1e-3)
    assert hits > 300


def test_values_of_faces(app):
    assert app.frame()
    corners = [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]
    app.view.mesh(corners, [[0, 1, 2], [0, 2, 3]], values=[5, 7])
    show(app)
    assert {found.value for found in picks(app, [140, 180], [120, 120])} == {5, 7}


def test_lines_and_segments(app, random):
    x = random.uniform(-1, 1, (40, 3)).astype(np.float32)
    assert app.frame()
    app.lines(x, segments=True, width=1, name="pairs")
    show(app)
    slope = np.tan(app.orbit_camera.field_of_view / 2)
    eye, out = rays(app, np.array([WIDTH / 2]), np.array([HEIGHT / 2]))
    ahead = out[0]
    right = np.cross(ahead, [0, 1, 0])
    right /= np.linalg.norm(right)
    up = np.cross(right, ahead)

    def to_pixels(p):
        d = p - eye
        depth = d @ ahead
        return (
            WIDTH / 2 * (1 + d @ right / depth / slope * HEIGHT / WIDTH),
            HEIGHT / 2 * (1 - d @ up / depth / slope),
        )

    right_ones = 0
    for segment in range(20):
        for part in random.uniform(0.1, 0.9, 10):
            p = x[2 * segment] + part * (x[2 * segment + 1] - x[2 * segment]).astype(float)
            found = app.pick(*to_pixels(p))
            if found.index == 2 * segment:
                right_ones += 1
                np.testing.assert_allclose(found.position, p, atol=0.02)
    assert right_ones > 185  # of 200; the others lie behind another line there


@pytest.mark.parametrize("dtype", ["uint8", "int32", "float16", "float32", "float64"])
def test_elements_of_pictures(app, random, dtype):
    height, width = 30, 40  # of 8 pixels each
    image = random.integers(0, 100, (height, width)).astype(dtype)
    for y_up in (False, True):
        assert app.frame()
        app.image(image, range=(0, 99), y_up=y_up)
        show(app)
        for row, column in random.integers(0, (height, width), (100, 2)):
            found = app.pick(8 * column + 3, 8 * row + 5)
            expected = height - 1 - row if y_up else row
            assert (found.item, found.index) == ("image", (expected, column))
            assert found.value == image[expected, column]
    assert found.position[0] == pytest.approx(column + 3 / 8, abs=1e-3)


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_voxels(app, random, dtype):
    rho = random.integers(1, 255, (20, 24, 28)).astype(dtype)
    rho[5:9, 10:14, 3:8] = 255
    for mode in ("mip", "surface"):
        assert app.frame()
        app.view.volume(rho, mode=mode, range=(0, 255), level=100, name="rho")
        show(app)
        hits = 0
        for x, y in random.normal((WIDTH / 2, HEIGHT / 2), 40, (100, 2)):
            found = app.pick(x, y)
            if found is None:
                continue
            hits += 1
            assert (found.item, found.kind) == ("rho", "volume")
            assert found.value == rho[found.index]
            low, high = app.bounds("rho")
            place = np.array(found.index)[::-1] + 0.5
            cell = np.subtract(high, low) / rho.shape[::-1]
            assert (np.abs(low + place * cell - found.position) <= 0.51 * cell).all()
        assert hits > 50


def test_the_greatest_voxel_behind_a_pixel(app, random):
    rho = random.integers(1, 255, (20, 16, 16)).astype(np.float32)
    app.use_camera("pan_zoom")  # along z
    assert app.frame()
    app.view.volume(rho, range=(0, 255), bounds=((-1, -1, -1), (1, 1, 1)))
    show(app)
    for row, column in random.integers(0, 16, (100, 2)):
        # 15 pixels a voxel: one has the same middle
        found = app.pick(WIDTH / 2 - 120 + 15 * column + 7.5, HEIGHT - (15 * row + 7.5))
        assert found.index[1:] == (row, column)
        assert found.value == pytest.approx(rho[:, row, column].max(), abs=1)


def test_channels_and_complex_numbers(app):
    colors = np.arange(48, dtype=np.float32).reshape(3, 4, 4) / 48
    assert app.frame()
    app.image(colors[..., :3])
    show(app)
    assert app.pick(1, 1).value == tuple(colors[0, 0, :3])
    assert app.frame()
    app.image(np.array([[1 + 2j]]))
    show(app)
    assert app.pick(WIDTH / 2, HEIGHT / 2).value == (1, 2)


def test_the_thing_in_front_counts(app):
    app.orbit_camera.yaw = app.orbit_camera.pitch = 0
    app.orbit_camera.distance = 10
    assert app.frame()
    app.points([[0, 0, 0]], radius=1, name="behind")
    app.points([[0, 0, 3]], radius=0.5, name="before")
    app.points([[0, 0, 2]], size=30, name="disc")
    show(app)
    middle = WIDTH / 2, HEIGHT / 2
    assert app.pick(*middle).item == "before"
    app.thing("before").shown = False
    assert app.pick(*middle).item == "disc"
    app.thing("disc").shown = False
    found = app.pick(*middle)
    assert found.item == "behind"
    np.testing.assert_allclose(found.position, (0, 0, 1), atol=1e-3)
    app.thing("behind").size = 0.01
    assert app.pick(WIDTH / 2 + 40, HEIGHT / 2) is None


def test_what_lies_under_the_mouse(app):
    left, right = app.views(1, 2)

    def draw():
        assert app.frame()
        left.image(np.zeros((4, 4)))
        right.image(np.arange(16.0).reshape(4, 4), name="ramp", range=(0, 16))

    draw()
    show(app)
    assert right.pick(79, 119).item == "ramp"
    app.input.move_mouse(241, 119)
    draw()
    assert app.picked.item == "ramp"
    assert app.picked.index == (1, 2)
    assert app.picked.value == 6
    app.input.move_mouse(20, 119)
    draw()
    assert app.picked.item == "image"
    app.input.move_mouse(20, 239)
    draw()
    assert app.picked is None
