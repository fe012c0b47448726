# SPDX-License-Identifier: MIT
"""Volumes: what rays see of arrays of three axes, beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import lathe


@pytest.fixture
def app():
    app = lathe.App("volumes", size=(300, 300), headless=True, background=(0, 0, 0))
    app.frame_limit = 100
    camera = app.orbit_camera
    camera.yaw = camera.pitch = 0
    look_from(camera, 1000)
    return app


def look_from(camera, distance):
    """From -1.5 to 1.5, with nearly parallel rays: a pixel is 0.01 wide."""
    camera.distance = distance
    camera.field_of_view = 2 * np.arctan(1.5 / distance)


def shown(app, volume, **style):
    assert app.frame()
    app.volume(volume, **style)
    return app.screenshot()


def cells(picture, rows, columns):
    """Red in the middle of each cell of 0.25: 25 pixels, seen along z, row 0 of y below."""
    x = 150 + 25 * np.arange(columns) - 25 * columns // 2 + 12
    y = 149 - (25 * np.arange(rows) - 25 * rows // 2 + 12)
    return picture[np.ix_(y, x)][..., 0] / 255


def random_volume(dtype=np.float32):
    values = np.random.default_rng(5).uniform(0.1, 1, (5, 4, 8))
    return (255 * values).astype(dtype) if dtype == np.uint8 else values.astype(dtype)


@pytest.mark.parametrize("dtype", [np.uint8, np.float16, np.float32, np.float64])
def test_the_greatest_along_z(app, dtype):
    values = random_volume(dtype)
    seen = cells(shown(app, values, colormap="gray"), 4, 8)
    most = values.max(axis=0) / (255 if dtype == np.uint8 else 1)
    np.testing.assert_allclose(seen, most, atol=1.5 / 255)


def test_the_greatest_along_x(app):
    values = random_volume()
    app.orbit_camera.yaw = np.pi / 2  # from +x: z goes to the left
    app.orbit_camera.target = (0, 0, -0.125)  # five cells of z: the middle is in that of one
    seen = cells(shown(app, values, colormap="gray", range=(0, 2)), 4, 6)[:, :5]
    most = values.max(axis=2)[::-1].T / 2
    np.testing.assert_allclose(seen, most, atol=1.5 / 255)


@pytest.mark.parametrize("dtype", ["int8", "int16", "uint16", "int32", "uint32", "int64", "bool"])
def test_integers(app, dtype):
    values = np.random.default_rng(6).integers(0, 2 if dtype == "bool" else 100, (5, 4, 8))
    values = values.astype(dtype)
    scale = 1 if dtype == "bool" else 100
    seen = cells(shown(app, values, colormap="gray", range=(0, scale)), 4, 8)
    most = values.max(axis=0).astype(float) / scale
    np.testing.assert_allclose(seen, most, atol=2 / 255)


@pytest.mark.parametrize("shape", [(1, 4, 8), (1, 1, 8), (70, 2, 8), (3, 4, 8), (9, 4, 8)])
def test_thin_and_deep_ones(app, shape):
    values = np.random.default_rng(7).uniform(0.2, 1, shape).astype(np.float32)
    spacing = (1, 1, 0.05)  # else z would be the longest side
    seen = shown(app, values, colormap="gray", spacing=spacing)[..., 0] / 255
    x = 150 + 25 * np.arange(8) - 100 + 12
    rows = shape[1]
    y = 149 - (25 * np.arange(rows) - 25 * rows // 2 + 12) if rows > 1 else [150]
    atol = 1.5 / 255 if rows > 1 else 12 / 255
    np.testing.assert_allclose(seen[np.ix_(y, x)], values.max(axis=0), atol=atol)


def test_a_strided_array_and_one_of_another_library_are_copied(app):
    values = random_volume()
    device = lathe.asarray(np.ascontiguousarray(values.transpose(2, 0, 1)))
    seen = cells(shown(app, device.transpose(1, 2, 0), colormap="gray"), 4, 8)
    np.testing.assert_allclose(seen, values.max(axis=0), atol=1.5 / 255)


def test_an_array_of_the_app_is_read_where_it_lies(app):
    values = app.asarray(random_volume())
    before = app.stats.bytes_drawn_in_place, app.stats.bytes_drawn_by_copy
    shown(app, values)
    after = app.stats.bytes_drawn_in_place, app.stats.bytes_drawn_by_copy
    assert (after[0] - before[0], after[1] - before[1]) == (4 * 160, 0)
    values.fill(0.25)
    assert cells(shown(app, values, colormap="gray"), 4, 8).max() < 0.27, "each step marches"


def test_nan_and_what_is_below_the_range_are_not_seen(app):
    values = np.full((5, 4, 8), 0.2, np.float32)
    values[:, :, :4] = np.nan
    picture = shown(app, values, colormap="gray", range=(0.2, 1))
    assert picture.max() == 0
    values[:, :, 6:] = 0.6
    seen = cells(shown(app, values, colormap="gray", range=(0.2, 1)), 4, 8)
    assert (seen[:, :5] == 0).all()
    np.testing.assert_allclose(seen[:, 6:], 0.5, atol=2 / 255)


def test_what_lies_beyond_nan_is_seen(app):
    values = np.full((16, 4, 8), 0.2, np.float32)
    values[8] = np.nan
    values[:8] = 0.9
    spacing = (1, 1, 0.1)
    picture = shown(app, values, colormap="gray", spacing=spacing)
    np.testing.assert_allclose(cells(picture, 4, 8), 0.9, atol=1.5 / 255)


@pytest.mark.parametrize("spots", [0, 60])
def test_what_is_left_out_changes_nothing(app, spots):
    """Slopes tell how many steps cannot be greater: beside all that each ray meets. Single bright
    voxels are where rays beside have seen nothing."""
    g = np.linspace(-1, 1, 80, dtype=np.float32)
    z, y, x = np.meshgrid(g, g, g, indexing="ij")
    values = np.zeros_like(x)
    for a, b, c, d, s in np.random.default_rng(9).uniform(-0.6, 0.6, (20, 5)):
        distance = (x - a) ** 2 + (y - b) ** 2 + (z - c) ** 2
        values += (d + 0.7) * np.exp(-distance / (0.02 + s * s / 4))
    values /= values.max()
    places = np.random.default_rng(3).integers(6, 74, (3, spots))
    values[tuple(places)] = np.linspace(0.3, 1, spots)
    app.orbit_camera.distance = 1e5  # parallel rays: pixel 0.01, cell 0.025
    app.orbit_camera.field_of_view = 2 * np.arctan(1.5e-5)
    seen = shown(app, values, colormap="gray")[..., 0] / 255
    x = (np.arange(300) - 149.5) / 100
    inside = np.abs(x) < 0.97
    at = (x[inside] + 1) * 40 - 0.5  # in voxels
    low, part = np.floor(at).astype(int), (at % 1).astype(np.float32)
    layers = values[:, low] * (1 - part)[:, None] + values[:, low + 1] * part[:, None]
    layers = layers[:, :, low] * (1 - part) + layers[:, :, low + 1] * part
    most = layers.max(axis=0)[::-1]
    seen = seen[np.ix_(inside, inside)]
    far = most > 0.0625  # where alpha is 1
    wrong = np.abs(seen[far] - most[far]) > 2 / 255
    # Between rays two pixels apart the picture is blended where these do not bend: rarely a spot's
    # flank looks so, in 5 of 21,000 pixels.
    assert wrong.sum() <= (8 if spots else 0)
    assert far.mean() > 0.3


def test_ranges_that_the_device_finds(app):
    values = random_volume()
    values[0, 0, 0] = 3
    values[-1, -1, -1] = 0
    seen = cells(shown(app, values, colormap="gray", range="auto"), 4, 8)
    np.testing.assert_allclose(seen, values.max(axis=0) / 3, atol=2 / 255)
    low, high = np.percentile(values, (5, 95))
    seen = cells(shown(app, values, colormap="gray", range=("5%", "95%")), 4, 8)
    wanted = np.clip((values.max(axis=0) - low) / (high - low), 0, 1)
    np.testing.assert_allclose(seen, wanted, atol=4 / 255)


def test_a_range_that_goes_down_shows_the_least(app):
    values = random_volume()
    seen = cells(shown(app, values, colormap="gray", range=(1, 0)), 4, 8)
    np.testing.assert_allclose(seen, 1 - values.min(axis=0), atol=1.5 / 255)


@pytest.mark.parametrize("density", [0.5, 2.0])
def test_fog(app, density):
    """Light of the fog itself: gray 128 of 255 wherever something is absorbed."""
    length = 1.2
    bounds = ((-1, -1, 0), (1, 1, length))
    values = np.full((6, 6, 6), 0.5)
    picture = shown(app, values, mode="emission", density=density, colormap="gray", bounds=bounds)
    absorbed = 1 - np.exp(-density * 0.5 * length)
    assert picture[150, 150, 0] == pytest.approx(128 * absorbed, abs=2)


def test_a_surface_with_cells_that_are_no_cubes(app):
    x = (np.arange(40) + 0.5) / 20 - 1
    z, y, x = np.meshgrid(x[::2], x, x, indexing="ij")
    values = 1 - np.sqrt(x * x + y * y + z * z)
    bounds = ((-1, -0.5, -1), (1, 0.5, 1))
    style = {"mode": "surface", "level": 0.5, "color": (1, 1, 1), "bounds": bounds}
    lit = shown(app, values, **style).max(axis=2) > 30
    assert lit.sum() == pytest.approx(np.pi * 50 * 25, rel=0.02)
    rows, columns = np.nonzero(lit)
    assert (np.ptp(columns) + 1, np.ptp(rows) + 1) == pytest.approx((100, 50), abs=2)
    np.testing.assert_array_equal(app.bounds(), bounds)
    assert shown(app, values, **style, opacity=0.5).max() == pytest.approx(128, abs=2)
    assert shown(app, values, **{**style, "level": 2}).max() == 0


def test_a_volume_is_hidden_and_restyled_by_its_name(app):
    values = np.full((4, 4, 4), 0.5)
    assert tuple(shown(app, values, colormap="gray", name="fog")[150, 150]) == (128, 128, 128)
    fog = app.thing("fog")
    assert (fog.kind, fog.count) == ("volume", 64)
    fog.range = (0, 0.5)
    fog.colormap = "Reds"
    assert tuple(shown(app, values, name="fog")[150, 150]) == (103, 0, 13)
    lathe.colormap("own", [(0, 1, 0), (0, 1, 0)])
    fog.colormap = "own"
    assert tuple(shown(app, values, name="fog")[150, 150]) == (0, 255, 0)
    lathe.colormap("own", [(0, 0, 1), (0, 0, 1)])
    assert tuple(app.screenshot()[150, 150]) == (0, 255, 0)
    assert tuple(shown(app, values, name="fog")[150, 150]) == (0, 0, 255)
    fog.shown = False
    assert shown(app, values, name="fog").max() == 0


def test_two_views_of_one_volume(app):
    left, right = app.views(1, 2)
    values = app.asarray(random_volume())
    assert app.frame()
    for view in (left, right):
        view.orbit_camera.yaw = view.orbit_camera.pitch = 0
        look_from(view.orbit_camera, 1000)
        view.volume(values, colormap="gray")
    right.orbit_camera.yaw = np.pi  # from behind: x goes to the left
    picture = app.screenshot()[:, :, 0].astype(int)
    a, b = picture[:, :149], picture[:, 151:]
    assert a.max() > 200
    np.testing.assert_allclose(a[140:160], b[140:160, ::-1], atol=20)


WRONG = [
    ({"mode": "fog"}, ValueError, "mode is one of mip, emission, surface, slices, got 'fog'"),
    ({"density": -1}, ValueError, "density is a number from 0 on, got -1"),
    ({"density": float("nan")}, ValueError, "density is a number from 0 on, got nan"),
    ({"density": "much"}, TypeError, "density is a number, got 'much'"),
    ({"spacing": (1, 0, 1)}, ValueError, "spacing is three numbers above 0, got 1, 0 and 1"),
    ({"spacing": (1, 1)}, ValueError, "spacing is 3 numbers"),
    (
        {"bounds": ((0, 0, 0), (1, 1, -1))},
        ValueError,
        "bounds go from the lowest corner to the highest",
    ),
    ({"bounds": 3}, TypeError, "bounds are two corners of three numbers, got 3"),
    ({"colormap": "no such"}, ValueError, "colormap is one of"),
    ({"range": 3}, TypeError, "range is two numbers"),
]


@pytest.mark.parametrize(("style", "error", "message"), WRONG)
def test_wrong_styles(app, style, error, message):
    assert app.frame()
    with pytest.raises(error, match=message):
        app.volume(np.zeros((2, 2, 2)), **style)


def test_what_is_no_volume(app):
    assert app.frame()
    with pytest.raises(ValueError, match=r"a volume is \(depth, height, width\), got .* \(2, 2\)"):
        app.volume(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="a volume is"):
        app.volume(np.zeros((2, 0, 2)))
    with pytest.raises(TypeError, match="values are real numbers, got complex64"):
        app.volume(np.zeros((2, 2, 2), complex))
    with pytest.raises(TypeError, match="a volume: an array of numbers, got str"):
        app.volume("no")


def test_a_volume_much_thinner_than_wide_ends(app):
    assert app.frame()
    app.volume(np.ones((4, 64, 64)), spacing=(1000, 1000, 0.001))
    assert app.screenshot().shape[2] == 3
