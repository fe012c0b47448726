#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fits the polynomials of gpu/soft/jit/functions.cpp: least squares in extended precision, weighted
again and again by the error (Lawson), which comes close to the least largest error. Coefficients
are rounded to single precision one by one, each time fitting the rest anew."""

from __future__ import annotations

import numpy as np

LONG = np.longdouble
POINTS = 4000


def solve(columns: np.ndarray, target: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Weighted least squares by orthogonal columns (modified Gram-Schmidt)."""
    a, y = columns * weight[:, None], target * weight
    n = a.shape[1]
    q, r = a.copy(), np.zeros((n, n), LONG)
    for k in range(n):
        r[k, k] = np.sqrt(np.sum(q[:, k] ** 2))
        q[:, k] /= r[k, k]
        for j in range(k + 1, n):
            r[k, j] = np.sum(q[:, k] * q[:, j])
            q[:, j] -= r[k, j] * q[:, k]
    b = np.array([np.sum(q[:, k] * y) for k in range(n)], LONG)
    x = np.zeros(n, LONG)
    for k in reversed(range(n)):
        x[k] = (b[k] - np.sum(r[k, k + 1 :] * x[k + 1 :])) / r[k, k]
    return x


def minimax(columns: np.ndarray, target: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Coefficients whose largest |error * scale| is small."""
    weight = np.ones(len(target), LONG)
    best, best_error = None, np.inf
    for _ in range(60):
        x = solve(columns, target, np.sqrt(weight) * scale)
        error = np.abs((columns @ x - target) * scale)
        if error.max() < best_error:
            best, best_error = x, error.max()
        weight *= error / error.max() + LONG(1e-4)
        weight /= weight.sum() / len(weight)
    assert best is not None
    return best


def fit(
    name: str, low: float, high: float, powers: list[int], target, scale, fixed: dict[int, float]
) -> None:
    """Prints coefficients of x^power; `fixed` ones are given."""
    angle = (np.arange(POINTS, dtype=LONG) + LONG(0.5)) * LONG(np.pi) / POINTS
    x = (LONG(low) + LONG(high)) / 2 + (LONG(high) - LONG(low)) / 2 * np.cos(angle)
    y = target(x)
    known = {p: LONG(np.float32(c)) for p, c in fixed.items()}
    for p in sorted(set(powers) - set(known)):
        rest = [q for q in powers if q not in known]
        given = sum((c * x**q for q, c in known.items()), np.zeros_like(x))
        found = minimax(np.stack([x**q for q in rest], 1), y - given, scale(x))
        known[p] = LONG(np.float32(found[rest.index(p)]))
    value = sum((c * x**q for q, c in known.items()), np.zeros_like(x))
    error = np.abs((value - y) * scale(x)).max()
    print(f"{name}: largest error 2^{np.log2(float(error)):.1f}")
    for p in powers:
        print(f"    x^{p}: {float(np.float32(known[p])).hex()} {float(np.float32(known[p]))!r}")


def log2_over_f(f: np.ndarray) -> np.ndarray:
    return np.log1p(f) / np.log(LONG(2)) / f


def main() -> None:
    one = np.ones_like
    fit("2^x", -0.5, 0.5, list(range(7)), np.exp2, lambda x: 1 / np.exp2(x), {0: 1.0})
    root = np.sqrt(LONG(2))
    low, high = float(1 / root - 1), float(root - 1)
    powers = list(range(9))
    fit("log2(1 + x) / x", low, high, powers, log2_over_f, lambda x: 1 / log2_over_f(x), {})
    quarter = float(np.pi / 4)
    fit("sin x", 0, quarter, [1, 3, 5, 7, 9], np.sin, lambda x: 1 / np.sin(x), {1: 1.0})
    fit("cos x", 0, quarter, [0, 2, 4, 6, 8], np.cos, one, {0: 1.0, 2: -0.5})
    fit("tanh x", 0, 0.625, [1, 3, 5, 7, 9, 11], np.tanh, lambda x: 1 / np.tanh(x), {1: 1.0})


if __name__ == "__main__":
    main()
