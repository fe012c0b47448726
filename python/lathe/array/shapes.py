# SPDX-License-Identifier: MIT
"""The same elements in other shapes, types and orders of axes: views where strides allow them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import DTypeLike

from lathe.native import native

if TYPE_CHECKING:
    from typing import Self


class ArrayFlags(NamedTuple):
    """How an array lies in memory."""

    c_contiguous: bool
    f_contiguous: bool
    dense: bool
    writeable: bool

    @property
    def forc(self) -> bool:
        """Either of both orders."""
        return self.c_contiguous or self.f_contiguous


class ShapeMethods(native.ArrayBase):
    """What `GPUArray` has for its shape."""

    @property
    def flags(self) -> ArrayFlags:
        """`c_contiguous`, `f_contiguous`, `forc`, `dense`, `writeable`."""
        return ArrayFlags(*self._contiguity())

    def reshape(self, *shape: Any, order: str = "C") -> Self:
        """The same elements in another shape; a view where strides allow it, else a copy.

        One size may be -1. `order` says in which order elements are read and placed: "C", "F" or
        "A"; it may follow a sequence of sizes by position, too.
        """
        if len(shape) == 2 and isinstance(shape[1], str):
            return self.reshape(shape[0], order=shape[1])
        wanted = shape[0] if len(shape) == 1 and np.iterable(shape[0]) else shape
        sizes = tuple(int(n) for n in wanted)
        if order == "A":
            order = "F" if self.flags.f_contiguous and not self.flags.c_contiguous else "C"
        if order not in ("C", "F"):
            raise ValueError(f"order must be 'C', 'F' or 'A', got {order!r}")
        view = self._reshape(sizes, order)
        return view if view is not None else native.copy_array(self, order)._reshape(sizes, order)

    def ravel(self, order: str = "C") -> Self:
        """In one dimension; a view where strides allow it."""
        return self.reshape(-1, order=order)

    def flatten(self, order: str = "C") -> Self:
        """A copy in one dimension."""
        return native.copy_array(self, order)._reshape((self.size,), order)

    def view(self, dtype: DTypeLike | None = None) -> Self:
        """The same memory, its bytes read as another type; the last axis changes its size."""
        if dtype is None:
            return self._view(self.shape, self.strides, 0, self.dtype)
        wanted, own = np.dtype(dtype), self.itemsize
        if wanted.itemsize == own:
            return self._view(self.shape, self.strides, 0, wanted)
        axis = 0 if self.flags.f_contiguous and not self.flags.c_contiguous else self.ndim - 1
        if not self.ndim or self.strides[axis] != own:
            raise ValueError(
                "To change to a dtype of a different size, the last axis must be contiguous"
            )
        bytes_ = self.shape[axis] * own
        if bytes_ % wanted.itemsize:
            raise ValueError(
                "When changing to a larger dtype, its size must be a divisor of the total size in "
                "bytes of the last axis of the array."
            )
        shape, strides = list(self.shape), list(self.strides)
        shape[axis], strides[axis] = bytes_ // wanted.itemsize, wanted.itemsize
        return self._view(shape, strides, 0, wanted)

    def transpose(self, *order: Any, axes: Any = None) -> Self:
        """The axes in another order, reversed unless given; a view.

        The order is ``transpose(1, 0)``, ``transpose((1, 0))`` or ``transpose(axes=(1, 0))``.
        """
        if order and axes is not None:
            raise TypeError("transpose() got the order of axes twice, by position and as axes=")
        given = order if order else (axes,)
        if len(given) == 1 and (given[0] is None or np.iterable(given[0])):
            given = () if given[0] is None else tuple(given[0])
        return self._transpose(given) if given or not self.ndim else self.T

    def swapaxes(self, axis1: int, axis2: int) -> Self:
        """A view with two axes exchanged."""
        for axis in (axis1, axis2):
            if not -self.ndim <= axis < self.ndim:
                raise np.exceptions.AxisError(axis, self.ndim)
        axes = list(range(self.ndim))
        axes[axis1], axes[axis2] = axes[axis2], axes[axis1]
        return self._transpose(tuple(axes))

    def squeeze(self, axis: SupportsIndex | Sequence[int] | None = None) -> Self:
        """Without axes of one element; a view."""
        if axis is None:
            drop = {k for k, n in enumerate(self.shape) if n == 1}
        else:
            given = axis if isinstance(axis, Sequence) else (axis,)
            for k in given:
                if not -self.ndim <= int(k) < self.ndim:
                    raise np.exceptions.AxisError(int(k), self.ndim)
            drop = {int(k) % self.ndim for k in given}
            if any(self.shape[k] != 1 for k in drop):
                raise ValueError(
                    "cannot select an axis to squeeze out which has size not equal to one"
                )
        keep = [k for k in range(self.ndim) if k not in drop]
        shape, strides = [self.shape[k] for k in keep], [self.strides[k] for k in keep]
        return self._view(shape, strides, 0, self.dtype)
