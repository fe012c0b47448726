# SPDX-License-Identifier: MIT
"""Equations with sparse matrices, by conjugate gradients.

M. R. Hestenes, E. Stiefel, "Methods of conjugate gradients for solving linear systems", Journal of
Research of the National Bureau of Standards 49, 1952. All numbers of the iteration stay on the
device; the host looks at the residual of the last check while the device goes on to the next.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from lathe.cuda import driver, gpuarray
from lathe.cuda.gpuarray import GPUArray
from lathe.native import native
from lathe.sparse.inputs import is_on_device, value_type
from lathe.sparse.matrix import SparseArray
from lathe.sparse.preconditioners import Preconditioner
from lathe.sparse.steps import combine, descend

Stream = driver.Stream | None
Apply = Callable[[GPUArray], GPUArray]


class ConvergenceError(RuntimeError):
    """A solver that did not reach its tolerance.

    Attributes
    ----------
    solution : Solution or None
        How far it came.
    """

    def __init__(self, message: str, solution: Solution | None = None) -> None:
        super().__init__(message)
        self.solution = solution


class Solution(NamedTuple):
    """What a solver found."""

    x: GPUArray
    iterations: int
    residual: float
    """``|b - A @ x| / |b|``, computed from `x` at the end"""


def operator(A: Any, stream: Stream) -> Apply:
    """A function for what has ``@`` or can be called."""
    if isinstance(A, SparseArray | Preconditioner):
        return lambda x: A.dot(x, stream=stream)
    if callable(A):
        return lambda x: A(x)
    if hasattr(A, "__matmul__"):
        return lambda x: A @ x
    raise TypeError(f"expected a matrix or a function, got {type(A).__name__}")


class _Iteration:
    """The vectors of one run, and the numbers: delta and the one before, d A d, |r|^2."""

    def __init__(self, A: Apply, M: Apply | None, b: GPUArray, x: GPUArray, stream: Stream) -> None:
        self.apply, self.M, self.b, self.x, self.stream = A, M, b, x, stream
        self.numbers = _zeros((4,), x.dtype, stream)
        self._current = 0
        # For two checks, of which one is under way while the other is read.
        self._seen = driver.pagelocked_empty((2, 4), x.dtype)

    def place(self) -> Any:
        """Where the next check takes the numbers to."""
        self._seen = self._seen[::-1]
        return self._seen[0]

    def inner(self, a: GPUArray, b: GPUArray, to: int) -> None:
        native.reduce("vdot", a, b, out=self.numbers[to], stream=self.stream)

    def begin(self) -> None:
        """From the true residual of `x`."""
        self.r = native.apply("subtract", self.b, self.apply(self.x), stream=self.stream)
        self.d = (self.M(self.r) if self.M else self.r).copy(stream=self.stream)
        self.inner(self.r, self.d, self._current)
        self.inner(self.r, self.r, 3)

    def step(self) -> None:
        """Hestenes and Stiefel's formulas (3:1)."""
        old, new = self._current, 1 - self._current
        q = self.apply(self.d)
        self.inner(self.d, q, 2)
        descend(self.x, self.r, self.d, q, self.numbers[old], self.numbers[2], self.stream)
        s = self.M(self.r) if self.M else self.r
        self.inner(self.r, s, new)
        combine(self.d, s, self.numbers[new], self.numbers[old], self.stream)
        self._current = new

    def measure(self) -> None:
        """The residual that the formulas carry along, for the next check."""
        self.inner(self.r, self.r, 3)


class _Check:
    """The numbers on their way to the host."""

    def __init__(self, run: _Iteration, iterations: int) -> None:
        self.iterations = iterations
        run.measure()
        self._host = run.place()
        driver.memcpy_dtoh_async(self._host, run.numbers.gpudata, run.stream)
        self._event = driver.Event()
        self._event.record(run.stream)

    def values(self) -> tuple[float, float]:
        """|r| and d A d, of which the second is not positive where A is not."""
        self._event.synchronize()
        square = float(self._host[3].real)
        return math.sqrt(square) if square >= 0 else math.nan, float(self._host[2].real)


def _prepared(b: Any, dtype: Any, stream: Stream) -> GPUArray:
    if not is_on_device(b):
        raise TypeError(
            f"expected an array on the device, got {type(b).__name__}: "
            "lathe.cuda.gpuarray.to_gpu copies it there"
        )
    array = gpuarray.asarray(b)
    if array.ndim != 1:
        raise ValueError(f"expected an array of one axis, got {array.shape}")
    wanted = np.result_type(value_type(array.dtype), dtype if dtype is not None else np.float32)
    made = array.astype(wanted, stream, copy=False)
    return made if made.flags.c_contiguous else made.copy("C", stream)


def _zeros(shape: tuple[int, ...], dtype: Any, stream: Stream) -> GPUArray:
    return GPUArray(shape, dtype).fill(0, stream)


def _norm(a: GPUArray, stream: Stream) -> float:
    return float(gpuarray.norm(a, stream=stream).get(stream=stream))


def cg(
    A: Any, b: GPUArray, x0: GPUArray | None = None, *, rtol: float = 1e-5, atol: float = 0.0,
    maxiter: int | None = None, M: Any = None, callback: Callable[[GPUArray], Any] | None = None,
    check_every: int = 10, stream: Stream = None,
) -> Solution:  # fmt: skip
    """Solves ``A @ x = b`` for a symmetric (or Hermitian), positive definite matrix.

    Parameters
    ----------
    A : matrix or callable
        What has ``@`` or can be called, and gives an array on the device.
    b : GPUArray
        One axis.
    x0 : GPUArray, optional
        A guess; zeros unless given.
    rtol, atol : float
        Done when ``|b - A @ x| <= max(rtol * |b|, atol)``.
    maxiter : int, optional
        10 times the size unless given.
    M : matrix or callable, optional
        The preconditioner: nearly the inverse of `A`, symmetric and positive definite; `jacobi`,
        `ssor`.
    callback : callable, optional
        Called with `x` after each iteration, for which nothing waits.
    check_every : int
        Iterations between two looks at the residual. The host waits for the look before the last
        one, so up to twice as many iterations may follow the first that was good enough.
    stream : Stream, optional
        Matrices that are not from here must work on it, too.

    Returns
    -------
    Solution
        `x`, `iterations`, `residual`. The same bits in each run.

    Raises
    ------
    ConvergenceError
        Where `maxiter` iterations did not suffice, numbers overflowed, `A` is not positive
        definite, or rounding keeps the residual above the tolerance.
    ValueError, TypeError
        For sizes and arrays that do not fit.
    """
    if check_every < 1:
        raise ValueError(f"check_every is at least 1, got {check_every}")
    b = _prepared(b, getattr(A, "dtype", None), stream)
    shape = getattr(A, "shape", (b.size, b.size))
    if tuple(shape) != (b.size, b.size):
        raise ValueError(f"A has shape {tuple(shape)}, b {b.shape}")
    if x0 is None:
        x = _zeros(b.shape, b.dtype, stream)
    else:
        x = gpuarray.asarray(x0).astype(b.dtype, stream)
    if x.shape != b.shape:
        raise ValueError(f"x0 has shape {x.shape}, b {b.shape}")
    size = _norm(b, stream)
    if not b.size or size == 0:
        return Solution(_zeros(b.shape, b.dtype, stream), 0, 0.0)
    goal = max(rtol * size, atol)
    most = 10 * b.size if maxiter is None else maxiter
    run = _Iteration(operator(A, stream), None if M is None else operator(M, stream), b, x, stream)
    return _solve(run, size, goal, most, check_every, callback)


def _solve(
    run: _Iteration, size: float, goal: float, most: int, every: int, callback: Any
) -> Solution:
    done, before = 0, math.inf
    while True:
        run.begin()
        residual = _norm(run.r, run.stream)
        found = Solution(run.x, done, residual / size)
        if residual <= goal:
            return found
        if not math.isfinite(residual):
            raise ConvergenceError(f"cg: the residual is {residual}", found)
        # What the formulas carry along was small enough and the true residual is not: begin anew,
        # as long as that helps.
        if residual > before / 2:
            raise ConvergenceError(
                f"cg: rounding in {run.x.dtype} keeps the residual at {residual / size:.3g} of b, "
                f"{goal / size:.3g} was asked for",
                found,
            )
        before = residual
        done = _iterate(run, size, goal, done, most, every, callback)


def _iterate(
    run: _Iteration, size: float, goal: float, done: int, most: int, every: int, callback: Any
) -> int:
    """Until the residual of the formulas is small enough; returns the iterations so far."""
    pending: _Check | None = None
    while True:
        is_last = done >= most
        if not is_last:
            run.step()
            done += 1
            if callback is not None:
                callback(run.x)
            if done % every and done < most:
                continue
        check = _Check(run, done)
        for each in (pending, check) if is_last or done >= most else (pending,):
            if each is None:
                continue
            residual, curvature = each.values()
            if residual <= goal:
                return done
            found = Solution(run.x, done, residual / size)
            if not math.isfinite(residual):
                raise ConvergenceError("cg: the numbers overflowed", found)
            if curvature < 0:
                raise ConvergenceError("cg: the matrix is not positive definite", found)
        if is_last or done >= most:
            raise ConvergenceError(
                f"cg: {done} iterations did not suffice, the residual is {residual / size:.3g} of "
                f"b, {goal / size:.3g} was asked for",
                found,
            )
        pending = check
