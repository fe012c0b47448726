# SPDX-License-Identifier: MIT
"""GPUArray beside NumPy: layouts, views, indices, operators, copies, bad input."""

import copy
import operator
import pickle
import warnings

import numpy as np
import pytest

from lathe.cuda import (
    autoprimaryctx,  # noqa: F401
    driver,
    gpuarray,
)
from lathe.cuda.gpuarray import GPUArray, to_gpu, vec

DTYPES = [np.dtype(c) for c in "?bBhHiIqQefdFD"]


def numbers(shape, dtype=np.float32, seed=0):
    random = np.random.default_rng(seed)
    made = random.integers(0 if np.dtype(dtype).kind in "u?" else -50, 50, shape)
    return np.asarray(made).astype(dtype)


def random_shape(random, most=4):
    return tuple(int(n) for n in random.integers(0, 6, random.integers(0, most + 1)))


def layouts(host):
    """The array in other orders of memory, each with its counterpart on the device."""
    yield host, to_gpu(host)
    fortran = np.asfortranarray(host)
    yield fortran, to_gpu(fortran)
    if host.ndim and host.size:
        twice = np.repeat(host, 2, axis=0)
        yield twice[::2], to_gpu(twice)[::2]
        yield twice[::-2], to_gpu(twice)[::-2]
        yield host.T.copy().T, to_gpu(host.T.copy()).T
    if host.ndim >= 2:
        moved = np.moveaxis(host, 0, -1).copy()
        yield np.moveaxis(moved, -1, 0), np.moveaxis(to_gpu(moved), -1, 0)


def assert_same(ours, theirs, like_strides=True):
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours.get(), theirs)
    if like_strides and theirs.size and all(n > 1 for n in theirs.shape):
        assert ours.strides == theirs.strides


# --- Creation, attributes, copies between host and device


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


# --- Indices that are arrays


def test_fancy_indices_are_numpys():
    random = np.random.default_rng(3)
    for _ in range(60):
        shape = tuple(int(n) for n in random.integers(1, 6, random.integers(1, 5)))
        host = numbers(shape)
        entries = []
        common = tuple(int(n) for n in random.integers(1, 4, random.integers(0, 3)))
        for n in shape:
            kind = random.integers(0, 3)
            if kind == 0:
                entries.append(slice(None, None, int(random.choice([-1, 1, 2]))))
            elif kind == 1:
                entries.append(int(random.integers(-n, n)))
            else:
                entries.append(random.integers(-n, n, common))
        index = tuple(entries)
        on_device = tuple(to_gpu(e) if isinstance(e, np.ndarray) else e for e in index)
        for each in (index, on_device):
            assert_same(to_gpu(host)[each], np.array(host[index]), False)
        if any(isinstance(e, np.ndarray) for e in index):
            ours, theirs = to_gpu(host), host.copy()
            ours[on_device] = 99
            theirs[index] = 99
            assert_same(ours, theirs)


def test_boolean_indices():
    host = numbers((5, 4, 3))
    array = to_gpu(host)
    for mask in [host > 0, host[:, :, 0] > 0, host[:, 0, 0] > 0, np.zeros((5, 4, 3), bool)]:
        assert_same(array[to_gpu(mask)], host[mask], False)
        assert_same(array[mask], host[mask], False)
    array[array > 10] = 10
    host[host > 10] = 10
    assert_same(array, host)
    array[host[:, 0, 0] > 0] = np.arange(3)
    host[host[:, 0, 0] > 0] = np.arange(3)
    assert_same(array, host)


def test_b8_take_and_put():
    host = numbers(50)
    array = to_gpu(host)
    where = np.array([3, 1, 49, 3], np.uint32)
    assert_same(gpuarray.take(array, to_gpu(where)), host[where])
    found = gpuarray.multi_take([array, array + 1], to_gpu(where))  # B26
    assert_same(found[0], host[where])
    assert_same(found[1], host[where] + 1)
    places = to_gpu(np.array([5, 0, 2, 1], np.int32))
    put = gpuarray.multi_put([to_gpu(where.astype(np.float32))], places, dest_shape=6)[0].get()
    np.testing.assert_array_equal(put[[5, 0, 2, 1]], where)
    moved = gpuarray.multi_take_put([array], places, to_gpu(where), dest_shape=6, src_offsets=[0])[
        0
    ].get()
    np.testing.assert_array_equal(moved[[5, 0, 2, 1]], host[where])


# --- Operators

OPERATORS = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
    operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge,
]  # fmt: skip
BITS = [operator.and_, operator.or_, operator.xor]


@pytest.mark.parametrize("function", OPERATORS + BITS)
def test_operators_broadcast_and_promote(function):
    random = np.random.default_rng(4)
    kinds = "?bBiIqQ" if function in BITS else "bBhiIqQefdFD"
    for _ in range(40):
        a_type, b_type = (np.dtype(str(random.choice(list(kinds)))) for _ in "ab")
        a, b = numbers((3, 1, 4), a_type, 5), numbers((2, 4), b_type, 6)
        b = np.where(b == 0, np.ones_like(b), b)
        pairs = [(a, b), (b, a), (a[..., ::-1], b.T[:, ::-1].T)]
        for x, y in pairs:
            try:
                with np.errstate(all="ignore"):
                    wanted = function(x, y)
            except TypeError:
                with pytest.raises(TypeError):
                    function(to_gpu(x), to_gpu(y))
                continue
            found = function(to_gpu(x), to_gpu(y))
            assert found.dtype == wanted.dtype, (a_type, b_type)
            tolerance = 1e-3 if wanted.dtype == np.float16 else 1e-6
            np.testing.assert_allclose(found.get(), wanted, rtol=tolerance)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "number", [2, 2.5, True, 1 + 2j, np.float32(1.5), np.int8(3), np.float64(0.1)]
)
def test_numbers_adapt_as_in_numpy_2(dtype, number):
    host = numbers(20, dtype)
    array = to_gpu(host)
    for function in [operator.add, operator.mul]:
        for ours, theirs in [
            (lambda f=function: f(array, number), lambda f=function: f(host, number)),
            (lambda f=function: f(number, array), lambda f=function: f(number, host)),
        ]:
            wanted = theirs()
            found = ours()
            assert found.dtype == wanted.dtype
            np.testing.assert_allclose(
                found.get(), wanted, rtol=2e-3 if wanted.itemsize == 2 else 1e-6
            )


def test_results_keep_the_order_of_axes():
    for shape in [(3, 4), (2, 3, 4)]:
        for theirs, ours in layouts(numbers(shape)):
            assert_same(ours + ours, theirs + theirs)
            assert_same(-ours, -theirs)
            assert_same(ours + ours.copy("C"), theirs + theirs.copy("C"))
            assert_same(ours.astype(np.float64), theirs.astype(np.float64))  # B13
            assert_same(ours.copy(), theirs.copy(order="K"))


def test_in_place():
    for dtype in [np.int32, np.float32, np.complex64]:
        host = numbers((4, 5), dtype)
        array = to_gpu(host)
        for name, value in [("iadd", 3), ("isub", 1), ("imul", 2)]:
            array = getattr(operator, name)(array, value)
            host = getattr(operator, name)(host, value)
        array += array.T[:4, :1]
        host += host.T[:4, :1].copy()
        assert_same(array, host)
    array = to_gpu(numbers(5, np.int32))
    with pytest.raises(TypeError, match=r"Cannot cast ufunc 'divide' output.*float64.*int32"):
        array /= 2
    with pytest.raises(ValueError, match=r"non-broadcastable output.*\(5,\).*\(2, 5\)"):
        array += to_gpu(numbers((2, 5), np.int32))


def test_b16_divisions_and_comparisons():
    array = to_gpu(np.array([1, 2, 3], np.int32))
    assert_same(array / 2, np.array([0.5, 1, 1.5]))
    assert_same(array / array, np.ones(3))
    assert (array == 2).dtype == np.bool_
    assert (array == None) is False  # noqa: E711
    assert_same(divmod(array, 2)[1], np.array([1, 0, 1], np.int32))
    assert_same(array**2, np.array([1, 4, 9], np.int32))
    assert_same(2**array, np.array([2, 4, 8], np.int32))


def test_integers_beyond_the_type():
    array = to_gpu(np.array([0, 200, 255], np.uint8))
    with pytest.raises(OverflowError, match="300 out of bounds for uint8"):
        array + 300
    with pytest.raises(OverflowError):
        array + -1
    for number in [300, -1, 10**30, -(10**30), 2**63]:
        assert_same(array < number, np.array([0, 200, 255], np.uint8) < number)
        assert_same(array == number, np.array([0, 200, 255], np.uint8) == number)
    signed, unsigned = np.array([-1, 2**62], np.int64), np.array([2**64 - 1, 2**62], np.uint64)
    assert_same(to_gpu(signed) == to_gpu(unsigned), signed == unsigned)
    assert_same(to_gpu(signed) < to_gpu(unsigned), signed < unsigned)


def test_mul_add_and_its_timer():
    a, b = numbers(100), numbers(100, seed=1)
    seen = []
    found = to_gpu(a).mul_add(2, to_gpu(b), 3, add_timer=lambda n, f: seen.append((n, f())))  # B17
    assert_same(found, 2 * a + 3 * b)
    assert seen[0][0] == 100
    assert seen[0][1] >= 0


def test_where_maximum_logical():
    a, b = numbers((4, 5)), numbers((4, 5), seed=1)
    x, y = to_gpu(a), to_gpu(b)
    assert_same(gpuarray.if_positive(x, y, x), np.where(a > 0, b, a))
    assert_same(gpuarray.where(x > y, x, 0), np.where(a > b, a, np.float32(0)))
    assert_same(gpuarray.maximum(x, y), np.maximum(a, b))
    assert_same(gpuarray.minimum(x, 3), np.minimum(a, 3))
    nan = to_gpu(np.array([np.nan, 1], np.float32))
    assert_same(gpuarray.maximum(nan, 0), np.array([0, 1], np.float32))
    assert_same(np.maximum(nan, 0), np.array([np.nan, 1], np.float32))
    out = gpuarray.empty((4, 5), np.bool_)
    assert gpuarray.logical_and(x > 0, y > 0, out=out) is out  # B18
    assert_same(out, (a > 0) & (b > 0))
    for function in [gpuarray.maximum, gpuarray.minimum]:  # B14
        with pytest.raises(ValueError, match=r"\(4, 5\) \(3,\)"):
            function(x, to_gpu(numbers(3)))
    with pytest.raises(ValueError):
        gpuarray.where(x > 0, to_gpu(numbers(3)), y)


# --- Python's and other libraries' ways


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
    with pytest.raises(TypeError, match="matrices"):
        np.dot(array, array.T)


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
