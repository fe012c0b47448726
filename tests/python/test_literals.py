# SPDX-License-Identifier: MIT
"""Numbers of a live kernel's source that a script moves: no compile, the text in the end."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import lathe
from lathe import sketch_run
from lathe.sketch import parse

SOURCE = """#define GAIN 2.0f
__global__ void fill(float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float tile[4];
    for (int j = 0; j < 4; ++j) tile[j] = j;
    if (i < n) out[i] = GAIN * i + tile[i % 4] - 0.25f;
}
"""


def expected(gain=2.0, offset=0.25):
    i = np.arange(100, dtype=np.float32)
    return np.float32(gain) * i + i % 4 - np.float32(offset)


def near(got, wanted, what=""):
    np.testing.assert_allclose(got, wanted, rtol=1e-6, err_msg=what)


def fill(app, kernel, out):
    app.frame()
    kernel.over(out.shape)(out, out.size)
    return out.get()


def test_a_number_moves_without_a_compile(app):
    kernel = app.kernel(SOURCE)
    out = app.zeros(100)
    slot = kernel.slot
    near(fill(app, kernel, out), expected())
    with slot.literal(1) as gain:
        assert (gain.value, gain.text, gain.held) == (2.0, "2.0f", True)
        gain.value = 2.5
        slot.wait()
        assert gain.way == "variable"
        near(fill(app, kernel, out), expected(gain=2.5))
        generation = slot.generation
        for steps in range(1, 6):
            gain.step()
            near(fill(app, kernel, out), expected(gain=2.5 + steps / 10), str(gain))
        gain.value = -3
        near(fill(app, kernel, out), expected(gain=-3))
        assert slot.generation == generation, "no version was swapped"
        assert slot.source.startswith("#define GAIN -3.0f\n")
    assert not gain.held
    slot.wait()
    assert slot.state == "good"
    near(fill(app, kernel, out), expected(gain=-3))
    with pytest.raises(lathe.Error, match="let go"):
        gain.value = 1.0


def test_another_number_and_a_place_by_column(app):
    kernel = app.kernel(SOURCE)
    out = app.zeros(100)
    fill(app, kernel, out)
    line = SOURCE.splitlines()[5]
    offset = kernel.slot.literal(6, line.index("0.25f") + 1)
    offset.text = "1e-1f"
    kernel.slot.wait()
    near(fill(app, kernel, out), expected(offset=0.1))
    gain = kernel.slot.literal(1)  # lets go of the offset
    assert not offset.held
    gain.step(-1, place=0)
    kernel.slot.wait()
    near(fill(app, kernel, out), expected(gain=1.0, offset=0.1))
    gain.release()


def test_a_constant_is_compiled_for_each_value(app):
    kernel = app.kernel(SOURCE)
    out = app.zeros(100)
    fill(app, kernel, out)
    size = kernel.slot.literal(4)
    size.value = 5
    kernel.slot.wait()
    assert size.way == "constant"
    assert kernel.slot.state == "good"
    assert "tile[5]" in kernel.slot.source
    near(fill(app, kernel, out), expected())
    size.release()


def test_what_cannot_be_moved_is_said(app):
    slot = app.kernel(SOURCE).slot
    with pytest.raises(ValueError, match=r"kernel\.cu:3: no number in this line"):
        slot.literal(3)
    with pytest.raises(ValueError, match=r"kernel\.cu:1:2: no number here"):
        slot.literal(1, 2)
    with slot.literal(4) as size:
        with pytest.raises(ValueError, match=r"0\.5 is no value of type int"):
            size.value = 0.5
        with pytest.raises(ValueError, match='"4u" is no number of type int'):
            size.text = "4u"
        size.value = 7
        slot.source = SOURCE.replace("2.0f", "3.0f")
        assert not size.held, "an edit ends it"
    assert "tile[4]" in slot.source


def test_a_sketch_reads_its_directives_again_when_the_number_is_let_go(app, tmp_path):
    text = (
        "//@ buffer x float[8,8]\n//@ launch f grid=8x8\n//@ image x\n"
        "__global__ void f(float* x, int width, int height) {\n"
        "    int i = threadIdx.y * width + threadIdx.x;\n"
        "    if (threadIdx.x < width && threadIdx.y < height) x[i] = 0.5f;\n}\n"
    )
    file = tmp_path / "half.cu"
    file.write_text(text)
    runner = sketch_run._Runner(app, file, parse(text, str(file)))
    app.run(frames=1)
    taken = []
    runner.take = taken.append
    with runner.slot.literal(6) as half:
        half.value = 0.75
        runner.slot.wait()
        app.run(frames=2)
        assert runner.slot.moving
        np.testing.assert_array_equal(runner.arrays["x"].get(), 0.75)
        assert not taken, "the camera, say, is the user's meanwhile"
    runner.slot.wait()
    app.run(frames=1)
    assert len(taken) == 1


def test_an_app_without_panels_may_end_while_a_number_moves():
    app = lathe.App("ends", headless=True, ui=False, size=(32, 32))
    kernel = app.kernel(SOURCE)
    out = app.zeros(100)
    fill(app, kernel, out)
    size = kernel.slot.literal(4)
    size.value = 5
    gone = weakref.ref(app)
    del app, kernel, out, size
    gc.collect()
    assert gone() is None
