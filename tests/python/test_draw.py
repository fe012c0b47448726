# SPDX-License-Identifier: MIT
"""Drawing calls: what cannot be drawn is refused at once; a step that fails leaves the picture."""

from __future__ import annotations

import numpy as np
import pytest

import lathe
from lathe.cuda import gpuarray


def test_pictures_are_checked_at_once(app):
    x = app.zeros((4, 4))
    with pytest.raises(ValueError, match=r"colormap is one of .*viridis.*got 'jett'"):
        app.image(x, colormap="jett")
    for wrong in ("a picture", None, {}):
        with pytest.raises(TypeError, match="a picture: an array of numbers, got "):
            app.image(wrong)
    with pytest.raises(TypeError, match="range is two numbers"):
        app.image(x, range=3)
    with pytest.raises(TypeError, match="gamma is a number, got 'much'"):
        app.image(x, gamma="much")


def test_points_are_checked_at_once(app):
    p = app.zeros((5, 2))
    with pytest.raises(ValueError, match="blend is one of opaque, alpha, additive, got 'mix'"):
        app.points(p, blend="mix")
    one_each = r"values are \(5,\), one each, got an array of shape \(4,\)"
    with pytest.raises(ValueError, match=one_each):
        app.points(p, values=app.zeros(4))
    with pytest.raises(ValueError, match=r"colors are \(5, 4\)"):
        app.points(p, colors=app.zeros((5, 3)))
    for counts in (np.zeros((5, 4), int), gpuarray.zeros((5, 4), np.int32)):
        with pytest.raises(TypeError, match="colors are uint8 or floats, got int"):
            app.points(p, colors=counts)
    for waves in (np.zeros((5, 2), complex), gpuarray.zeros((5, 2), np.complex64)):
        with pytest.raises(TypeError, match="positions are real numbers, got complex64"):
            app.points(waves)
    with pytest.raises(ValueError, match=r"positions are .*, got an array of shape \(2,\)"):
        app.lines([0.0, 1.0])
    with pytest.raises(TypeError, match="positions: an array of numbers, got str"):
        app.lines("here")
    with pytest.raises(ValueError, match="a colour is"):
        app.lines(p, color="red")


def test_a_failed_step_leaves_the_last_picture(app):
    ramp = app.asarray(np.linspace(0, 1, 48 * 64).reshape(48, 64), np.float32)
    dark = app.zeros((48, 64))
    assert app.frame()
    app.image(ramp)
    shown = app.screenshot()
    assert len(np.unique(shown)) > 10
    assert app.frame()
    app.image(dark)
    app.show_error(ValueError("after half of the drawing"))
    app._steps.show_now()
    np.testing.assert_array_equal(app._studio.screenshot(), shown)


def test_broken_steps_do_not_begin(app):
    assert app.frame()
    app.show_error(ValueError("broken"))
    step = app.step
    app.frame_limit = 5
    assert not app.frame()  # frames without steps until the limit
    assert app.step == step


def picture_of(app, draw):
    assert app.frame()
    draw()
    return app.screenshot()


class OfAnotherLibrary:
    """Nothing but the CUDA array interface."""

    def __init__(self, array):
        self.__cuda_array_interface__ = array.__cuda_array_interface__
        self.kept = array


def test_every_array_is_drawn_as_the_apps_own(app):
    host = np.linspace(0, 1, 48 * 64).reshape(48, 64).astype(np.float32)
    own = app.asarray(host)
    expected = picture_of(app, lambda: app.image(own))
    wide = gpuarray.to_gpu(np.repeat(host, 2, axis=1))
    for array in (
        host, host.astype(np.float64), host.tolist(), gpuarray.to_gpu(host),
        gpuarray.to_gpu(host.astype(np.float64)), gpuarray.to_gpu(np.asfortranarray(host)),
        wide[:, ::2], OfAnotherLibrary(gpuarray.to_gpu(host)), lathe.asarray(host),
        app.asarray(host.astype(np.float64)), host * 1j, gpuarray.to_gpu(host * 1j),
        app.asarray((host * -1j).astype(np.complex64)),
    ):  # fmt: skip
        shown = picture_of(app, lambda array=array: app.image(array))
        np.testing.assert_array_equal(shown, expected, err_msg=f"{type(array)}")
    x = np.random.default_rng(1).normal(size=(200, 3)).astype(np.float32)
    levels = np.linspace(0, 1, 200, dtype=np.float32)
    tints = np.tile(np.array([255, 0, 0, 255], np.uint8), (200, 1))
    for make in (lambda a: a, gpuarray.to_gpu, lambda a: gpuarray.to_gpu(a.astype(float))):
        mine = [app.asarray(each) for each in (x, levels)]
        expected = picture_of(app, lambda mine=mine: app.points(mine[0], values=mine[1]))
        theirs = [make(each) for each in (x, levels)]
        shown = picture_of(app, lambda theirs=theirs: app.points(theirs[0], values=theirs[1]))
        np.testing.assert_array_equal(shown, expected)
        expected = picture_of(app, lambda mine=mine: app.lines(mine[0]))
        shown = picture_of(app, lambda theirs=theirs: app.lines(theirs[0]))
        np.testing.assert_array_equal(shown, expected)
    own = app.asarray(tints)
    expected = picture_of(app, lambda: app.points(mine[0], colors=own))
    shown = picture_of(app, lambda: app.points(x, colors=gpuarray.to_gpu(tints)))
    np.testing.assert_array_equal(shown, expected)


def test_whole_numbers_of_any_size_are_drawn(app):
    host = np.arange(48 * 64).reshape(48, 64)
    expected = picture_of(app, lambda: app.image(host.astype(np.float32), range=(0, 3071)))
    for dtype in (np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64):
        for array in (host.astype(dtype), gpuarray.to_gpu(host.astype(dtype))):
            shown = picture_of(app, lambda array=array: app.image(array, range=(0, 3071)))
            np.testing.assert_array_equal(shown, expected, err_msg=str(dtype))


def test_points_of_whole_numbers_are_drawn(app):
    places = np.array([[-1, 0], [1, 1], [0, 0]])
    labels = np.array([1, 2, 3])
    app.use_camera("pan_zoom")

    def shown(p, v):
        return picture_of(app, lambda: app.points(p, values=v, range=(0, 3), size=9))

    expected = shown(places.astype(np.float32), labels.astype(np.float32))
    assert len(np.unique(expected)) > 10
    for dtype in (np.int8, np.int64, np.uint16, np.float16, np.float64):
        p, v = places.astype(dtype), labels.astype(dtype)
        if dtype == np.uint16:
            p = places
        np.testing.assert_array_equal(shown(p, v), expected)
        np.testing.assert_array_equal(shown(gpuarray.to_gpu(p), gpuarray.to_gpu(v)), expected)
        np.testing.assert_array_equal(shown(app.asarray(p), app.asarray(v)), expected)


def test_a_copy_is_of_when_it_was_drawn_and_takes_the_memory_of_two_steps_before(app):
    x = gpuarray.zeros((48, 64), np.float32)
    memory = []
    for step in range(4):
        assert app.frame()
        x.fill(1)
        app.image(x)
        x.fill(0)  # not what is shown
        app.image(np.full((8, 8), step % 2, np.float32), opacity=0)
        memory.append(app._studio.drawn_memory((2, 2), np.float32).ptr)
    assert memory == memory[:2] * 2 and memory[0] != memory[1]
    shown = app.screenshot()
    white = picture_of(app, lambda: app.image(np.ones((48, 64), np.float32)))
    np.testing.assert_array_equal(shown, white)


def test_points_of_world_size_are_as_wide_as_they_project():
    app = lathe.App("wide", size=(300, 300), headless=True)
    app.use_camera("pan_zoom")  # 2 units from the bottom to the top
    for blend in ("alpha", "opaque"):
        for size in (0.1, 1.3):
            shown = picture_of(
                app,
                lambda size=size, blend=blend: app.points(
                    np.zeros((1, 3)), size=size, world_size=True, color=(1, 1, 1), blend=blend
                ),
            )
            wide = int((shown[150, :, 0] > 100).sum())
            assert abs(wide - size / 2 * 300) <= 1, (blend, size)
    near, far = np.array([[0, 0, 0.1], [0.2, 0, -0.1]])
    tints = np.array([[255, 0, 0, 255], [0, 255, 0, 255]], np.uint8)

    def both():
        app.points(np.stack([near, far]), colors=tints, size=1.2, world_size=True, blend="opaque")

    shown = picture_of(app, both)
    red = (shown[..., 0] > 50) & (shown[..., 1] < 50)
    green = (shown[..., 1] > 50) & (shown[..., 0] < 50)
    # The plane between two equal balls: 0.2 x - 0.2 z = 0.02 here, where |p - near| = 0.6, too.
    x = np.linspace(-1, 1, 20001)
    z = x - 0.1
    on_seam = x[np.argmin(np.abs(x**2 + (z - 0.1) ** 2 - 0.36) + 9 * (z < 0))]
    assert abs(np.flatnonzero(red[150]).max() + 1 - (on_seam + 1) * 150) <= 1
    assert abs(np.flatnonzero(green[150]).min() - (on_seam + 1) * 150) <= 1
    app.close()
