# SPDX-License-Identifier: MIT
"""`lathe.array_api` beside NumPy 2 and array-api-strict, which are implementations of the same
standard. The official tests are run by tools/array_api_tests."""

import inspect
import threading

import array_api_strict
import numpy as np
import pytest

import lathe.array_api as xp
from lathe.cuda import (
    autoprimaryctx,  # noqa: F401
    driver,
    gpuarray,
)

array_api_strict.set_array_api_strict_flags(api_version="2024.12")
NEW = {"broadcast_shapes", "isin"}  # of 2025.12


def on_host(value):
    if isinstance(value, tuple):
        return tuple(on_host(each) for each in value)
    return value.get() if isinstance(value, gpuarray.GPUArray) else np.asarray(value)


def assert_equal(got, wanted):
    got = on_host(got)
    if isinstance(got, tuple):
        assert len(got) == len(wanted)
        for ours, theirs in zip(got, wanted, strict=True):
            assert_equal(ours, theirs)
        return
    wanted = np.asarray(wanted)
    assert got.dtype == wanted.dtype
    assert got.shape == wanted.shape
    np.testing.assert_allclose(got, wanted, rtol=2e-6)


def test_every_name_of_the_standard_is_there():
    known = {name for name in array_api_strict.__all__ if not name.startswith("_")}
    others = {"linalg", "fft", "set_array_api_strict_flags", "get_array_api_strict_flags",
              "reset_array_api_strict_flags", "ArrayAPIStrictFlags", "Device"}  # fmt: skip
    missing = {name for name in (known | NEW) - others if not hasattr(xp, name)}
    assert not missing
    assert known - others <= set(dir(xp))


FUNCTIONS = sorted(
    name for name in set(xp.__all__) & set(array_api_strict.__all__)
    if inspect.isfunction(getattr(xp, name)) and inspect.isfunction(getattr(array_api_strict, name))
)  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_parameters_are_the_standards(name):
    ours = inspect.signature(getattr(xp, name)).parameters.values()
    theirs = inspect.signature(getattr(array_api_strict, name)).parameters.values()

    def by_position(parameters):
        return [each.kind for each in parameters if each.kind in (0, 1, 2)]

    def by_name(parameters):
        return {each.name for each in parameters if each.kind in (1, 3)}

    positions = by_position(theirs)  # what stands behind may be given by name or not
    assert by_position(ours)[: len(positions)] == positions
    assert by_name(theirs) <= by_name(ours) | {"device"}


M = np.arange(12, dtype=np.float32).reshape(3, 4) - 4
V = np.array([3, 1, 2, 1, 3], np.int64)
F = np.array([0.5, np.nan, -0.0, 0.0, np.nan], np.float64)
C = np.array([1 + 2j, 3 - 1j], np.complex64)

CALLS = {
    "arange": [((5,), {}), ((1, 2, 0.25), {}), ((5, 0, -2), {"dtype": "int8"}), ((3, 1), {})],
    "linspace": [((0, 1, 5), {}), ((0, 1, 5), {"endpoint": False}), ((2, 2, 1), {}),
                 ((0, 9, 4), {"dtype": "int32"}), ((0, 1j, 3), {}), ((1, 2, 0), {})],
    "eye": [((3,), {}), ((3, 4), {"k": 1}), ((4, 2), {"k": -3, "dtype": "int16"}),
            ((2, 2), {"k": 5})],
    "full": [(((2, 3), 7), {}), (((), 1.5), {}), ((2, True), {})],
    "meshgrid": [((V, M[0]), {}), ((V, M[0]), {"indexing": "ij"}), ((V,), {})],
    "tril": [((M,), {}), ((M,), {"k": 1}), ((M,), {"k": -5})],
    "triu": [((M,), {}), ((M,), {"k": 1}), ((M,), {"k": -5})],
    "clip": [((M, -1, 3), {}), ((M, None, 0), {}), ((V, V[::-1].copy(), 3), {})],
    "round": [((V,), {}), ((M / 8,), {}), ((C,), {})],
    "take": [((M, V[:2]), {"axis": 1}), ((V, np.array([-1, 0])), {})],
    "take_along_axis": [((M, np.argsort(-M, axis=0)), {"axis": 0}),
                        ((M, np.array([[0], [3], [-1]])), {})],
    "matmul": [((M, M.T), {}), ((M, M[0]), {}), ((M[:, 0], M), {}), ((V, V), {}),
               ((M, np.ones((2, 4, 2), np.float32)), {}), ((M[:, :0], M[:0]), {})],
    "matrix_transpose": [((M,), {})],
    "tensordot": [((M, M.T), {"axes": 1}), ((M, M), {}), ((M, M), {"axes": ((0,), (0,))}),
                  ((V, V), {"axes": 0})],
    "vecdot": [((C, C), {}), ((M, M), {"axis": 0})],
    "broadcast_arrays": [((M, M[0]), {})],
    "broadcast_shapes": [(((3, 1), (4,)), {}), ((), {})],
    "broadcast_to": [((V, (2, 5)), {})],
    "concat": [(([M, M],), {}), (([M, M],), {"axis": 1}), (([M, V],), {"axis": None})],
    "expand_dims": [((M,), {"axis": 1}), ((M,), {"axis": (0, -1)})],
    "flip": [((M,), {}), ((M,), {"axis": -1})],
    "moveaxis": [((M, 0, -1), {})],
    "permute_dims": [((M, (1, 0)), {})],
    "repeat": [((M, 2), {}), ((M, 2), {"axis": 0}), ((V, V), {}), ((V, 0), {})],
    "reshape": [((M, (4, -1)), {}), ((M, (2, 6)), {"copy": True})],
    "roll": [((M, 5), {}), ((M, (1, -1)), {"axis": (0, 1)}),
             ((M, 2), {"axis": (0, 0)}), ((M, 0), {})],
    "squeeze": [((M[:1],), {"axis": 0})],
    "stack": [(([M, M],), {"axis": -1})],
    "tile": [((M, (2, 1, 2)), {}), ((M, (2,)), {}), ((M, ()), {}), ((M, (0, 1)), {})],
    "unstack": [((M,), {}), ((M,), {"axis": -1})],
    "argmax": [((M,), {}), ((M,), {"axis": 0, "keepdims": True})],
    "count_nonzero": [((M,), {}), ((M,), {"axis": (0, 1)})],
    "nonzero": [((M,), {})],
    "searchsorted": [((np.sort(V), V), {}), ((np.sort(V), V), {"side": "right"}),
                     ((M[0], 0.5), {})],
    "where": [((M > 0, M, 0), {}), ((M > 0, V[:4], 1.5), {})],
    "isin": [((V, np.array([1, 2])), {}), ((M, np.array([], np.float32)), {}),
             ((V, 3), {"invert": True})],
    "unique_all": [((V,), {}), ((F,), {}), ((M[:0],), {})],
    "unique_counts": [((F,), {}), ((V,), {})],
    "unique_inverse": [((F.reshape(5, 1),), {}), ((V,), {})],
    "unique_values": [((F,), {})],
    "cumulative_sum": [((V,), {}), ((M,), {"axis": 1, "include_initial": True}),
                       ((V,), {"dtype": "float32"})],
    "cumulative_prod": [((V,), {"include_initial": True})],
    "std": [((M,), {"correction": 1.5}), ((M,), {"axis": 0})],
    "sum": [((M > 0,), {}), ((M,), {"dtype": "float64"}), ((np.ones(3, np.uint8),), {})],
    "prod": [((M[0],), {})],
    "diff": [((M,), {}), ((M,), {"n": 2, "axis": 0}), ((V,), {"prepend": V[:1], "append": V[:2]}),
             ((V,), {"n": 6}), ((M > 0,), {})],
    "astype": [((M, "int32"), {})],
    "can_cast": [(("int8", "int16"), {}), (("float64", "float32"), {})],
    "result_type": [((V, M), {}), ((M, 1.5), {})],
    "isdtype": [((np.dtype("int8"), "integral"), {}),
                ((np.dtype("int8"), ("bool", "real floating")), {})],
}  # fmt: skip


def moved(value):
    if isinstance(value, np.ndarray):
        return gpuarray.to_gpu(value)
    return [moved(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", sorted(CALLS))
def test_like_numpy(name):
    for given, keywords in CALLS[name]:
        wanted = getattr(np, name)(*given, **keywords)
        got = getattr(xp, name)(*map(moved, given), **{k: moved(v) for k, v in keywords.items()})
        if isinstance(wanted, (bool, np.dtype)) or name == "broadcast_shapes":
            assert got == wanted, (name, given)
        else:
            assert_equal(got, tuple(wanted) if isinstance(wanted, (tuple, list)) else wanted)


@pytest.mark.parametrize("descending", [False, True])
def test_sorting_is_stable_both_ways(descending):
    host = np.random.default_rng(3).integers(-3, 4, (5, 40)).astype(np.float32)
    ours = xp.asarray(host)
    theirs = array_api_strict.asarray(host)
    for axis in (0, 1):
        for name in ("sort", "argsort"):
            wanted = getattr(array_api_strict, name)(theirs, axis=axis, descending=descending)
            found = getattr(xp, name)(ours, axis=axis, descending=descending)
            assert_equal(found, np.from_dlpack(wanted))


NAN, INF = np.nan, np.inf
PARTS = [0.0, -0.0, 1.5, -1.5, INF, -INF, NAN]
SPECIAL = np.array([complex(x, y) for x in PARTS for y in PARTS])


@pytest.mark.parametrize(
    "name",
    ["exp", "expm1", "sinh", "cosh", "tanh", "asin", "acos", "asinh", "acosh", "atanh", "atan",
     "sin", "cos", "tan"],
)  # fmt: skip
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_functions_at_zero_and_infinity(name, dtype):
    """By C's Annex G, as NumPy. Signs that C leaves open are not compared: those of zeros and
    infinities beside NaN, and of results of NaN."""
    given = SPECIAL.astype(dtype)
    with np.errstate(all="ignore"):
        # NumPy's expm1 is that of the textbook, which gives NaN at infinity.
        wanted = getattr(np, name)(given)
        if name == "expm1":
            far = ~np.isfinite(given)
            wanted[far] = np.exp(given[far]) - 1
    got = getattr(xp, name)(xp.asarray(given)).get()
    open_ = np.isnan(wanted.real) | np.isnan(wanted.imag)
    open_ |= np.isinf(given.real) & ~np.isfinite(given.imag)
    open_ |= np.isinf(given.imag) & ~np.isfinite(given.real)
    for ours, theirs in ((got.real, wanted.real), (got.imag, wanted.imag)):
        ours, theirs = np.where(open_, abs(ours), ours), np.where(open_, abs(theirs), theirs)
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, err_msg=str(given))
        closed = ~open_ & (theirs == 0)
        np.testing.assert_array_equal(np.signbit(ours)[closed], np.signbit(theirs)[closed])


def test_namespace_of_an_array():
    x = gpuarray.zeros(3, np.float32)
    assert x.__array_namespace__() is xp
    assert x.__array_namespace__(api_version="2023.12") is xp
    with pytest.raises(ValueError, match="2019"):
        x.__array_namespace__(api_version="2019.01")
    assert xp.__array_api_version__ == "2025.12"


def test_information():
    info = xp.__array_namespace_info__()
    assert info.default_device() in info.devices()
    assert info.dtypes(kind="real floating") == {"float32": np.float32, "float64": np.float64}
    assert info.default_dtypes()["integral"] == np.int64
    assert info.capabilities()["max dimensions"] == 32
    assert gpuarray.zeros((1,) * 32, np.float32).ndim == 32
    with pytest.raises(ValueError):
        gpuarray.zeros((1,) * 33, np.float32)


def test_devices():
    x = xp.ones(3, device=driver.Device(0))
    assert x.device == driver.Device(0)
    assert x.to_device(x.device) is x
    with pytest.raises(ValueError, match="device"):
        xp.ones(3, device="cpu")
    with pytest.raises(ValueError, match="cpu"):
        x.to_device("cpu")


def test_asarray_shares_and_copies():
    x = xp.asarray([[1, 2], [3, 4]])
    assert x.dtype == xp.int64
    assert xp.asarray(x) is x
    copied = xp.asarray(x, copy=True)
    copied[0, 0] = 9
    assert int(x[0, 0]) == 1
    with pytest.raises(ValueError, match="copy"):
        xp.asarray(x, dtype=xp.float32, copy=False)
    with pytest.raises(ValueError, match="copy"):
        xp.asarray([1], copy=False)
    assert xp.asarray([x[0, 0], 2.5]).get().tolist() == [1.0, 2.5]
    with pytest.raises(OverflowError):
        xp.asarray(10**30)
    with pytest.raises(TypeError):
        xp.asarray(object())


def test_from_dlpack():
    x = xp.arange(3)
    shared = xp.from_dlpack(x)
    x[0] = 7
    assert int(shared[0]) == 7
    assert int(xp.from_dlpack(x, copy=True)[0]) == 7
    host = np.arange(3.0)
    with pytest.raises(BufferError):
        xp.from_dlpack(host)
    with pytest.raises(BufferError):
        xp.from_dlpack(host, device=x.device, copy=False)
    assert_equal(xp.from_dlpack(host, device=x.device), host)


def test_matrix_operators():
    a, b = moved(M), moved(np.asfortranarray(M.T))
    assert_equal(a @ b, M @ M.T)
    square = moved(np.eye(4, dtype=np.float32) * 2)
    a @= square
    assert_equal(a, M * 2)
    assert_equal(moved(M[None]).mT, M[None].mT)
    with pytest.raises(ValueError, match=r"\(3, 4\)"):
        a @ a
    with pytest.raises(TypeError):
        a @ 3.0
    with pytest.raises(ValueError):
        moved(V).mT  # noqa: B018


def test_an_array_of_one_integer_is_an_index():
    assert [10, 20, 30][xp.asarray(1)] == 20
    for wrong in (xp.asarray([1]), xp.asarray(1.0)):
        with pytest.raises(TypeError, match="index"):
            [10][wrong]


def test_masks_without_axes():
    host = np.arange(6).reshape(2, 3)
    for mask in (True, False):
        on_device = xp.asarray(mask)
        assert_equal(moved(host)[on_device], host[np.asarray(mask)])
        assert_equal(moved(host)[mask], host[mask])
        mine, theirs = moved(host), host.copy()
        mine[on_device] = 7
        theirs[np.asarray(mask)] = 7
        assert_equal(mine, theirs)


@pytest.mark.parametrize(
    "shapes", [((3, 2), (0, 0)), ((3, 2), (3, 0)), ((3, 2), (0,)), ((0, 1), (0, 0))]
)
def test_masks_without_elements_fit_any_axis(shapes):
    host, mask = np.ones(shapes[0]), np.zeros(shapes[1], np.bool_)
    assert_equal(moved(host)[moved(mask)], host[mask])
    moved(host)[moved(mask)] = 2
    for wrong in ((2, 2), (0, 3), (1, 0)):
        with pytest.raises(IndexError):
            moved(np.ones((3, 2)))[moved(np.zeros(wrong, np.bool_))]


def test_wrong_arguments():
    x = moved(M)
    for call in (
        lambda: xp.sin(M), lambda: xp.add(1, 2), lambda: xp.take(x, [0], axis=0),
    ):  # fmt: skip
        with pytest.raises(TypeError):
            call()
    for call in (
        lambda: xp.nonzero(xp.asarray(1)), lambda: xp.cumulative_sum(x),
        lambda: xp.reshape(x.T, (12,), copy=False), lambda: xp.take(x, moved(V)),
        lambda: xp.expand_dims(x, axis=(0, 0)), lambda: xp.tril(x[0]),
        lambda: xp.repeat(x, moved(V), axis=0), lambda: xp.flip(x, axis=2),
        lambda: xp.squeeze(x, 5), lambda: x.squeeze(2), lambda: x.swapaxes(0, 2),
        lambda: xp.tensordot(x, x, axes=1), lambda: xp.vecdot(x, x[:, :2]),
    ):  # fmt: skip
        with pytest.raises(ValueError):
            call()
    with pytest.raises(IndexError):
        xp.take(x, moved(np.array([4])), axis=1)


def test_a_thread_without_a_context_gets_the_primary_one():
    found = []

    def work():
        found.append(driver.Context.get_current() is None)
        found.append(float(xp.sum(xp.ones(4))))
        driver.Context.pop()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [True, 4.0]


@pytest.mark.parametrize("name", ["linalg", "fft"])
def test_extensions_are_there_only_with_their_module(name):
    from importlib.util import find_spec

    assert hasattr(xp, name) == (find_spec(f"lathe.{name}") is not None)
    with pytest.raises(AttributeError):
        xp.no_such_name  # noqa: B018


@pytest.mark.parametrize(
    "call",
    [
        lambda np_, a: np_.tile(a, (2, 1)),
        lambda np_, a: np_.repeat(a, [1, 0, 2], axis=0),
        lambda np_, a: np_.roll(a, (1, 2), (0, 1)),
        lambda np_, a: np_.diff(a, axis=0),
        lambda np_, a: np_.diff(a, prepend=0),
        lambda np_, a: np_.tril(a, -1),
        lambda np_, a: np_.triu(a, 1),
        lambda np_, a: np_.flip(a, 1),
        lambda np_, a: np_.take_along_axis(a, np_.argsort(-a, axis=1), 1),
        lambda np_, a: np_.unique(a, equal_nan=False),
        lambda np_, a: tuple(np_.broadcast_arrays(a, a[0])),
        lambda np_, a: tuple(np_.meshgrid(a[0], a[1])),
        lambda np_, a: np_.unstack(a, axis=1),
    ],
)
def test_numpys_functions_find_ours(call):
    assert_equal(call(np, moved(M)), call(np, M))
