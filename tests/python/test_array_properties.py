# SPDX-License-Identifier: MIT
"""Properties of arrays that hold for all types, shapes and strides: each found example is compared
with NumPy, values, shape, type and the type of the error. The examples are the same in each run."""

import warnings

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from lathe.cuda import (
    autoprimaryctx,  # noqa: F401
    gpuarray,
)
from lathe.native import native

settings.register_profile(
    "arrays", derandomize=True, deadline=None, database=None, max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)  # fmt: skip
ARRAYS = settings.get_profile("arrays")

# Few types and functions, so that few kernels are compiled: test_array_ufuncs.py has all of them.
REAL = ["?", "b", "i8", "u4", "f2", "f4", "f8"]
TYPES = [*REAL, "F"]
SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)


def small(dtype):
    """Elements whose sums and products are exact in their type."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return st.booleans()
    if kind == "u":
        return st.integers(0, 12)
    if kind == "c":
        return st.builds(complex, st.integers(-9, 9), st.integers(-9, 9))
    return st.integers(-9, 9)


@st.composite
def hosts(draw, types=TYPES, shapes=SHAPES):
    """An array of the host and of strides that are not those of C order: the same on the device."""
    dtype = np.dtype(draw(st.sampled_from(types)))
    return draw(hnp.arrays(dtype, draw(shapes), elements=small(dtype)))


def plain_index(shape):
    return hnp.basic_indices(shape, min_dims=0, max_dims=6, allow_newaxis=True)


@st.composite
def pairs(draw, types=TYPES, shapes=SHAPES):
    """(on the host, on the device): views by the same steps of the same memory."""
    host = draw(hosts(types, shapes))
    device = gpuarray.to_gpu(host)
    for _ in range(draw(st.integers(0, 2))):
        step = draw(st.sampled_from(["index", "transpose", "broadcast"]))
        if step == "index":
            index = draw(plain_index(host.shape))
            host, device = host[index], device[index]
            host = np.asarray(host)
        elif step == "transpose":
            axes = draw(st.permutations(range(host.ndim)))
            host, device = host.transpose(axes), device.transpose(axes)
        elif host.ndim < 4:
            count = draw(st.integers(1, 3))
            host = np.broadcast_to(host, (count, *host.shape))
            device = device._broadcast_to((count, *device.shape))
    return host, device


def outcome(call):
    """The result, or the type of the error."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            warnings.filterwarnings("error", "Out of bound index", DeprecationWarning)
            return call(), None
    except DeprecationWarning as error:  # of an index that is read nowhere
        return None, IndexError(str(error))
    except Exception as error:
        return None, error


def assert_same(device, host, exact=True):
    if isinstance(host, tuple):
        assert len(device) == len(host)
        for ours, theirs in zip(device, host, strict=True):
            assert_same(ours, theirs, exact)
        return
    host = np.asarray(host)
    got = device.get()
    assert got.dtype == host.dtype
    assert got.shape == host.shape
    if exact:
        np.testing.assert_array_equal(got, host)
    else:
        tolerance = {"e": 2e-3, "f": 1e-6, "F": 1e-6}.get(host.dtype.char, 1e-13)
        np.testing.assert_allclose(got, host, rtol=tolerance, atol=tolerance)


KINDS = (TypeError, ValueError, IndexError, OverflowError, ZeroDivisionError)


def assert_agree(ours, theirs, exact=True):
    """Both give the same, or raise errors of one kind."""
    wanted, their_error = outcome(theirs)
    got, our_error = outcome(ours)
    if their_error is None:
        assert our_error is None, our_error
        assert_same(got, wanted, exact)
        return
    assert our_error is not None, f"NumPy raises {their_error!r}"
    kinds = [kind for kind in KINDS if isinstance(their_error, kind)]
    assert any(isinstance(our_error, kind) for kind in kinds), (our_error, their_error)


@settings(ARRAYS)
@given(pairs())
def test_views_are_numpys(pair):
    host, device = pair
    assert device.shape == host.shape
    assert device.size == host.size
    if host.size:
        for n, ours, theirs in zip(host.shape, device.strides, host.strides, strict=True):
            assert ours == theirs or n == 1
    assert_same(device, host)
    assert_same(device.copy(), host)


OPERATORS = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "less": lambda a, b: a < b,
    "equal": lambda a, b: a == b,
    "floor_divide": lambda a, b: a // b,
    "bitwise_xor": lambda a, b: a ^ b,
}


@settings(ARRAYS)
@given(st.data(), st.sampled_from(sorted(OPERATORS)), hnp.mutually_broadcastable_shapes(
    num_shapes=2, min_dims=0, max_dims=3, max_side=3))  # fmt: skip
def test_operators_broadcast_and_promote(data, name, shapes):
    types = ["?", "b", "i8", "f4", "F"]
    a, on_a = data.draw(pairs(types, st.just(shapes.input_shapes[0])))
    b, on_b = data.draw(pairs(types, st.just(shapes.input_shapes[1])))
    operation = OPERATORS[name]
    assert_agree(lambda: operation(on_a, on_b), lambda: operation(a, b))


SCALARS = st.one_of(
    st.booleans(), st.integers(-300, 300), st.sampled_from([0.5, 1e300, 2j]),
    st.sampled_from([np.float32(2), np.int8(3), np.uint64(7)]),
)  # fmt: skip


@settings(ARRAYS)
@given(pairs(["?", "b", "i8", "f4"]), st.sampled_from(["add", "multiply", "less"]), SCALARS,
       st.booleans())  # fmt: skip
def test_operators_with_numbers(pair, name, number, turned):
    host, device = pair
    host = host if host.ndim else host[()]
    operation = OPERATORS[name]
    if turned:
        assert_agree(lambda: operation(number, device), lambda: operation(number, host))
    else:
        assert_agree(lambda: operation(device, number), lambda: operation(host, number))


@st.composite
def overlapping(draw):
    """Two basic indices of the same array, of results that go together."""
    dtype = np.dtype(draw(st.sampled_from(["i8", "f4", "b"])))
    size = draw(st.integers(2, 9))
    kind = draw(st.sampled_from(["shifted", "reversed", "transposed", "row"]))
    if kind == "shifted":
        host = draw(hnp.arrays(dtype, size, elements=small(dtype)))
        by = draw(st.integers(1, size - 1))
        parts = (slice(by, None), slice(None, -by))
        return host, *draw(st.permutations([lambda x: x[parts[0]], lambda x: x[parts[1]]]))
    if kind == "reversed":
        host = draw(hnp.arrays(dtype, size, elements=small(dtype)))
        return host, lambda x: x, lambda x: x[::-1]
    host = draw(hnp.arrays(dtype, (size, size), elements=small(dtype)))
    return host, lambda x: x, (lambda x: x.T) if kind == "transposed" else (lambda x: x[1])


@settings(ARRAYS)
@given(overlapping(), st.sampled_from(["iadd", "out", "assign", "out of one"]))
def test_outputs_may_overlap_inputs(case, how):
    host, to, source = case
    device = gpuarray.to_gpu(host)
    mine, theirs = to(device), to(host)
    if how == "iadd":
        mine += source(device)
        theirs += source(host)
    elif how == "out":
        native.apply("multiply", source(device), mine, out=mine)
        np.multiply(source(host), theirs, out=theirs)
    elif how == "assign":
        mine[...] = source(device)
        theirs[...] = source(host)
    elif source(host).shape == theirs.shape:
        np.negative(source(device), out=mine)
        np.negative(source(host), out=theirs)
    assert_same(device, host)


@settings(ARRAYS)
@given(pairs(["f4", "i8"]), st.data())
def test_basic_indices(pair, data):
    host, device = pair
    index = data.draw(plain_index(host.shape))
    assert_agree(lambda: device[index], lambda: host[index])


@st.composite
def array_indices(draw, shape):
    """Integers in arrays, slices, masks, None and `...`; sometimes wrong ones."""
    parts, axis = [], 0
    together = draw(hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=3))
    while axis < len(shape):
        kind = draw(st.sampled_from(["integers", "slice", "integer", "mask", "new"]))
        n = shape[axis]
        if kind == "new":
            parts.append(None)
            if draw(st.booleans()):
                break
            continue
        if kind == "integers":
            wrong = 1 if draw(st.integers(0, 19)) == 0 else 0
            low, high = (-n, n - 1 + wrong) if n else (0, 0)
            parts.append(
                draw(hnp.arrays(np.int64, together, elements=st.integers(low, max(low, high))))
            )
        elif kind == "slice":
            parts.append(draw(st.slices(n)))
        elif kind == "integer" and n:
            parts.append(draw(st.integers(-n, n - 1)))
        elif kind == "mask":
            parts.append(draw(hnp.arrays(np.bool_, n)))
        axis += kind != "integer" or n > 0
        if kind == "integer" and not n:
            break
        if draw(st.integers(0, 3)) == 0:
            parts.append(Ellipsis)
            break
    return tuple(parts)


def on_device(index):
    return tuple(gpuarray.to_gpu(e) if isinstance(e, np.ndarray) else e for e in index)


INDEXED = hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4)


@settings(ARRAYS)
@given(pairs(["f4"], INDEXED), st.data(), st.booleans())
def test_array_indices(pair, data, moved):
    host, device = pair
    index = data.draw(array_indices(host.shape))
    ours = on_device(index) if moved else index
    assert_agree(lambda: device[ours], lambda: host[index])


@settings(ARRAYS)
@given(hosts(["f4"], INDEXED), st.data(), st.booleans())
def test_assignment_by_indices(host, data, spread):
    """Of places that are named once, so that the order of writing does not matter."""
    index = data.draw(array_indices(host.shape))
    numbered, error = outcome(lambda: np.arange(host.size).reshape(host.shape)[index])
    device = gpuarray.to_gpu(host)
    if error is not None:
        assert_agree(lambda: device.__setitem__(on_device(index), 1), lambda: host[index])
        assert_same(device, host)
        return
    assume(len(np.unique(numbered)) == np.size(numbered))
    shape = np.shape(numbered)
    value = np.arange(np.size(numbered), dtype=np.float32).reshape(shape)
    if spread and shape and shape[0]:
        value = value[:1]
    host[index] = value
    device[on_device(index)] = gpuarray.to_gpu(value)
    assert_same(device, host)


def axes_for(ndim):
    """Axis 0 of arrays without axes, which NumPy takes for history's sake, is an error here."""
    if not ndim:
        return st.sampled_from([None, (), 1])
    one = st.integers(-ndim, ndim - 1)
    several = st.lists(st.integers(0, ndim - 1), max_size=ndim, unique=True).map(tuple)
    return st.one_of(st.none(), one, several, st.just(ndim))


@settings(ARRAYS)
@given(pairs(["?", "b", "f4", "F"]), st.data(), st.booleans(),
       st.sampled_from(["sum", "prod", "max", "min", "all", "any", "mean"]))  # fmt: skip
def test_reductions(pair, data, keepdims, name):
    host, device = pair
    if host.size > 30 and name == "prod":
        name = "sum"
    axis = data.draw(axes_for(host.ndim))
    assert_agree(
        lambda: getattr(device, name)(axis=axis, keepdims=keepdims),
        lambda: getattr(host, name)(axis=axis, keepdims=keepdims),
        exact=name not in ("mean", "prod"),
    )


@settings(ARRAYS)
@given(pairs(["b", "f4"]), st.data(), st.sampled_from(["argmax", "argmin"]))
def test_where_the_extremes_are(pair, data, name):
    host, device = pair
    axis = data.draw(st.one_of(st.none(), st.integers(-host.ndim - 1, host.ndim)))
    assume(host.ndim or axis is None)
    assert_agree(lambda: getattr(device, name)(axis), lambda: getattr(host, name)(axis))


@settings(ARRAYS)
@given(pairs(["?", "b", "f4", "F"]), st.data(), st.sampled_from(["sort", "argsort", "cumsum"]))
def test_sorting_and_prefixes(pair, data, name):
    host, device = pair
    axis = data.draw(st.integers(-host.ndim - 1, host.ndim))
    assume(host.ndim)
    keywords = {"axis": axis} if name == "cumsum" else {"axis": axis, "kind": "stable"}
    assert_agree(
        lambda: getattr(np, name)(device, **keywords), lambda: getattr(np, name)(host, **keywords)
    )


@settings(ARRAYS)
@given(pairs(["b", "f4"]), st.sampled_from([
    lambda a: np.nonzero(a), lambda a: np.unique(a), lambda a: np.unique(a, return_counts=True),
    lambda a: np.unique(a, return_inverse=True), lambda a: np.searchsorted(np.sort(a.ravel()), a),
]))  # fmt: skip
def test_sets_and_searches(pair, call):
    host, device = pair
    assert_agree(lambda: call(device), lambda: call(host))


@settings(ARRAYS)
@given(pairs(TYPES), st.sampled_from(TYPES), st.booleans())
def test_casts(pair, wanted, is_assigned):
    host, device = pair
    assume(not (host.dtype.kind == "c" and np.dtype(wanted).kind != "c"))
    if np.dtype(wanted).kind == "u":
        host, device = np.abs(host), abs(device)
    if is_assigned:
        made = gpuarray.zeros(host.shape, wanted)
        made[...] = device
        assert_same(made, host.astype(wanted))
    else:
        assert_agree(lambda: device.astype(wanted), lambda: host.astype(wanted))


REARRANGED = {
    "flip": lambda a, n: np.flip(a, n),
    "roll": lambda a, n: np.roll(a, n, n - 1),
    "roll all": lambda a, n: np.roll(a, n),
    "tile": lambda a, n: np.tile(a, (2, n % 3)),
    "repeat": lambda a, n: np.repeat(a, 2, n),
    "diff": lambda a, n: np.diff(a, axis=n),
    "tril": lambda a, n: np.tril(a, n),
    "triu": lambda a, n: np.triu(a, n),
    "expand": lambda a, n: np.expand_dims(a, n),
    "squeeze": lambda a, n: np.squeeze(a, n),
    "swap": lambda a, n: np.swapaxes(a, n, 0),
    "move": lambda a, n: np.moveaxis(a, n, 0),
    "ravel": lambda a, n: a.ravel("FC"[n % 2]),
    "fold": lambda a, n: a.reshape(-1, n % 4),
    "concatenate": lambda a, n: np.concatenate([a, a], n),
    "stack": lambda a, n: np.stack([a, a], n),
}


@settings(ARRAYS)
@given(pairs(["f4"], hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)),
       st.sampled_from(sorted(REARRANGED)), st.integers(-3, 3))  # fmt: skip
def test_rearranging(pair, name, number):
    host, device = pair
    call = REARRANGED[name]
    assume(host.ndim or name not in ("repeat", "squeeze"))
    if name in ("tril", "triu"):
        assume(host.ndim > 1)  # NumPy makes a matrix of a vector there
    assert_agree(lambda: call(device, number), lambda: call(host, number))


@settings(ARRAYS)
@given(hosts(["i8", "f4"]), st.sampled_from([
    lambda a: a.__setitem__(Ellipsis, np.ones((2, 3, 5, 7, 2), a.dtype)),
    lambda a: a.__iadd__(0.5j),
    lambda a: a.__ior__(0.5),
    lambda a: a.__setitem__((slice(None),) * 6, 1),
    lambda a: a.__setitem__((None, 99), 1),
    lambda a: np.add(a, 1.5, out=a.astype(np.int32)),
    lambda a: a.reshape(7, -1, -1),
    lambda a: a.sum(axis=(0, 0)),
    lambda a: a + a.astype(np.float32).reshape(-1)[:0].reshape(0, 1, 1, 1)[..., None] + "text",
]))  # fmt: skip
def test_errors_leave_arrays_as_they_were(host, call):
    device = gpuarray.to_gpu(host)
    before = host.copy()
    theirs = outcome(lambda: call(host.copy()))[1]
    ours = outcome(lambda: call(device))[1]
    if theirs is None:
        return
    assert ours is not None, theirs
    kinds = [kind for kind in KINDS if isinstance(theirs, kind)]
    assert any(isinstance(ours, kind) for kind in kinds), (ours, theirs)
    assert_same(device, before)


def test_the_comparison_tells_differences_apart():
    """The tests above can fail."""
    one = np.zeros(3, np.float32)
    for other in (one + 1, one[:2], one.astype(np.float64)):
        with pytest.raises(AssertionError):
            assert_agree(lambda other=other: gpuarray.to_gpu(other), lambda: one)
    with pytest.raises(AssertionError):
        assert_agree(lambda: gpuarray.to_gpu(one), lambda: one[9])
    with pytest.raises(AssertionError):
        assert_agree(lambda: gpuarray.to_gpu(one)[9], lambda: one)
