# SPDX-License-Identifier: MIT
"""Views, operators, outputs and indices of arrays of all types, shapes and strides: NumPy's."""

import hypothesis.extra.numpy as hnp
import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from property_cases import (
    ARRAYS,
    assert_agree,
    assert_same,
    hosts,
    outcome,
    pairs,
    plain_index,
    small,
)

from lathe.cuda import (
    autoprimaryctx,  # noqa: F401
    gpuarray,
)
from lathe.native import native


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
