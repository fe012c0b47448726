# SPDX-License-Identifier: MIT
"""Cameras as values: text that makes them again, and paths against SciPy's curves."""

from __future__ import annotations

import dataclasses
import math
import time

import numpy as np
import pytest
from projections import axes_of

import lathe


@pytest.fixture
def app():
    app = lathe.App("values", size=(160, 120), headless=True)
    app.frame_limit = 20
    return app


def some_camera(random):
    return lathe.Camera(
        target=tuple(random.normal(size=3)),
        distance=random.uniform(0.1, 100),
        yaw=random.uniform(-3, 3),
        pitch=random.uniform(-1.5, 1.5),
        roll=random.uniform(-3, 3),
        field_of_view=random.uniform(0.1, 2),
        orthographic=bool(random.integers(2)),
        up="yz"[random.integers(2)],
    )


def test_a_camera_is_made_again_by_its_text(app):
    random = np.random.default_rng(2)
    for _ in range(50):
        app.view.camera = some_camera(random)
        kept = app.view.camera
        assert eval(repr(kept), {"lathe": lathe}) == kept
        assert lathe.Camera(**dataclasses.asdict(kept)) == kept
        app.view.camera = lathe.Camera()
        app.camera = eval(repr(kept), {"lathe": lathe})
        assert app.camera == kept, "to the last bit"
    assert repr(lathe.Camera()) == (
        "lathe.Camera(target=(0, 0, 0), distance=3, yaw=0.6, pitch=0.4)"
    )
    plane = lathe.PlaneCamera(center=(0.1, 2), height=3)
    app.camera = plane
    assert app.camera == plane == eval(repr(plane), {"lathe": lathe})
    assert app.pan_zoom_camera.height == 3


def test_a_camera_that_is_set_shows_what_it_did(app):
    x = np.random.default_rng(3).normal(size=(200, 3))

    def picture():
        assert app.frame()
        app.points(x, size=4)
        return app.screenshot()

    picture()
    app.orbit_camera.yaw, app.orbit_camera.distance = 2, 5
    first, kept = picture(), app.camera
    app.use_camera("pan_zoom")
    assert (picture() != first).any()
    app.camera = kept
    np.testing.assert_array_equal(picture(), first)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lathe.Camera(distance=0), "distance is above 0, got 0"),
        (lambda: lathe.Camera(distance="far"), "distance is a number, got 'far'"),
        (lambda: lathe.Camera(target=(1, 2)), r"target is 3 numbers, got \(1, 2\)"),
        (lambda: lathe.Camera(field_of_view=4), "field_of_view is above 0 and below π, got 4"),
        (lambda: lathe.Camera(up="x"), "up is 'y' or 'z', got 'x'"),
        (lambda: lathe.PlaneCamera(height=-1), "height is above 0, got -1"),
        (lambda: lathe.CameraPath([]), "one key frame or more"),
        (lambda: lathe.CameraPath([(0, None)]), "a key frame is"),
        (lambda: lathe.CameraPath([(1, lathe.Camera()), (0, lathe.Camera())]), "key frames rise"),
        (lambda: lathe.CameraPath.turntable(lathe.Camera(), 0), "more than 0 seconds, got 0"),
    ],
)
def test_what_is_no_camera(make, message):
    with pytest.raises((TypeError, ValueError), match=message):
        make()


def test_only_cameras_are_set(app):
    with pytest.raises(TypeError, match=r"a camera is a lathe\.Camera or"):
        app.view.camera = "orbit"


def test_the_key_c_copies_the_line(app):
    left, right = app.views(1, 2)
    right.camera = lathe.Camera(distance=7)
    left.camera = lathe.PlaneCamera()
    for x, name in ((120, "app.views(1, 2)[1]"), (20, "app.view")):
        app.input.move_mouse(x, 60)
        app.input.press_key("c")
        app.input.release_key("c")
        assert app.frame()
        text = app.console[-1][2]
        assert text.startswith(f"{name}.camera = lathe.")
        before = left.camera, right.camera
        exec(text, {"app": app, "lathe": lathe})
        assert (left.camera, right.camera) == before
    lines = len(app.console)
    app.input.press_key("c", modifiers=["control"])
    assert app.frame()
    assert len(app.console) == lines


def test_the_line_of_an_inset_and_of_a_letter(app):
    width, height = app.size
    tiles = app.mosaic("ab; cb")
    assert list(tiles) == ["a", "b", "c"] and tiles["a"] is app.view
    assert tiles["b"].tile == (0.5, 0, 0.5, 1)
    inset = app.inset(0.5, 0.5, 0.5, 0.5, on=tiles["b"])
    assert app.insets == [inset] and inset.tile == (0.75, 0.5, 0.25, 0.5)
    for (x, y), view, name in (
        ((0.6, 0.2), tiles["b"], 'app.mosaic("ab; cb")["b"]'),
        ((0.2, 0.7), tiles["c"], 'app.mosaic("ab; cb")["c"]'),
        ((0.8, 0.7), inset, "app.insets[0]"),
    ):
        view.camera = lathe.PlaneCamera(height=7)
        app.input.move_mouse(x * width, y * height)
        app.input.press_key("c")
        app.input.release_key("c")
        assert app.frame()
        text = app.console[-1][2]
        assert text.startswith(f"{name}.camera = lathe.")
        if view is inset:  # asking for tiles removes it
            view.camera = lathe.PlaneCamera(height=3)
            exec(text, {"app": app, "lathe": lathe})
            assert view.camera.height == 7
    assert app.mosaic("ab; cb")["b"] is tiles["b"]
    assert app.insets == []
    with pytest.raises(ValueError, match="'a' fills no rectangle of the mosaic \"ab; ba\""):
        app.mosaic("ab\nba")
    with pytest.raises(ValueError, match=r"within 0 to 1 of its view, got left 0\.8"):
        app.inset(0.8, 0, 0.3, 0.3)
    app.views()


def test_a_path_goes_along_scipys_curves():
    interpolate = pytest.importorskip("scipy.interpolate")
    transform = pytest.importorskip("scipy.spatial.transform")
    random = np.random.default_rng(4)
    for count in (2, 3, 6):
        times = np.cumsum(random.uniform(0.1, 2, count))
        cameras = [
            dataclasses.replace(some_camera(random), up="y", orthographic=False)
            for _ in range(count)
        ]
        path = lathe.CameraPath(zip(times, cameras, strict=True))
        assert (path.begin, path.end) == (times[0], times[-1])
        numbers = np.array([(*c.target, math.log(c.distance), c.field_of_view) for c in cameras])
        if count == 2:
            curves = interpolate.interp1d(times, numbers, axis=0)
        else:
            curves = interpolate.PchipInterpolator(times, numbers)
        frames = np.stack([np.stack(axes_of(c), axis=1) for c in cameras])
        turns = transform.Slerp(times, transform.Rotation.from_matrix(frames))
        for t in random.uniform(times[0], times[-1], 50):
            found = path.at(t)
            expected = curves(t)
            np.testing.assert_allclose(found.target, expected[:3], atol=1e-5)
            assert math.log(found.distance) == pytest.approx(expected[3], abs=1e-5)
            assert found.field_of_view == pytest.approx(expected[4], abs=1e-5)
            np.testing.assert_allclose(
                np.stack(axes_of(found), axis=1), turns(t).as_matrix(), atol=1e-5
            )


def test_a_turntable_returns_to_its_first_picture(app):
    app.frame_limit = 50
    path = lathe.CameraPath.turntable(lathe.Camera(distance=4), 2)
    x = np.random.default_rng(6).normal(size=(300, 3))
    pictures = []
    for step in app.steps():
        app.camera = path.at(step / 8)
        app.points(x, size=5, blend="opaque", round=False)
        pictures.append(app.screenshot().astype(int))
        if step == 16:
            break
    assert np.abs(pictures[16] - pictures[0]).mean() < 0.5
    assert np.abs(pictures[8] - pictures[0]).mean() > 2
    eye = path.at(0.5).engine_camera().eye
    yaw = 0.6 + np.pi / 2
    out = [np.cos(0.4) * np.sin(yaw), np.sin(0.4), np.cos(0.4) * np.cos(yaw)]
    np.testing.assert_allclose(eye, 4 * np.array(out), atol=1e-5)


def test_a_view_flies_to_a_camera(app):
    app.frame_limit = None
    begin, end = lathe.Camera(yaw=0, distance=1), lathe.Camera(yaw=1, distance=4, roll=0.2)
    app.camera = begin
    app.view.fly_to(end, 0.3)
    seen = []
    clock = time.monotonic()
    while app.frame() and time.monotonic() < clock + 10:
        seen.append(app.camera.distance)
        if app.camera == end:
            break
    assert app.camera == end
    assert time.monotonic() - clock >= 0.29
    assert (np.diff(seen) >= 0).all()
    assert len(set(seen)) > 3
    app.view.fly_to(begin)
    app.orbit_camera.distance = 7  # the program moves it
    assert app.frame()
    assert app.frame()
    assert app.camera.distance == 7
    with pytest.raises(ValueError, match="a flight takes 0 seconds or more, got -1"):
        app.view.fly_to(end, -1)
    with pytest.raises(TypeError, match=r"flies to a lathe\.Camera, got 'home'"):
        app.view.fly_to("home")
