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
//@ buffer w float[10]
//@ launch first grid=8x4 block=8x2 once
//@ launch second grid=8x4 times=3 swap=u:v
//@ image u colormap=magma range=-1..2.5 smooth
//@ points p size=4 blend=additive values=w range=auto
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
    assert (points.arguments, points.values) == (
        {"size": 4, "blend": "additive", "range": "auto"},
        "w",
    )


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
        ("//@ size 1x2x3", "size is WIDTHxHEIGHT, such as 1280x720; got 1x2x3"),
        ("//@ size 99999x99999", "16 to 16384 pixels"),
        ("//@ buffer u uchar[4] = 300", "300 does not fit uint8: 0 to 255"),
        ("//@ buffer u int[4] = 0.5", "0.5 is no whole number"),
        ("//@ launch f grid=4 block=2000", "at most 1024 threads"),
        ("//@ launch f grid=4 block=1x1x65", "1024x1024x64 a side"),
        ("//@ launch f grid=99999999999", "at most 2147483647 a side"),
        ("//@ image m colormap=rainbow", "there is no colormap 'rainbow'; there are"),
        ("//@ image p3", "a picture is [rows,columns]"),
        ("//@ points n", "points are positions: float2, float3 or float4"),
        ("//@ points p blend=over", "blend is opaque, alpha or additive"),
        ("//@ points p values=m", "values are a float buffer of 9 elements"),
        ("__global__ void h(float a) //@ 0..1 loog", "'loog' is not understood"),
        ("__global__ void h(float a) //@ 0..1 =5", "outside of the range 0..1"),
        ("__global__ void h(float a) //@ 3..1", "the first number must be below the second"),
    ],
)
def test_mistakes_name_file_and_line(line, words):
    with pytest.raises(SketchError) as caught:
        parse(
            f"// a sketch\n{line}\n{{}}\n//@ launch g grid=1\n//@ buffer m float[3,4]\n"
            "//@ buffer p float3[9]\n//@ buffer n int[9,3]\n//@ buffer p3 float3[9,9,9]\n",
            "s.cu",
        )
    assert str(caught.value).startswith("s.cu:2:")
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


def test_a_range_may_stand_above_its_parameter():
    sketch = parse("//@ launch f grid=1\n__global__ void f(\n  //@ 0..1\n  float gain) {}\n")
    assert len(sketch.launches) == 1


@pytest.mark.parametrize(
    ("directives", "line", "words"),
    [
        ("//@ launch g grid=4", 2, "there is no kernel 'g'; there are: f"),
        ("//@ buffer x float[4]\n//@ launch f grid=4", 3, "x"),
        ("//@ buffer x int[4]\n//@ launch f grid=16x99999999", 3, "65535"),
        ("//@ buffer x int[99999,99999,9999]\n//@ launch f grid=4", 2, "GiB"),
    ],
)
def test_mistakes_found_on_the_device_name_their_line(tmp_path, directives, line, words):
    file = tmp_path / "wrong.cu"
    file.write_text(f"//@ size 64x48\n{directives}\n__global__ void f(int* x) {{ x[0] = 1; }}\n")
    with pytest.raises(SketchError) as caught:
        run_sketch(file, RunOptions(name="wrong", script=file, frames=1, headless=True))
    assert str(caught.value).startswith(f"{file}:{line}: ")
    assert words in str(caught.value)


def test_integers_stop_at_their_limits():
    sketch = parse("//@ buffer u uchar[1000] = noise(300)\n//@ launch f grid=1\n")
    values = sketch.buffers["u"].make()
    assert (values == 0).mean() > 0.4  # half of a normal distribution is below zero
    assert (values == 255).mean() > 0.1
