# SPDX-License-Identifier: MIT
"""Values that are NaN are magenta, infinite ones cyan; both are counted."""

from __future__ import annotations

import numpy as np
import pytest

import lathe

MAGENTA = (255, 0, 255)
CYAN = (0, 255, 255)


@pytest.fixture
def app():
    app = lathe.App("not finite", size=(64, 64), headless=True, background=(0, 0, 0))
    app.frame_limit = 100
    assert app.frame()
    return app


def spoiled(shape, dtype, seed=1):
    """With its numbers of NaN and of infinite ones."""
    random = np.random.default_rng(seed)
    values = random.random(shape).astype(dtype)
    flat = values.reshape(-1)
    chosen = random.permutation(flat.size)[: flat.size // 3]
    flat[chosen[0::3]] = np.nan
    flat[chosen[1::3]] = np.inf
    flat[chosen[2::3]] = -np.inf
    return values


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64"])
def test_elements_of_pictures(app, dtype):
    values = spoiled((40, 30), dtype)
    app.image(values, name="u")
    expected = (np.isnan(values).sum(), np.isinf(values).sum())
    app.screenshot()
    assert app.view.thing("u").count_not_finite() == expected
    assert expected[0] > 50 and expected[1] > 100


def test_a_channel_makes_its_element(app):
    values = spoiled((20, 20, 3), np.float32)
    app.image(values, name="u")
    app.screenshot()
    nan = np.isnan(values).any(axis=2)
    infinite = np.isinf(values).any(axis=2) & ~nan
    assert app.view.thing("u").count_not_finite() == (nan.sum(), infinite.sum())


def test_values_of_points_lines_meshes_and_volumes(app):
    values = spoiled(200, np.float32)
    expected = (np.isnan(values).sum(), np.isinf(values).sum())
    places = np.random.default_rng(2).uniform(-1, 1, (200, 3)).astype(np.float32)
    triangles = np.arange(198).reshape(-1, 3)
    app.points(places, values=values, name="points")
    app.lines(places, values=values, name="lines")
    app.tubes(places, values=values, radius=0.01, name="tubes")
    app.arrows(places, places, values=values, name="arrows")
    app.mesh(places, triangles, values=values, name="mesh")
    app.volume(values.reshape(5, 5, 8), name="volume")
    app.screenshot()
    for thing in app.view.things:
        assert thing.count_not_finite() == expected, thing


def test_what_has_none(app):
    app.image(np.arange(6).reshape(2, 3), name="whole")
    app.points([[0, 0]], name="one colour")
    app.text("words", (0, 0))
    app.screenshot()
    assert [thing.count_not_finite() for thing in app.view.things] == [(0, 0)] * 3
    assert app.view._view.not_finite("nothing of that name") == (0, 0)


@pytest.mark.parametrize("points", [1, 100_000], ids=["by OpenGL", "by kernels"])
@pytest.mark.parametrize(
    ("value", "color"), [(np.nan, MAGENTA), (np.inf, CYAN), (-np.inf, CYAN)], ids=str
)
def test_it_has_a_color_of_its_own(app, value, color, points):
    style = {"size": 40, "round": False, "blend": "opaque"}
    app.points(np.zeros((points, 2)), values=np.full(points, value), **style)
    assert tuple(app.screenshot()[32, 32]) == color


@pytest.mark.parametrize(
    "number", [np.nan, 1j * np.nan, np.inf, -np.inf, 1j * np.inf, -1j * np.inf]
)
@pytest.mark.parametrize("seen", ["magnitude", "color"])
def test_a_complex_number_has_a_color_of_its_own(app, number, seen):
    app.image(np.array([[number]], np.complex64), complex_as=seen)
    assert tuple(app.screenshot()[32, 32]) == (MAGENTA if np.isnan(number) else CYAN)


@pytest.mark.parametrize(("value", "color"), [(np.nan, MAGENTA), (np.inf, CYAN), (-np.inf, CYAN)])
def test_an_element_has_a_color_of_its_own(app, value, color):
    app.image(np.array([[value]]), colormap="gray")
    assert tuple(app.screenshot()[32, 32]) == color
