# SPDX-License-Identifier: MIT
"""Arrays of any type, shape and strides for properties, and their comparison with NumPy: values,
shape, type and the type of the error. The examples are the same in each run."""

import warnings

import hypothesis.extra.numpy as hnp
import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from lathe.cuda import (
    autoprimaryctx,  # noqa: F401
    gpuarray,
)

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
