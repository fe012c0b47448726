# SPDX-License-Identifier: MIT
"""Stills as SVG documents: a picture of each view, and annotations as elements over it."""

from __future__ import annotations

import base64
import io
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from PIL import Image

import lathe

SVG = "{http://www.w3.org/2000/svg}"
HREF = "{http://www.w3.org/1999/xlink}href"


@pytest.fixture
def app():
    app = lathe.App("svg", size=(320, 240), headless=True, background=(0.2, 0.4, 0.6))
    app.frame_limit = 100
    assert app.frame()
    return app


def document(app, tmp_path, **options):
    file = tmp_path / "made" / "figure.svg"
    app.still(file, **options)
    return ET.parse(file).getroot()


def picture_of(image):
    kind, data = image.get(HREF).split(",", 1)
    assert kind == "data:image/png;base64"
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(data, validate=True))))


def words(root):
    return [text.text for text in root.iter(f"{SVG}text")]


def place(element, names="xy"):
    return np.array([float(element.get(name)) for name in names])


def test_words_are_elements_and_the_picture_has_none(app, tmp_path):
    app.points([[0, 0]], size=40, color=(1, 0, 0))
    nothing_written = app.still(size=(640, 480), samples=2)
    app.text("a < b & “c”", (0, 0))
    app.title("Two\nlines")
    root = document(app, tmp_path, size=(640, 480), samples=2)
    assert (root.get("width"), root.get("height")) == ("640", "480")
    assert words(root) == ["a < b & “c”", "Two", "lines"]
    (image,) = root.iter(f"{SVG}image")
    np.testing.assert_array_equal(place(image, ("x", "y", "width", "height")), [0, 0, 640, 480])
    np.testing.assert_array_equal(picture_of(image), nothing_written)


def test_words_lie_where_the_still_has_them(app, tmp_path):
    """The middle of the letters' pixels, for a text on each side of its place."""
    size = (320, 240)
    for anchor, side in (((0, 0.5), "start"), ((0.5, 0.5), "middle"), ((1, 0.5), "end")):
        assert app.frame()
        app.text("HHHHHHHH", (0.25, 0.5), anchor=anchor, size=20)
        picture = app.still(size=size, samples=1)
        rows, columns = np.nonzero((picture > 150).all(axis=2))  # not the dark edge
        root = document(app, tmp_path, size=size, samples=1)
        (text,) = root.iter(f"{SVG}text")
        assert text.get("text-anchor") == side
        x, y = place(text)
        left, right = columns.min(), columns.max() + 1
        expected = {"start": left, "middle": (left + right) / 2, "end": right}[side]
        assert x == pytest.approx(expected, abs=2)  # H has a little room at its sides
        assert y == pytest.approx(rows.max() + 1, abs=1)  # the base line


def test_a_text_in_the_middle_of_larger_views(app, tmp_path):
    left, right = app.views(1, 2)
    left.text("left", (0, 0))
    right.text("right", (0, 0))
    root = document(app, tmp_path, size=(1280, 960), samples=2)
    tiles = root.findall(f"{SVG}svg")
    assert [words(tile) for tile in tiles] == [["left"], ["right"]]
    for tile, middle in zip(tiles, (320, 960), strict=True):
        _, _, width, height = map(float, tile.get("viewBox").split())
        assert height == pytest.approx(240)  # as the window has it, so letters keep their part
        unit = float(tile.get("width")) / width
        assert unit == pytest.approx(4)
        (text,) = tile.iter(f"{SVG}text")
        assert float(tile.get("x")) + unit * float(text.get("x")) == pytest.approx(middle, abs=4)
    pictures = root.findall(f"{SVG}image")
    assert len(pictures) == 2
    for picture in pictures:
        assert picture_of(picture).shape[1] == float(picture.get("width"))


def test_a_colour_bar_has_the_colours_of_its_map(app, tmp_path):
    app.image(np.linspace(0, 8, 64).reshape(8, 8), range=(0, 8), colormap="viridis", name="u")
    app.colorbar("u", label="speed, m/s")
    root = document(app, tmp_path)
    assert "speed, m/s" in words(root)
    (gradient,) = root.iter(f"{SVG}linearGradient")
    stops = [(float(s.get("offset")), s.get("stop-color")) for s in gradient]
    assert stops[0][1] == "#440154" and stops[-1][1] == "#fde725"  # viridis' own ends
    assert [at for at, _ in stops] == sorted(at for at, _ in stops)
    (bar,) = [r for r in root.iter(f"{SVG}rect") if r.get("fill", "").startswith("url")]
    assert bar.get("fill") == f"url(#{gradient.get('id')})"
    # A tick stands at the height of its value: 0 at the foot, 8 at the top.
    top, height = float(bar.get("y")), float(bar.get("height"))
    marks = [list(map(float, re.findall(r"[\d.]+", p.get("d")))) for p in root.iter(f"{SVG}path")]
    values = [float(word) for word in words(root) if word.isdigit()]
    assert len(values) >= 2
    expected = [top + height * (1 - value / 8) for value in values]
    np.testing.assert_allclose([m[1] for m in marks if m[1] == m[3]], expected, atol=1)


def test_nothing_behind_the_picture(app, tmp_path):
    app.points([[0, 0]], size=60, color=(1, 0.5, 0))
    root = document(app, tmp_path, size=(320, 240), samples=1, transparent=True)
    (image,) = root.iter(f"{SVG}image")
    picture = picture_of(image)
    assert picture.shape == (240, 320, 4)
    assert picture[0, 0, 3] == 0 and picture[120, 160, 3] == 255
    assert not list(root.iter(f"{SVG}rect")), "no background"


def test_characters_that_xml_has_not(app, tmp_path):
    app.text("bell\x07 end", (0, 0))
    assert words(document(app, tmp_path)) == ["bell\N{REPLACEMENT CHARACTER} end"]


def test_frames_do_not_notice(app, tmp_path):
    app.image(np.random.default_rng(1).random((30, 40)), name="u")
    app.axes()
    app.colorbar("u")
    before = app.screenshot()
    document(app, tmp_path, size=(500, 900))
    np.testing.assert_array_equal(app.screenshot(), before)


def test_what_cannot_be_written(app, tmp_path):
    (tmp_path / "a").write_text("a file")
    with pytest.raises(lathe.Error, match="cannot write"):
        app.still(tmp_path / "a" / "x.svg")
    with pytest.raises(ValueError, match="a still has a width"):
        app.still(tmp_path / "x.svg", size=(0, 3))
