# SPDX-License-Identifier: MIT
"""Arrays to PyTorch, CuPy, Numba and JAX and back, where they are installed: without a copy.

They run on hardware: those libraries use the first device's primary context through CUDA's runtime.
"""

import gc
import os
import subprocess
import sys

import numpy as np
import pytest
from conftest import script_environment

import lathe.cuda.autoprimaryctx
from lathe.cuda import driver, gpuarray
from lathe.cuda.gpuarray import to_gpu

hardware = pytest.mark.skipif(
    os.environ["LATHE_DEVICE"] == "software", reason="other libraries use the driver itself"
)
DTYPES = ["bool", "uint8", "int32", "int64", "float16", "float32", "float64", "complex64"]


def values(dtype, shape=(3, 4)):
    return (np.arange(np.prod(shape)) % 5 - (dtype[0] != "u")).astype(dtype).reshape(shape)


def library(name):
    module = pytest.importorskip(name)
    if not module.cuda.is_available():
        pytest.skip(f"{name} has no GPU")
    return module


@pytest.fixture
def torch():
    return library("torch")


@pytest.fixture
def cupy():
    return library("cupy")


@pytest.fixture
def numba():
    pytest.importorskip("numba")
    cuda = pytest.importorskip("numba.cuda")
    if not cuda.is_available():
        pytest.skip("Numba has no GPU")
    return cuda


def is_kept(make, read, host):
    """Memory stays with the one who has it last, whatever is allocated meanwhile."""
    made = make()
    gc.collect()
    others = [gpuarray.zeros(host.shape, host.dtype) for _ in range(8)]
    driver.Context.synchronize()
    np.testing.assert_array_equal(read(made), host)
    del others


def to_torch(torch, way):
    return {
        "interface": lambda array: torch.as_tensor(array, device="cuda"),
        "dlpack": torch.from_dlpack,
    }[way]


@hardware
@pytest.mark.parametrize("way", ["interface", "dlpack"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_to_torch(torch, way, dtype):
    host = values(dtype)
    share = to_torch(torch, way)
    array = to_gpu(host)
    for ours, theirs in [(array, host), (array[1:, ::2], host[1:, ::2]), (array.T, host.T)]:
        tensor = share(ours)
        assert tensor.is_cuda
        assert tensor.data_ptr() == ours.ptr
        assert tuple(tensor.shape) == ours.shape
        assert [step * tensor.element_size() for step in tensor.stride()] == list(ours.strides)
        np.testing.assert_array_equal(tensor.cpu().numpy(), theirs)
    tensor[...] = 1
    np.testing.assert_array_equal(array.get(), np.ones_like(host))
    is_kept(lambda: share(to_gpu(host)), lambda made: made.cpu().numpy(), host)


@hardware
@pytest.mark.parametrize("way", [gpuarray.asarray, gpuarray.from_dlpack])
@pytest.mark.parametrize("dtype", DTYPES)
def test_from_torch(torch, way, dtype):
    host = values(dtype)
    tensor = torch.from_numpy(host.copy()).cuda()
    for theirs, wanted in [(tensor, host), (tensor[1:, ::2], host[1:, ::2]), (tensor.T, host.T)]:
        ours = way(theirs)
        assert ours.ptr == theirs.data_ptr()
        assert ours.dtype == wanted.dtype
        assert list(ours.strides) == [s * theirs.element_size() for s in theirs.stride()]
        np.testing.assert_array_equal(ours.get(), wanted)
    ours.fill(1)
    assert bool((tensor == 1).all())
    is_kept(lambda: way(torch.from_numpy(host.copy()).cuda()), lambda made: made.get(), host)


@hardware
def test_work_on_torchs_streams_comes_first(torch):
    """DLPack gives the consumer's stream, and the producer orders its work before."""
    stream = torch.cuda.Stream()
    for _ in range(5):
        with torch.cuda.stream(stream):
            tensor = torch.zeros(1 << 24, device="cuda")
            for _ in range(20):
                tensor += 1
            ours = gpuarray.from_dlpack(tensor)
        assert float(ours.min()) == float(ours.max()) == 20
        ours += 1
        with torch.cuda.stream(stream):
            assert float(torch.from_dlpack(ours).sum()) == 21 * (1 << 24)


def test_tensors_of_the_host_are_refused():
    torch = pytest.importorskip("torch")
    with pytest.raises(BufferError, match="not CUDA's"):
        gpuarray.from_dlpack(torch.zeros(3))


@hardware
@pytest.mark.parametrize("dtype", DTYPES)
def test_to_cupy(cupy, dtype):
    host = values(dtype)
    array = to_gpu(host)
    for share in (cupy.asarray, cupy.from_dlpack):
        for ours, wanted in [(array, host), (array[1:, ::2], host[1:, ::2]), (array.T, host.T)]:
            theirs = share(ours)
            assert theirs.data.ptr == ours.ptr
            assert (theirs.shape, theirs.strides) == (ours.shape, ours.strides)
            np.testing.assert_array_equal(cupy.asnumpy(theirs), wanted)
        is_kept(lambda share=share: share(to_gpu(host)), cupy.asnumpy, host)
    cupy.asarray(array)[...] = 1
    np.testing.assert_array_equal(array.get(), np.ones_like(host))


@hardware
@pytest.mark.parametrize("dtype", DTYPES)
def test_from_cupy(cupy, dtype):
    host = values(dtype)
    theirs = cupy.asarray(host)
    for way in (gpuarray.asarray, gpuarray.from_dlpack):
        for each, wanted in [(theirs, host), (theirs[1:, ::2], host[1:, ::2]), (theirs.T, host.T)]:
            ours = way(each)
            assert ours.ptr == each.data.ptr
            assert (ours.shape, ours.strides, ours.dtype) == (each.shape, each.strides, each.dtype)
            np.testing.assert_array_equal(ours.get(), wanted)
        is_kept(lambda way=way: way(cupy.asarray(host)), lambda made: made.get(), host)
    gpuarray.asarray(theirs).fill(1)
    np.testing.assert_array_equal(cupy.asnumpy(theirs), np.ones_like(host))


@hardware
@pytest.mark.parametrize("dtype", ["int32", "float32", "float64", "complex64"])
def test_numba_both_ways(numba, dtype):
    host = values(dtype)
    array = to_gpu(host)
    for ours, wanted in [(array, host), (array[1:, ::2], host[1:, ::2])]:
        theirs = numba.as_cuda_array(ours)
        assert theirs.__cuda_array_interface__["data"][0] == ours.ptr
        assert theirs.strides == ours.strides
        np.testing.assert_array_equal(gpuarray.asarray(theirs).get(), wanted)
    theirs = numba.to_device(host)
    ours = gpuarray.asarray(theirs)
    assert ours.ptr == theirs.__cuda_array_interface__["data"][0]
    np.testing.assert_array_equal(ours.get(), host)
    ours.fill(1)
    np.testing.assert_array_equal(theirs.copy_to_host(), np.ones_like(host))
    is_kept(lambda: gpuarray.asarray(numba.to_device(host)), lambda made: made.get(), host)


JAX = """
import gc
import sys
try:
    import jax
    import jax.numpy as jnp
    jax.devices("gpu")
except (ImportError, RuntimeError) as why:
    sys.exit(f"skip: {why}")
import numpy as np
import lathe.cuda.autoprimaryctx
from lathe.cuda import gpuarray
from lathe.cuda.gpuarray import to_gpu

for dtype in ("uint8", "int32", "float16", "float32", "complex64"):
    host = (np.arange(12) % 5).astype(dtype).reshape(3, 4)
    array = to_gpu(host)
    theirs = jnp.from_dlpack(array)
    assert theirs.unsafe_buffer_pointer() == array.ptr, "to JAX by DLPack: a copy"
    assert theirs.dtype == dtype and theirs.shape == (3, 4)
    np.testing.assert_array_equal(np.asarray(theirs), host)
    np.testing.assert_array_equal(np.asarray(jnp.asarray(array) + 1), host + 1)
    del array
    gc.collect()
    others = [gpuarray.zeros((3, 4), dtype) for _ in range(8)]
    np.testing.assert_array_equal(np.asarray(theirs), host)

    theirs = jnp.asarray(host) * 2
    theirs.block_until_ready()
    for way in (gpuarray.from_dlpack, gpuarray.asarray):
        ours = way(theirs)
        assert ours.ptr == theirs.unsafe_buffer_pointer(), f"from JAX by {way.__name__}: a copy"
        assert ours.dtype == dtype
        np.testing.assert_array_equal(ours.get(), host * 2)
    del theirs
    gc.collect()
    np.testing.assert_array_equal(ours.get(), host * 2)
print("shared")
"""


@hardware
def test_jax_both_ways():
    """In a process of its own: JAX keeps what it has taken of the memory."""
    pytest.importorskip("jax")
    environment = script_environment(XLA_PYTHON_CLIENT_PREALLOCATE="false")
    ran = subprocess.run(
        [sys.executable, "-c", JAX], env=environment, capture_output=True, text=True, check=False
    )
    if "skip: " in ran.stderr:
        pytest.skip(ran.stderr.strip().splitlines()[-1])
    assert ran.stdout.strip().endswith("shared"), ran.stderr
    assert ran.returncode == 0, ran.stderr


def test_the_device_is_the_primary_contexts():
    """Where others have their memory, too."""
    assert lathe.cuda.autoprimaryctx.context == driver.Context.get_current()
