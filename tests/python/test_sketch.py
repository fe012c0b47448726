# SPDX-License-Identifier: MIT
"""Sketches: what the directives mean, what mistakes get, and that they run."""

from __future__ import annotations

import numpy as np
import pytest

import lathe
from lathe.options import RunOptions
from lathe.sketch import SketchError, parse
from lathe.sketch_run import run_sketch

GOOD = """
//@ title Two waves
//@ size 320x200
//@ background 0, 0.5, 1
//@ camera orbit
//@ buffer u float[4,8] = random(2,3)
//@ buffer v float[4,8] = 0.5
//@ buffer p float3[10] = noise(2)
//@ launch first grid=8x4 block=8x2 once
//@ launch second grid=8x4 times=3 swap=u:v
//@ image u colormap=magma range=-1..2.5 smooth
//@ points p size=4 blend=additive values=v
"""


def test_directives():
    sketch = parse(GOOD)
    assert (sketch.title, sketch.size, sketch.background) == ("Two waves", (320, 200), (0, 0.5, 1))
    assert sketch.camera == "orbit"
    u, v, p = (sketch.buffers[n].make() for n in "uvp")
    assert (u.shape, u.dtype, p.shape) == ((4, 8), np.float32, (10, 3))
    assert u.min() >= 2
    assert u.max() <= 3
    assert (v == 0.5).all()
    np.testing.assert_array_equal(u, sketch.buffers["u"].make())  # the same in each run
    first, second = sketch.launches
    assert (first.grid, first.block, first.once) == ((8, 4), (8, 2), True)
    assert (second.times, second.swaps, second.once) == (3, (("u", "v"),), False)
    image, points = sketch.drawings
    assert image.arguments == {"colormap": "magma", "range": (-1, 2.5), "smooth": True}
    assert (points.arguments, points.values) == ({"size": 4, "blend": "additive"}, "v")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("//@ bufer u float[4]", "'bufer' is no directive; there are title"),
        ("//@ buffer u flot[4]", "type flot is not known"),
        ("//@ buffer u float[4", "a buffer is NAME TYPE"),
        ("//@ buffer u float[0]", "at least 1"),
        ("//@ buffer u float[4] = many", "contents are zeros"),
        ("//@ launch f grid=0x4", "at least 1"),
        ("//@ launch f grid=4,4", "numbers parted by x"),
        ("//@ launch f", "wants grid="),
        ("//@ launch f grid=4 tims=2", "'tims=2' is not understood; known here: grid="),
        ("//@ launch f grid=4 swap=u", "swap is a:b"),
        ("//@ launch f grid=4 swap=u:w", "there is no buffer 'u'"),
        ("//@ image w", "there is no buffer 'w'"),
        ("//@ image", "wants more"),
        ("//@ background 1,2", "background R,G,B"),
        ("//@ size 100", "size is WIDTHxHEIGHT"),
    ],
)
def test_mistakes_name_file_and_line(line, words):
    with pytest.raises(SketchError) as caught:
        parse(f"// a sketch\n{line}\n//@ launch g grid=1\n", "s.cu")
    assert str(caught.value).startswith("s.cu:2: ")
    assert words in str(caught.value)


def test_a_file_without_launches_is_told_what_to_write():
    with pytest.raises(SketchError, match=r"docs/sketch\.md"):
        parse("__global__ void f() {}")


RUNS = """
//@ size 64x48
//@ buffer u float[48,64]
//@ buffer v float[48,64]
//@ buffer log int[4]
//@ launch once_only grid=1 once
//@ launch step grid=64x48 times=2 swap=u:v
//@ image u
__global__ void once_only(int* log) { log[0] += 1; }
__global__ void step(const float* u, float* v, int width, int height, int frame, int* log,
                     float gain) //@ 0..2 =0.25
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    v[y * width + x] = u[y * width + x] + gain / 8;
    if (x + y == 0) { log[1] = width; log[2] = height; log[3] = frame; }
}
"""


def test_a_sketch_runs(tmp_path):
    file = tmp_path / "runs.cu"
    file.write_text(RUNS)
    options = RunOptions(name="runs", script=file, frames=4, headless=True, assignments=("gain=1",))
    run_sketch(file, options)
    app = options.app
    assert app.size == (64, 48)
    picture = app.screenshot()
    table = np.asarray(lathe.native.native.colormap_table("viridis"))
    np.testing.assert_allclose(picture[10, 10].astype(int), table[255], atol=1)  # 8 * 1/8 = 1


def test_a_parameter_that_is_nothing_is_named(tmp_path):
    file = tmp_path / "lost.cu"
    file.write_text("//@ launch f grid=1\n__global__ void f(float* nowhere) { *nowhere = 1; }\n")
    with pytest.raises(SketchError, match="parameter nowhere"):
        run_sketch(file, RunOptions(name="lost", script=file, frames=1, headless=True))
