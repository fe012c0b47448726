# SPDX-License-Identifier: MIT
"""Kernels of lathe.kernel, App.kernel and modules are one class: every way to call one works for
all of them, quickly or checked, and says the same of mistakes."""

from __future__ import annotations

import numpy as np
import pytest

import lathe
import lathe.cuda.driver as cuda
from lathe.cuda.compiler import SourceModule

SOURCE = """__global__ void line(float* out, int n, float slope, //@ 0..8 =3
                     float shift) //@ -1..1 =0.25
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = slope * i + shift;
}
__global__ void other(float* out) { out[0] = -1; }
"""
N = 40


@pytest.fixture(scope="module")
def app():
    made = lathe.App("kernels", size=(32, 32), headless=True)
    yield made
    made.close()


@pytest.fixture(params=["lathe.kernel", "App.kernel", "module"])
def kernel(request, app):
    if request.param == "lathe.kernel":
        return lathe.kernel(SOURCE, "line")
    if request.param == "App.kernel":
        return app.kernel(SOURCE, "line", name="line.cu")
    return SourceModule(SOURCE, no_extern_c=True).get_function("line")


@pytest.fixture(params=["device", "shared"])
def out(request, app):
    return lathe.zeros(N) if request.param == "device" else app.zeros(N)


def expected(slope, shift):
    return np.float32(slope) * np.arange(N, dtype=np.float32) + np.float32(shift)


CALLS = [
    lambda k, *values: k[1, 64](*values),
    lambda k, *values: k[(1, 1), (64, 1, 1)](*values),
    lambda k, *values: k[np.int32(2), [32]](*values),
    lambda k, *values: k[1, 64, 128](*values),
    lambda k, *values: k.over((N,))(*values),
    lambda k, *values: k.over(N, block=32)(*values),
    lambda k, *values: k(*values, block=(64, 1, 1), grid=(1, 1)),
    lambda k, *values: k(*values, block=(32, 1, 1), grid=(2, 1), stream=cuda.Stream()),
]


@pytest.mark.parametrize("call", CALLS)
def test_every_way_to_call_every_kernel(kernel, out, call):
    assert type(kernel) is lathe.Kernel is cuda.Function
    for turn in range(4):  # the first is checked, later ones are quick
        assert call(kernel, out, N, 2.0 + turn, 0.5) is None
        cuda.Context.synchronize()
        np.testing.assert_array_equal(out.get(), expected(2 + turn, 0.5))


def test_parameters_by_name(kernel, out):
    for turn in range(3):
        kernel[1, 64](out, N, shift=0.5, slope=turn)
        np.testing.assert_array_equal(out.get(), expected(turn, 0.5))
        kernel(out, block=(64, 1, 1), n=N, slope=turn, shift=-0.5)
        np.testing.assert_array_equal(out.get(), expected(turn, -0.5))


def test_copies_of_host_arrays(kernel):
    host = np.zeros(N, np.float32)
    kernel[1, 64](cuda.Out(host), N, 2.0, 0.5)
    np.testing.assert_array_equal(host, expected(2, 0.5))
    kernel(cuda.InOut(host), np.int32(N), 3.0, 0.5, block=(64, 1, 1))
    np.testing.assert_array_equal(host, expected(3, 0.5))


def test_prepared_calls(kernel, out):
    kernel.prepare("Piff")
    for turn in range(3):
        kernel.prepared_call((1, 1), (64, 1, 1), out.gpudata, N, turn, 0.5)
        np.testing.assert_array_equal(out.get(), expected(turn, 0.5))
    assert kernel.num_regs >= 0 and kernel.max_threads_per_block >= 64


def test_mistakes_are_told_by_quick_calls_too(kernel, out):
    for _ in range(3):
        kernel[1, 64](out, N, 2.0, 0.5)
    for call, error, words in [
        (lambda: kernel[1, 64](out, N, 2.0, 0.5, 1), TypeError, "takes 4 arguments, got 5"),
        (lambda: kernel[1, 64](out, N, 2.0, slope=2.0), TypeError, "given twice|no parameter"),
        (lambda: kernel[1, 64](out, N, 2.0, 0.5, size=1), TypeError, "no parameter size"),
        (lambda: kernel[1, 64](out, 2**31, 2.0, 0.5), ValueError, "does not fit"),
        (lambda: kernel[1, 64](out, N, 1e300, 0.5), ValueError, "too large for a float"),
        (lambda: kernel[1, 64](out, N, "two", 0.5), TypeError, "slope|parameter 2"),
        (lambda: kernel[1, 64](lathe.zeros(N, np.float64), N, 2.0, 0.5), TypeError, "4-byte"),
        (lambda: kernel[1, 64](lathe.zeros(N, np.int32), N, 2.0, 0.5), TypeError, "4-byte"),
        (lambda: kernel[0, 64], ValueError, "grid must be"),
        (lambda: kernel[1], TypeError, r"line\[grid, block\]"),
        (lambda: kernel.over(()), ValueError, "shape must be"),
        (lambda: kernel(out, N, 2.0, 0.5), ValueError, "must specify block size"),
        (lambda: kernel[1, 4096](out, N, 2.0, 0.5), lathe.LogicError, "4096"),
    ]:
        with pytest.raises(error, match=words):
            call()
    kernel[1, 64](out, N, 4.0, 0.5)
    np.testing.assert_array_equal(out.get(), expected(4, 0.5))


def test_what_is_missing_is_told(kernel, out):
    if kernel.slot:
        pytest.skip("the App's sliders have it")
    for _ in range(2):
        with pytest.raises(TypeError, match=r"shift|parameter 3"):
            kernel[1, 64](out, N, 2.0)


def test_siblings_and_launchers(kernel, out):
    kernel.sibling("other")[1, 1](out)
    assert out.get()[0] == -1
    with pytest.raises(lathe.Error, match="nothing"):
        kernel.sibling("nothing").parameters  # noqa: B018
    launcher = kernel[1, 64]
    assert type(launcher) is lathe._lathe.Launcher and "line[(1, 1, 1), (64, 1, 1)]" in repr(
        launcher
    )
    del kernel
    launcher(out, N, 2.0, 0.5)  # keeps the kernel
    np.testing.assert_array_equal(out.get(), expected(2, 0.5))
    with pytest.raises(TypeError, match="cannot create"):
        type(launcher)()


def test_sliders_follow_their_values(app):
    live, out = app.kernel(SOURCE, "line", name="line.cu"), app.zeros(N)
    parameters = app._studio.parameters
    for slope in (1.0, 1.0, 5.0, 5.0, 2.0):
        parameters.set("slope", slope)
        for shift in (0.5, -0.5):
            live[1, 64](out, N, shift=shift)
            np.testing.assert_array_equal(out.get(), expected(slope, shift))
    fresh = app.kernel(SOURCE.replace("slope", "rise").replace("shift", "start"), "line")
    for _ in range(2):
        fresh[1, 64](out, N)
        np.testing.assert_array_equal(out.get(), expected(3, 0.25))


def test_a_live_kernel_follows_edits_of_its_parameters(app):
    live, out = app.kernel(SOURCE, "line", name="edited.cu"), app.zeros(N)
    for _ in range(3):
        live[1, 64](out, N, slope=2.0, shift=0.5)
    live.slot.source = SOURCE.replace("float* out, int n", "float* out, double extra, int n")
    live.slot.compile_now()
    live.slot.wait()
    for turn in range(3):
        live[1, 64](out, 7.5, N, slope=turn, shift=0.5)
        np.testing.assert_array_equal(out.get(), expected(turn, 0.5))
    with pytest.raises(TypeError, match="n "):
        live[1, 64](out, N, slope=2.0, shift=0.5)


def test_launches_follow_the_stream_of_the_array_that_is_drawn(app):
    kernel, ours, plain = lathe.kernel(SOURCE, "line"), app.zeros(N), lathe.zeros(N)
    for turn in range(20):
        plain.fill(0)
        kernel[1, 64](ours, N, turn, 0.5)  # on the App's stream
        kernel[1, 64](plain, N, turn, 0.25)  # on the default stream
        total = ours + plain
        np.testing.assert_array_equal(total.get(), expected(turn, 0.5) + expected(turn, 0.25))


def test_a_fault_of_a_live_kernel_is_told_once_and_the_launch_returns(app):
    good = "__global__ void put(int* x, int at) { x[at] = 1; }\n"
    live, x = app.kernel(good, name="put.cu"), app.zeros(4, np.int32)
    for _ in range(2):
        assert live[1, 1](x, 0) is None
    if not lathe.native.native.gpu_status()["is_software"]:
        pytest.skip("a fault ends the context of a GPU")
    with pytest.raises(lathe.Error):
        live[1, 1](x, 1 << 28)
        app._studio.synchronize()
