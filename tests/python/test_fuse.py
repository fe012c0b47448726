# SPDX-License-Identifier: MIT
"""lathe.fuse beside eager evaluation, bit for bit, and beside NumPy."""

import contextlib
import operator

import numpy as np
import pytest
from array_cases import DTYPES, assert_same, layouts, numbers
from fuse_cases import assert_identical, both

import lathe
from lathe.cuda import (
    autoprimaryctx,  # noqa: F401
    cumath,
    gpuarray,
)
from lathe.cuda.gpuarray import to_gpu

# --- Values


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_type_beside_numpy(dtype):
    a, b = numbers((5, 7), dtype), numbers((5, 7), dtype, 1)

    def function(x, y):
        return x * y + x, abs(x) < y, x * 2.5, (x + y) // 3 if dtype.kind != "c" else x

    with np.errstate(all="ignore"):
        wanted = function(a, b)
    for ours, theirs in zip(both(function, to_gpu(a), to_gpu(b)), wanted, strict=True):
        assert_same(ours, theirs)


def test_roundings_are_those_of_single_operations():
    a, b = (np.random.default_rng(k).random(10007, np.float32) for k in (1, 2))
    found = both(lambda x, y: 2.1 * x + 3.3 * y, to_gpu(a), to_gpu(b))
    np.testing.assert_array_equal(found.get(), 2.1 * a + 3.3 * b)
    z, w = a + 1j * b, b - 1j * a
    found = both(lambda x, y: x * y - y / x, to_gpu(z), to_gpu(w))
    np.testing.assert_allclose(found.get(), z * w - w / z, rtol=1e-5)


def test_float16_is_rounded_after_each_operation():
    a = np.linspace(0.1, 60, 999, dtype=np.float16)
    found = both(lambda x: x * x * x - x, to_gpu(a))
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(found.get(), a * a * a - a)


def test_layouts_and_broadcasting():
    host = numbers((4, 5, 3), np.float32)
    row, column = numbers(3, np.int16, 1), numbers((5, 1), np.float64, 2)
    for theirs, ours in layouts(host):
        found = both(lambda x, y, z: (x + y, x * 2, y - z), ours, to_gpu(row), to_gpu(column))
        wanted = theirs + row, theirs * 2, row - column
        for pair in zip(found, wanted, strict=True):
            assert_same(*pair, like_strides=False)


def test_functions_of_numpy_and_cumath():
    a, b = numbers((3, 4), np.float64), numbers((3, 4), np.float64, 1)

    def function(x, y):
        whole, rest = divmod(x, 7)
        chosen = np.where(x > y, np.sqrt(abs(x)), y)
        return whole, rest, chosen, np.clip(x, -3, 3), np.isfinite(x / y), np.modf(x / 4)

    with np.errstate(all="ignore"):
        wanted = function(a, b)
    found = both(function, to_gpu(a), to_gpu(b))
    for ours, theirs in zip(found[:-1], wanted[:-1], strict=True):
        assert_same(ours, theirs)
    for ours, theirs in zip(found[-1], wanted[-1], strict=True):
        assert_same(ours, theirs)


def test_casts_and_copies():
    host = np.linspace(-300, 300, 60).reshape(6, 10)
    for theirs, ours in layouts(host):
        found = both(lambda x: ((x / 2).astype(np.int16), (x * 2).astype(np.float32).copy()), ours)
        assert_same(found[0], (theirs / 2).astype(np.int16), like_strides=False)


_PARTS = [
    (2, operator.add), (2, operator.sub), (2, operator.mul), (2, operator.truediv),
    (2, operator.floordiv), (2, operator.mod), (2, operator.lt), (2, operator.eq),
    (2, operator.ge), (1, operator.neg), (1, abs), (1, np.sqrt), (1, np.sign), (2, np.maximum),
    (3, np.where), (1, np.logical_not),
]  # fmt: skip
_TYPES = "?bhiqBIefdF"


def _random_function(random):
    """Steps (function, places of its operands), and which values are wanted."""
    steps, values = [], 3
    for _ in range(int(random.integers(2, 9))):
        count, part = _PARTS[int(random.integers(len(_PARTS)))]
        places = [int(random.integers(values)) for _ in range(count)]
        steps.append((part, places, [float(random.integers(-3, 4)), 2][int(random.integers(2))]))
        values += 1
    wanted = {int(random.integers(3, values)) for _ in range(2)} | {values - 1}

    def function(*operands):
        made = list(operands)
        for part, places, number in steps:
            given = [made[k] for k in places]
            if len(given) == 2 and places[1] == 2:
                given[1] = number  # instead of the third operand
            try:
                made.append(part(*given))
            except (TypeError, OverflowError) as error:
                made.append(operands[0])
                errors.append((len(made), str(error)))
        return tuple(made[k] for k in sorted(wanted))

    errors = []
    function.errors = errors
    return function


@pytest.mark.parametrize("part", range(8))
def test_random_expressions(part):
    shapes = [(3, 4), (4,), (3, 1), (1,), (1, 1), (2, 3, 4)]
    compared = []
    for seed in range(25 * part, 25 * part + 25):
        random = np.random.default_rng(seed)
        hosts = [
            numbers(shapes[int(random.integers(6))], random.choice(list(_TYPES)), seed + k)
            for k in range(3)
        ]
        ours = [list(layouts(host))[int(random.integers(2))][1] for host in hosts]
        function = _random_function(random)
        eager = function(*ours)
        errors = list(function.errors)
        function.errors.clear()
        fused = lathe.fuse(function)(*ours)
        assert function.errors == errors, seed
        for k, pair in enumerate(zip(fused, eager, strict=True)):
            try:
                assert_identical(*pair)
            except AssertionError as error:
                raise AssertionError(f"seed {seed}, result {k}") from error
        function.errors.clear()
        with np.errstate(all="ignore"), contextlib.suppress(ValueError):
            theirs = function(*hosts)
            if [k for k, _ in function.errors] == [k for k, _ in errors]:
                compare_with_numpy(fused, theirs, seed)
                compared.append(seed)
    assert len(compared) > 15


def compare_with_numpy(ours, theirs, seed):
    for found, wanted in zip(ours, theirs, strict=True):
        wanted = np.asarray(wanted)
        assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype), seed
        tolerance = {"e": 1e-2, "f": 1e-5, "F": 1e-4}.get(wanted.dtype.char, 1e-12)
        np.testing.assert_allclose(found.get(), wanted, rtol=tolerance, err_msg=str(seed))


# --- In place


def test_in_place_statements_come_in_order():
    host, other = numbers(1000), numbers(1000, seed=1)
    a, b = to_gpu(host), to_gpu(other)
    view = a[:]
    with lathe.fuse:
        before = a * 2
        a += b
        after = a * 2
        a *= after
        b -= 1
    np.testing.assert_array_equal(before.get(), host * 2)
    np.testing.assert_array_equal(after.get(), (host + other) * 2)
    np.testing.assert_array_equal(view.get(), (host + other) * ((host + other) * 2))
    np.testing.assert_array_equal(b.get(), other - 1)
    assert view.ptr == a.ptr


@pytest.mark.parametrize(
    "change",
    [
        lambda a: operator.iadd(a[1:], a[:-1]),
        lambda a: operator.iadd(a, a[::-1]),
        lambda a: operator.imul(a[::2], a[1::2]),
        lambda a: operator.isub(a[:-1], a[1:] * 2),
        lambda a: (operator.iadd(a[2:], 1), operator.iadd(a[:-2], a[2:]), operator.imul(a, 3)),
        lambda a: (a + 1, operator.iadd(a[3:], a[:-3]), a * 2),
        lambda a: operator.iadd(a.reshape(2, 50), a[:50]),
    ],
)
def test_overlapping_operands(change):
    host = numbers(100, np.int64)
    eager, fused = to_gpu(host), to_gpu(host)
    with lathe.fuse:
        change(fused)
    change(eager)
    assert_identical(fused, eager)
    change(host)
    np.testing.assert_array_equal(fused.get(), host)


def test_in_place_into_values_without_memory():
    a = to_gpu(numbers(10))
    with lathe.fuse:
        c = a + 1
        same = c
        c += a
        c *= c
    assert same is c
    np.testing.assert_array_equal(c.get(), (2 * a.get() + 1) ** 2)


def test_a_row_that_changes_beneath_a_table():
    table, row = numbers((3, 4)), numbers(4, seed=1)
    t, r = to_gpu(table), to_gpu(row)
    with lathe.fuse:
        first = t + r
        r += 1
        second = t + r
    np.testing.assert_array_equal(first.get(), table + row)
    np.testing.assert_array_equal(second.get(), table + row + 1)


def test_out_arguments():
    a, out = to_gpu(numbers(9)), gpuarray.zeros(9, np.float64)
    with lathe.fuse:
        c = a * 3
        assert cumath.fabs(c, out=out) is out
        d = out + c
    np.testing.assert_array_equal(out.get(), abs(a.get() * 3))
    np.testing.assert_array_equal(d.get(), abs(a.get() * 3) + a.get() * 3)


# --- Reductions


_REDUCTIONS = [
    *(("sum", dtype) for dtype in "fdebq?F"), *(("prod", dtype) for dtype in "fqF"),
    ("min", "f"), ("min", "b"), ("max", "d"), ("max", "e"), ("mean", "f"), ("mean", "b"),
    ("any", "F"), ("all", "?"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "dtype"), _REDUCTIONS)
def test_reductions_of_expressions(name, dtype):
    host = numbers((37, 41), dtype)
    a = to_gpu(host)
    for axis in (None, 0, 1):
        both(lambda x, axis=axis: (getattr(x * x + x, name)(axis=axis), x + x), a)
    both(lambda x: getattr(x * x + x, name)(axis=(0, -1), keepdims=True), a[::-1, ::2])
    both(lambda x: getattr(x * x + x, name)(axis=1), a.T)
    np.testing.assert_allclose(
        both(lambda x: (x + x).sum(), a).get(), (host + host).sum(), rtol=2e-3
    )


def test_long_reductions_over_broadcast_operands():
    table, row = np.random.default_rng(0).random((400, 700)), np.arange(700, dtype=np.float32)

    def function(x, y):
        z = x * y
        return z.sum(), z.sum(axis=0), z.mean(axis=1), (z > 3).any(axis=0), z.astype(np.int8).sum()

    found = both(function, to_gpu(table), to_gpu(row))
    both(function, to_gpu(table)[:, ::-1], to_gpu(row))
    both(function, to_gpu(table.astype(np.float32)), to_gpu(row))
    np.testing.assert_allclose(found[0].get(), (table * row).sum(), rtol=1e-13)
    np.testing.assert_allclose(found[1].get(), (table * row).sum(axis=0), rtol=1e-13)


def test_a_reduction_writes_what_else_there_is():
    table, row = numbers((300, 400), np.float64), numbers(400, np.float32, 1)

    def function(x, y):
        z = x * y
        w = z + 1
        return z, w < x, w.sum(axis=0), (w * w).mean(axis=1), z.T + 1, (x - w).max()

    def in_place(x, y):
        x += y
        total = (x * 2).sum()
        x *= 3
        return x * x, total, (x + 1).min(axis=0)

    for change in (lambda x: x, lambda x: x[::-1], lambda x: x[:, 1:], np.transpose):
        x, y = change(to_gpu(table)), to_gpu(row)
        y = y[: x.shape[1]] if x.shape[1] != 300 else y[:300]
        both(function, x, y)
        eager, fused = change(to_gpu(table)), change(to_gpu(table))
        assert_identical(lathe.fuse(in_place)(fused, y), in_place(eager, y))
        assert_identical(fused, eager)
    found = both(function, to_gpu(table), to_gpu(row))
    np.testing.assert_array_equal(found[0].get(), table * row)
    np.testing.assert_allclose(found[2].get(), (table * row + 1).sum(axis=0), rtol=1e-13)


def test_what_follows_a_reduction():
    x = to_gpu(numbers((6, 8), np.float64))
    found = both(lambda x: np.exp(x - x.max()) / np.exp(x - x.max()).sum(), x)
    wanted = np.exp(x.get() - x.get().max())
    np.testing.assert_allclose(found.get(), wanted / wanted.sum(), rtol=1e-13)
    both(lambda x: ((x * 2).var(), (x * 2).argmax(), (x + 1).std(axis=0), (x * x).sum() + 1), x)
