# SPDX-License-Identifier: MIT
"""Sums, products, extremes, means, norms and inner products of `gpuarray`, and the array's methods.

Types and results are NumPy 2's; sums are as exact as five additions are, whatever the length, and
the same bits each time. Functions that PyCUDA has take its arguments first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import DTypeLike

from lathe.native import native

if TYPE_CHECKING:
    from lathe.array.gpu_array import GPUArray

_Axis = int | Sequence[int] | None
_Stream = native.Stream | None
_Allocator = Callable[[int], Any] | None


def sum(
    a: GPUArray, dtype: DTypeLike | None = None, stream: _Stream = None,
    allocator: _Allocator = None, *, axis: _Axis = None, keepdims: bool = False,
    out: GPUArray | None = None,
) -> GPUArray:  # fmt: skip
    """The sum of all elements, or over axes.

    Parameters
    ----------
    a : GPUArray
    dtype : data type, optional
        That is added in; else `a`'s own, 64 bits for integers.
    stream : Stream, optional
    allocator : callable, optional
        For the result; that of `a` unless given.
    axis : int or sequence of int, optional
    keepdims : bool
        Axes that go stay with one element.
    out : GPUArray, optional
        Takes the result.

    Raises
    ------
    ValueError
        For axes that are not there, or an `out` of another shape.
    """
    return native.reduce(
        "sum", a, axis=axis, dtype=dtype, keepdims=keepdims, out=out, stream=stream,
        allocator=allocator,
    )  # fmt: skip


def prod(
    a: GPUArray, dtype: DTypeLike | None = None, stream: _Stream = None,
    allocator: _Allocator = None, *, axis: _Axis = None, keepdims: bool = False,
    out: GPUArray | None = None,
) -> GPUArray:  # fmt: skip
    """The product of all elements, or over axes. `sum` has the parameters."""
    return native.reduce(
        "prod", a, axis=axis, dtype=dtype, keepdims=keepdims, out=out, stream=stream,
        allocator=allocator,
    )  # fmt: skip


def any(
    a: GPUArray, stream: _Stream = None, allocator: _Allocator = None, *, axis: _Axis = None,
    keepdims: bool = False, out: GPUArray | None = None,
) -> GPUArray:  # fmt: skip
    """Whether an element is not 0. `sum` has the parameters."""
    return native.reduce(
        "any", a, axis=axis, keepdims=keepdims, out=out, stream=stream, allocator=allocator
    )


def all(
    a: GPUArray, stream: _Stream = None, allocator: _Allocator = None, *, axis: _Axis = None,
    keepdims: bool = False, out: GPUArray | None = None,
) -> GPUArray:  # fmt: skip
    """Whether no element is 0. `sum` has the parameters."""
    return native.reduce(
        "all", a, axis=axis, keepdims=keepdims, out=out, stream=stream, allocator=allocator
    )


def count_nonzero(
    a: GPUArray, stream: _Stream = None, *, axis: _Axis = None, keepdims: bool = False
) -> GPUArray:
    """How many elements are not 0. `sum` has the parameters."""
    return native.reduce("count_nonzero", a, axis=axis, keepdims=keepdims, stream=stream)


def max(
    a: GPUArray, stream: _Stream = None, *, axis: _Axis = None, keepdims: bool = False,
    out: GPUArray | None = None,
) -> GPUArray:  # fmt: skip
    """The greatest element. NaN is left out, as in PyCUDA (NumPy's `fmax.reduce`); the array's own
    `max` gives NaN where there is one. `sum` has the parameters."""
    return native.reduce("fmax", a, axis=axis, keepdims=keepdims, out=out, stream=stream)


def min(
    a: GPUArray, stream: _Stream = None, *, axis: _Axis = None, keepdims: bool = False,
    out: GPUArray | None = None,
) -> GPUArray:  # fmt: skip
    """The least element, as `max` the greatest."""
    return native.reduce("fmin", a, axis=axis, keepdims=keepdims, out=out, stream=stream)


def argmax(
    a: GPUArray, stream: _Stream = None, *, axis: int | None = None, keepdims: bool = False
) -> GPUArray:
    """Where the greatest element is, the first of equals (int64); a NaN is before all. Without an
    axis it counts in C order."""
    return native.reduce("argmax", a, axis=axis, keepdims=keepdims, stream=stream)


def argmin(
    a: GPUArray, stream: _Stream = None, *, axis: int | None = None, keepdims: bool = False
) -> GPUArray:
    """Where the least element is, as `argmax` the greatest."""
    return native.reduce("argmin", a, axis=axis, keepdims=keepdims, stream=stream)


def mean(
    a: GPUArray, dtype: DTypeLike | None = None, stream: _Stream = None, *, axis: _Axis = None,
    keepdims: bool = False, out: GPUArray | None = None,
) -> GPUArray:  # fmt: skip
    """The arithmetic mean; of integers in float64. `sum` has the parameters."""
    return native.reduce(
        "mean", a, axis=axis, dtype=dtype, keepdims=keepdims, out=out, stream=stream
    )


def var(
    a: GPUArray, dtype: DTypeLike | None = None, stream: _Stream = None, *, axis: _Axis = None,
    ddof: float = 0, keepdims: bool = False, out: GPUArray | None = None,
) -> GPUArray:  # fmt: skip
    """The variance: the squares of what elements are off their mean, summed and divided by their
    number less `ddof`. `sum` has the other parameters."""
    return native.reduce(
        "var", a, axis=axis, dtype=dtype, keepdims=keepdims, parameter=ddof, out=out, stream=stream
    )


def std(
    a: GPUArray, dtype: DTypeLike | None = None, stream: _Stream = None, *, axis: _Axis = None,
    ddof: float = 0, keepdims: bool = False, out: GPUArray | None = None,
) -> GPUArray:  # fmt: skip
    """The standard deviation, the root of `var`."""
    return native.reduce(
        "std", a, axis=axis, dtype=dtype, keepdims=keepdims, parameter=ddof, out=out, stream=stream
    )


def norm(
    a: GPUArray, ord: float = 2, stream: _Stream = None, *, axis: _Axis = None,
    keepdims: bool = False,
) -> GPUArray:  # fmt: skip
    """The norm of a vector of any number of axes.

    Parameters
    ----------
    ord : float
        2 is the Euclidean one, 1 the sum of sizes, inf and -inf the greatest and the least one,
        0 the number of elements that are not 0; others as ``sum(abs(a) ** ord) ** (1 / ord)``.
    """
    return native.reduce(
        "norm", a, axis=axis, keepdims=keepdims, parameter=float(ord), stream=stream
    )


def _same_shape(name: str, a: GPUArray, b: GPUArray) -> None:
    if tuple(a.shape) != tuple(b.shape):
        raise ValueError(f"{name}: arrays of shapes {tuple(a.shape)} and {tuple(b.shape)}")


def dot(
    a: GPUArray, b: GPUArray, dtype: DTypeLike | None = None, stream: _Stream = None,
    allocator: _Allocator = None,
) -> GPUArray:  # fmt: skip
    """The sum of all products of elements of two arrays of one shape, in one pass.

    Parameters
    ----------
    dtype : data type, optional
        Of the result and what is multiplied in; that of both arrays promoted unless given.

    Raises
    ------
    ValueError
        For arrays of different shapes.
    """
    _same_shape("dot", a, b)
    return native.reduce("dot", a, b, dtype=dtype, stream=stream, allocator=allocator)


def vdot(
    a: GPUArray, b: GPUArray, dtype: DTypeLike | None = None, stream: _Stream = None,
    allocator: _Allocator = None,
) -> GPUArray:  # fmt: skip
    """The same with `a` conjugated."""
    _same_shape("vdot", a, b)
    return native.reduce("vdot", a, b, dtype=dtype, stream=stream, allocator=allocator)


def subset_sum(
    subset: GPUArray, a: GPUArray, dtype: DTypeLike | None = None, stream: _Stream = None,
    allocator: _Allocator = None,
) -> GPUArray:  # fmt: skip
    """The sum of the elements at indices, which count in C order and are not checked."""
    return native.reduce_subset("sum", subset, a, dtype=dtype, stream=stream, allocator=allocator)


def subset_dot(
    subset: GPUArray, a: GPUArray, b: GPUArray, dtype: DTypeLike | None = None,
    stream: _Stream = None, allocator: _Allocator = None,
) -> GPUArray:  # fmt: skip
    """The inner product of the elements at indices of two arrays."""
    _same_shape("subset_dot", a, b)
    return native.reduce_subset(
        "dot", subset, a, b, dtype=dtype, stream=stream, allocator=allocator
    )


def subset_max(subset: GPUArray, a: GPUArray, stream: _Stream = None) -> GPUArray:
    """The greatest of the elements at indices; NaN is left out."""
    return native.reduce_subset("fmax", subset, a, stream=stream)


def subset_min(subset: GPUArray, a: GPUArray, stream: _Stream = None) -> GPUArray:
    """The least of the elements at indices; NaN is left out."""
    return native.reduce_subset("fmin", subset, a, stream=stream)


class ReductionMethods:
    """The methods of a `GPUArray` that reduce it, with NumPy's parameters and `stream`."""

    def sum(
        self: Any, axis: _Axis = None, dtype: DTypeLike | None = None, out: Any = None,
        keepdims: bool = False, *, stream: _Stream = None,
    ) -> Any:  # fmt: skip
        """`lathe.cuda.gpuarray.sum`."""
        return native.reduce(
            "sum", self, axis=axis, dtype=dtype, out=out, keepdims=keepdims, stream=stream
        )

    def prod(
        self: Any, axis: _Axis = None, dtype: DTypeLike | None = None, out: Any = None,
        keepdims: bool = False, *, stream: _Stream = None,
    ) -> Any:  # fmt: skip
        """`lathe.cuda.gpuarray.prod`."""
        return native.reduce(
            "prod", self, axis=axis, dtype=dtype, out=out, keepdims=keepdims, stream=stream
        )

    def max(
        self: Any, axis: _Axis = None, out: Any = None, keepdims: bool = False, *,
        stream: _Stream = None,
    ) -> Any:  # fmt: skip
        """The greatest element; NaN where there is one, as in NumPy."""
        return native.reduce("max", self, axis=axis, out=out, keepdims=keepdims, stream=stream)

    def min(
        self: Any, axis: _Axis = None, out: Any = None, keepdims: bool = False, *,
        stream: _Stream = None,
    ) -> Any:  # fmt: skip
        """The least element; NaN where there is one, as in NumPy."""
        return native.reduce("min", self, axis=axis, out=out, keepdims=keepdims, stream=stream)

    def argmax(
        self: Any, axis: int | None = None, out: Any = None, *, keepdims: bool = False,
        stream: _Stream = None,
    ) -> Any:  # fmt: skip
        """`lathe.cuda.gpuarray.argmax`."""
        return native.reduce("argmax", self, axis=axis, out=out, keepdims=keepdims, stream=stream)

    def argmin(
        self: Any, axis: int | None = None, out: Any = None, *, keepdims: bool = False,
        stream: _Stream = None,
    ) -> Any:  # fmt: skip
        """`lathe.cuda.gpuarray.argmin`."""
        return native.reduce("argmin", self, axis=axis, out=out, keepdims=keepdims, stream=stream)

    def any(
        self: Any, stream: _Stream = None, allocator: _Allocator = None, *, axis: _Axis = None,
        out: Any = None, keepdims: bool = False,
    ) -> Any:  # fmt: skip
        """`lathe.cuda.gpuarray.any`; the first parameters are PyCUDA's."""
        return native.reduce(
            "any", self, axis=axis, out=out, keepdims=keepdims, stream=stream, allocator=allocator
        )

    def all(
        self: Any, stream: _Stream = None, allocator: _Allocator = None, *, axis: _Axis = None,
        out: Any = None, keepdims: bool = False,
    ) -> Any:  # fmt: skip
        """`lathe.cuda.gpuarray.all`; the first parameters are PyCUDA's."""
        return native.reduce(
            "all", self, axis=axis, out=out, keepdims=keepdims, stream=stream, allocator=allocator
        )

    def mean(
        self: Any, axis: _Axis = None, dtype: DTypeLike | None = None, out: Any = None,
        keepdims: bool = False, *, stream: _Stream = None,
    ) -> Any:  # fmt: skip
        """`lathe.cuda.gpuarray.mean`."""
        return native.reduce(
            "mean", self, axis=axis, dtype=dtype, out=out, keepdims=keepdims, stream=stream
        )

    def var(
        self: Any, axis: _Axis = None, dtype: DTypeLike | None = None, out: Any = None,
        ddof: float = 0, keepdims: bool = False, *, stream: _Stream = None,
    ) -> Any:  # fmt: skip
        """`lathe.cuda.gpuarray.var`."""
        return native.reduce(
            "var", self, axis=axis, dtype=dtype, out=out, parameter=ddof, keepdims=keepdims,
            stream=stream,
        )  # fmt: skip

    def std(
        self: Any, axis: _Axis = None, dtype: DTypeLike | None = None, out: Any = None,
        ddof: float = 0, keepdims: bool = False, *, stream: _Stream = None,
    ) -> Any:  # fmt: skip
        """`lathe.cuda.gpuarray.std`."""
        return native.reduce(
            "std", self, axis=axis, dtype=dtype, out=out, parameter=ddof, keepdims=keepdims,
            stream=stream,
        )  # fmt: skip
