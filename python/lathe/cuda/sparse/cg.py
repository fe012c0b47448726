# SPDX-License-Identifier: MIT
"""Conjugate gradients whose residual comes to the host while the device goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lathe.cuda import driver, gpuarray
from lathe.cuda.c_arguments import dtype_to_ctype
from lathe.cuda.elementwise import ElementwiseKernel
from lathe.cuda.gpuarray import GPUArray
from lathe.cuda.memoize import context_dependent_memoize
from lathe.cuda.sparse.inner import AsyncInnerProduct
from lathe.cuda.sparse.operator import IdentityOperator
from lathe.native import native
from lathe.sparse.solve import ConvergenceError

_CHECK_EVERY = 20
_TRUE_RESIDUAL_EVERY = 50


@context_dependent_memoize
def _guarded_div(x: Any, y: Any, z: Any) -> ElementwiseKernel:
    names = [dtype_to_ctype(each) for each in (x, y, z)]
    return ElementwiseKernel(
        "const {} *x, const {} *y, {} *z".format(*names),
        f"z[i] = y[i] == {names[1]}(0) ? {names[2]}(0) : {names[2]}(x[i]) / {names[2]}(y[i])",
        "guarded_div",
    )


class CGStateContainer:
    """An iteration under way.

    Parameters
    ----------
    operator : callable
        With `dtype` and `shape`: a symmetric (or Hermitian), positive definite matrix.
    precon : callable, optional
        Nearly its inverse, of the same kind; `operator.DiagonalPreconditioner`.
    pagelocked_allocator : callable, optional
        As of an `AsyncInnerProduct`.

    Attributes
    ----------
    x, residual, d : GPUArray
        The solution so far, what it leaves of the right side, the direction of the next step.
    delta : GPUArray
        The inner product of the residual and the preconditioned one, without axes.
    """

    def __init__(self, operator: Any, precon: Any = None, pagelocked_allocator: Any = None) -> None:
        if precon is None:
            precon = IdentityOperator(operator.dtype, operator.shape[0])
        self.operator = operator
        self.precon = precon
        self.pagelocked_allocator = pagelocked_allocator

    def lc2(self, a: Any, x: GPUArray, b: Any, y: GPUArray, out: GPUArray | None = None) -> Any:
        """``a * x + b * y``; the factors are numbers or arrays without axes.

        Raises
        ------
        ValueError
            For vectors of different types or shapes.
        """
        for each in (y, *(() if out is None else (out,))):
            if each.dtype != x.dtype or each.shape != x.shape:
                raise ValueError(
                    f"expected {x.dtype} {x.shape} for all vectors, got {each.dtype} {each.shape}"
                )
        return native.apply("linear_combination", x, a, y, b, out=out)

    def guarded_div(self, a: GPUArray, b: GPUArray) -> GPUArray:
        """``a / b``, and 0 where `b` is 0."""
        if a.shape != b.shape:
            raise ValueError(f"expected two arrays of one shape, got {a.shape} and {b.shape}")
        made = GPUArray(a.shape, np.result_type(a.dtype, b.dtype), a.allocator)
        _guarded_div(a.dtype, b.dtype, made.dtype)(a, b, made)
        return made

    def reset(self, rhs: GPUArray, x: GPUArray | None = None) -> None:
        """Begins anew, from `x`, which takes the solution, or from zeros."""
        self.rhs = rhs
        if x is None:
            x = gpuarray.zeros(self.operator.shape[0], self.operator.dtype, rhs.allocator)
        self.x = x
        self.residual = rhs - self.operator(x)
        self.d = self.precon(self.residual).copy()
        delta = AsyncInnerProduct(self.residual, self.d, self.pagelocked_allocator)
        self.real_delta_queue = [delta]  # those that the host has not seen
        self.delta = delta.gpu_result

    def one_iteration(self, compute_real_residual: bool = False) -> None:
        """A step, as Hestenes and Stiefel (1952) have it. Asynchronous.

        Parameters
        ----------
        compute_real_residual : bool
            From `x` anew, not from the last one; its inner product goes to the host.
        """
        q = self.operator(self.d)
        alpha = self.guarded_div(self.delta, gpuarray.vdot(self.d, q))
        self.lc2(1, self.x, alpha, self.d, out=self.x)
        if compute_real_residual:
            self.residual = self.lc2(1, self.rhs, -1, self.operator(self.x))
        else:
            self.lc2(1, self.residual, -alpha, q, out=self.residual)
        s = self.precon(self.residual)
        before = self.delta
        delta = AsyncInnerProduct(self.residual, s, self.pagelocked_allocator)
        self.delta = delta.gpu_result
        self.lc2(1, s, self.guarded_div(self.delta, before), self.d, out=self.d)
        if compute_real_residual:
            self.real_delta_queue.append(delta)

    def run(
        self, max_iterations: int | None = None, tol: float = 1e-7,
        debug_callback: Callable[..., Any] | None = None,
    ) -> GPUArray:  # fmt: skip
        """Iterates until the residual is `tol` times what it was; returns `x`.

        Every 20 iterations the host takes what residuals were under way at the look before: so many
        iterations follow the one that was good enough, and their number is the same in each run.

        Parameters
        ----------
        max_iterations : int, optional
            10 times the size, at least 61, unless given.
        tol : float
            By the norm that the preconditioner makes.
        debug_callback : callable, optional
            Called with ``"it"``, ``"it+residual"`` or ``"end"``, the iteration, and `x`,
            `residual`, `d` and `delta`.

        Raises
        ------
        ConvergenceError
            Where that many iterations did not suffice, or numbers overflowed.
        """
        size = int(self.operator.shape[0])
        if max_iterations is None:
            max_iterations = max(3 * _CHECK_EVERY + 1, 10 * size)
        interval = max(min(size, _TRUE_RESIDUAL_EVERY), 1)
        first = self.real_delta_queue.pop(0)
        seen = 0  # of the queue, at the last look
        for iteration in range(max_iterations):
            is_true = iteration % interval == 0
            self.one_iteration(compute_real_residual=is_true)
            if debug_callback is not None:
                what = "it+residual" if is_true else "it"
                debug_callback(what, iteration, self.x, self.residual, self.d, self.delta)
            if iteration % _CHECK_EVERY == 0:
                if self._is_done(seen, first, tol):
                    if debug_callback is not None:
                        debug_callback("end", iteration, self.x, self.residual, self.d, self.delta)
                    return self.x
                seen = len(self.real_delta_queue)
        if self._is_done(len(self.real_delta_queue), first, tol):
            return self.x
        raise ConvergenceError(f"cg failed to converge in {max_iterations} iterations")

    def _is_done(self, count: int, first: AsyncInnerProduct, tol: float) -> bool:
        """Of the first so many residuals that the host has not seen; waits for them."""
        limit = tol * tol * abs(first.wait()) if count else 0.0
        for _ in range(count):
            delta = abs(self.real_delta_queue.pop(0).wait())
            if delta <= limit:
                return True
            if not np.isfinite(delta):
                raise ConvergenceError("cg failed to converge: the numbers overflowed")
        return False


def solve_pkt_with_cg(
    pkt_spmv: Any, b: GPUArray, precon: Any = None, x: GPUArray | None = None, tol: float = 1e-7,
    max_iterations: int | None = None, debug: bool = False, pagelocked_allocator: Any = None,
) -> tuple[GPUArray, int, int]:  # fmt: skip
    """Solves ``A x = b`` with a `PacketedSpMV`.

    Parameters
    ----------
    pkt_spmv : PacketedSpMV
    b : GPUArray
        In the matrix's own order, as is the result.
    precon : callable, optional
        Of permuted vectors.
    x : GPUArray, optional
        A guess, which stays as it is.
    tol, max_iterations
        As of `CGStateContainer.run`.
    debug : bool
        Accepted, does nothing.
    pagelocked_allocator : callable, optional
        As of an `AsyncInnerProduct`.

    Returns
    -------
    x : GPUArray
    iterations : int
    residual_evaluations : int
        How often the residual was computed from `x`.

    Raises
    ------
    ConvergenceError
    """
    if x is None:
        start = gpuarray.zeros(pkt_spmv.shape[0], pkt_spmv.dtype, b.allocator)
    else:
        start = pkt_spmv.permute(x)
    state = CGStateContainer(pkt_spmv, precon, pagelocked_allocator or driver.pagelocked_empty)
    state.reset(pkt_spmv.permute(b), start)
    counts = {"it": 0, "it+residual": 0, "end": 0}

    def count(what: str, *others: Any) -> None:
        counts[what] += 1

    result = state.run(max_iterations, tol, debug_callback=count)
    evaluations = counts["it+residual"]
    return pkt_spmv.unpermute(result), counts["it"] + evaluations, evaluations


__all__ = ["CGStateContainer", "ConvergenceError", "solve_pkt_with_cg"]
