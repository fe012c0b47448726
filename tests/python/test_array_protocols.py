# SPDX-License-Identifier: MIT
"""Python's, NumPy's and other libraries' ways to a GPUArray."""

import ast
import copy
import os
import pickle
import subprocess
import sys
import types

import numpy as np
import pytest
from array_cases import assert_same, numbers
from conftest import script_environment

from lathe.cuda import (
    autoprimaryctx,  # noqa: F401
    driver,
    gpuarray,
)
from lathe.cuda.gpuarray import to_gpu, vec


def test_numbers_strings_and_truth():
    array = to_gpu(numbers((2, 3)))
    assert str(array) == str(array.get())
    assert repr(array).startswith("GPUArray([[")
    assert len(array) == 2
    assert [each.get().tolist() for each in array] == array.tolist()
    one = to_gpu(np.array([2.5]))
    assert (float(one), int(one), complex(one), bool(one), one.item()) == (2.5, 2, 2.5, True, 2.5)
    assert array.item(1, 2) == array.get()[1, 2]
    assert array.item(4) == array.get().item(4)
    assert array.get()[0, 0] in array
    with pytest.raises(ValueError, match="ambiguous"):
        bool(array)
    with pytest.raises(TypeError, match="unsized"):
        len(to_gpu(np.float32(1)))
    with pytest.raises(TypeError, match="hashable"):
        hash(array)
    assert "(2, 3)" in array._repr_html_()


def test_pickle_and_copy():
    array = to_gpu(np.asfortranarray(numbers((3, 4))))
    for made in [pickle.loads(pickle.dumps(array)), copy.copy(array), copy.deepcopy(array)]:
        assert_same(made, array.get())
        assert made.ptr != array.ptr


def test_pickles_of_before_lathe_array():
    host = numbers((3, 4))
    rest = pickle.dumps(host, protocol=0)[:-1]
    old = pickle.loads(b"clathe.cuda.array_type\nto_device\n(" + rest + b"tR.")
    assert_same(old, host)
    for module in (b"lathe.cuda.gpuarray", b"lathe.cuda.array_type"):
        assert pickle.loads(b"c" + module + b"\nGPUArray\n.") is gpuarray.GPUArray


ABOVE = """
import sys
from lathe.cuda import gpuarray
def loaded():
    return [name for name in ("linalg", "fft", "array_api") if f"lathe.{name}" in sys.modules]
import numpy as np
a = gpuarray.to_gpu(np.ones((2, 2)))
print(loaded())
assert (a @ a).get().tolist() == [[2, 2], [2, 2]]
print(loaded())
assert np.fft.fft(a).shape == (2, 2)
print(loaded())
assert a.__array_namespace__().__name__ == "lathe.array_api"
print(loaded())
"""


def test_what_stands_above_is_loaded_when_it_is_used():
    done = subprocess.run(
        [sys.executable, "-c", ABOVE], env=script_environment(), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    steps = [set(ast.literal_eval(line)) for line in done.stdout.splitlines()]
    # A GPU's library multiplies matrices without Python's help.
    product = {"linalg"} if os.environ["LATHE_DEVICE"] == "software" else set()
    assert steps[:3] == [set(), product, product | {"fft"}]
    assert steps[3] | {"linalg"} == {"linalg", "fft", "array_api"}


def test_numpys_functions():
    a, b = numbers((3, 4)), numbers(4, seed=1)
    x, y = to_gpu(a), to_gpu(b)
    assert_same(np.add(x, y), np.add(a, b))
    out = gpuarray.empty((3, 4), np.float32)
    assert np.multiply(x, y, out=out) is out
    assert_same(out, a * b)
    assert_same(np.float32(2) * x, 2 * a)
    assert_same(np.concatenate([x, x], axis=1), np.concatenate([a, a], axis=1))
    assert_same(np.where(x > 0, x, 0), np.where(a > 0, a, np.float32(0)))
    assert_same(np.flip(x, 0), np.flip(a, 0))
    assert_same(np.roll(x, 3), np.roll(a, 3))
    assert_same(np.roll(x, -1, 1), np.roll(a, -1, 1))
    assert_same(np.expand_dims(x, (0, 2)), np.expand_dims(a, (0, 2)), False)
    assert_same(np.isclose(x, x + 1e-9), np.ones((3, 4), bool))
    with pytest.raises(TypeError, match="to_gpu"):
        x + b
    with pytest.raises(TypeError, match="to_gpu"):
        b + x
    with pytest.raises(TypeError, match="get"):
        np.asarray(x)


REDUCTIONS = [
    "sum", "prod", "max", "min", "argmax", "argmin", "any", "all", "mean", "var", "std", "amax",
    "count_nonzero",
]  # fmt: skip


@pytest.mark.parametrize("name", REDUCTIONS)
def test_numpys_reductions_with_numpys_arguments(name):
    host = numbers((3, 4), np.float64)
    if name not in ("argmax", "argmin", "count_nonzero"):
        host[0, 0] = np.nan
    array, function = to_gpu(host), getattr(np, name)
    for args, keywords in [((), {}), ((0,), {}), ((-1,), {}), ((), {"axis": 1, "keepdims": True})]:
        wanted = np.asarray(function(host, *args, **keywords))
        found = function(array, *args, **keywords)
        assert found.dtype == wanted.dtype
        assert found.shape == wanted.shape
        np.testing.assert_allclose(found.get(), wanted, rtol=1e-12)


def test_numpys_folds_and_methods():
    host = numbers((3, 4))
    array = to_gpu(host)
    for ufunc in [np.add, np.multiply, np.maximum, np.minimum, np.logical_or]:
        np.testing.assert_allclose(ufunc.reduce(array).get(), ufunc.reduce(host), rtol=1e-6)
        np.testing.assert_allclose(ufunc.reduce(array, 1).get(), ufunc.reduce(host, 1), rtol=1e-6)
    assert_same(np.maximum.accumulate(array, 1), np.maximum.accumulate(host, 1))
    assert_same(np.add.reduce(array, axis=None), np.asarray(host.sum()))
    assert_same(array[0].dot(array[1]), np.asarray(host[0].dot(host[1])))
    assert_same(np.dot(array[0], array[1]), np.asarray(np.dot(host[0], host[1])))
    assert_same(array.argsort(0), host.argsort(0), False)
    assert_same(array.cumsum(), host.cumsum())
    array.sort(0)
    host.sort(0)
    assert_same(array, host)
    np.testing.assert_array_equal(np.dot(array, array.T).get(), np.dot(host, host.T))


def test_cuda_array_interface():
    array = to_gpu(numbers((3, 4)))[:, ::2]

    class Foreign:
        __cuda_array_interface__ = array.__cuda_array_interface__

    interface = array.__cuda_array_interface__
    assert interface["version"] == 3
    assert interface["shape"] == (3, 2)
    assert interface["strides"] == (16, 8)
    assert interface["typestr"] == "<f4"
    shared = gpuarray.asarray(Foreign())
    shared[0] = 9
    assert (array.get()[0] == 9).all()
    assert gpuarray.asarray(array) is array
    assert_same(gpuarray.asarray([1, 2, 3], np.float32), np.array([1, 2, 3], np.float32))


@pytest.mark.parametrize("max_version", [None, (1, 0)])
def test_dlpack(max_version):
    array = to_gpu(numbers((3, 4)))[::-1, ::2]

    class Foreign:
        def __dlpack_device__(self):
            return array.__dlpack_device__()

        def __dlpack__(self, *, stream=None, **keywords):
            if max_version is None and keywords:
                raise TypeError
            return array.__dlpack__(stream=stream, max_version=max_version)

    shared = gpuarray.from_dlpack(Foreign())
    assert_same(shared, array.get(), False)
    shared[0, 0] = 77
    assert array.get()[0, 0] == 77
    assert shared.ptr == array.ptr
    array.__dlpack__(max_version=max_version)  # a capsule that nobody takes
    array = None
    assert shared.get()[0, 0] == 77
    assert_same(gpuarray.from_dlpack(shared), shared.get(), False)


def test_dlpack_to_the_host_and_refusals():
    array = to_gpu(numbers(5))
    np.testing.assert_array_equal(np.from_dlpack(array, device="cpu", copy=True), numbers(5))
    with pytest.raises(BufferError):
        gpuarray.from_dlpack(numbers(5))
    with pytest.raises(BufferError, match="structures"):
        gpuarray.zeros(3, vec.float4).__dlpack__()
    with pytest.raises(ValueError, match="stream 0"):
        array.__dlpack__(stream=0)
    read_only = np.broadcast_to(array, (2, 5))
    assert not read_only.flags.writeable
    with pytest.raises(BufferError, match="read-only"):
        read_only.__dlpack__()
    again = gpuarray.from_dlpack(read_only)
    assert not again.flags.writeable


SLOW_ADD = """
__global__ void slow_add(float* x, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) for (int k = 0; k < rounds; ++k) atomicAdd(&x[i], 1.0f);
}"""


def test_streams_of_others_are_in_order():
    """What a consumer's stream does comes after ours (DLPack), what ours does after a producer's
    (`__cuda_array_interface__`)."""
    from lathe.cuda.compiler import SourceModule

    slow_add = SourceModule(SLOW_ADD).get_function("slow_add")
    theirs = driver.Stream(driver.stream_flags.NON_BLOCKING)
    array = gpuarray.zeros(1024, np.float32)
    rounds, shape = np.int32(3000), {"block": (256, 1, 1), "grid": (4, 1)}
    size = np.int32(1024)
    for turn in range(3):
        slow_add(array, size, rounds, **shape)
        consumer = gpuarray.from_dlpack(
            types.SimpleNamespace(
                __dlpack__=lambda **k: array.__dlpack__(**{**k, "stream": theirs.handle}),
                __dlpack_device__=array.__dlpack_device__,
            )
        )
        assert consumer.ptr == array.ptr
        slow_add(consumer, size, rounds, stream=theirs, **shape)

        produced = types.SimpleNamespace(
            __cuda_array_interface__={**array.__cuda_array_interface__, "stream": theirs.handle}
        )
        ours = gpuarray.asarray(produced)
        assert ours.ptr == array.ptr
        assert ((ours + 1).get() == 6000 * (turn + 1) + 1).all()
