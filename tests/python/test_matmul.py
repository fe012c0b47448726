# SPDX-License-Identifier: MIT
"""Products of arrays against NumPy's: types, shapes, batches, orders of memory, errors."""

import itertools

import numpy as np
import pytest
from array_cases import DTYPES, layouts, numbers
from linalg_cases import assert_near, backend, fake_libraries, random_values  # noqa: F401

from lathe import linalg
from lathe.cuda import driver
from lathe.cuda.gpuarray import to_gpu
from lathe.native import native

pytestmark = pytest.mark.usefixtures("backend")


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_types(dtype):
    a, b = numbers((3, 17), dtype), numbers((17, 5), dtype, 1)
    if dtype == np.float16:
        a, b = a / np.float16(8), b / np.float16(8)
        exact = a.astype("f") @ b.astype("f")
        assert_near(to_gpu(a) @ to_gpu(b), exact.astype("e"))
    else:
        assert_near(to_gpu(a) @ to_gpu(b), a @ b)


@pytest.mark.parametrize(
    "left, right", [("i", "f"), ("f", "d"), ("b", "B"), ("e", "f"), ("f", "D")]
)
def test_mixed_types(left, right):
    a, b = numbers((4, 3), left), numbers((3, 2), right, 1)
    assert_near(to_gpu(a) @ to_gpu(b), a @ b)


def test_integers_wrap():
    a = np.full((20, 40), 100, np.int8)
    assert_near(to_gpu(a) @ to_gpu(a.T.copy()), a @ a.T)
    large = numbers((18, 19), np.int64) * np.int64(2**40)
    np.testing.assert_array_equal((to_gpu(large) @ to_gpu(large.T)).get(), large @ large.T)


SHAPES = [
    ((3,), (3,)), ((3,), (3, 2)), ((4, 3), (3,)), ((4, 3), (3, 2)), ((1, 3), (3, 1)),
    ((5, 4, 3), (3, 2)), ((4, 3), (5, 3, 2)), ((5, 4, 3), (5, 3, 2)), ((5, 1, 4, 3), (6, 3, 2)),
    ((2, 5, 4, 3), (5, 3, 2)), ((5, 4, 3), (3,)), ((3,), (5, 3, 2)), ((5, 1, 3), (3, 2)),
    ((2, 1, 4, 3), (1, 3, 3, 2)), ((0, 3), (3, 2)), ((4, 0), (0, 2)), ((4, 3), (3, 0)),
    ((0, 4, 3), (3, 2)), ((0,), (0,)), ((2, 3, 4, 5, 3), (3, 1, 3, 2)), ((1, 1), (1, 1)),
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["f", "D", "i"])
@pytest.mark.parametrize("left, right", SHAPES, ids=str)
def test_shapes(left, right, dtype):
    a, b = numbers(left, dtype), numbers(right, dtype, 1)
    assert_near(to_gpu(a) @ to_gpu(b), a @ b)


@pytest.mark.parametrize("dtype", ["d", "F", "h"])
@pytest.mark.parametrize("left, right", [((4, 3), (3, 5)), ((2, 4, 3), (2, 3, 5))], ids=str)
def test_orders_of_memory(left, right, dtype):
    a, b = numbers(left, dtype), numbers(right, dtype, 1)
    for (x, ours_x), (y, ours_y) in itertools.product(layouts(a), layouts(b)):
        assert_near(ours_x @ ours_y, x @ y)


def test_views():
    a, b = numbers((8, 9), "f"), numbers((9, 8), "f", 1)
    ours_a, ours_b = to_gpu(a), to_gpu(b)
    views = [
        (np.s_[2:5, 1:8], np.s_[2:, ::2]), (np.s_[::2, ::3], np.s_[::3, ::-1]),
        (np.s_[::-1, ::-1], np.s_[:, 3]), (np.s_[4, :], np.s_[:, 2:3]),
        (np.s_[3, ::2], np.s_[4:, 1]),
        (np.s_[3, ::-1], np.s_[:, :0]), (np.s_[:, None, 2:5], np.s_[None, 6:, 1:5]),
    ]  # fmt: skip
    for first, second in views:
        assert_near(ours_a[first] @ ours_b[second], a[first] @ b[second])
    broadcast = np.broadcast_to(a[0], (4, 9))
    assert_near(ours_a[0]._broadcast_to((4, 9)) @ ours_b, broadcast @ b)
    assert_near(ours_a.T @ ours_a, a.T @ a)
    assert_near(ours_a @ ours_a.T, a @ a.T)


def test_a_long_sum_keeps_the_type_s_accuracy():
    a, b = random_values((3, 3000), "f"), random_values((3000, 4), "f", 1)
    exact = a.astype("d") @ b.astype("d")
    assert np.abs((to_gpu(a) @ to_gpu(b)).get() - exact).max() < 1e-3
    half_a, half_b = a.astype("e"), b.astype("e")
    exact = half_a.astype("d") @ half_b.astype("d")  # sums in float16 would be off by 1 and more
    np.testing.assert_allclose((to_gpu(half_a) @ to_gpu(half_b)).get(), exact, atol=0.1, rtol=1e-3)


def test_out():
    a, b = numbers((4, 3), "f"), numbers((3, 4), "f", 1)
    ours_a, ours_b = to_gpu(a), to_gpu(b)
    for target in (np.zeros((4, 4), "f"), np.zeros((4, 4), "d"), np.zeros((4, 4), "f", order="F")):
        out = to_gpu(target)
        assert np.matmul(ours_a, ours_b, out=out) is out
        np.testing.assert_allclose(out.get(), a @ b)
    strided = to_gpu(np.zeros((8, 8), "f"))
    linalg.matmul(ours_a, ours_b, strided[::2, 1::2])
    expected = np.zeros((8, 8), "f")
    expected[::2, 1::2] = a @ b
    np.testing.assert_array_equal(strided.get(), expected)
    with pytest.raises(ValueError, match=r"\(4, 3\).*\(3, 4\)"):
        linalg.matmul(ours_a, ours_b, to_gpu(np.zeros((4, 3), "f")))
    with pytest.raises(TypeError, match="int32"):
        linalg.matmul(ours_a, ours_b, to_gpu(np.zeros((4, 4), "i")))


def test_in_place():
    a, b = numbers((4, 4), "f"), numbers((4, 4), "f", 1)
    ours = same = to_gpu(a)
    ours @= to_gpu(b)
    assert ours is same
    np.testing.assert_array_equal(ours.get(), a @ b)
    ours @= ours
    np.testing.assert_array_equal(ours.get(), (a @ b) @ (a @ b))
    with pytest.raises(ValueError):
        ours @= to_gpu(numbers((4, 3), "f"))


def test_functions_of_numpy():
    a, b = numbers((2, 3, 4), "f"), numbers((4, 3), "f", 1)
    ours_a, ours_b = to_gpu(a), to_gpu(b)
    assert_near(np.matmul(ours_a, ours_b), np.matmul(a, b))
    assert_near(np.matmul(ours_a, ours_b, dtype="d"), np.matmul(a, b, dtype="d"))
    assert_near(np.dot(ours_a, ours_b), np.dot(a, b))
    assert_near(ours_b.dot(ours_b.T), b.dot(b.T))
    assert_near(np.dot(ours_a, ours_b[:, 0]), np.dot(a, b[:, 0]))
    assert_near(np.inner(ours_a, ours_b.T), np.inner(a, b.T))
    assert_near(np.vecdot(ours_a, ours_a), np.vecdot(a, a))
    assert_near(np.matvec(ours_b, ours_b[0]), np.matvec(b, b[0]))
    assert_near(np.vecmat(ours_b[:, 0], ours_b), np.vecmat(b[:, 0], b))


def test_mistakes():
    a = to_gpu(numbers((2, 3), "f"))
    with pytest.raises(ValueError, match=r"\(2, 3\).*\(2, 3\)"):
        a @ a
    with pytest.raises(ValueError, match=r"\(2, 2, 3\).*\(3, 3, 2\)"):
        to_gpu(numbers((2, 2, 3))) @ to_gpu(numbers((3, 3, 2)))
    with pytest.raises(ValueError):
        a @ to_gpu(np.float32(2))
    with pytest.raises(TypeError):
        a @ 2.0
    with pytest.raises(TypeError, match="to_gpu"):
        a @ numbers((3, 2), "f")
    with pytest.raises(TypeError, match="to_gpu"):
        numbers((2, 2), "f") @ a


def test_order_on_streams():
    """What a product reads was written before it, and what follows reads the product."""
    stream = driver.Stream()
    a = to_gpu(numbers((64, 64), "f"))
    for _ in range(20):
        a = abs(a) * 0 + 2
    made = linalg.matmul(a, a, stream=None) + 1
    assert (made.get() == 64 * 4 + 1).all()
    b = native.copy_array(a, "C", stream)
    b.fill(3, stream=stream)
    product = linalg.matmul(b, b, stream=stream)
    stream.synchronize()
    assert (product.get() == 64 * 9).all()


def test_tf32_is_asked_for():
    assert not native.is_tf32_allowed()
    a = numbers((4, 4), "f")
    with linalg.allow_tf32():
        assert native.is_tf32_allowed()
        with linalg.allow_tf32(False):
            assert not native.is_tf32_allowed()
        assert_near(to_gpu(a) @ to_gpu(a), a @ a, size=100)  # small integers are exact in TF32
    assert not native.is_tf32_allowed()
