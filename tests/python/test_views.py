# SPDX-License-Identifier: MIT
"""Views: tiles of the picture, each with drawing calls and cameras of its own."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

import lathe


@pytest.fixture
def app():
    app = lathe.App("views", size=(202, 102), headless=True)
    app.frame_limit = 100
    return app


def test_two_pictures_side_by_side(app):
    left, right = app.views(1, 2)
    assert (left.tile, right.tile) == ((0, 0, 0.5, 1), (0.5, 0, 0.5, 1))
    ramp = np.linspace(0, 1, 100 * 100).reshape(100, 100)
    assert app.frame()
    left.image(ramp, colormap="gray")
    right.image(app.asarray(1 - ramp, np.float32), colormap="gray")
    shown = app.screenshot()[1:101, :, 0] / 255
    np.testing.assert_allclose(shown[:, :100], ramp, atol=1 / 255)
    np.testing.assert_allclose(shown[:, 102:], 1 - ramp, atol=1 / 255)


def test_the_apps_own_calls_draw_in_its_first_view(app):
    assert app.view is app.views(2, 1)[0]
    assert isinstance(app.view, lathe.View)
    assert app.frame()
    app.image(np.ones((4, 4)), colormap="gray")
    app.use_camera("orbit")
    app.view.orbit_camera.distance = 7
    shown = app.screenshot()
    assert tuple(shown[25, 101]) == (255, 255, 255)
    assert shown[76, 101].max() < 30
    assert app.orbit_camera.distance == 7


def test_views_stay_themselves(app):
    four = app.views(2, 2)
    four[1].pan_zoom_camera.height = 5
    assert app.views(1, 2)[1] is four[1]
    assert four[1].pan_zoom_camera.height == 5
    assert app.views() == [app.view]
    four[3].image(np.ones((4, 4)))  # shown no more, and no error


def test_a_view_keeps_what_it_draws_in():
    def a_view():
        return lathe.App("short", size=(64, 48), headless=True).views(1, 2)[1]

    view = a_view()
    view.image(np.ones((4, 4)))
    assert view.pan_zoom_camera.height == 2


@pytest.mark.parametrize("wrong", [(0, 1), (1, -2), (65, 1)])
def test_wrong_numbers_of_tiles(app, wrong):
    with pytest.raises(ValueError, match="views are 1 to 64 rows and columns"):
        app.views(*wrong)


def test_views_check_as_the_app_does(app):
    with pytest.raises(ValueError, match="a picture is"):
        app.views(1, 2)[1].image(np.zeros(3))
    with pytest.raises(ValueError, match="camera is 'orbit', 'trackball', 'fly' or 'pan_zoom'"):
        app.view.use_camera("walk")


@pytest.mark.parametrize("size", [14, 40])
def test_letters_are_those_of_another_rasteriser(size):
    app = lathe.App("text", size=(400, 100), headless=True, background=(0, 0, 0))
    words = "Hamburg 0.25"
    assert app.frame()
    app.use_camera("pan_zoom")
    app.text(words, (0, 0), size=size, color=(1, 1, 1))
    shown = app.screenshot()[:, :, 0] / 255
    font = ImageFont.truetype(str(lathe.resource("assets/fonts/Inter-Medium.otf")), size)
    picture = Image.new("L", (400, 100))
    ImageDraw.Draw(picture).text((200, 50), words, font=font, fill=255, anchor="mm")
    theirs = np.asarray(picture) / 255
    assert abs(shown.sum() / theirs.sum() - 1) < 0.04
    ours_box, their_box = (np.argwhere(p > 0.3) for p in (shown, theirs))
    np.testing.assert_allclose(np.ptp(ours_box, 0), np.ptp(their_box, 0), atol=3)


def test_titles_and_texts_lie_in_their_view(app):
    _, right = app.views(1, 2)
    assert app.frame()
    right.orbit_camera.distance = 3  # where it is: placed by hand, and the view does not fit
    right.title("top")
    right.text("deep", (0, 0, 0))
    right.text("behind", (0, 0, 40))  # of the eye
    shown = app.screenshot()[:, :, 0] > 128
    assert not shown[:, :102].any()
    rows = np.flatnonzero(shown[:, 102:].any(1))
    assert rows.min() < 20 and 40 < rows.max() < 65
    with pytest.raises(ValueError, match="position is 2 or 3 numbers, got"):
        app.text("nowhere", (1, 2, 3, 4))
    with pytest.raises(TypeError, match="position is 2 or 3 numbers, got 'here'"):
        app.text("nowhere", "here")


def test_things_have_names(app):
    assert app.frame()
    app.image(np.ones((4, 4)), name="density")
    app.points([[0, 0]])
    app.points([[0, 0], [1, 1]])
    app.lines([[0, 0], [1, 1]], name="orbit")
    found = [(thing.name, thing.kind, thing.count) for thing in app.things]
    assert found == [
        ("density", "image", 16),
        ("points", "points", 1),
        ("points 2", "points", 2),
        ("orbit", "lines", 2),
    ]
    with pytest.raises(KeyError, match="no thing 'cells' is drawn; there are: 'density', 'points'"):
        app.view.thing("cells")
    assert app.frame()
    app.title("alone")
    names = ["density", "points", "points 2", "orbit", "text"]
    assert [thing.name for thing in app.things] == names
    assert app.frame()
    assert [thing.kind for thing in app.things] == ["text"]


def middle(app):
    return tuple(app.screenshot()[51, 101])


def test_a_thing_is_hidden_and_restyled_by_its_name(app):
    def draw():
        assert app.frame()
        app.image(np.full((4, 4), 0.5), name="below", colormap="gray")
        app.points([[0, 0]], values=[1], size=30, colormap="gray", blend="opaque")

    draw()
    assert middle(app) == (255, 255, 255)
    points = app.thing("points")
    assert (points.shown, points.color, points.range, points.colormap) == (True, None, None, None)
    points.color = (1, 0, 0)
    draw()
    assert middle(app) == (255, 0, 0)
    points.color, points.range = None, (0, 2)
    draw()
    assert middle(app) == (128, 128, 128)
    points.size = 1
    draw()
    assert tuple(app.screenshot()[51, 111]) == (128, 128, 128)
    points.shown = False
    below = app.thing("below")
    below.colormap, below.range = "Reds", (0, 0.5)
    draw()
    assert middle(app) == (103, 0, 13)  # the last of Reds
    below.shown = False
    draw()
    assert max(middle(app)) < 30
    with pytest.raises(ValueError, match="colormap is one of"):
        below.colormap = "no such"


def test_spheres_have_radii_in_world_units(app):
    def white(**radius):
        assert app.frame()
        app.points([[-1, 0, 0], [1, 0, 0]], color=(1, 1, 1), **radius)
        app.view.orbit_camera.yaw = app.view.orbit_camera.pitch = 0
        app.view.orbit_camera.distance = 1000
        app.view.orbit_camera.field_of_view = 2 * np.arctan(2 / 1000)  # 102 pixels are 4 units
        lit = app.screenshot().max(axis=2) > 40
        return lit[:, :101].sum(), lit[:, 101:].sum()

    disc = np.pi * (0.5 * 102 / 4) ** 2
    np.testing.assert_allclose(white(radius=0.5), disc, rtol=0.03)
    np.testing.assert_allclose(white(radius=np.float32(0.5)), disc, rtol=0.03)
    np.testing.assert_allclose(white(radius=[0.5, 0.25]), (disc, disc / 4), rtol=0.06)
    assert white(radius=[0.5, -1])[1] == 0
    assert white(radius=[0, np.nan]) == (0, 0)
    with pytest.raises(ValueError, match=r"radii are \(2,\), one each"):
        white(radius=[1.0, 2, 3])


def test_a_view_fits_what_it_shows(app):
    random = np.random.default_rng(3)
    x = random.normal(size=(5000, 3)) * [30, 1, 5] + [100, 0, 0]
    assert app.frame()
    assert app.bounds() is None
    app.points(x, name="cells")
    app.points([[np.nan, 1, 2]])
    middle(app)  # ends the step
    low, high = app.view.bounds("cells")
    np.testing.assert_allclose(low, x.min(axis=0), rtol=1e-6)
    np.testing.assert_allclose(high, x.max(axis=0), rtol=1e-6)
    assert app.bounds() == (low, high)
    assert app.bounds("points") is None
    assert not app.fit("points")
    radius = np.linalg.norm(np.subtract(high, low)) / 2
    distance = 1.05 * radius / np.sin(0.4)
    assert app.orbit_camera.distance == pytest.approx(distance), "by itself"
    assert app.frame()
    app.points([[5, 6, 7]])
    middle(app)
    before = app.orbit_camera.distance
    assert app.fit()
    assert (list(app.orbit_camera.target), app.orbit_camera.distance) == ([5, 6, 7], before)
    assert app.frame()
    app.points(x)
    middle(app)
    app.orbit_camera.distance = 1
    assert app.fit()
    assert app.orbit_camera.distance == pytest.approx(distance)
    np.testing.assert_allclose(app.orbit_camera.target, np.add(low, high) / 2, rtol=1e-6)


def test_annotations_explain_a_view(app):
    app.views(1, 2)
    assert app.frame()
    app.points(np.eye(3), values=[1, 2, 3], range="auto", name="cells", radius=0.1)
    app.axes(("x (mm)", "y (mm)", "z (mm)"))
    app.colorbar("cells", label="speed")
    app.legend()
    app.scale_bar("mm")
    right = app.views(1, 2)[1]
    right.image(np.ones((4, 8)))
    right.axes(("x", "y"), grid=False, color=(1, 1, 0), size=9)
    right.scale_bar("µm", per_unit=20)
    app.screenshot()
    kinds = [thing.kind for thing in app.things]
    assert kinds == ["points", "axes", "colorbar", "legend", "scale bar"]
    app.axes(bounds=((0, 0, 0), (1, 2, 3)))
    for mistake, message in [
        (lambda: app.axes("xyz"), "labels are three words, got 'xyz'"),
        (lambda: app.axes(("x",)), "labels are three words"),
        (lambda: app.axes(bounds=((0, 0, 0), (1, 1, -1))), "bounds go from the lowest corner"),
        (lambda: app.axes(bounds=(1, 2, 3)), "bounds are two corners of three numbers"),
        (lambda: app.scale_bar(per_unit=0), "per_unit is above 0, got 0"),
    ]:
        with pytest.raises((TypeError, ValueError), match=message):
            mistake()


def test_a_colorbar_shows_the_range_that_the_device_found(app):
    def bar(**style):
        assert app.frame()
        app.image(np.linspace(3, 7, 100).reshape(10, 10), name="u", **style)
        app.colorbar("u")
        return app.screenshot()

    np.testing.assert_array_equal(bar(range="auto"), bar(range=(3, 7)))
    assert (bar(range="auto") != bar(range=(3, 70))).any()


def test_the_listing_of_two_views(capsys):
    """What the manual promises in one program: things of both kinds of view, and what is picked."""
    app = lathe.App("two views", size=(640, 360), headless=True)
    app.frame_limit = 3
    app.input.move_mouse(160, 180)
    copied = app.stats.bytes_copied
    left, right = app.views(1, 2)
    x = app.asarray(np.random.default_rng(0).normal(size=(100_000, 3)), np.float32)
    speed = app.asarray(np.linalg.norm(x.get(), axis=1), np.float32)
    rho = np.fromfunction(
        lambda i, j, k: np.hypot(np.hypot(i - 32, j - 32), k - 32) < 24, (64, 64, 64)
    ).astype(np.float32)
    while app.frame():
        left.points(x, values=speed, radius=0.01, colormap="turbo", name="cells")
        left.axes()
        left.colorbar("cells", label="speed")
        left.text("cells", (0, 0, 3))
        right.volume(rho, mode="mip")
        right.title("density")
        if app.picked:
            print(app.picked.item, app.picked.index, app.picked.value, app.picked.position)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2, "from the second frame on something is drawn"
    item, index, value = lines[0].split()[:3]
    assert item == "cells"
    assert float(value) == speed.get()[int(index)]
    picture = app.screenshot()
    assert np.unique(picture[:, :318].reshape(-1, 3), axis=0).shape[0] > 200
    disc = (picture[40:, 324:] > (200, 200, 0)).all(axis=2)  # the end of viridis
    rows, columns = np.nonzero(disc)
    assert np.ptp(rows) == pytest.approx(np.ptp(columns), abs=3), "a ball is round"
    assert disc.sum() == pytest.approx(np.pi / 4 * np.ptp(rows) ** 2, rel=0.05)
    stats = app.stats
    assert stats.bytes_drawn_in_place >= 3 * 100_000 * 16
    assert (stats.bytes_copied - copied, stats.bytes_drawn_by_copy) == (0, 0)


def test_axes_listed_before_their_picture_stand_beside_it(app):
    def draw(first):
        assert app.frame()
        if first:
            app.axes()
        app.image(np.ones((10, 20)), colormap="gray")
        if not first:
            app.axes()
        return app.screenshot()

    np.testing.assert_array_equal(draw(first=True), draw(first=False))


def test_a_title_between_things_of_space_changes_nothing(app):
    def draw(with_title):
        assert app.frame()
        app.points([[0, 0, 1]], size=30, color=(1, 0, 0))  # blended, before the ball
        if with_title:
            app.title("t", size=4)
        app.points([[0, 0, 0]], radius=1, color=(0, 0, 1))
        app.orbit_camera.yaw = app.orbit_camera.pitch = 0
        return app.screenshot()[30:, :, 0]

    np.testing.assert_array_equal(draw(True), draw(False))
    assert draw(True)[21, 101] == 255


def test_a_camera_waits_until_there_is_something_to_see(app):
    x = app.zeros((100, 3))
    assert app.frame()
    app.points(x)
    app.screenshot()
    assert app.orbit_camera.distance == 3
    x[:] = np.random.default_rng(1).normal(size=(100, 3)) * 50
    assert app.frame()
    app.points(x)
    app.screenshot()
    assert app.orbit_camera.distance > 100


def test_things_of_one_name_are_changed_together(app):
    assert app.frame()
    app.points([[-0.5, 0]], name="boids", size=20)
    app.points([[0.5, 0]], name="boids", size=20)
    assert len(app.things) == 2
    assert app.screenshot().max() > 100
    app.thing("boids").shown = False
    assert app.frame()
    app.points([[-0.5, 0]], name="boids", size=20)
    app.points([[0.5, 0]], name="boids", size=20)
    assert app.screenshot().max() < 50
