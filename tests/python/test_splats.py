# SPDX-License-Identifier: MIT
"""Many solid points are drawn by kernels: the same picture as OpenGL's, which draws fewer."""

from __future__ import annotations

import numpy as np
import pytest

import lathe

COUNT = 24_000  # more than half of them are few for OpenGL
HALF = COUNT // 2


@pytest.fixture
def app():
    app = lathe.App("splats", size=(320, 240), headless=True, background=(0, 0, 0))
    app.frame_limit = 100
    return app


@pytest.fixture
def random():
    return np.random.default_rng(5)


def pictures(app, x, style, each=None):
    """Drawn at once by kernels, and in two halves by OpenGL."""
    each = each or {}
    app.orbit_camera.distance = 4
    shown = []
    for parts in ([slice(None)], [slice(0, HALF), slice(HALF, None)]):
        assert app.frame()
        for part in parts:
            own = {name: array[part] for name, array in each.items()}
            app.points(x[part], **style, **own)
        app.lines([[-1, -1, 0], [1, 1, 0.5]], color=(1, 1, 1))  # depth counts for both
        shown.append(app.screenshot().astype(int))
    return shown


STYLES = {
    "pixels": {"size": 1, "blend": "opaque", "round": False},
    "squares": {"size": 5, "blend": "opaque", "round": False},
    "discs": {"size": 7, "blend": "opaque"},
    "far": {"size": 0.01, "blend": "opaque", "world_size": True, "round": False},
    "spheres": {"radius": 0.03, "color": (0.3, 0.7, 1)},
    "large": {"radius": 0.25},
    "tiny": {"radius": 0.0005},
}


@pytest.mark.parametrize("name", STYLES)
def test_the_picture_is_that_of_opengl(app, random, name):
    x = random.normal(size=(COUNT, 3))
    ours, theirs = pictures(app, x, STYLES[name])
    differ = np.abs(ours - theirs).max(axis=2) > 3
    drawn = theirs.max(axis=2) > 0
    assert drawn.sum() > 2000
    assert differ.sum() <= 0.004 * drawn.sum(), f"{differ.sum()} of {drawn.sum()}"


def test_values_colors_and_radii(app, random):
    x = random.normal(size=(COUNT, 3)).astype(np.float32)
    x[7] = np.nan
    values = random.normal(size=COUNT).astype(np.float32)
    values[5] = np.nan
    radii = random.uniform(-0.01, 0.05, COUNT).astype(np.float32)
    tints = random.integers(0, 256, (COUNT, 4)).astype(np.uint8)
    tints[:, 3] = 255
    for each, style in [
        ({"values": values}, {"range": (-2, 2), "colormap": "turbo"}),
        ({"colors": tints}, {}),
        ({"colors": tints.astype(np.float32) / 255}, {}),
        ({"values": values, "radius": radii}, {"range": (-1, 1)}),
    ]:
        shape = {} if "radius" in each else {"radius": 0.03}
        ours, theirs = pictures(app, x, style | shape, each)
        differ = np.abs(ours - theirs).max(axis=2) > 3
        assert differ.sum() <= 0.004 * (theirs.max(axis=2) > 0).sum()


def test_a_range_that_the_device_finds(app, random):
    x = app.asarray(random.normal(size=(COUNT, 3)), np.float32)
    values = random.uniform(3, 7, COUNT)
    shown = []
    for range_ in ("auto", (values.min(), values.max())):
        assert app.frame()
        app.points(x, values=values, range=range_, radius=0.03)
        shown.append(app.screenshot())
    np.testing.assert_array_equal(*shown)


def test_in_the_plane(app, random):
    x = random.uniform(-1, 1, (COUNT, 2))
    shown = []
    for parts in ([slice(None)], [slice(0, HALF), slice(HALF, None)]):
        assert app.frame()
        for part in parts:
            app.points(x[part], size=4, blend="opaque", color=(1, 1, 1))
        shown.append(app.screenshot().astype(int))
    assert (np.abs(shown[0] - shown[1]).max(axis=2) > 3).mean() < 0.002


def test_picked_restyled_hidden_and_drawn_again(app, random):
    x = random.normal(size=(COUNT, 3)).astype(np.float32)
    values = random.random(COUNT).astype(np.float32)
    assert app.frame()
    app.points(x, values=values, radius=0.05, name="cells")
    first = app.screenshot()
    found = app.pick(160, 120)
    assert found.item == "cells"
    assert found.value == values[found.index]
    still = app.still(size=(320, 240), samples=1)
    np.testing.assert_array_equal(still, first)
    app.thing("cells").color = (1, 0, 0)
    assert app.frame()
    app.points(x, values=values, radius=0.05, name="cells")
    assert app.screenshot()[..., 1:].max() == 0
    app.thing("cells").shown = False
    assert app.frame()
    app.points(x, values=values, radius=0.05, name="cells")
    assert app.screenshot().max() == 0


def test_the_array_may_change_from_step_to_step(app, random):
    x = app.asarray(random.normal(size=(COUNT, 3)) * 0.1, np.float32)
    app.orbit_camera.distance = 3
    assert app.frame()
    app.points(x, radius=0.02)
    before = app.screenshot()
    x += 5
    assert app.frame()
    app.points(x, radius=0.02)
    assert (app.screenshot() != before).any()


def test_the_status_bar_says_what_kernels_draw(app, random):
    def said():
        return [line for line in app.status if "kernels" in line and line != "no kernels"]

    x, field = random.normal(size=(COUNT, 3)), np.ones((8, 8, 8), np.float32)
    assert app.frame()
    app.points(x[:100], radius=0.03)
    assert app.frame()
    assert said() == []
    app.points(x, radius=0.03, name="cells")
    assert app.frame()
    assert said() == ["points: kernels"]
    app.points(x, radius=0.03, name="cells")
    app.volume(field)
    assert app.frame()
    assert said() == ["points, volume: kernels"]
    app.thing("cells").shown = False
    assert said() == ["volume: kernels"]
