# SPDX-License-Identifier: MIT
"""Two GPUs in one process: contexts, arrays, copies from one to the other, what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import lathe
import lathe.cuda.driver as cuda
import lathe.fft
import lathe.linalg
import lathe.random
from lathe.array import counting, sorting
from lathe.cuda import cumath, gpuarray, tools
from lathe.cuda.compiler import SourceModule
from lathe.cuda.curandom import XORWOWRandomNumberGenerator
from lathe.cuda.elementwise import ElementwiseKernel
from lathe.cuda.reduction import ReductionKernel
from lathe.cuda.scan import InclusiveScanKernel

SOURCE = "__global__ void scale(float* a, float b) { a[threadIdx.x] *= b; }"


@pytest.fixture(autouse=True)
def _two_devices():
    cuda.init()
    if cuda.Device.count() < 2:
        pytest.skip("one device")


@pytest.fixture
def second():
    """A context of the second GPU; that of the first one is current."""
    before = cuda.mem_alloc(4)
    context = cuda.Device(1).make_context()
    cuda.Context.pop()
    yield context
    context.detach()
    del before


class Inside:
    """Within it `context` is current."""

    def __init__(self, context):
        self.context = context

    def __enter__(self):
        self.context.push()

    def __exit__(self, *_):
        cuda.Context.pop()


def test_arrays_of_the_second_one(second):
    host = np.random.default_rng(1).standard_normal(100_003).astype(np.float32)
    with Inside(second):
        a = gpuarray.to_gpu(host)
        np.testing.assert_array_equal((2 * a + a).get(), 2 * host + host)
        np.testing.assert_allclose(a.sum().get(), host.sum(dtype=np.float64), rtol=1e-4)
        np.testing.assert_array_equal(sorting.sort(a).get(), np.sort(host))
        whole = gpuarray.to_gpu(np.arange(100_003, dtype=np.int64))
        np.testing.assert_array_equal(sorting.cumsum(whole).get(), np.arange(100_003).cumsum())
        scan = InclusiveScanKernel(np.int32, "max(a, b)")
        np.testing.assert_array_equal(
            scan(gpuarray.to_gpu(np.array([3, 1, 7, 5], np.int32))).get(), [3, 3, 7, 7]
        )
        del a, whole
        cuda.Context.synchronize()


def test_the_same_kernel_on_both(second):
    functions, arrays = [], []
    functions.append(SourceModule(SOURCE).get_function("scale"))
    arrays.append(gpuarray.to_gpu(np.arange(32, dtype=np.float32)))
    with Inside(second):
        functions.append(SourceModule(SOURCE).get_function("scale"))
        arrays.append(gpuarray.to_gpu(np.arange(32, dtype=np.float32)))
        functions[1](arrays[1], np.float32(3), block=(32, 1, 1))
        np.testing.assert_array_equal(arrays[1].get(), 3 * np.arange(32))
    functions[0](arrays[0], np.float32(2), block=(32, 1, 1))
    np.testing.assert_array_equal(arrays[0].get(), 2 * np.arange(32))
    with Inside(second):
        del arrays[1], functions[1]


# Of an array of this device and one of the other device.
WRONG = {
    "sum of two": lambda here, there: here + there,
    "out": lambda here, there: np.add(here, here, out=there),
    "ufunc": lambda here, there: np.add(here, there, out=here),
    "one operand": lambda here, there: np.sin(there),
    "cumath": lambda here, there: cumath.exp(there),
    "mul_add": lambda here, there: here.mul_add(2, there, 3),
    "strided": lambda here, there: there[::2] * 2,
    "sum": lambda here, there: there.sum(),
    "dot": lambda here, there: gpuarray.dot(here, there),
    "subset": lambda here, there: gpuarray.subset_sum(_indices(), there),
    "cumsum": lambda here, there: sorting.cumsum(there),
    "cumsum, strided": lambda here, there: sorting.cumsum(there[::2]),
    "sort": lambda here, there: sorting.sort(there),
    "argsort": lambda here, there: sorting.argsort(there),
    "unique": lambda here, there: sorting.unique(there),
    "nonzero": lambda here, there: sorting.nonzero(there),
    "searchsorted": lambda here, there: sorting.searchsorted(here, there),
    "histogram": lambda here, there: counting.histogram(there, bins=3, range=(0, 9)),
    "compress": lambda here, there: there[here > 0],
    "mask": lambda here, there: here[there > 0],
    "indices": lambda here, there: there[_indices()],
    "take": lambda here, there: gpuarray.take(there, _indices()),
    "assignment": lambda here, there: here.__setitem__(slice(2, 4), there[2:4]),
    "assignment by indices": lambda here, there: there.__setitem__(_indices(), 1),
    "assignment of a number": lambda here, there: there.__setitem__(slice(2, 4), 1),
    "fill": lambda here, there: there.fill(3),
    "cast": lambda here, there: there.astype(np.float64),
    "where": lambda here, there: gpuarray.if_positive(here, there, here),
    "fused": lambda here, there: lathe.fuse(lambda a, b: 2 * a + b)(here, there),
    "shuffle": lambda here, there: lathe.random.Generator(3).shuffle(there),
    "random numbers": lambda here, there: XORWOWRandomNumberGenerator().fill_uniform(there),
    "matmul": lambda here, there: there.reshape(2, 4) @ here.reshape(4, 2),
    "fft": lambda here, there: lathe.fft.fft(there),
    "solve": lambda here, there: lathe.linalg.solve(
        gpuarray.to_gpu(np.eye(8, dtype=np.float32)), there
    ),
    "qr": lambda here, there: lathe.linalg.qr(there.reshape(4, 2)),
    "svd": lambda here, there: lathe.linalg.svd(there.reshape(2, 4)),
    "ElementwiseKernel": lambda here, there: _DOUBLED(there),
    "ReductionKernel": lambda here, there: _LARGEST(there),
    "scan kernel": lambda here, there: InclusiveScanKernel(np.float32, "a + b")(there),
}


def _indices():
    return gpuarray.to_gpu(np.array([1, 2], np.int32))


_DOUBLED = ElementwiseKernel("float* x", "x[i] = 2 * x[i]", "doubled")
_LARGEST = ReductionKernel(np.float32, "0", "max(a, b)", "x[i]", "float* x", "largest")


@pytest.mark.parametrize("what", WRONG)
def test_arrays_of_both_do_not_mix(second, what):
    here = gpuarray.to_gpu(np.ones(8, np.float32))
    with Inside(second):
        there = gpuarray.to_gpu(np.full(8, 5, np.float32))
    with pytest.raises(Exception, match=r"device 1\b.*device 0\b"):
        WRONG[what](here, there)
    np.testing.assert_array_equal(here.get(), np.ones(8))
    with Inside(second):
        np.testing.assert_array_equal(there.get(), np.full(8, 5))
        del there


def test_copies_between_them(second):
    first = cuda.Device(0).retain_primary_context()
    data = np.arange(1 << 20, dtype=np.uint8)
    here, back = cuda.to_device(data), cuda.mem_alloc(data.nbytes)
    with Inside(second):
        there = cuda.mem_alloc(data.nbytes)
    cuda.memcpy_peer(there, here, data.nbytes, second, first)
    stream = cuda.Stream()
    cuda.memcpy_peer_async(back, there, data.nbytes, first, second, stream)
    stream.synchronize()
    np.testing.assert_array_equal(cuda.from_device(back, data.shape, np.uint8), data)
    with pytest.raises(cuda.LogicError, match="in an allocation of"):
        cuda.memcpy_peer(there, here, data.nbytes + 1, second, first)
    with Inside(second):
        del there


def test_managed_memory_is_on_both(second):
    a = cuda.managed_zeros(32, np.float32, mem_flags=cuda.mem_attach_flags.GLOBAL)
    a[:] = 1
    SourceModule(SOURCE).get_function("scale")(a, np.float32(2), block=(32, 1, 1))
    cuda.Context.synchronize()
    with Inside(second):
        SourceModule(SOURCE).get_function("scale")(a, np.float32(3), block=(32, 1, 1))
        cuda.Context.synchronize()
    np.testing.assert_array_equal(a, np.full(32, 6))


def test_pools_of_each(second):
    with Inside(second):
        pool = tools.DeviceMemoryPool()
        a = gpuarray.GPUArray((64,), np.float32, allocator=pool.allocate)
        a.fill(3)
        assert a.get().sum() == 192
        assert pool.active_blocks == 1
        del a
        assert pool.active_blocks == 0 and pool.held_blocks == 1
        pool.stop_holding()


def test_arrays_of_pytorch_on_the_second_one(second):
    torch = pytest.importorskip("torch")
    theirs = torch.arange(16, dtype=torch.float32, device="cuda:1")
    with torch.cuda.device(1):
        ours = gpuarray.from_dlpack(theirs)
    np.testing.assert_array_equal(ours.get(), np.arange(16))
    with pytest.raises(Exception, match=r"device 1\b.*device 0\b"):
        ours + 1
    primary = cuda.Device(1).retain_primary_context()
    with Inside(primary):
        doubled = ours * 2
        again = torch.from_dlpack(doubled)
        assert again.device.index == 1
        np.testing.assert_array_equal(again.cpu().numpy(), 2 * np.arange(16))
        del doubled, again
