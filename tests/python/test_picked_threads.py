# SPDX-License-Identifier: MIT
"""The thread of a picked element: against what the kernel itself wrote of its place."""

from __future__ import annotations

import numpy as np
import pytest

import lathe

WIDTH, HEIGHT = 320, 240
PICKS = 1000

SOURCE = """
__device__ void note(int* to) {
    int place[6] = {(int)blockIdx.x,  (int)blockIdx.y,  (int)blockIdx.z,
                    (int)threadIdx.x, (int)threadIdx.y, (int)threadIdx.z};
    for (int k = 0; k < 6; ++k) to[k] = place[k];
}
__global__ void row(float* shown, int* noted, int n, float gain) { // gain: a slider
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    shown[i] = gain * i;
    note(noted + 6 * i);
}
__global__ void plane(float* shown, int* noted, int columns, int rows) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= columns || y >= rows) return;
    shown[y * columns + x] = x + y;
    note(noted + 6 * (y * columns + x));
}
__global__ void box(float* shown, int* noted, int columns, int rows, int layers) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= columns || y >= rows || z >= layers) return;
    int i = (z * rows + y) * columns + x;
    float a = x - 11, b = y - 10, c = z - 9;
    shown[i] = 80 - a * a - b * b - c * c; // of a ball above 0
    note(noted + 6 * i);
}
__global__ void place(float3* shown, int* noted, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    shown[i] = make_float3(i % 40 / 20.f - 1, i / 40 / 15.f - 1, 0);
    note(noted + 6 * i);
}
__global__ void look(const float* shown, float* sum) { atomicAdd(sum, shown[threadIdx.x]); }
"""


@pytest.fixture
def app():
    app = lathe.App("threads", size=(WIDTH, HEIGHT), headless=True, background=(0, 0, 0))
    app.frame_limit = 100
    return app


@pytest.fixture
def random():
    return np.random.default_rng(4)


def compare(app, random, noted, kernel, count=PICKS):
    """Each pick's thread is what the kernel wrote there; returns how many things were hit."""
    app.screenshot()  # ends the step
    noted, hits = noted.get(), 0
    for x, y in random.uniform((0, 0), (WIDTH, HEIGHT), (count, 2)):
        found = app.pick(x, y)
        if found is None:
            continue
        expected = noted[found.index]
        assert found.thread == lathe.PickedThread(
            kernel, tuple(expected[:3].tolist()), tuple(expected[3:].tolist())
        )
        hits += 1
    return hits


def test_pictures(app, random):
    """A ragged edge, by over() and by a grid; the program reads the picture in another kernel."""
    rows, columns = 45, 61
    plane = app.kernel(SOURCE, "plane")
    shown, noted = app.zeros((rows, columns)), app.zeros((rows, columns, 6), np.int32)
    total = app.zeros(1)
    assert app.frame()
    plane.over((rows, columns))(shown, noted, columns, rows)
    plane.sibling("look")[1, 32](shown, total)
    app.image(shown, name="wave")
    assert compare(app, random, noted, "plane") > 0.5 * PICKS
    assert app.frame()
    plane[(8, 3), (8, 16)](shown, noted, columns, rows)
    app.image(shown, name="wave")
    assert compare(app, random, noted, "plane") > 0.5 * PICKS


def test_points_and_their_values(app, random):
    n = 40 * 30
    place = app.kernel(SOURCE, "place")
    row = place.sibling("row")
    placed, noted = app.zeros((n, 3)), app.zeros((n, 6), np.int32)
    values, noted_values = app.zeros(n), app.zeros((n, 6), np.int32)
    assert app.frame()
    place[(n + 127) // 128, 128](placed, noted, n)
    row.over(n)(values, noted_values, n=n)
    app.points(placed, values=values, size=6, name="dots")
    assert compare(app, random, noted, "place") > PICKS / 10
    assert app.frame()
    app.points(placed.get(), values=values, size=6, name="dots")  # the places are the host's
    assert compare(app, random, noted_values, "row", 200) > 20


def test_a_kernel_that_is_edited(app, random):
    """The slider's value and the version change, the thread stays that of the last launch."""
    n = 64 * 48
    row = app.kernel(SOURCE, "row")
    shown, noted = app.zeros((48, 64)), app.zeros((48, 64, 6), np.int32)
    assert app.frame()
    row.over(n)(shown, noted, n)
    app.set("gain", 0.5)
    row.over(n)(shown, noted, n)
    app.image(shown)
    assert compare(app, random, noted, "row", 50) > 20
    row.slot.source = SOURCE.replace("gain * i", "gain + i")
    row.slot.compile_now()
    assert row.slot.wait()
    assert app.frame()
    row[n // 64, 64](shown, noted, n)
    app.image(shown)
    assert compare(app, random, noted, "row", 50) > 20


def test_volumes(app, random):
    size = 19, 21, 23
    box = app.kernel(SOURCE, "box")
    shown, noted = app.zeros(size), app.zeros((*size, 6), np.int32)
    assert app.frame()
    box.over(size)(shown, noted, 23, 21, 19)
    app.volume(shown, mode="surface", level=0, name="block")
    assert compare(app, random, noted, "box") > PICKS / 20


def test_views_and_copies(app, random):
    """A slice of what was written, what was written through a slice, and numbers that OpenGL gets
    as a copy."""
    n = 64 * 48
    row = app.kernel(SOURCE, "row")
    shown, noted = app.zeros(n), app.zeros((n, 6), np.int32)
    assert app.frame()
    row.over(n)(shown, noted, n)
    app.image(shown.reshape(48, 64)[10:40], name="part")
    assert compare(app, random, noted.reshape(48, 64, 6)[10:40], "row", 200) > 100

    whole, noted = app.zeros((96, 64)), app.zeros((48, 64, 6), np.int32)
    assert app.frame()
    row.over(n)(whole[48:], noted, n)
    app.image(whole[48:], name="part")
    assert compare(app, random, noted, "row", 200) > 100
    app.thing("part").shown = False
    assert app.frame()
    app.image(whole, name="all")
    app.screenshot()
    assert app.pick(WIDTH / 2, 40).thread is None  # the rows that nobody wrote
    assert app.pick(WIDTH / 2, HEIGHT - 40).thread is not None

    other = lathe.zeros(n)  # no memory of OpenGL's
    noted = app.zeros((n, 6), np.int32)
    assert app.frame()
    row.over(n)(other, noted, n)
    app.image(other.reshape(48, 64))
    assert compare(app, random, noted.reshape(48, 64, 6), "row", 200) > 100


def test_what_is_not_known(app):
    """Nothing written by a kernel, threads of another shape, two shapes that fit."""
    row = app.kernel(SOURCE, "row")
    n = 30
    shown, noted = app.zeros((n, n)), app.zeros((n * n, 6), np.int32)
    few, noted_few = app.zeros((n, 3)), app.zeros((3 * n, 6), np.int32)

    def thread(draw):
        assert app.frame()
        draw()
        app.screenshot()
        found = app.pick(WIDTH / 2, HEIGHT / 2)
        assert found is not None
        return found.thread

    assert thread(lambda: app.image(shown)) is None
    row[8, 128](shown, noted, n * n)
    assert thread(lambda: app.image(shown)) is not None
    row[9, 128](shown, noted, n * n)
    assert thread(lambda: app.image(shown)) is None
    # One block of 256 threads can be one for each point, or one for each number.
    few[:] = np.zeros((n, 3), np.float32)
    row[1, 256](few, noted_few, 3 * n)
    assert thread(lambda: app.points(few * 0, values=few[:, 0] * 0, size=9)) is None
    few_points = app.zeros((n, 3))
    place = row.sibling("place")
    place[1, 256](few_points, noted_few, n)
    app.orbit_camera.target = (-1, -1, 0)
    assert thread(lambda: app.points(few_points, size=99)) is None
    place.over(n)(few_points, noted_few, n)
    assert thread(lambda: app.points(few_points, size=99)) is not None


def test_memory_at_the_address_of_another(app):
    """A new array does not get the thread of one that is gone."""
    row = app.kernel(SOURCE, "row")
    noted = app.zeros((400, 6), np.int32)
    for _ in range(20):
        shown = app.zeros((20, 20))
        row.over(400)(shown, noted, 400)
        del shown
    assert app.frame()
    app.image(app.zeros((20, 20)))
    app.screenshot()
    assert app.pick(WIDTH / 2, HEIGHT / 2).thread is None
