# SPDX-License-Identifier: MIT
"""Which values become which colours: ranges that the device finds, complex numbers; and what
drawing copies."""

from __future__ import annotations

import os

import numpy as np
import pytest

import lathe

W, H = 64, 48


def shown(app, draw):
    """One step's picture, (H, W) of its red, as 0 to 1."""
    assert app.frame()
    draw()
    return app.screenshot()[:, :, 0] / 255


def gray(values, low, high):
    """What a colormap of 256 grays makes of them."""
    t = np.clip((np.asarray(values, np.float64) - low) / (high - low), 0, 1)
    return np.minimum(np.floor(t * 256), 255) / 255


@pytest.fixture
def values():
    rng = np.random.default_rng(5)
    return rng.normal(40, 300, (H, W)).astype(np.float32)


@pytest.fixture(params=["shared", "device", "host", "float64", "int32", "strided"])
def array(request, app, values):
    return {
        "shared": lambda: app.asarray(values),
        "device": lambda: lathe.asarray(values),
        "host": lambda: values,
        "float64": lambda: lathe.asarray(values.astype(np.float64)),
        "int32": lambda: app.asarray(values.astype(np.int32)),
        "strided": lambda: lathe.asarray(np.ascontiguousarray(values.T)).T,
    }[request.param]()


def host_of(array):
    return array if isinstance(array, np.ndarray) else array.get()


def test_auto_is_least_to_greatest(app, array):
    host = host_of(array)
    got = shown(app, lambda: app.image(array, colormap="gray", range="auto"))
    np.testing.assert_allclose(got, gray(host, host.min(), host.max()), atol=1.01 / 255)


@pytest.mark.parametrize("low, high", [(2, 98), (0, 50), (25, 100)])
def test_percent_of_the_values(app, array, low, high):
    host = host_of(array)
    ends = np.percentile(host, [low, high], method="nearest")
    percent = (f"{low}%", f"{high} %".replace(" ", ""))
    got = shown(app, lambda: app.image(array, colormap="gray", range=percent))
    np.testing.assert_allclose(got, gray(host, *ends), atol=2.01 / 255)


def test_auto_follows_the_array_and_leaves_nan_out(app):
    x = app.zeros((H, W))
    for scale in (1, 50):
        host = scale * np.linspace(-1, 3, H * W, dtype=np.float32).reshape(H, W)
        host[0, 0] = np.nan
        x.set(host)
        got = shown(app, lambda: app.image(x, colormap="gray", range="auto"))
        expected = gray(host.ravel()[1:], -scale, 3 * scale)
        np.testing.assert_allclose(got.ravel()[1:], expected, atol=1.01 / 255)
        assert app.screenshot()[0, 0].tolist() == [255, 0, 255]
    x.fill(7)
    assert np.isin(shown(app, lambda: app.image(x, colormap="gray", range="auto")), [0, 1]).all()


def test_points_and_colours(app):
    spots = np.array([[-0.5, 0], [0, 0], [0.5, 0]], np.float32)
    got = shown(
        app,
        lambda: app.points(
            spots, values=np.float32([10, 20, 30]), size=8, round=False, colormap="gray",
            range="auto",
        ),
    )  # fmt: skip
    row = got[H // 2]
    middles = [int(W / 2 + x * H / 2) for x in (-0.5, 0, 0.5)]
    np.testing.assert_allclose(row[middles], [0, 0.5, 1], atol=0.01)
    rgb = np.stack([np.full((H, W), v, np.float32) for v in (3, 5, 7)], axis=2)
    shown(app, lambda: app.image(app.asarray(rgb), range="auto"))
    np.testing.assert_allclose(app.screenshot()[9, 9], [0, 127.5, 255], atol=1)


def test_complex_numbers_three_ways(app):
    y, x = np.mgrid[-1 : 1 : H * 1j, -1 : 1 : W * 1j]
    z = (x + 1j * y).astype(np.complex64)
    for array in (app.asarray(z), lathe.asarray(z), z, z.astype(np.complex128)):
        got = shown(app, lambda a=array: app.image(a, colormap="gray"))
        np.testing.assert_allclose(got, gray(np.abs(z), 0, 1), atol=1.01 / 255)
        got = shown(app, lambda a=array: app.image(a, colormap="gray", range="auto"))
        np.testing.assert_allclose(
            got, gray(np.abs(z), np.abs(z).min(), np.abs(z).max()), atol=1.01 / 255
        )
        got = shown(app, lambda a=array: app.image(a, colormap="gray", complex_as="phase"))
        np.testing.assert_allclose(got, gray(np.angle(z), -np.pi, np.pi), atol=1.01 / 255)
        shown(app, lambda a=array: app.image(a, complex_as="color", range=(0, 2)))
        third = 2 * np.pi / 3
        hue = 0.5 + 0.5 * np.cos(np.angle(z)[..., None] - np.array([0, third, 2 * third]))
        expected = 255 * hue * np.clip(np.abs(z) / 2, 0, 1)[..., None]
        np.testing.assert_allclose(app.screenshot(), expected, atol=1.5)
    with pytest.raises(ValueError, match="complex numbers is"):
        app.image(np.zeros((H, W, 2), np.complex64))


def drawn(app, draw):
    before = app.stats
    assert app.frame()
    draw()
    app.screenshot()
    after = app.stats
    return tuple(
        getattr(after, name) - getattr(before, name)
        for name in ("bytes_drawn_in_place", "bytes_drawn_by_copy", "bytes_uploaded")
    )


def test_each_way_of_drawing_is_counted(app, values):
    size = values.nbytes
    ours, other = app.asarray(values), lathe.asarray(values)
    for _ in range(3):
        assert drawn(app, lambda: app.image(ours, range="auto")) == (size, 0, 0)
        assert drawn(app, lambda: app.image(other, range="auto")) == (0, size, 0)
        assert drawn(app, lambda: app.image(values, range="auto")) == (0, 0, size)
        assert drawn(app, lambda: app.image(values.astype(np.float64))) == (0, 0, size)
        assert drawn(app, lambda: app.image(ours[:10])) == (10 * W * 4, 0, 0)
        assert drawn(app, lambda: app.image(ours.T)) == (0, size, 0)
    z = app.asarray(values.astype(np.complex64))
    assert drawn(app, lambda: app.image(z)) == (2 * size, 0, 0)
    places = app.zeros((100, 2))
    assert drawn(app, lambda: app.points(places, values=other.ravel()[:100])) == (800, 400, 0)
    assert "copied" in " ".join(app.status)


def heat_of(library):
    """A step of heat conduction, the state in place, by another library on the device."""
    if library == "torch":
        torch = pytest.importorskip("torch")
        u = torch.zeros((H, W), device="cuda")
    else:
        u = pytest.importorskip("cupy").zeros((H, W), dtype=np.float32)
    u[10:30, 20:50] = 1

    def step():
        u[1:-1, 1:-1] += 0.2 * (
            u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]
        )

    return u, step


@pytest.mark.skipif(
    os.environ["LATHE_DEVICE"] == "software", reason="other libraries use the driver itself"
)
@pytest.mark.parametrize("library", ["torch", "cupy"])
def test_the_scene_of_another_librarys_array(app, library):
    u, step = heat_of(library)
    ours = app.zeros((H, W))
    ours[10:30, 20:50] = 1
    for _ in range(5):
        before = app.stats
        assert app.frame()
        step()
        app.image(u, colormap="gray")
        theirs = app.screenshot()
        assert app.stats.bytes_drawn_by_copy - before.bytes_drawn_by_copy == 4 * W * H
        before = app.stats
        assert app.frame()
        ours[1:-1, 1:-1] += 0.2 * (
            ours[:-2, 1:-1] + ours[2:, 1:-1] + ours[1:-1, :-2] + ours[1:-1, 2:]
            - 4 * ours[1:-1, 1:-1]
        )  # fmt: skip
        app.image(ours, colormap="gray")
        after = app.stats
        np.testing.assert_allclose(app.screenshot().astype(int), theirs, atol=1)
        assert after.bytes_drawn_in_place - before.bytes_drawn_in_place == 4 * W * H
        assert after.bytes_drawn_by_copy == before.bytes_drawn_by_copy
        assert after.bytes_uploaded == before.bytes_uploaded
        assert after.bytes_copied == before.bytes_copied


def test_what_no_kernel_has_touched_is_drawn_without_a_map(app):
    x = app.zeros((H, W))
    for _ in range(3):
        maps = app._studio.stats["maps"]
        assert app.frame()
        app.image(x, range=(0, 1))
        app.image(x[:20], range=(0, 1))
        app.screenshot()
        assert app._studio.stats["maps"] == maps


def test_a_freed_or_changed_array_does_not_change_the_picture(app, values):
    assert app.frame()
    copy, host = lathe.asarray(values), values.copy()
    app.image(copy, colormap="gray", range=np.array([-500, 500]))  # has no hash
    copy.fill(0)
    del copy
    lathe.zeros((H, W)).fill(9)
    np.testing.assert_allclose(
        app.screenshot()[:, :, 0] / 255, gray(values, -500, 500), atol=1.01 / 255
    )
    assert app.frame()
    app.image(host, colormap="gray", range=(-500, 500))
    host[...] = 0
    np.testing.assert_allclose(
        app.screenshot()[:, :, 0] / 255, gray(values, -500, 500), atol=1.01 / 255
    )


def test_values_outside_of_the_range_are_told_once(values, capfd):
    app = lathe.App("outside", size=(W, H), headless=True)
    inside, x = app.asarray(np.clip(values, 0, 1)), app.asarray(values)
    for array in (inside, inside, x, x, x, x, x, x, x, x):
        assert app.frame()
        app.image(x, range=(0, 1))  # who gives a range knows it
        app.image(array)
    app.close()
    told = [line for line in capfd.readouterr().err.splitlines() if "range from 0 to 1" in line]
    assert len(told) == 1 and f"{values.min():.4g} to {values.max():.4g}" in told[0]


def test_ranges_are_checked_at_once(app):
    x = app.zeros((4, 4))
    for wrong, error in [
        ("automatic", ValueError), (("2", "98"), ValueError), (("98%", "2%"), ValueError),
        (("2%", "120%"), ValueError), (("a%", "3%"), ValueError), (3, TypeError),
        ((0, 1, 2), TypeError), ((None, 1), TypeError),
    ]:  # fmt: skip
        with pytest.raises(error, match=r"range|percent"):
            app.image(x, range=wrong)
    with pytest.raises(ValueError, match="complex_as is one of"):
        app.image(x, complex_as="real")
    with pytest.raises(ValueError, match="texture"):
        app.image(app.texture((4, 4)), range="auto")


def test_colormaps_of_ones_own(app):
    ramp = np.linspace(0, 1, H * W).reshape(H, W)
    lathe.colormap("night", [(0, 0, 0), (0, 0, 1), (1, 1, 1)])
    assert "night" in lathe.colormap_names()
    up = picture(app, ramp, "night")
    np.testing.assert_allclose(up[..., 2] / 255, np.clip(2 * ramp, 0, 1), atol=0.01)
    np.testing.assert_allclose(up[..., 0] / 255, np.clip(2 * ramp - 1, 0, 1), atol=0.01)
    np.testing.assert_array_equal(picture(app, 1 - ramp, "night_r"), up)
    lathe.colormap("night", np.array([[255, 0, 0, 255], [0, 255, 0, 255]], np.uint8))
    assert picture(app, ramp, "night")[0, 0].tolist() == [255, 0, 0]
    for wrong in ([(0, 0, 0)], [(0, 0), (1, 1)], [(0, 0, 0), (0, 0, 2)], [(0, 0, np.nan)] * 2, 3):
        with pytest.raises(ValueError, match="colors are"):
            lathe.colormap("wrong", wrong)
    with pytest.raises(lathe.Error, match='cannot have the name "viridis"'):
        lathe.colormap("viridis", [(0, 0, 0), (1, 1, 1)])
    with pytest.raises(ValueError, match=r"colormap is one of .*viridis.*got 'wrong'"):
        app.image(ramp, colormap="wrong")


def picture(app, values, colormap):
    assert app.frame()
    app.image(values, colormap=colormap, range=(0, 1))
    return app.screenshot()
