# SPDX-License-Identifier: MIT
"""Lines with values, tubes, arrows, instances, height fields, slices, contours, pictures in space.

What they look like as solids is in tests/engine/render; here: what a script gives, and what a pick
finds, against NumPy.
"""

from __future__ import annotations

import numpy as np
import pytest
from projections import to_pixels

import lathe

WIDTH, HEIGHT = 320, 240
PICKS = 1000


@pytest.fixture
def app():
    app = lathe.App("kinds", size=(WIDTH, HEIGHT), headless=True, background=(0, 0, 0))
    app.frame_limit = 100
    camera = app.orbit_camera
    camera.yaw = camera.pitch = 0
    return app


@pytest.fixture
def random():
    return np.random.default_rng(5)


def pixels(app, places):
    """x and y of each."""
    return to_pixels(app.orbit_camera, (WIDTH, HEIGHT), places)[0].T


def draw(app, call, *given, **named):
    """One frame with one thing. Returns the picture."""
    assert app.frame()
    getattr(app, call)(*given, **named)
    return app.screenshot()


def cells(random, count=15):
    """Places of a grid in the plane z = 0, moved a little, and their distance."""
    side = np.linspace(-0.9, 0.9, count)
    grid = np.stack(np.meshgrid(side, side * 0.75), -1).reshape(-1, 2)
    step = 0.75 * (side[1] - side[0])
    moved = grid + random.uniform(-0.1, 0.1, grid.shape) * step
    return np.concatenate([moved, np.zeros((len(grid), 1))], 1).astype(np.float32), step


def test_arrows_are_found_along_their_length(app, random):
    tails, step = cells(random)
    angle = random.uniform(0, 2 * np.pi, len(tails))
    vectors = np.stack([np.cos(angle), np.sin(angle), 0.3 * np.sin(3 * angle)], 1)
    values = random.normal(size=len(tails)).astype(np.float32)
    scale = 0.3 * step
    draw(app, "arrows", tails, vectors, scale=scale, radius=0.1 * step, values=values, name="wind")
    which = random.integers(0, len(tails), PICKS)
    part = random.uniform(0.05, 0.9, PICKS)
    places = tails[which] + scale * part[:, None] * vectors[which]
    for k, (x, y) in enumerate(np.transpose(pixels(app, places))):
        found = app.pick(x, y)
        assert (found.item, found.kind, found.index) == ("wind", "arrows", which[k])
        assert found.value == values[which[k]]
        assert np.linalg.norm(np.array(found.position) - places[k]) < 0.4 * step


def test_tubes_are_found_by_their_segments(app, random):
    tails, step = cells(random)
    lines, points = len(tails), 4
    turns = random.uniform(0, 2 * np.pi, lines)[:, None] + np.arange(points) * 1.3
    around = np.stack([np.cos(turns), np.sin(turns), 0 * turns], -1)
    places = (tails[:, None] + 0.28 * step * around).astype(np.float32)
    values = random.normal(size=(lines, points)).astype(np.float32)
    draw(app, "tubes", places, radius=0.04 * step, values=values, name="curls")
    line = random.integers(0, lines, PICKS)
    segment = random.integers(0, points - 1, PICKS)
    part = random.uniform(0.25, 0.75, PICKS)[:, None]
    there = places[line, segment] * (1 - part) + places[line, segment + 1] * part
    for k, (x, y) in enumerate(np.transpose(pixels(app, there))):
        found = app.pick(x, y)
        assert (found.item, found.kind) == ("curls", "tubes")
        assert found.index == (line[k], segment[k])
        ends = values[line[k], segment[k] : segment[k] + 2]
        blend = ends[0] + part[k, 0] * (ends[1] - ends[0])
        assert found.value == pytest.approx(blend, abs=0.12 * abs(ends[1] - ends[0]) + 1e-3)
        assert np.linalg.norm(np.array(found.position) - there[k]) < 0.08 * step


def test_lines_have_values_and_are_found_by_line_and_segment(app, random):
    places = random.uniform(-0.9, 0.9, (40, 3, 3)).astype(np.float32) * (1, 0.7, 0)
    values = random.normal(size=(40, 3)).astype(np.float32)
    draw(app, "lines", places, values=values, width=1, name="flow")
    line, segment = random.integers(0, 40, PICKS), random.integers(0, 2, PICKS)
    part = random.uniform(0.1, 0.9, PICKS)[:, None]
    there = places[line, segment] * (1 - part) + places[line, segment + 1] * part
    same = 0
    for k, (x, y) in enumerate(np.transpose(pixels(app, there))):
        found = app.pick(x, y)
        assert (found.item, found.kind) == ("flow", "lines")
        if found.index != (line[k], segment[k]):
            continue  # another one crosses there
        same += 1
        ends = values[line[k], segment[k] : segment[k] + 2]
        blend = ends[0] + part[k, 0] * (ends[1] - ends[0])
        assert found.value == pytest.approx(blend, abs=0.05 * abs(ends[1] - ends[0]) + 1e-3)
    assert same > 0.8 * PICKS


OCTAHEDRON = np.array(
    [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], np.float32
)
FACES = [[a, b, c] for a in (0, 1) for b in (2, 3) for c in (4, 5)]


@pytest.mark.parametrize("turned", ["rotations", "directions", "not"])
def test_instances_are_found_by_their_number(app, random, turned):
    places, step = cells(random)
    count = len(places)
    sizes = random.uniform(0.15, 0.25, (count, 3)).astype(np.float32) * step
    values = random.normal(size=count).astype(np.float32)
    turns = {
        "rotations": {"rotations": random.normal(size=(count, 4))},
        "directions": {"directions": random.normal(size=(count, 3))},
        "not": {},
    }[turned]
    turns |= {"scale": sizes, "values": values, "name": "stones"}
    draw(app, "instances", OCTAHEDRON, FACES, places, **turns)
    which = random.integers(0, count, PICKS)
    inside = places[which] + random.uniform(-0.05, 0.05, (PICKS, 3)) * step
    for k, (x, y) in enumerate(np.transpose(pixels(app, inside))):
        found = app.pick(x, y)
        assert (found.item, found.kind, found.index) == ("stones", "instances", which[k])
        assert found.value == values[which[k]]
        assert np.linalg.norm(np.array(found.position) - places[which[k]]) < 0.3 * step
    assert app.pick(1, 1) is None


def test_rotations_of_instances_are_those_of_scipy(app):
    rotation = pytest.importorskip("scipy.spatial.transform").Rotation
    turn = rotation.random(random_state=4)
    needle = OCTAHEDRON * (0.02, 0.02, 1)  # along z
    draw(app, "instances", needle, FACES, [[0, 0, 0]], rotations=[turn.as_quat()], scale=0.7)
    for part in (-0.6, -0.3, 0.4, 0.8):
        x, y = pixels(app, [turn.apply([0, 0, 0.7 * part])])
        assert app.pick(x[0], y[0]).index == 0
    flipped = turn.apply([0, 0, 0.5]) * (1, -1, 1)
    x, y = pixels(app, [flipped])
    assert app.pick(x[0], y[0]) is None


def heights(rows, columns):
    y, x = np.mgrid[-1 : 1 : rows * 1j, -1 : 1 : columns * 1j]
    return (0.2 * np.sin(4 * x) * np.cos(3 * y)).astype(np.float32)


def test_heights_are_found_by_row_and_column(app, random):
    h = heights(40, 60)
    app.orbit_camera.pitch, app.orbit_camera.yaw = 1.2, 0.3
    draw(app, "height_field", h, scale=0.8, name="hills")
    row, column = random.integers(0, 40, PICKS), random.integers(0, 60, PICKS)
    places = np.stack(
        [-1 + 2 * column / 59, 0.8 * h[row, column], (-39 + 2 * row) / 59], 1
    )  # the longer side goes from -1 to 1, row 0 lies at the back
    off = outside = 0
    for k, (x, y) in enumerate(np.transpose(pixels(app, places))):
        found = app.pick(x, y)
        if found is None:
            outside += 1
            assert row[k] in (0, 39) or column[k] in (0, 59)  # right on the edge
            continue
        assert (found.item, found.kind) == ("hills", "height field")
        assert np.abs(np.array(found.index) - (row[k], column[k])).max() <= 1
        off += found.index != (row[k], column[k])
        assert found.value == h[found.index]
        np.testing.assert_allclose(found.position, places[k], atol=0.03)
    assert off < 0.01 * PICKS
    assert outside < 0.1 * PICKS


def test_height_fields_lie_on_their_ground_and_have_holes(app):
    h = np.ones((5, 9), np.float32)
    draw(app, "height_field", h, bounds=((2, 3), (10, 5)), scale=0.5)
    np.testing.assert_array_equal(app.bounds(), ((2, 0.5, 3), (10, 0.5, 5)))
    app.orbit_camera.up = "z"
    draw(app, "height_field", h, bounds=((2, 3), (10, 5)), scale=0.5)
    np.testing.assert_array_equal(app.bounds(), ((2, 3, 0.5), (10, 5, 0.5)))
    app.orbit_camera.up = "y"
    app.orbit_camera.pitch = 1.5
    h[2, 4] = np.nan
    draw(app, "height_field", h, color=(1, 1, 1))
    x, y = pixels(app, [[0, 1, 0], [0.5, 1, 0.2]])
    assert app.pick(x[0], y[0]) is None
    assert app.pick(x[1], y[1]).index == (3, 6)


def test_pictures_in_space_are_found_by_their_elements(app, random):
    picture = random.normal(size=(24, 32)).astype(np.float32)
    origin, right, up = np.array([[-0.8, -0.5, 0.2], [1.6, 0.1, -0.5], [0.1, 1.1, 0.3]])
    for y_up in (False, True):
        draw(app, "image", picture, plane=(origin, right, up), y_up=y_up, name="wall")
        row, column = random.integers(0, 24, PICKS), random.integers(0, 32, PICKS)
        high = (row + 0.5) / 24 if y_up else 1 - (row + 0.5) / 24
        places = origin + (column + 0.5)[:, None] / 32 * right + high[:, None] * up
        for k, (x, y) in enumerate(np.transpose(pixels(app, places))):
            found = app.pick(x, y)
            assert (found.item, found.kind) == ("wall", "image")
            assert found.index == (row[k], column[k])
            assert found.value == picture[row[k], column[k]]
            np.testing.assert_allclose(found.position, places[k], atol=2e-4)


def test_a_picture_in_space_shows_its_elements_and_has_depth(app):
    picture = np.array([[0, 1, 2], [3, 4, 5]], np.float32)
    plane = ((-0.9, -0.6, 0), (1.8, 0, 0), (0, 1.2, 0))
    assert app.frame()
    app.image(picture, plane=plane, range=(0, 5), colormap="gray")
    app.points([[0, 0, -0.5], [0.6, 0.3, 0.5]], radius=0.1, color=(1, 0, 0))
    shown = app.screenshot()
    x, y = pixels(app, [[-0.6, 0.3, 0], [0.6, -0.3, 0], [0, 0, -0.5], [0.6, 0.3, 0.5]])
    seen = [shown[int(b), int(a)] for a, b in zip(x, y, strict=True)]
    assert seen[0].tolist()[:3] == [0, 0, 0]
    assert seen[1].tolist()[:3] == [255, 255, 255]
    assert seen[2][0] == seen[2][1]  # the picture hides the sphere
    assert seen[3][1] == 0  # which stands before it
    assert seen[3][0] > 100


def test_slices_show_the_values_of_their_planes(app, random):
    volume = random.integers(0, 256, (8, 10, 12)).astype(np.uint8)
    camera = app.orbit_camera
    camera.field_of_view, camera.distance = 0.02, 150  # nearly parallel rays
    for layer in (0, 6):
        mode = (None, None, (layer + 0.5) / 8)
        shown = draw(app, "volume", volume, mode="slices", slices=mode, colormap="gray")
        row, column = random.integers(0, 10, 200), random.integers(0, 12, 200)
        sides = np.array([12, 10, 8]) / 12
        places = ((np.stack([column, row, 0 * row + layer], 1) + 0.5) / (12, 10, 8) * 2 - 1) * sides
        for k, (x, y) in enumerate(np.transpose(pixels(app, places))):
            value = volume[layer, row[k], column[k]]
            found = app.pick(x, y)
            assert found.index == (layer, row[k], column[k])
            assert found.value == value
            assert (
                abs(int(shown[int(y), int(x)][0]) - int(value)) < 45
            )  # between voxels it is blended


def test_slices_stand_where_they_are_told(app):
    volume = np.ones((16, 16, 16), np.float32)
    volume[:, :, :8] = 0.5
    for x_part, seen in ((0.28, 0.5), (0.72, 1.0)):
        app.orbit_camera.yaw = np.pi / 2  # from x
        shown = draw(
            app, "volume", volume, mode="slices", slices=(x_part, None, None), colormap="gray"
        )  # fmt: skip
        assert abs(shown[HEIGHT // 2, WIDTH // 2][0] / 255 - seen) < 0.01
        found = app.pick(WIDTH / 2, HEIGHT / 2)
        assert found.position[0] == pytest.approx(2 * x_part - 1, abs=5e-4)
        assert (found.index[2], found.value) == (int(16 * x_part), seen)
    draw(app, "volume", volume, mode="slices", slices=(None, None, None))
    assert app.pick(WIDTH / 2, HEIGHT / 2) is None


def test_contours_lie_where_values_are_multiples(app):
    """Of a ramp: upright lines, each as wide as it says, one for each multiple."""
    ramp = np.broadcast_to(np.linspace(0, 1, 160, dtype=np.float32), (120, 160))
    shown = draw(app, "image", ramp, contours=0.125, colormap="gray", range=(-1, 0))
    row = shown[HEIGHT // 2, :, 0].astype(float)  # white where there is no line
    ink = (255 - row) / 255
    # Elements lie at the middles of their squares; 2 pixels each.
    at = (np.arange(1, 8) * 0.125 * 159 + 0.5) * 2
    for place in at:
        near = slice(int(place) - 4, int(place) + 5)
        middle = (ink[near] * (np.arange(WIDTH)[near] + 0.5)).sum() / ink[near].sum()
        assert middle == pytest.approx(place, abs=0.1)
        assert 0.9 < ink[near].sum() < 1.4
    flat = draw(app, "image", np.full((4, 4), 0.5, np.float32), contours=0.25, range=(-1, 0))
    assert (flat == flat[HEIGHT // 2, WIDTH // 2]).all(axis=2).sum() > HEIGHT * HEIGHT - 10


def test_lines_take_values_colours_and_opacity(app):
    row = [[-0.9, 0], [0.9, 0]]

    def middle(**named):
        assert app.frame()
        app.lines(row, width=9, name="bar", **named)
        return app.screenshot()[HEIGHT // 2, WIDTH // 2, :3].tolist()

    app.use_camera("pan_zoom")
    gray = middle(values=[0, 1], colormap="gray")
    assert abs(gray[0] - 128) < 4
    assert middle(values=[0, np.nan], colormap="gray") == [255, 0, 255]
    both = middle(colors=np.array([[200, 0, 0, 255], [0, 100, 0, 255]], np.uint8))
    np.testing.assert_allclose(both, (100, 50, 0), atol=1)
    assert middle(values=[2, 4], range="auto", colormap="gray")[0] == gray[0]
    assert middle(color=(1, 1, 1), opacity=0.5)[0] in (127, 128)
    app.thing("bar").opacity = 0.25
    assert middle(color=(1, 1, 1), opacity=0.5)[0] in (63, 64)
    app.thing("bar").color = (0, 1, 0)
    assert middle(values=[0, 1])[1] in (63, 64)


@pytest.mark.parametrize(
    ("call", "given", "named", "message"),
    [
        ("lines", ([[[0, 0, 0, 0, 0]]],), {}, r"positions are \(n, 2 to 4\), or of several lines"),
        (
            "lines",
            (np.zeros((2, 3, 3)),),
            {"values": np.zeros(6)},
            r"values are \(2, 3\), one each",
        ),
        ("tubes", (np.zeros((3, 3)),), {"radius": [1.0, 2]}, r"radii are \(3,\), one each"),
        ("arrows", (np.zeros((3, 3)), np.zeros((3, 2))), {}, "vectors have the shape of their pos"),
        ("instances", (OCTAHEDRON, FACES, np.zeros((2, 2))), {}, r"instances are \(n, 3\)"),
        (
            "instances",
            (OCTAHEDRON, FACES, np.zeros((2, 3))),
            {"rotations": np.zeros((2, 3))},
            r"rotations are \(n, 4\)",
        ),
        (
            "instances",
            (OCTAHEDRON, FACES, np.zeros((2, 3))),
            {"rotations": np.ones((2, 4)), "directions": np.ones((2, 3))},
            "rotations or directions, not both",
        ),
        (
            "instances",
            (OCTAHEDRON, FACES, np.zeros((2, 3))),
            {"scale": np.ones((2, 2))},
            r"scales are \(2,\), or \(2, 3\)",
        ),
        ("height_field", (np.zeros((1, 5)),), {}, r"heights are \(rows, columns\), 2 of each"),
        ("height_field", (np.zeros((3, 5)),), {"values": np.zeros((5, 3))}, r"values are \(3, 5\)"),
        ("image", (np.zeros((2, 2)),), {"plane": ((0, 0, 0), (1, 0, 0))}, "plane is a corner and"),
        (
            "image",
            (np.zeros((2, 2)),),
            {"plane": ((0, 0, 0), (1, 0, 0), (2, 0, 0))},
            "sides of a plane span an area",
        ),
        ("image", (np.zeros((2, 2)),), {"contours": 0}, "contours is the spacing of values"),
    ],
)
def test_what_cannot_be_drawn_is_named_at_once(app, call, given, named, message):
    assert app.frame()
    with pytest.raises(ValueError, match=message):
        getattr(app, call)(*given, **named)
    assert not app.things


@pytest.mark.parametrize(
    ("call", "given"),
    [
        ("lines", (np.zeros((0, 3)),)),
        ("tubes", (np.zeros((4, 0, 3)),)),
        ("arrows", (np.zeros((0, 3)), np.zeros((0, 3)))),
        ("instances", (OCTAHEDRON, FACES, np.zeros((0, 3)))),
        ("instances", (OCTAHEDRON, np.zeros((0, 3), int), np.zeros((2, 3)))),
    ],
)
def test_what_is_empty_draws_nothing(app, call, given):
    shown = draw(app, call, *given)
    assert not shown[..., :3].any()
    assert app.pick(WIDTH / 2, HEIGHT / 2) is None
    assert app.bounds() is None
    assert app.things[0].count == 0 or call == "instances"


def test_boxes_hold_what_is_drawn(app):
    assert app.frame()
    app.arrows([[0, 0, 0], [np.nan, 0, 0]], [[1, 2, -3], [9, 9, 9]], scale=2, name="a")
    app.tubes([[0, 0, 0], [1, 0, 0]], radius=[0.5, 0.25], name="t")
    app.instances(OCTAHEDRON, FACES, [[5, 0, 0], [0, 5, 0]], scale=[2, 0], name="i")
    app.points([[0, 0, 0], [4, 0, 0]], radius=[0.5, 1], name="p")
    app.screenshot()
    np.testing.assert_array_equal(app.bounds("a"), ((0, 0, -6), (2, 4, 0)))
    np.testing.assert_array_equal(app.bounds("t"), ((-0.5, -0.5, -0.5), (1.25, 0.5, 0.5)))
    low, high = app.bounds("i")  # whichever way it turns: a ball around the mesh's own box
    np.testing.assert_allclose(low, np.array([5, 0, 0]) - 2 * np.sqrt(3), rtol=1e-6)
    np.testing.assert_allclose(high, np.array([5, 0, 0]) + 2 * np.sqrt(3), rtol=1e-6)
    np.testing.assert_array_equal(app.bounds("p"), ((-0.5, -1, -1), (5, 1, 1)))


def test_contours_of_meshes_and_heights_follow_levels_whatever_the_colours(app):
    """On a slope along x, seen from above: dark lines across, where heights are multiples."""
    x = np.linspace(0, 1, 41, dtype=np.float32)
    h = np.broadcast_to(x, (31, 41))
    app.orbit_camera.pitch = 1.5

    bare = {"scale": 0.05, "color": (1, 1, 1)}
    shown = draw(app, "height_field", h, **bare)
    with_lines = draw(app, "height_field", h, contours=0.25, **bare)
    changed = np.abs(shown.astype(int) - with_lines).max(axis=2)[HEIGHT // 2] > 60
    starts = np.flatnonzero(changed[1:] & ~changed[:-1])
    levels = np.array([0, 0.25, 0.5, 0.75, 1])  # the ends lie on the edges
    assert len(starts) == len(levels)
    places = np.stack([2 * levels - 1, 0.05 * levels, 0 * levels], 1)
    np.testing.assert_allclose(starts + 1.5, pixels(app, places)[0], atol=1.5)
    colors = np.full((31, 41, 4), 255, np.uint8)
    same = draw(app, "height_field", h, scale=0.05, colors=colors, contours=0.25)
    np.testing.assert_allclose(same.astype(int), with_lines, atol=2)


def test_tapered_tubes_have_room_for_their_tips(app):
    draw(app, "tubes", [[0, 0, 0], [2, 0, 0]], radius=[0.5, 0.0], name="thorn")
    np.testing.assert_array_equal(app.bounds("thorn"), ((-0.5, -0.5, -0.5), (2, 0.5, 0.5)))


def test_instances_are_found_by_parallel_rays(app, random):
    places, _ = cells(random)
    app.orbit_camera.orthographic = True
    small = 0.01
    draw(app, "instances", OCTAHEDRON, FACES, places, scale=small, name="dust")
    x, y = pixels(app, places)
    for k in random.integers(0, len(places), 300):
        found = app.pick(x[k], y[k])
        assert found.index == k
        assert np.linalg.norm(np.array(found.position) - places[k]) < 1.5 * small


def test_what_is_not_drawn_is_not_selected(app):
    assert app.frame()
    app.arrows([[0, 0, 0], [0.1, 0, 0], [0.2, 0, 0]], [[1, 0, 0], [0, 0, 0], [np.nan, 0, 0]],
               name="a")  # fmt: skip
    app.instances(OCTAHEDRON, FACES, [[0, 0, 0], [0.1, 0, 0]], scale=[0.1, 0], name="i")
    app.tubes([[0, 0, 0], [0.1, 0, 0], [0.2, 0, 0], [0.3, 0, 0]], radius=[0.1, 0, 0, -1], name="t")
    app.height_field(np.zeros((3, 3), np.float32), name="h")
    app.screenshot()
    found = app.select(0, 0, WIDTH, HEIGHT)
    assert {name: each.get().tolist() for name, each in found.items()} == {
        "a": [0],
        "i": [0],
        "t": [0],
        "h": list(range(9)),
    }
