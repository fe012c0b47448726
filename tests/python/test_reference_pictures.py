# SPDX-License-Identifier: MIT
"""Each kind of thing beside its picture in tests/python/pictures, which a person has looked at.

    LATHE_WRITE_PICTURES=1 pytest tests/python/test_reference_pictures.py

writes the pictures anew: look at them before they are committed. What each thing must look like
otherwise (areas, silhouettes, light) is measured in the tests of its kind.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import lathe

PICTURES = Path(__file__).parent / "pictures"
SIZE = (160, 120)
FAR = 24  # of 255: more than rounding and the smoothing of an edge


def helix(count=120):
    t = np.linspace(0, 4 * np.pi, count)
    return np.stack([np.cos(t), t / 6 - 1, np.sin(t)], 1).astype(np.float32), t.astype(np.float32)


def octahedron():
    vertices = np.array(
        [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], np.float32
    )
    corners = [(x, 2 + y, 4 + z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    return vertices, np.array(corners, np.int32)


def bumps(rows=40, columns=50):
    y, x = np.mgrid[0:rows, 0:columns]
    return (np.sin(x / 6) * np.cos(y / 5)).astype(np.float32)


def ball(n=24):
    z, y, x = np.mgrid[0:n, 0:n, 0:n] - (n - 1) / 2
    return np.exp(-(x * x + y * y + 2 * z * z) / 40).astype(np.float32)


def points_of_pixels(view):
    view.points(helix()[0], size=3, color=(1, 0.7, 0.2))


def discs_with_values(view):
    places, t = helix(40)
    view.points(places[:, [0, 2]] * 0.8, values=t, range=(0, 12), size=9, colormap="turbo")


def spheres(view):
    places, t = helix(60)
    view.points(places, values=t, range=(0, 12.6), radius=0.15, colormap="viridis")


def spheres_of_their_own_radius(view):
    places, t = helix(40)
    view.points(places, radius=0.05 + t / 60, color=(0.4, 0.7, 1))


def blended_points(view):
    view.points(helix()[0][:, :2] * 0.8, size=14, color=(0.2, 0.6, 1), opacity=0.3)


def lines_in_the_plane(view):
    places, t = helix()
    view.lines(places[:, [1, 0]] * 0.9, values=t, range=(0, 12.6), width=3, colormap="plasma")


def lines_in_space(view):
    view.lines(helix()[0], width=2, color=(0.5, 1, 0.6))


def tubes(view):
    places, t = helix()
    view.tubes(places, values=t, range=(0, 12.6), radius=0.1, colormap="coolwarm")


def arrows(view):
    places, t = helix(24)
    vectors = np.stack([-np.sin(t), 0.2 + 0 * t, np.cos(t)], 1)
    view.arrows(places, vectors, scale=0.6, color=(1, 0.5, 0.2))


def a_flat_mesh(view):
    view.mesh(*octahedron(), color=(0.9, 0.4, 0.4))


def a_mesh_with_values_and_edges(view):
    view.mesh(*octahedron(), values=np.arange(6.0), range=(0, 5), wireframe=True)


def a_blended_mesh(view):
    view.mesh(*octahedron(), color=(0.4, 0.8, 1), opacity=0.4)


def instances(view):
    places, t = helix(16)
    view.instances(*octahedron(), places, scale=0.1 + t / 80, values=t, range=(0, 12.6))


def a_height_field(view):
    view.height_field(bumps(), scale=0.3)


def a_picture(view):
    view.image(bumps(), range=(-1, 1), colormap="RdBu")


def a_picture_with_contours(view):
    heights = bumps() + np.float32(0.15)  # no plateau and no top is a multiple of the spacing
    view.image(heights, range=(-1, 1), contours=0.5, smooth=True)


def a_picture_of_colours(view):
    y, x = np.mgrid[0:20, 0:30]
    view.image(np.stack([x / 29, y / 19, 0.5 + 0 * x], 2).astype(np.float32))


def complex_numbers(view):
    y, x = np.mgrid[-1:1:40j, -1.3:1.3:52j]
    view.image(((x + 1j * y) ** 2).astype(np.complex64), complex_as="color")


def a_picture_in_space(view):
    view.image(bumps(), range=(-1, 1), plane=((-1, -0.8, 0), (2, 0, 0.6), (0, 1.6, 0)))


def the_greatest_value(view):
    view.volume(ball(), mode="mip")


def fog(view):
    view.volume(ball(), mode="emission", density=4)


def a_surface(view):
    view.volume(ball(), mode="surface", level=0.4, color=(0.9, 0.7, 0.5))


def slices(view):
    view.volume(ball(), mode="slices")


def words(view):
    view.points([[0, 0]], size=5)
    view.text("of the plane", (0, 0.2))
    view.title("Title")


def axes_in_space(view):
    view.points(helix()[0], radius=0.05)
    view.axes()


def axes_and_keys(view):
    places, t = helix()
    view.lines(places[:, [1, 0]], values=t, range=(0, 12.6), name="line")
    view.axes()
    view.colorbar("line", label="t, s")
    view.scale_bar(unit="m")


def a_legend(view):
    view.points([[0.3, -0.3]], size=20, color=(1, 0.4, 0.1), name="one")
    view.lines([[-1, 0], [1, 0.5]], color=(0.2, 0.8, 1), width=3, name="another")
    view.legend()


def a_cut(view):
    view.clip((0, 0, 0), "x")
    view.points([[0, 0, 0]], radius=1, color=(1, 0.8, 0.3))


def corners_and_a_ground(view):
    view.light(occlusion=1, ground=1)
    places, _ = helix(30)
    view.points(places, radius=0.2, color=(0.8, 0.8, 0.9))


THINGS = [
    points_of_pixels, discs_with_values, spheres, spheres_of_their_own_radius, blended_points,
    lines_in_the_plane, lines_in_space, tubes, arrows, a_flat_mesh, a_mesh_with_values_and_edges,
    a_blended_mesh, instances, a_height_field, a_picture, a_picture_with_contours,
    a_picture_of_colours, complex_numbers, a_picture_in_space, the_greatest_value, fog, a_surface,
    slices, words, axes_in_space, axes_and_keys, a_legend, a_cut, corners_and_a_ground,
]  # fmt: skip


def drawn(thing, headless=True):
    app = lathe.App("references", size=SIZE, headless=headless, ui=False, samples=1, vsync=False)
    app.frame_limit = 3
    for _ in range(2):  # the camera has found its place
        assert app.frame()
        thing(app)
    return app.screenshot().astype(int)


@pytest.mark.parametrize("thing", THINGS, ids=lambda thing: thing.__name__)
def test_it_is_as_its_picture(thing):
    file = PICTURES / f"{thing.__name__}.png"
    picture = drawn(thing)
    if os.environ.get("LATHE_WRITE_PICTURES"):
        lathe.save_png(file, picture.astype(np.uint8))
    reference = lathe.load_image(file, 3).astype(int)
    difference = np.abs(picture - reference).max(axis=2)
    # Edges and letters may fall on the other side of a pixel with another OpenGL.
    assert (difference > FAR).mean() < 0.01
    assert difference.mean() < 1


@pytest.mark.software  # a GPU's window would have another OpenGL
@pytest.mark.skipif(shutil.which("xvfb-run") is None, reason="Xvfb is not installed")
def test_windows_show_the_same(tmp_path):
    from conftest import script_environment  # which leaves no display to this process

    subprocess.run(
        ["xvfb-run", "-a", sys.executable, __file__, tmp_path],
        env=script_environment(), check=True, timeout=300,
    )  # fmt: skip
    for thing in THINGS:
        windowed = lathe.load_image(tmp_path / f"{thing.__name__}.png", 3)
        np.testing.assert_array_equal(windowed, drawn(thing), err_msg=thing.__name__)


def test_a_difference_is_seen():
    """Another colour, another size and another place each fail."""

    def shifted(view):
        view.points(helix(60)[0] + np.float32(0.1), radius=0.15, color=(0.3, 0.7, 0.5))

    reference = lathe.load_image(PICTURES / "spheres.png", 3).astype(int)
    for other in (shifted, spheres_of_their_own_radius, tubes):
        difference = np.abs(drawn(other) - reference).max(axis=2)
        assert (difference > FAR).mean() > 0.01


if __name__ == "__main__":
    for each in THINGS:
        windowed = drawn(each, headless=False).astype(np.uint8)
        lathe.save_png(Path(sys.argv[1]) / f"{each.__name__}.png", windowed)
