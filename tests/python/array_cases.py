# SPDX-License-Identifier: MIT
"""Arrays for the tests of GPUArray: numbers, the same in other orders of memory, a comparison."""

import numpy as np

from lathe.cuda.gpuarray import to_gpu

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
