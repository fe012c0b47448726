# SPDX-License-Identifier: MIT
"""Arrays: contents, parts, protocols, errors; with a window's memory and without."""

from __future__ import annotations

import numpy as np
import pytest

import lathe


@pytest.fixture(params=["plain", "shared"])
def make(request):
    """asarray of an App, or of no App."""
    if request.param == "plain":
        return lathe.asarray
    app = request.getfixturevalue("app")
    return app.asarray


@pytest.mark.parametrize(
    "dtype",
    ["bool", "uint8", "int16", "int32", "uint64", "float16", "float32", "float64", "complex64"],
)
def test_what_is_set_is_got(make, dtype):
    host = np.arange(24).reshape(2, 3, 4) % 2 if dtype == "bool" else np.arange(24).reshape(2, 3, 4)
    host = host.astype(dtype)
    array = make(host)
    assert (array.shape, array.dtype, array.nbytes) == (host.shape, host.dtype, host.nbytes)
    assert (array.ndim, array.size, array.itemsize, len(array)) == (3, 24, host.itemsize, 2)
    np.testing.assert_array_equal(array.get(), host)


def test_new_arrays_are_zero(app):
    assert not app.zeros((7, 5)).get().any()
    assert not lathe.zeros(9, np.float64).get().any()


def test_get_into_an_array(make):
    array = make(np.arange(6, dtype=np.int32).reshape(2, 3))
    out = np.empty((2, 3), np.int32)
    assert array.get(out) is out
    assert out.tolist() == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(ValueError, match=r"int32 \(3, 2\), this one int32 \(2, 3\)"):
        array.get(np.empty((3, 2), np.int32))
    with pytest.raises(ValueError, match="int64"):
        array.get(np.empty((2, 3), np.int64))


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("value", [0, 3, 1])
def test_fill(make, dtype, value):
    array = make(np.arange(10).astype(dtype))
    array.fill(value)
    assert (array.get() == value).all()


def test_set_takes_what_fits_and_an_assignment_broadcasts(make):
    array = make(np.zeros((2, 3), np.float32))
    array.set([[1, 2, 3], [4, 5, 6]])
    assert array.get().tolist() == [[1, 2, 3], [4, 5, 6]]
    array[...] = [1, 2, 3]
    assert array.get().tolist() == [[1, 2, 3], [1, 2, 3]]
    with pytest.raises(ValueError, match="same size"):
        array.set(np.zeros((3, 3), np.float32))
    with pytest.raises(ValueError, match="same dtype"):
        array.set(np.zeros((2, 3)))


def test_parts_share_memory(make):
    host = np.arange(24, dtype=np.float32).reshape(4, 6)
    array = make(host)
    np.testing.assert_array_equal(array[1].get(), host[1])
    np.testing.assert_array_equal(array[1:3].get(), host[1:3])
    np.testing.assert_array_equal(array[-1, 2:5].get(), host[-1, 2:5])
    np.testing.assert_array_equal(array[2:].get(), host[2:])
    assert array[3, 5].get() == 23
    array[2] = -1
    host[2] = -1
    array[0:2, :] = 7
    host[0:2] = 7
    np.testing.assert_array_equal(array.get(), host)


def test_parts_with_gaps(make):
    host = np.arange(24, dtype=np.float32).reshape(4, 6)
    array = make(host)
    for index in (np.s_[:, 1], np.s_[::2], np.s_[:, 1:3], np.s_[None], np.s_[::-1, ::-2]):
        np.testing.assert_array_equal(array[index].get(), host[index])
    with pytest.raises(IndexError, match="out of bounds"):
        array[4]
    array[::2] = 0
    host[::2] = 0
    array[:, 1] = [9, 8, 7, 6]
    host[:, 1] = [9, 8, 7, 6]
    np.testing.assert_array_equal(array.get(), host)


def test_reshape_and_view(make):
    array = make(np.arange(12, dtype=np.float32))
    assert array.reshape(3, -1).shape == (3, 4)
    assert array.reshape((2, 6)).get()[1, 0] == 6
    np.testing.assert_array_equal(array.view("uint32").get(), array.get().view(np.uint32))
    assert array.view(np.uint8).shape == (48,)
    with pytest.raises(ValueError, match=r"\(5, 2\)"):
        array.reshape(5, 2)


def test_numpys_functions_stay_on_the_device(make):
    array = make(np.arange(4, dtype=np.int32))
    assert type(np.add(array, 1)) is lathe.Array
    assert np.add(array, 1).get().tolist() == [1, 2, 3, 4]
    with pytest.raises(TypeError, match=r"call its get\(\)"):
        np.asarray(array)


def test_cuda_array_interface(make):
    array = make(np.zeros((3, 5), np.float64))
    cai = array.__cuda_array_interface__
    assert cai["version"] == 3
    assert cai["shape"] == (3, 5)
    assert cai["typestr"] == "<f8"
    assert cai["strides"] == (40, 8)
    assert cai["data"] == (array.ptr, False)
    assert array[1].__cuda_array_interface__["data"][0] == array.ptr + 40


def test_a_kernel_takes_foreign_arrays(make):
    array = make(np.arange(4, dtype=np.float32))

    class Foreign:
        __cuda_array_interface__ = array.__cuda_array_interface__

    double = lathe.kernel("__global__ void twice(float* x) { x[threadIdx.x] *= 2; }")
    double[1, 4](Foreign())
    assert array.get().tolist() == [0, 2, 4, 6]


def test_what_is_made(app):
    assert lathe.arange(3).get().tolist() == [0, 1, 2]
    assert lathe.arange(3).dtype == np.int64
    assert lathe.arange(1, 2, 0.25).get().tolist() == [1, 1.25, 1.5, 1.75]
    assert lathe.empty((2, 3)).dtype == np.float32
    x = lathe.asarray([1, 2])
    assert lathe.asarray(x) is x
    assert lathe.asarray(x, np.float32).dtype == np.float32
    for source in (x, app.asarray([1, 2]), [1, 2]):
        own = app.asarray(source, np.float32)
        assert own.get().tolist() == [1, 2]
        own += 1
        app._studio.restore_arrays()
        assert own.get().tolist() == [1, 2]
    assert x.get().tolist() == [1, 2]


def test_empty_arrays(make):
    array = make(np.zeros((0, 3), np.float32))
    assert array.get().shape == (0, 3)
    array.fill(1)
    array.set(np.zeros((0, 3), np.float32))
    assert array.size == 0


def test_wrong_kinds(app):
    with pytest.raises(TypeError, match="cannot have dtype"):
        app.zeros(3, "datetime64[s]")
    with pytest.raises(TypeError, match="cannot have dtype"):
        app.zeros(3, ">f4")
    with pytest.raises(ValueError, match="negative"):
        app.zeros((2, -3))
    with pytest.raises(ValueError, match="too big"):
        app.zeros((2**40, 2**40))


def test_structures_are_shared_too(app):
    pair = np.dtype([("x", np.float32), ("y", np.float32), ("mass", np.float32)])
    bodies = app.zeros(4, pair)
    host = np.zeros(4, pair)
    host["mass"] = [1, 2, 3, 4]
    bodies.set(host)
    heavier = app.kernel(
        "struct Body { float x, y, mass; };"
        "__global__ void heavier(Body* b) { b[threadIdx.x].mass *= 2; }"
    )
    heavier[1, 4](bodies)
    assert bodies.get()["mass"].tolist() == [2, 4, 6, 8]
    with pytest.raises(ValueError, match="a picture"):
        app.image(bodies)


def test_out_of_memory_is_lathes_own_error():
    with pytest.raises(lathe.MemoryError, match="out of memory"):
        lathe.zeros(2**44, np.uint8)
