# SPDX-License-Identifier: MIT
"""Probes: the value of an element in each step, against what the script put there."""

from __future__ import annotations

import numpy as np
import pytest

import lathe


@pytest.fixture
def app():
    app = lathe.App("probes", size=(64, 48), headless=True)
    app.frame_limit = 3000
    return app


def test_each_step_leaves_a_value(app):
    random = np.random.default_rng(1)
    places = random.normal(size=(100, 3))
    triangles = random.integers(0, 100, (50, 3))
    picture = app.zeros((6, 7), "uint8")
    view = app.view
    probes = {
        "points": view.probe("points", 41),
        "picture": view.probe("picture", 17),
        "colors": view.probe("colors", 3),
        "faces": view.probe("faces", 49),
        "rho": view.probe("rho", 30),
        "plain": view.probe("plain", 0),
        "absent": view.probe("absent", 0),
        "beyond": view.probe("picture", 42),
    }
    expected = {name: [] for name in probes}
    for step in range(6):
        assert app.frame()
        values, faces = random.normal(size=100).astype("f4"), random.normal(size=50).astype("f4")
        rho = random.integers(0, 2**15, (3, 4, 5)).astype("i2")
        colors = random.random((2, 2, 3)).astype("f4")
        picture.fill(step * 20)
        app.points(places, values=values)
        app.image(picture, name="picture")
        app.mesh(places, triangles, values=faces, name="faces")
        app.volume(rho, range=(0, 2**15), name="rho")
        app.image(colors, name="colors")
        app.points(places, name="plain")
        now = {
            "points": values[41],
            "picture": step * 20,
            "colors": colors[1, 1, 0],
            "faces": faces[49],
            "rho": rho[1, 2, 0],
        }
        for name, kept in expected.items():
            kept.append(now.get(name, np.nan))
    app.screenshot()
    for name, probe in probes.items():
        assert probe.values.dtype == np.float64
        np.testing.assert_array_equal(probe.values, expected[name], err_msg=name)
    assert (probes["rho"].thing, probes["rho"].index) == ("rho", 30)
    assert repr(probes["rho"]) == "<lathe.Probe 'rho'[30]: 6 steps>"


def test_a_thing_may_come_and_go(app):
    probe = app.view.probe("u", 0)
    assert probe.values.shape == (0,)
    for step in range(4):
        assert app.frame()
        if step % 2:
            app.image(np.full((2, 2), step), name="u")
    app.screenshot()
    np.testing.assert_array_equal(probe.values, [np.nan, 1, np.nan, 3])


def test_steps_that_no_frame_shows_count_too(app):
    app.run_control.substeps = 5
    probe = app.view.probe("u", 0)
    for step in app.steps():
        app.image(np.full((2, 2), step), name="u", range=(0, 100))
        if step == 1499:
            break
    app.screenshot()
    assert app.frames < 400
    np.testing.assert_array_equal(probe.values, np.arange(1500))


def test_one_probe_of_an_element(app):
    first = app.view.probe("u", 1)
    again = app.view.probe("u", 1)
    assert app.frame()
    app.image(np.array([[0.0, 0.5]]), name="u")
    app.screenshot()
    assert first.values.tolist() == again.values.tolist() == [0.5]
    del first, again
    assert app.view.probe("u", 1).values.tolist() == []
    with pytest.raises(ValueError, match="a probe's index is 0 or more, got -1"):
        app.view.probe("u", -1)
