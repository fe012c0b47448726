# SPDX-License-Identifier: MIT
"""Occlusion in corners and shadows on the ground: where they are dark, by rays in double."""

from __future__ import annotations

import numpy as np
import pytest
from projections import axes_of, rays, to_pixels

import lathe

WIDTH, HEIGHT = 240, 180
CORNER = np.array([[-1, 0, -1], [1, 0, -1], [1, 0, 1], [-1, 0, 1], [-1, 1.5, -1], [1, 1.5, -1]])
FLOOR, WALL = [[0, 2, 1], [0, 3, 2]], [[0, 1, 5], [0, 5, 4]]


@pytest.fixture(scope="module")
def app():
    app = lathe.App("light", size=(WIDTH, HEIGHT), headless=True, background=(1, 1, 1))
    app.frame_limit = 1000
    return app


@pytest.fixture(autouse=True)
def fresh(app):
    app.light()
    app.camera = lathe.Camera(distance=4, yaw=0.3, pitch=0.5)


def seen(app, draw):
    assert app.frame()
    draw()
    return app.screenshot()[..., :3].astype(float)


def corner(app):
    app.mesh(CORNER, FLOOR + WALL, color=(1, 1, 1))


def test_nothing_changes_unless_it_is_called(app):
    plain = seen(app, lambda: corner(app))
    app.light(occlusion=1, ground=1)
    assert (seen(app, lambda: corner(app)) != plain).any()
    app.light()
    np.testing.assert_array_equal(seen(app, lambda: corner(app)), plain)


def test_corners_are_darker_and_flat_faces_are_not(app):
    plain = seen(app, lambda: corner(app))
    app.light(occlusion=1, radius=0.4)
    part = seen(app, lambda: corner(app)) / np.maximum(plain, 1)

    def at(*place):
        x, y = to_pixels(app.orbit_camera, (WIDTH, HEIGHT), [place])[0][0]
        return part[int(y) - 1 : int(y) + 2, int(x) - 1 : int(x) + 2].mean()

    assert at(0, 0, 0.6) > 0.98
    assert at(0, 1.2, -1) > 0.98
    assert at(0, 0.02, -1) < 0.85
    assert at(0, 0.02, -1) < at(0, 0.15, -1) < at(0, 0.39, -1) + 0.02
    app.light(occlusion=0.5, radius=0.4)
    half = seen(app, lambda: corner(app)) / np.maximum(plain, 1)
    assert half.mean() > part.mean()


def test_occlusion_stays_where_it_is_when_the_camera_turns(app):
    app.light(occlusion=1, radius=0.4)
    places = np.array([[x, h, -1] for x in (-0.5, 0, 0.5) for h in (0.05, 0.1, 0.2)])
    values = []
    for yaw in np.linspace(0.0, 0.4, 5):
        app.camera = lathe.Camera(distance=4, yaw=yaw, pitch=0.5)
        app.light()
        plain = seen(app, lambda: corner(app))
        app.light(occlusion=1, radius=0.4)
        part = seen(app, lambda: corner(app)) / np.maximum(plain, 1)
        at = to_pixels(app.orbit_camera, (WIDTH, HEIGHT), places)[0].astype(int)
        values.append([part[y - 1 : y + 2, x - 1 : x + 2].mean() for x, y in at])
    assert np.ptp(values, axis=0).max() < 0.09


SPHERES = np.array([[-0.6, -0.2, 0.1], [0.5, 0.1, -0.3], [0.2, -0.55, 0.6]])
RADII = np.array([0.35, 0.25, 0.2])


def shadow_of(app, place, up, draw):
    """For ground pixels with no sphere before them: how dark each is, and where it lies."""
    app.camera = lathe.Camera(distance=4.5, yaw=0.5, pitch=0.7, up=up)
    app.light(ground=0.0)
    plain = seen(app, draw)
    app.light(ground=1)
    seen(app, draw)
    shown = seen(app, draw)
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    start, along = rays(app.orbit_camera, (WIDTH, HEIGHT), x.ravel() + 0.5, y.ravel() + 0.5)
    axis = 1 if up == "y" else 2
    level = app.bounds()[0][axis]
    assert (place[:, axis] - RADII).min() - 0.15 < level < (place[:, axis] - RADII).min() + 1e-3
    t = (level - start[:, axis]) / along[:, axis]
    there = start + t[:, None] * along
    free = (plain.reshape(-1, 3) == 255).all(axis=1) & (t > 0)
    return 1 - shown.reshape(-1, 3).mean(axis=1)[free] / 255, there[free], axis


@pytest.mark.parametrize("up", ["y", "z"])
@pytest.mark.parametrize("kind", ["spheres", "tubes", "instances"])
def test_the_shadow_lies_where_rays_to_the_light_are_blocked(app, up, kind):
    """The light is straight above: what a ray upwards meets, and what is well beside it."""
    place = SPHERES if up == "y" else SPHERES[:, [0, 2, 1]]

    def draw():
        if kind == "spheres":
            app.points(place, radius=RADII)
        elif kind == "tubes":
            ends = np.repeat(place[:, None], 2, axis=1)
            app.tubes(ends, radius=np.repeat(RADII[:, None], 2, axis=1))
        else:
            turn = np.linspace(0, 2 * np.pi, 33)[:32]
            down = np.linspace(0, np.pi, 17)
            ball = np.stack(
                [
                    np.outer(np.sin(down), np.cos(turn)),
                    np.outer(np.cos(down), 0 * turn + 1),
                    np.outer(np.sin(down), np.sin(turn)),
                ],
                -1,
            ).reshape(-1, 3)
            i, j = (each.ravel() for each in np.mgrid[0:16, 0:32])
            a, b = i * 32 + j, i * 32 + (j + 1) % 32
            faces = np.concatenate([np.stack([a, a + 32, b], 1), np.stack([b, a + 32, b + 32], 1)])
            app.instances(ball, faces, place, scale=RADII.astype(np.float32))

    dark, there, axis = shadow_of(app, place, up, draw)
    level = app.bounds()[0][axis]
    beside = [k for k in range(3) if k != axis]
    away = np.linalg.norm(there[:, None, beside] - place[None, :, beside], axis=2) - RADII
    height = place[:, axis] - RADII - level
    soft = 0.12 * (height + RADII) + 0.04  # of the light, and pixels of the picture from below
    inside, outside = (away < -soft).any(axis=1), (away > soft).all(axis=1)
    assert inside.sum() > 150
    assert outside.sum() > 3000
    assert (dark[inside] > 0.4).mean() > 0.99
    assert (dark[outside] < 0.02).mean() > 0.99
    edge = (np.abs(away) < 0.02).any(axis=1) & ~(away < -0.03).any(axis=1)
    assert 0.15 < dark[edge].mean() < 0.5


def test_the_shadow_does_not_change_when_the_camera_turns(app):
    """The darkness of places of the ground, from five sides."""
    places = np.array([[x, -0.75, z] for x in np.linspace(-1, 1, 9) for z in np.linspace(-1, 1, 9)])
    app.light(ground=1)
    values, known = [], []
    for yaw in np.linspace(0, 6, 5):
        app.camera = lathe.Camera(distance=4.5, yaw=yaw, pitch=1.0)
        seen(app, lambda: app.points(SPHERES, radius=RADII))
        shown = seen(app, lambda: app.points(SPHERES, radius=RADII))
        at, _ = to_pixels(app.orbit_camera, (WIDTH, HEIGHT), places)
        eye = np.array(app.orbit_camera.target) + 4.5 * axes_of(app.orbit_camera)[2]
        way = places - eye
        way /= np.linalg.norm(way, axis=1)[:, None]
        to = SPHERES[None] - eye
        nearest = np.einsum("ijk,ik->ij", np.broadcast_to(to, (81, 3, 3)), way)
        apart = np.linalg.norm(to - nearest[..., None] * way[:, None], axis=2)
        known.append((apart > RADII + 0.06).all(axis=1))
        values.append([shown[int(y), int(x)].mean() / 255 for x, y in at])
    values = np.where(known, values, np.nan)
    several = np.sum(known, axis=0) > 2
    assert several.sum() > 30
    assert (
        np.nanmax(np.ptp(np.nan_to_num(values[:, several], nan=np.nan), axis=0), initial=0) < 0.12
    )


def test_from_below_there_is_no_ground(app):
    app.camera = lathe.Camera(distance=4.5, yaw=0.5, pitch=-0.7)
    plain = seen(app, lambda: app.points(SPHERES, radius=RADII))
    app.light(ground=1)
    np.testing.assert_array_equal(seen(app, lambda: app.points(SPHERES, radius=RADII)), plain)


def test_what_is_cut_off_or_hidden_throws_no_shadow(app):
    app.camera = lathe.Camera(distance=4.5, yaw=0, pitch=1.2)
    app.light(ground=1)

    def draw():
        app.points(SPHERES[:1], radius=0.35, name="one")
        app.points(SPHERES[1:], radius=0.2, name="others")

    def dark(place):
        shown = seen(app, draw)
        x, y = to_pixels(app.orbit_camera, (WIDTH, HEIGHT), [place])[0][0]
        return 1 - shown[int(y), int(x)].mean() / 255

    under = (-0.6, -0.75, 0.1)  # the sphere itself hides it, so it is made to vanish
    assert dark(under) > 0.1
    plane = app.clip((0, 0, 0), "x")
    assert dark(under) < 0.02
    plane.remove()
    app.thing("one").shown = False
    try:
        assert dark(under) < 0.02
    finally:
        app.thing("one").shown = True


def test_what_is_no_light_is_named(app):
    with pytest.raises(ValueError, match="occlusion is 0 or more, got -1"):
        app.light(occlusion=-1)
    with pytest.raises(ValueError, match="ground is 0 or more, got nan"):
        app.light(ground=float("nan"))
    with pytest.raises(TypeError, match="radius is a number, got 'wide'"):
        app.light(radius="wide")
