# SPDX-License-Identifier: MIT
"""Cameras of space: pictures and picks against NumPy's projection."""

from __future__ import annotations

import numpy as np
import pytest
from projections import axes_of, rays, to_pixels

import lathe

SIZE = WIDTH, HEIGHT = 320, 240


@pytest.fixture
def app():
    app = lathe.App("cameras", size=SIZE, headless=True, background=(0, 0, 0))
    app.frame_limit = 100
    return app


@pytest.fixture
def random():
    return np.random.default_rng(5)


def look(app, **settings):
    for name, value in settings.items():
        setattr(app.orbit_camera, name, value)


TILTED = {"yaw": 2.1, "pitch": -0.7, "roll": 0.4, "target": (1, 2, -1), "distance": 4}


@pytest.mark.parametrize("orthographic", [False, True])
@pytest.mark.parametrize("kernels", [False, True])
def test_points_lie_where_the_camera_says(app, random, orthographic, kernels):
    look(app, orthographic=orthographic, **TILTED)
    count = 40
    x = random.uniform(-1, 1, (count, 3)) + TILTED["target"]
    x[1:] += (x[1:] - x[0] == 0) * 0.01
    far = np.full((30_000 if kernels else 0, 3), 1e5)  # so many are drawn by kernels
    colors = np.zeros((count + len(far), 4), np.uint8)
    colors[:, 0], colors[:, 3] = 255, 255
    colors[:count, 1] = np.arange(1, count + 1)
    assert app.frame()
    app.points(np.concatenate([x, far]), colors=colors, size=5, blend="opaque", round=False)
    shown = app.screenshot()[..., 1].astype(int)
    pixels, _ = to_pixels(app.orbit_camera, SIZE, x)
    seen = 0
    for k in range(count):
        rows, columns = np.nonzero(shown == k + 1)
        if len(rows) < 25:  # another one is in front, or it is at the edge
            continue
        seen += 1
        middle = columns.mean() + 0.5, rows.mean() + 0.5
        np.testing.assert_allclose(middle, pixels[k], atol=0.6)
    assert seen > count / 2


def test_spheres_are_as_large_in_front_as_behind(app):
    look(app, orthographic=True, yaw=0, pitch=0, distance=6, target=(0, 0, 0))
    for radius in (0.5, [0.5, 0.5]):
        assert app.frame()
        app.points([[-1.5, 0, 5], [1.5, 0, -5]], radius=radius, color=(1, 1, 1))
        lit = app.screenshot().max(axis=2) > 40
        unit = HEIGHT / (12 * np.tan(0.4))
        disc = np.pi * (0.5 * unit) ** 2
        sums = lit[:, : WIDTH // 2].sum(), lit[:, WIDTH // 2 :].sum()
        np.testing.assert_allclose(sums, disc, rtol=0.02)


def test_picks_follow_parallel_rays(app, random):
    look(app, orthographic=True, **TILTED)
    x = (random.normal(size=(300, 3)) + TILTED["target"]).astype(np.float32)
    radii = random.uniform(0.05, 0.2, 300).astype(np.float32)
    assert app.frame()
    app.points(x, radius=app.asarray(radii), name="cells")
    app.screenshot()
    at = random.normal((WIDTH / 2, HEIGHT / 2), 40, (300, 2))
    eyes, along = rays(app.orbit_camera, SIZE, *at.T)
    hits = 0
    for k, (place, eye) in enumerate(zip(at, eyes, strict=True)):
        to = x.astype(float) - eye
        middle = to @ along[k]
        under = radii.astype(float) ** 2 - ((to**2).sum(1) - middle**2)
        t = np.where(under > 0.02 * radii**2, middle - np.sqrt(np.abs(under)), np.inf)
        first = t.argmin()
        grazes = (np.abs(under) < 0.02 * radii**2).any()
        if not np.isfinite(t[first]) or grazes or np.sort(t)[1] - t[first] < 1e-2:
            continue
        hits += 1
        found = app.pick(*place)
        assert found.index == first
        np.testing.assert_allclose(found.position, eye + t[first] * along[k], atol=2e-3)
    assert hits > 60


def test_a_volume_is_seen_by_parallel_rays(app):
    look(app, orthographic=True, yaw=np.pi / 2, pitch=0, distance=3)  # from +x: z goes to the left
    app.orbit_camera.target = (0, 0, 0)
    rho = np.zeros((16, 16, 16), np.float32)
    rho[3, 12, 8] = 1
    assert app.frame()
    app.volume(rho, colormap="gray", bounds=((-1, -1, -1), (1, 1, 1)))
    shown = app.screenshot()[..., 0].astype(float)
    rows, columns = np.mgrid[:HEIGHT, :WIDTH] + 0.5
    place = (np.array([8, 12, 3]) + 0.5) / 8 - 1
    expected, _ = to_pixels(app.orbit_camera, SIZE, place[None])
    middle = (columns * shown).sum() / shown.sum(), (rows * shown).sum() / shown.sum()
    np.testing.assert_allclose(middle, expected[0], atol=0.5)
    found = app.pick(*expected[0])
    assert found.index == (3, 12, 8)


def test_a_mesh_and_lines_of_parallel_rays(app):
    look(app, orthographic=True, yaw=0, pitch=0, distance=2, target=(0, 0, 0))
    unit = HEIGHT / app.orbit_camera.height
    for depth in (-20, 0, 20):  # the last is behind the eye
        square = [[-0.5, -0.5, depth], [0.5, -0.5, depth], [0.5, 0.5, depth], [-0.5, 0.5, depth]]
        assert app.frame()
        app.mesh(square, [[0, 1, 2], [0, 2, 3]])
        rows, columns = np.nonzero(app.screenshot().max(axis=2) > 20)
        assert np.ptp(rows) + 1 == pytest.approx(unit, abs=1.5)
        assert np.ptp(columns) + 1 == pytest.approx(unit, abs=1.5)
        assert app.pick(WIDTH / 2 + 3, HEIGHT / 2 + 3).kind == "mesh"
        assert app.frame()
        app.lines(square, closed=True)
        rows, columns = np.nonzero(app.screenshot().max(axis=2) > 20)
        assert np.ptp(rows) + 1 == pytest.approx(unit, abs=3)


def test_fit_shows_all_of_parallel_rays(app, random):
    x = random.uniform(-1, 1, (1000, 3)) * (5, 1, 2) + (10, 0, 0)
    look(app, orthographic=True, roll=0.3)
    assert app.frame()
    app.points(x)
    app.axes()
    app.screenshot()
    pixels, _ = to_pixels(app.orbit_camera, SIZE, x)
    assert (pixels > 0).all()
    assert (pixels < SIZE).all()
    assert app.fit("points")
    pixels, _ = to_pixels(app.orbit_camera, SIZE, x)
    assert (pixels > 0).all()
    assert (pixels < SIZE).all()
    assert np.ptp(pixels, axis=0).max() > 0.5 * HEIGHT


def test_eye_and_direction(app):
    camera = app.orbit_camera
    for up in ("y", "z"):
        camera.up, camera.roll = up, 0.25
        camera.eye = (4, 5, 6)
        np.testing.assert_allclose(camera.eye, (4, 5, 6), atol=1e-6)
        camera.direction = (0, -2, -0.5)
        np.testing.assert_allclose(
            camera.direction, np.array([0, -2, -0.5]) / 17**0.5 * 2, atol=1e-6
        )
        np.testing.assert_allclose(camera.eye, (4, 5, 6), atol=1e-5)
        assert camera.roll == 0.25
        eye = camera.target + camera.distance * axes_of(camera)[2]
        np.testing.assert_allclose(eye, (4, 5, 6), atol=1e-5)
        camera.direction = (0, 1, 0) if up == "y" else (0, 0, -1)  # along the up axis
        assert np.isfinite(app.orbit_camera.eye).all()
    with pytest.raises(ValueError, match="not all of them 0"):
        camera.direction = (0, 0, 0)


def test_a_drag_turns_as_the_camera_is_steered(app):
    def drag(camera):
        app.use_camera(camera)
        app.input.move_mouse(160, 120)
        assert app.frame()
        app.points([[0, 0, 0]])
        app.input.press_button("left")
        app.input.move_mouse(160, 20)
        app.input.release_button("left")
        before = np.array(app.orbit_camera.eye)
        assert app.frame()
        return before

    look(app, yaw=0, pitch=-1.4, distance=3)
    drag("orbit")
    assert app.orbit_camera.pitch == pytest.approx(np.radians(-89.9), abs=1e-4)
    look(app, yaw=0, pitch=-1.4)
    drag("trackball")
    camera = app.orbit_camera
    expected = -1.4 - np.pi * 100 / 240
    eye = 3 * np.array([0, np.sin(expected), np.cos(expected)])
    np.testing.assert_allclose(np.subtract(camera.eye, camera.target), eye, atol=1e-4)
    look(app, yaw=0, pitch=0, roll=0)
    before = drag("fly")
    np.testing.assert_allclose(camera.eye, before, atol=1e-5)
    assert camera.direction[1] > 0.5, "the mouse went up"
    app.input.press_key("w")
    assert app.frame()
    assert app.frame()
    assert np.dot(np.subtract(camera.eye, before), camera.direction) > 0


def test_linked_views_have_one_camera(app):
    left, right, other = app.views(1, 3)
    right.orbit_camera.yaw, right.pan_zoom_camera.height = 1, 7
    left.link(right)
    assert (left.orbit_camera.yaw, left.pan_zoom_camera.height) == (1, 7)
    left.orbit_camera.pitch = 0.25
    assert right.orbit_camera.pitch == 0.25
    held = right.orbit_camera  # asked for before
    held.distance = 9
    x = np.eye(3)

    def draw():
        assert app.frame()
        for view in (left, right, other):
            view.points(x, size=5)
        return app.screenshot()

    picture = draw()
    third = WIDTH // 3
    assert left.orbit_camera.distance == 9
    assert other.orbit_camera.yaw == pytest.approx(0.6)
    around = picture[:, 3:103], picture[:, 110:210]  # the middles of two tiles
    np.testing.assert_array_equal(*around)
    app.input.move_mouse(third + 50, 120)
    app.input.press_button("left")
    app.input.move_mouse(third + 50, 180)
    app.input.release_button("left")
    draw()
    turned = 0.25 + np.pi * 60 / 240
    assert right.orbit_camera.pitch == pytest.approx(turned)
    assert left.orbit_camera.pitch == pytest.approx(turned)
    assert other.orbit_camera.pitch == pytest.approx(0.4)
    other.link(left)
    right.link(None)
    other.orbit_camera.yaw = -2
    assert (left.orbit_camera.yaw, right.orbit_camera.yaw) == (-2, 1)
    with pytest.raises(TypeError, match="linked to a view or to None, got 'left'"):
        left.link("left")


def test_linked_views_are_placed_by_one_of_them(app, random):
    left, right = app.views(1, 2)
    right.link(left)
    near, far = random.normal(size=(100, 3)), random.normal(size=(100, 3)) * 50
    for _ in range(3):
        assert app.frame()
        left.points(near)
        right.points(far)
        app.screenshot()
        low, high = left.bounds()
        np.testing.assert_allclose(left.orbit_camera.target, np.add(low, high) / 2, atol=1e-5)
        assert right.orbit_camera.distance == left.orbit_camera.distance < 20
    app.still(size=(1000, 200), samples=1)  # of another shape: placed anew in it alone
    assert right.orbit_camera.distance == left.orbit_camera.distance < 20


def test_a_step_asks_for_what_the_last_one_has_drawn(app):
    for step in range(4):
        assert app.frame()
        for other in range(step):  # more each time: copies come in another order
            app.lines([(9, 9, 9), (9 + step, 9, 9)], name=f"other {other}")
        if step > 0:
            assert app.bounds("line") == ([0, 0, 0], [step - 1, 2, 3])
        app.lines([(0, 0, 0), (step, 2, 3)], name="line")


def test_a_link_outlives_its_views(app):
    four = app.views(2, 2)
    four[0].link(four[3])
    app.views(1, 1)
    four[3].orbit_camera.yaw = 2
    assert app.orbit_camera.yaw == 2
    del four
    app.orbit_camera.yaw = 3
    assert app.frame()
    app.points([[0, 0, 0]])
    app.screenshot()
    assert app.orbit_camera.yaw == 3


def test_a_double_click_fits_the_thing(app):
    def draw():
        assert app.frame()
        app.points([[-3, 0, 0], [-2, 1, 0]], size=30, blend="opaque", name="left")
        app.points([[3, 0, 0]], size=30, name="right")
        app.screenshot()

    look(app, yaw=0, pitch=0, distance=10, target=(0, 0, 0))
    draw()
    pixels, _ = to_pixels(app.orbit_camera, SIZE, [[-3, 0, 0]])
    app.input.move_mouse(*pixels[0])
    app.input.press_button("left")
    app.input.release_button("left")
    draw()
    assert list(app.orbit_camera.target) == [0, 0, 0]
    app.input.press_button("left")
    app.input.release_button("left")
    draw()
    np.testing.assert_allclose(app.orbit_camera.target, (-2.5, 0.5, 0), atol=1e-6)
    assert app.orbit_camera.distance < 3
