# SPDX-License-Identifier: MIT
"""Reductions, sorting, casts and rearranging of arrays of all types, shapes and strides: NumPy's.

Errors leave arrays as they were."""

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from property_cases import ARRAYS, KINDS, TYPES, assert_agree, assert_same, hosts, outcome, pairs

from lathe.cuda import (
    autoprimaryctx,  # noqa: F401
    gpuarray,
)


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
