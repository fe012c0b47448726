# SPDX-License-Identifier: MIT
"""Indices of GPUArray that are arrays, beside NumPy."""

import numpy as np
from array_cases import assert_same, numbers

from lathe.cuda import (
    autoprimaryctx,  # noqa: F401
    gpuarray,
)
from lathe.cuda.gpuarray import to_gpu


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
