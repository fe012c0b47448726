# SPDX-License-Identifier: MIT
"""GPUArray beside NumPy: creation, attributes, copies, views, structures, kernels, bad input."""

import warnings

import numpy as np
import pytest
from array_cases import DTYPES, assert_same, layouts, numbers, random_shape

from lathe.cuda import (
    autoprimaryctx,  # noqa: F401
    driver,
    gpuarray,
)
from lathe.cuda.gpuarray import GPUArray, to_gpu, vec


@pytest.mark.parametrize("dtype", DTYPES)
def test_round_trips_in_every_layout(dtype):
    random = np.random.default_rng(1)
    for _ in range(10):
        host = numbers(random_shape(random), dtype)
        for theirs, ours in layouts(host):
            assert_same(ours, theirs, like_strides=False)
            back = ours.get()
            assert back.flags.c_contiguous == ours.flags.c_contiguous or not ours.flags.dense
            ours.set(theirs + theirs)
            np.testing.assert_array_equal(ours.get(), theirs + theirs)
            given = np.empty_like(theirs)
            assert ours.get(given) is given
            np.testing.assert_array_equal(given, theirs + theirs)


def test_attributes_are_numpys():
    for shape in [(), (5,), (3, 4), (2, 0, 3), (1, 7, 1)]:
        for order in "CF":
            host = np.empty(shape, np.float64, order)
            ours = GPUArray(shape, np.float64, order=order)
            assert ours.strides == host.strides or not host.size
            for name in ["shape", "size", "ndim", "nbytes", "itemsize", "dtype"]:
                assert getattr(ours, name) == getattr(host, name), name
            assert ours.flags.c_contiguous == host.flags.c_contiguous
            assert ours.flags.f_contiguous == host.flags.f_contiguous
            assert ours.flags.forc == host.flags.forc
            assert ours.mem_size == host.size
            assert (ours.ptr == 0) == (host.size == 0)


def test_asynchronous_copies():
    stream = driver.Stream()
    host = driver.pagelocked_empty((50, 20), np.float32)
    host[:] = numbers((50, 20))
    array = gpuarray.to_gpu_async(host, stream=stream)
    back = array.get_async(stream)
    stream.synchronize()
    np.testing.assert_array_equal(back, host)
    array.set_async(host * 2, stream)
    stream.synchronize()
    np.testing.assert_array_equal(array.get(), host * 2)


def test_allocator_is_asked_and_inherited():
    asked = []

    def allocator(bytes_):
        asked.append(bytes_)
        return driver.mem_alloc(bytes_)

    array = to_gpu(numbers(100), allocator)
    assert array.allocator is allocator
    assert isinstance(array.gpudata, driver.DeviceAllocation)
    total = array + array
    assert total.allocator is allocator
    assert asked == [400, 400]
    np.testing.assert_array_equal(total.get(), numbers(100) * 2)
    assert gpuarray.empty(3, np.int8).allocator is driver.mem_alloc


def test_memory_of_others():
    memory = driver.mem_alloc(80)
    array = GPUArray((4, 5), np.int32, gpudata=memory)
    assert array.gpudata is memory
    assert array.ptr == int(memory)
    array.set(numbers((4, 5), np.int32))
    part = GPUArray((2, 5), np.int32, base=array, gpudata=int(memory) + 40)
    assert part.base is array
    del array, memory
    np.testing.assert_array_equal(part.get(), numbers((4, 5), np.int32)[2:])


def test_memory_lives_as_long_as_what_points_into_it():
    array = to_gpu(numbers(1000))
    data, view = array.gpudata, array[10:]
    address = array.ptr
    del array
    for _ in range(20):
        gpuarray.zeros(1000, np.float32)
    assert int(data) == address
    np.testing.assert_array_equal(view.get(), numbers(1000)[10:])


def test_creation_functions():
    assert_same(gpuarray.zeros((3, 2), np.int16, order="F"), np.zeros((3, 2), np.int16, "F"))
    assert_same(gpuarray.ones(4), np.ones(4))
    assert_same(gpuarray.zeros(0, np.float32), np.zeros(0, np.float32))  # B15
    assert_same(gpuarray.full((2, 2), 7), np.full((2, 2), 7))
    for _, ours in layouts(numbers((3, 4))):
        for make, theirs in [("zeros_like", np.zeros), ("ones_like", np.ones)]:
            assert_same(getattr(gpuarray, make)(ours), theirs((3, 4), np.float32), False)
    moved = np.moveaxis(to_gpu(numbers((2, 3, 4))), 0, 1)
    assert gpuarray.empty_like(moved).strides == np.empty_like(moved.get()).strides
    for order in "CFAK":
        host = np.asfortranarray(numbers((3, 4)))
        assert gpuarray.empty_like(to_gpu(host), order=order).strides == (
            np.empty_like(host, order=order).strides
        )


@pytest.mark.parametrize("given", [(5,), (2, 5), (0, 10, 3), (5, 0, -2), (0, 1, 0.25), (5, 2)])
def test_arange(given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert_same(gpuarray.arange(*given), np.arange(*given))
    assert_same(gpuarray.arange(*given, dtype=np.float32), np.arange(*given, dtype=np.float32))


def test_arange_says_which_type_it_took():
    with pytest.warns(UserWarning, match="int64"):
        gpuarray.arange(3)


def test_concatenate_and_stack():
    parts = [numbers((2, 3), seed=k) for k in range(3)]
    ours = [to_gpu(each) for each in parts]
    for axis in [0, 1, -1, -2]:  # B20
        assert_same(gpuarray.concatenate(ours, axis), np.concatenate(parts, axis))
    for axis in [0, 1, 2, -1]:
        assert_same(gpuarray.stack(ours, axis), np.stack(parts, axis))
    mixed = [to_gpu(numbers(3, np.int8)), to_gpu(numbers(2, np.float32))]
    assert gpuarray.concatenate(mixed).dtype == np.float32
    with pytest.raises(ValueError, match=r"\(2, 3\).*\(3,\)"):
        gpuarray.concatenate([ours[0], mixed[0]])


# --- Views


def random_index(random, shape):
    """An index of integers, slices, None and an ellipsis."""
    count = random.integers(0, len(shape) + 1)
    behind = random.random() < 0.5  # an ellipsis stands in front
    entries = [Ellipsis] if behind else []
    for n in shape[len(shape) - count :] if behind else shape[:count]:
        if random.random() < 0.25 and n:
            entries.append(int(random.integers(-n, n)))
        else:
            ends = [None if random.random() < 0.3 else int(random.integers(-8, 9)) for _ in "ab"]
            entries.append(slice(*ends, int(random.choice([-3, -2, -1, 1, 2, 3]))))
        if random.random() < 0.2:
            entries.append(None)
    if not behind and random.random() < 0.5:
        entries.append(Ellipsis)
    return tuple(entries)


def test_views_are_numpys():
    random = np.random.default_rng(2)
    for _ in range(300):
        host = numbers(random_shape(random))
        index = random_index(random, host.shape)
        theirs, ours = host[index], to_gpu(host)[index]
        assert_same(ours, theirs)
        again = random_index(random, theirs.shape)
        assert_same(ours[again], theirs[again])
        if isinstance(theirs, np.ndarray) and theirs.size:
            ours[again] = 7
            theirs[again] = 7
            assert_same(ours, theirs)


def test_b12_slices_without_elements_and_ellipsis():
    array = to_gpu(numbers((3, 4)))
    assert array[5:2].shape == (0, 4)
    assert array[..., None].shape == (3, 4, 1)


def test_writes_through_views():
    host, array = numbers((4, 6)), to_gpu(numbers((4, 6)))
    array[1:3, ::2] = array[0, :3]
    host[1:3, ::2] = host[0, :3]
    array[:, 0] += 5
    host[:, 0] += 5
    array.T[2] = np.arange(4)
    host.T[2] = np.arange(4)
    assert_same(array, host)
    array[:, 1:] = array[:, :-1]  # overlap
    host[:, 1:] = host[:, :-1].copy()
    assert_same(array, host)
    assert array[1].base is array
    assert array[1][2:].base is array


def test_reshape_view_transpose():
    host = numbers((2, 3, 4))
    for theirs, ours in layouts(host):
        for shape in [(24,), (4, -1), (2, 12), (1, 2, 3, 4), (3, 2, 4)]:
            for order in "CF":
                assert_same(
                    ours.reshape(shape, order=order), theirs.reshape(shape, order=order), False
                )
        assert_same(ours.ravel(), theirs.ravel(), False)
        assert_same(ours.T, theirs.T)
        assert_same(ours.transpose(1, 2, 0), theirs.transpose(1, 2, 0))
        assert_same(ours.swapaxes(0, -1), theirs.swapaxes(0, -1))
    array = to_gpu(host)
    assert array.reshape(6, 4).base is array
    assert_same(array.view(np.int32), host.view(np.int32))
    assert_same(array.view(np.uint8), host.view(np.uint8))
    assert_same(array.view(np.complex64), host.view(np.complex64))
    assert_same(to_gpu(host[None, :, :1])[0].squeeze(), host[:, 0], False)
    with pytest.raises(ValueError, match="size 24 into shape"):
        array.reshape(5, 5)
    with pytest.raises(ValueError, match="contiguous"):
        array[..., ::2].view(np.uint8)
    with pytest.raises(ValueError, match="divisor"):
        array[..., :3].view(np.float64)


def test_parts_of_complex_numbers_are_views():
    host = numbers(10) + 1j * numbers(10, seed=1)
    array = to_gpu(host)
    assert_same(array.real, host.real, False)
    assert_same(array.imag, host.imag, False)
    array.imag[2:] = 3
    host.imag[2:] = 3
    assert_same(array, host)
    assert_same(array.conj(), host.conj())
    assert_same(to_gpu(numbers(3)).imag, np.zeros(3, np.float32))


# --- Structures, kernels, bad input


def test_b10_vectors_and_structures():
    host = np.zeros(6, vec.float4)
    host["x"], host["w"] = np.arange(6), 7
    array = to_gpu(host)
    assert array.dtype == vec.float4
    np.testing.assert_array_equal(array.get(), host)
    np.testing.assert_array_equal(array[::-2].get(), host[::-2])
    array[1:3] = to_gpu(host)[4:6]
    np.testing.assert_array_equal(array.get()[1:3], host[4:6])
    assert vec.make_float4(1, 2, 3, 4).tolist() == (1, 2, 3, 4)
    assert np.asarray(vec.make_int2(5)).tolist() == (5, 0)
    with pytest.raises(TypeError, match="structures"):
        array + 1
    for name in ["char1", "uchar4", "long3", "ulonglong2", "double4", "longlong3"]:
        assert len(getattr(vec, name).names) == int(name[-1])


def test_kernels_take_arrays():
    from lathe.cuda.compiler import SourceModule

    kernel = SourceModule(
        "__global__ void twice(float* a, const float* b) { a[threadIdx.x] = 2 * b[threadIdx.x]; }"
    ).get_function("twice")
    source, result = to_gpu(numbers(64)), gpuarray.zeros(64, np.float32)
    for stream in [None, driver.Stream()]:
        for a, b in [(result, source), (result.gpudata, source.gpudata)]:
            result.fill(0)
            driver.Context.synchronize()
            kernel(a, b, block=(64, 1, 1), stream=stream)
            driver.Context.synchronize()
            assert_same(result, 2 * numbers(64))


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.float64, np.complex64, np.complex128])
def test_texture_references_read_arrays(dtype):
    from lathe.cuda.compiler import SourceModule

    host = numbers(20, dtype)
    ctype = {"f": "float", "d": "double", "i": "int", "F": "pycuda::complex<float>"}.get(
        np.dtype(dtype).char, "pycuda::complex<double>"
    )
    texture = {"f": "float", "d": "fp_tex_double", "i": "int", "F": "fp_tex_cfloat"}.get(
        np.dtype(dtype).char, "fp_tex_cdouble"
    )
    fetch = "tex1Dfetch" if texture in ("float", "int") else "fp_tex1Dfetch"
    module = SourceModule(
        f"""#include <pycuda-helpers.hpp>
        texture<{texture}, 1, cudaReadModeElementType> source;
        extern "C" __global__ void fetch({ctype}* to) {{
            to[threadIdx.x] = {fetch}(source, threadIdx.x);
        }}""",
        no_extern_c=True,
    )
    reference = module.get_texref("source")
    assert (
        to_gpu(host).bind_to_texref_ext(reference, allow_double_hack=True, allow_complex_hack=True)
        == 0
    )
    array = to_gpu(host)
    array.bind_to_texref_ext(reference, allow_double_hack=True, allow_complex_hack=True)
    result = gpuarray.empty(20, dtype)
    module.get_function("fetch")(result, block=(20, 1, 1), texrefs=[reference])
    assert_same(result, host)


def test_bad_input_changes_nothing():
    array = to_gpu(numbers((3, 4)))
    kept = array.get()
    for wrong in [
        lambda: array + to_gpu(numbers((4, 3))),
        lambda: array.set(numbers((3, 5))),
        lambda: array.set(numbers((3, 4), np.float64)),
        lambda: array.get(np.empty((4, 3), np.float32)),
        lambda: array.__setitem__(slice(None), to_gpu(numbers(3))),
        lambda: GPUArray((2, -1), np.float32),
        lambda: GPUArray((3,), np.float32, order="X"),
        lambda: np.broadcast_to(array, (2, 3, 4)).fill(0),
    ]:
        with pytest.raises(ValueError):
            wrong()
    for wrong in [
        lambda: array & array,
        lambda: array.__setitem__(0, 1j),
        lambda: array.__setitem__(0, "text"),
        lambda: GPUArray(3, object),
        lambda: GPUArray(3, ">f4"),
        lambda: GPUArray("abc", np.float32),
        lambda: array + "text",
        lambda: array @ 2,
    ]:
        with pytest.raises(TypeError):
            wrong()
    for wrong in [
        lambda: array[3],
        lambda: array[0, 0, 0],
        lambda: array[[5]],
        lambda: array[..., ...],
    ]:
        with pytest.raises(IndexError):
            wrong()
    with pytest.raises(IndexError, match="boolean"):
        array[np.ones((2, 4), bool)]
    np.testing.assert_array_equal(array.get(), kept)


def test_out_of_memory_is_a_memory_error():
    with pytest.raises(driver.MemoryError):
        GPUArray(1 << 50, np.uint8)
    assert_same(gpuarray.ones(3), np.ones(3))
