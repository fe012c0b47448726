# SPDX-License-Identifier: MIT
"""Arrays of more than 2^31 elements, whose places need 64 bits: on a GPU with 40 GiB, and on the
software device where LATHE_TEST_HUGE is set (16 GiB of memory, some minutes)."""

import os

import numpy as np
import pytest

import lathe
from lathe.array import sorting
from lathe.cuda import driver, gpuarray
from lathe.cuda.elementwise import ElementwiseKernel
from lathe.native import native

COUNT = 2**31 + 2**20 + 3
PLACES = np.array([0, 1, 2**31 - 2, 2**31 - 1, 2**31, 2**31 + 1, COUNT - 2, COUNT - 1])


@pytest.fixture(scope="module", autouse=True)
def enough_memory():
    import lathe.cuda.autoprimaryctx  # noqa: F401

    if native.gpu_status()["is_software"]:
        if not os.environ.get("LATHE_TEST_HUGE"):
            pytest.skip("LATHE_TEST_HUGE is not set")
    elif driver.mem_get_info()[0] < 40 * 2**30:
        pytest.skip("less than 40 GiB of free memory")


@pytest.fixture(scope="module")
def counted():
    """Element i is i modulo 251, a prime."""
    made = gpuarray.empty(COUNT, np.uint8)
    ElementwiseKernel("unsigned char *x", "x[i] = i % 251")(made)
    return made


def at_places(array):
    return np.array([int(array[int(k)].get()) for k in PLACES])


def test_kernels_count_in_64_bits(counted):
    assert at_places(counted).tolist() == (PLACES % 251).tolist()
    assert counted[PLACES].get().tolist() == (PLACES % 251).tolist()  # by an array of indices
    assert counted[COUNT - 700 :].get().tolist() == (np.arange(COUNT - 700, COUNT) % 251).tolist()


def test_elementwise(counted):
    made = counted + np.uint8(3)
    assert at_places(made).tolist() == (PLACES % 251 + 3).tolist()
    made[1::2] += np.uint8(1)  # every second one: not flat
    assert at_places(made).tolist() == (PLACES % 251 + 3 + PLACES % 2).tolist()
    with lathe.fuse:
        made = (counted ^ np.uint8(85)) & made[::-1]
    mirrored = COUNT - 1 - PLACES
    wanted = (PLACES % 251 ^ 85) & (mirrored % 251 + 3 + mirrored % 2)
    assert at_places(made).tolist() == wanted.tolist()


def test_other_orders_of_axes(counted):
    rows = 2**16
    table = counted[: rows * 32769].reshape(rows, 32769)
    turned = gpuarray.empty((32769, rows), np.uint8)
    turned[...] = table.T
    for row, column in ((0, 0), (5, 32768), (rows - 1, 32768), (rows - 1, 7)):
        assert int(turned[column, row].get()) == (row * 32769 + column) % 251


def test_reductions(counted):
    whole, rest = divmod(COUNT, 251)
    total = whole * (250 * 251 // 2) + rest * (rest - 1) // 2
    assert int(counted.sum(dtype=np.int64).get()) == total
    assert int(gpuarray.max(counted).get()) == 250
    flags = gpuarray.zeros(COUNT, np.uint8)
    flags[COUNT - 2] = 1
    assert int(flags.argmax().get()) == COUNT - 2
    assert flags.any() and not flags.all()
    assert sorting.nonzero(flags)[0].get().tolist() == [COUNT - 2]
    flags[flags > 0] = 9  # by a mask
    assert int(flags.sum(dtype=np.int64).get()) == 9


def test_scan_and_sort(counted):
    sums = sorting.cumsum(counted, dtype=np.uint8)
    whole, rest = divmod(PLACES + 1, 251)
    wanted = (whole * (250 * 251 // 2) + rest * (rest - 1) // 2) % 256
    assert at_places(sums).tolist() == wanted.tolist()
    del sums
    ordered = sorting.sort(counted)
    each, more = divmod(COUNT, 251)  # the first `more` numbers come once more
    starts = np.arange(252) * each + np.minimum(np.arange(252), more)
    for number in (0, 1, 125, 249, 250):
        assert int(ordered[int(starts[number])].get()) == number
        assert int(ordered[int(starts[number + 1]) - 1].get()) == number
