# SPDX-License-Identifier: MIT
"""Planes that cut off what a view shows: what is seen and what picks find, against NumPy.

How solids look where they are cut is in tests/engine/render.
"""

from __future__ import annotations

import numpy as np
import pytest
from projections import rays, to_pixels

import lathe

WIDTH, HEIGHT = 240, 180
ORIGIN, NORMAL = np.array([0.05, 0.0, 0.1]), np.array([0.8, 0.3, -0.5])
MANY = 20_000  # points, which kernels draw


@pytest.fixture(scope="module")
def app():
    app = lathe.App("clipping", size=(WIDTH, HEIGHT), headless=True, background=(0, 0, 0))
    app.frame_limit = 1000
    return app


@pytest.fixture(autouse=True)
def fresh(app):
    for plane in app.clip_planes:
        plane.remove()
    app.camera = lathe.Camera(distance=3.2, yaw=0.4, pitch=0.3)


@pytest.fixture
def random():
    return np.random.default_rng(11)


def seen(app, call, *given, **named):
    """A frame with one thing: where it is."""
    assert app.frame()
    getattr(app, call)(*given, **named)
    return app.screenshot()[..., :3].max(axis=2) > 0


def padded(places, radii):
    """The same spheres and many of no size, so that kernels draw them."""
    more = MANY + 1 - len(places)
    return np.pad(places, ((0, more), (0, 0))), np.pad(radii, (0, more))


def things(random, kind):
    """A call, its arrays and its names."""
    places = random.uniform(-0.8, 0.8, (60, 3)).astype(np.float32)
    side = np.linspace(0, 2 * np.pi, 24)
    if kind == "spheres":
        return "points", [places], {"radius": random.uniform(0.05, 0.2, 60).astype("f4")}
    if kind == "many spheres":
        spheres, radii = padded(places, random.uniform(0.05, 0.2, 60).astype(np.float32))
        return "points", [spheres], {"radius": radii}
    if kind == "points":
        return "points", [places], {"size": 5, "blend": "opaque"}
    if kind == "tubes":
        return "tubes", [places.reshape(12, 5, 3)], {"radius": 0.06}
    if kind == "lines":
        return "lines", [places.reshape(12, 5, 3)], {"width": 3, "color": (1, 1, 1)}
    if kind == "arrows":
        return "arrows", [places, random.normal(size=(60, 3))], {"scale": 0.3, "radius": 0.04}
    if kind in ("mesh", "instances"):
        ring = np.stack([np.cos(side), np.sin(side), 0 * side], 1)
        shape = np.concatenate([0.7 * ring + (0, 0, 0.6), 0.7 * ring - (0, 0, 0.6)])
        k = np.arange(23)
        faces = np.concatenate(
            [np.stack([k, k + 1, k + 24], 1), np.stack([k + 1, k + 25, k + 24], 1)]
        )
        if kind == "mesh":
            return "mesh", [shape, faces], {}
        return "instances", [shape, faces, places], {"scale": 0.2}
    if kind == "height_field":
        return "height_field", [0.3 * np.sin(np.add.outer(side, side))], {}
    if kind == "image":
        return (
            "image",
            [np.ones((8, 8), np.float32)],
            {"plane": ((-1, -1, 0), (2, 0, 0), (0, 2, 0))},
        )
    z, y, x = np.mgrid[-1:1:24j, -1:1:24j, -1:1:24j]
    ball = np.sqrt(x * x + y * y + z * z)
    if kind == "surface":
        return "volume", [ball.astype(np.float32)], {"mode": "surface", "level": 0.8}
    return "volume", [np.ones((24, 24, 24), np.float32)], {"mode": kind, "range": (0, 1)}


KINDS = [
    "spheres", "many spheres", "points", "tubes", "lines", "arrows", "mesh", "instances",
    "height_field", "image", "mip", "emission", "slices", "surface",
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_picks_find_what_is_seen_and_nothing_else(app, random, kind):
    call, given, named = things(random, kind)
    whole = seen(app, call, *given, **named)
    app.clip(ORIGIN, NORMAL)
    app.clip((0, -0.55, 0), "y", name="floor")
    cut = seen(app, call, *given, name="thing", **named)
    assert 0.1 < cut.sum() / whole.sum() < 0.95
    assert (cut & ~whole).sum() <= 0.002 * whole.sum()  # what was hidden lies behind
    near = np.zeros_like(cut)  # a pick reaches 4 pixels
    far = np.pad(cut, 5)
    for dy in range(11):
        for dx in range(11):
            near |= far[dy : dy + HEIGHT, dx : dx + WIDTH]
    normal = NORMAL / np.linalg.norm(NORMAL)
    wrong = 0
    for x, y in random.integers(0, (WIDTH, HEIGHT), (1000, 2)):
        found = app.pick(x + 0.5, y + 0.5)
        if found is None:
            wrong += cut[y, x]
            continue
        assert found.item == "thing"
        assert near[y, x]
        if cut[y, x]:
            place = np.array(found.position)
            assert (place - ORIGIN) @ normal > -0.012
            assert place[1] > -0.562
    assert wrong <= 3  # at edges
    chosen = app.select(0, 0, WIDTH, HEIGHT).get("thing")
    if call == "points":
        left = ((given[0] - ORIGIN) @ normal >= 0) & (given[0][:, 1] >= -0.55)
        left &= np.asarray(named.get("radius", np.ones(len(left)))) > 0
        np.testing.assert_array_equal(chosen.get(), np.flatnonzero(left))


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("distance", [-0.35, 0.0, 0.42])
def test_a_cut_sphere_covers_the_area_of_its_segment(app, many, distance):
    """Parallel rays: the plane is seen as a line."""
    radius = 0.8
    app.camera = lathe.Camera(distance=3, yaw=0, pitch=0, orthographic=True)
    unit = HEIGHT / (2 * 3 * np.tan(app.orbit_camera.field_of_view / 2))  # pixels
    sphere = np.zeros((1, 3), np.float32), np.array([radius], np.float32)
    places, radii = padded(*sphere) if many else sphere
    app.clip((distance, 5, -3), (2, 0, 0))
    cut = seen(app, "points", places, radius=radii)
    segment = radius**2 * np.arccos(distance / radius)
    segment -= distance * np.sqrt(radius**2 - distance**2)
    assert cut.sum() == pytest.approx(segment * unit**2, rel=0.01)
    columns = np.flatnonzero(cut.any(axis=0))
    assert columns[0] == pytest.approx(WIDTH / 2 + distance * unit, abs=1)


@pytest.mark.parametrize("many", [False, True])
def test_the_cut_of_a_sphere_is_flat(app, many):
    sphere = np.zeros((1, 3), np.float32), np.array([0.8], np.float32)
    places, radii = padded(*sphere) if many else sphere
    app.camera = lathe.Camera(distance=3, yaw=0, pitch=0)
    app.clip((0, 0, 0.2), (0, 0, -1))
    seen(app, "points", places, radius=radii, color=(1, 1, 1))
    shown = app.screenshot()[..., 0]
    middle = shown[HEIGHT // 2 - 20 : HEIGHT // 2 + 20, WIDTH // 2 - 20 : WIDTH // 2 + 20]
    assert int(middle.max()) - int(middle.min()) <= 12
    x, y = np.random.default_rng(2).uniform(-30, 30, (2, 200))
    start, along = rays(app.orbit_camera, (WIDTH, HEIGHT), WIDTH / 2 + x, HEIGHT / 2 + y)
    expected = start + ((0.2 - start[:, 2]) / along[:, 2])[:, None] * along
    for k in range(200):
        found = app.pick(WIDTH / 2 + x[k], HEIGHT / 2 + y[k])
        np.testing.assert_allclose(found.position, expected[k], atol=1e-4)


def test_a_thing_may_stay_whole_and_planes_move_pause_and_go(app):
    ends = np.array([[-0.6, 0, 0], [0.6, 0, 0]], np.float32)
    whole = seen(app, "points", ends, radius=0.3, name="balls")
    plane = app.clip((0, 0, 0), "-x")
    cut = seen(app, "points", ends, radius=0.3, name="balls")
    assert 0.4 < cut.sum() / whole.sum() < 0.6
    app.thing("balls").clipped = False
    assert (seen(app, "points", ends, radius=0.3, name="balls") == whole).all()
    x, y = to_pixels(app.orbit_camera, (WIDTH, HEIGHT), ends)[0][1]
    assert app.pick(x, y).index == 1
    app.thing("balls").clipped = True
    seen(app, "points", ends, radius=0.3, name="balls")
    assert app.pick(x, y) is None
    plane.active = False
    assert (seen(app, "points", ends, radius=0.3, name="balls") == whole).all()
    plane.active = True
    plane.origin, plane.normal = (2, 0, 0), (3, 4, 0)
    assert plane.origin == (2, 0, 0)
    assert plane.normal == pytest.approx((0.6, 0.8, 0))
    assert seen(app, "points", ends, radius=0.3, name="balls").sum() == 0
    assert [each.name for each in app.clip_planes] == ["clip"]
    plane.remove()
    assert (seen(app, "points", ends, radius=0.3, name="balls") == whole).all()
    assert app.clip_planes == []
    assert repr(plane) == "<lathe.ClipPlane 'clip': removed>"


def test_texts_and_axes_stay(app):
    app.clip((5, 0, 0), "x")
    assert seen(app, "text", "here", (0, 0, 0)).any()
    assert app.frame()
    app.points([[-1, -1, -1], [1, 1, 1]], radius=0.1)
    app.axes()
    assert (app.screenshot()[..., :3].max(axis=2) > 0).sum() > 200


def test_views_have_planes_of_their_own(app):
    left, right = app.views(1, 2)
    try:
        left.clip((0, 0, 0), "x")
        assert app.frame()
        for view in (left, right):
            view.points([[-0.6, 0, 0]], radius=0.3)
        shown = app.screenshot()[..., :3].max(axis=2) > 0
        assert not shown[:, : WIDTH // 2 - 2].any()
        assert shown[:, WIDTH // 2 :].any()
        assert right.clip_planes == []
    finally:
        app.views(1, 1)


def test_what_is_no_plane_is_named(app):
    with pytest.raises(ValueError, match=r"normal .* not 0, got \(0, 0, 0\)"):
        app.clip((0, 0, 0), (0, 0, 0))
    with pytest.raises(ValueError, match=r"origin .* got \(nan, 0, 0\)"):
        app.clip((np.nan, 0, 0), "x")
    with pytest.raises(ValueError, match="got 'w'"):
        app.clip((0, 0, 0), "w")
    with pytest.raises(ValueError, match=r"normal is 3 numbers, got \(1, 2\)"):
        app.clip((0, 0, 0), (1, 2))
    with pytest.raises(TypeError, match="origin is 3 numbers, got 4"):
        app.clip(4, "x")
    for k in range(8):
        app.clip((0, 0, 0), "x", name=f"plane {k}")
    app.clip((0, 0, 1), "x", name="plane 3")
    with pytest.raises(ValueError, match='at most 8 clip planes, "ninth"'):
        app.clip((0, 0, 0), "x", name="ninth")
    plane = app.clip_planes[0]
    plane.remove()
    with pytest.raises(KeyError, match="no clip plane 'plane 0' any more"):
        plane.origin = (0, 0, 0)
