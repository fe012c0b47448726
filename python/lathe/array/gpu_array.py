# SPDX-License-Identifier: MIT
"""The array on the device. Operators, attributes and views are native; the rest is here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lathe.array.documented_names import documented_as
from lathe.array.extensions import provided
from lathe.array.reductions import ReductionMethods
from lathe.array.standard import StandardMethods
from lathe.array.transfers import TransferMethods
from lathe.native import native

if TYPE_CHECKING:
    from typing import Self

Host = NDArray[Any]
Stream = native.Stream | None


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


class GPUArray(TransferMethods, ReductionMethods, StandardMethods, native.ArrayBase):
    """An array in device memory, with NumPy's manners.

    Operators, comparisons and functions work elementwise, with NumPy's broadcasting and NumPy 2's
    types, on arrays of any strides. They are asynchronous: on the legacy default stream unless a
    function is given another one. Indexing with integers, slices, `None` and `...` gives views.

    Parameters
    ----------
    shape : int or sequence of int
    dtype : data type
        Structures may be copied, viewed and given to kernels; arithmetic is for numbers.
    allocator : callable, optional
        From bytes to device memory. Unless given, memory comes from a pool of the context.
    base : object, optional
        Kept as long as the array.
    gpudata : device memory, optional
        What the array lies in, instead of new memory.
    strides : sequence of int, optional
        Bytes.
    order : {"C", "F"}

    Raises
    ------
    MemoryError
        Where the device has not enough.
    ValueError, TypeError
        For a shape or type that cannot be.
    """

    __array_priority__ = 100

    @property
    def flags(self) -> ArrayFlags:
        """`c_contiguous`, `f_contiguous`, `forc`, `dense`, `writeable`."""
        return ArrayFlags(*self._contiguity())

    # --- Shapes

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

    # --- Values

    def copy(self, order: str = "K", stream: Stream = None) -> Self:
        """A copy on the device; `order` "K" keeps the order of axes."""
        return native.copy_array(self, order, stream)

    def astype(self, dtype: DTypeLike, stream: Stream = None, copy: bool = True) -> Self:
        """A copy with elements of another type, as C casts them; the order of axes stays."""
        wanted = np.dtype(dtype)
        if not copy and wanted == self.dtype:
            return self
        return native.cast_array(self, wanted, stream)

    @documented_as(scalar="value")
    def fill(self, value: Any, stream: Stream = None) -> Self:
        """Sets every element; returns the array."""
        native.fill_array(self, value, stream)
        return self

    def mul_add(
        self, selffac: Any, other: Any, otherfac: Any, add_timer: Any = None,
        stream: Stream = None, out: Self | None = None,
    ) -> Self:  # fmt: skip
        """``selffac * self + otherfac * other`` in one kernel.

        `add_timer` is called with the number of elements and a function that gives the seconds.
        """
        if add_timer is None:
            return native.apply(
                "linear_combination", self, selffac, other, otherfac, out=out, stream=stream
            )
        begin, end = native.Event(), native.Event()
        begin.record(stream)
        result = self.mul_add(selffac, other, otherfac, stream=stream, out=out)
        end.record(stream)

        def seconds() -> float:
            end.synchronize()
            return end.time_since(begin) * 1e-3

        add_timer(self.size, seconds)
        return result

    def reverse(self, stream: Stream = None) -> Self:
        """A copy with the elements of one dimension in reverse order."""
        return native.copy_array(self[::-1], "C", stream)

    def bind_to_texref(self, texref: Any, allow_offset: bool = False) -> float:
        """Makes a texture reference read the array; returns the offset in elements."""
        return provided("textures").bind(self, texref, allow_offset)

    def bind_to_texref_ext(
        self, texref: Any, channels: int = 1, allow_double_hack: bool = False,
        allow_complex_hack: bool = False, allow_offset: bool = False,
    ) -> float:  # fmt: skip
        """The same, and sets the format.

        With `allow_double_hack` float64 is read as two int32 (`fp_tex_double` of
        pycuda-helpers.hpp), with `allow_complex_hack` complex numbers as pairs.
        """
        return provided("textures").bind_with_format(
            self, texref, channels, allow_double_hack, allow_complex_hack, allow_offset
        )

    def conj(self, out: Self | None = None) -> Self:
        """The complex conjugates; of real arrays the array itself."""
        if out is None and self.dtype.kind != "c":
            return self
        return native.apply("conjugate", self, out=out)

    conjugate = conj

    def clip(self, min: Any = None, max: Any = None, out: Self | None = None) -> Self:
        """Each element, or the nearest bound."""
        if min is None and max is None:
            raise ValueError("One of max or min must be given")
        if max is None:
            return native.apply("maximum", self, min, out=out)
        if min is None:
            return native.apply("minimum", self, max, out=out)
        return native.apply("clip", self, min, max, out=out)

    def item(self, *index: Any) -> Any:
        """The one element, or that at an index, as a Python number."""
        if not index and self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        if len(index) == 1 and isinstance(index[0], SupportsIndex) and self.ndim != 1:
            index = np.unravel_index(int(index[0]), self.shape)
        return (self[index] if index else self).get().item()

    def tolist(self) -> Any:
        """Nested lists of Python numbers."""
        return self.get().tolist()

    def _one(self, what: str) -> Any:
        if self.size != 1:
            raise TypeError(f"only arrays of size 1 can be converted to {what}")
        return self.get().reshape(()).item()

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. "
                "Use a.any() or a.all()"
                if self.size
                else "The truth value of an empty array is ambiguous."
            )
        return bool(self._one("bool"))

    def __int__(self) -> int:
        return int(self._one("int"))

    def __float__(self) -> float:
        return float(self._one("float"))

    def __complex__(self) -> complex:
        return complex(self._one("complex"))

    def __iter__(self) -> Any:
        return (self[k] for k in range(len(self)))

    def __contains__(self, value: Any) -> bool:
        return bool((self == value).get().any())

    def __str__(self) -> str:
        return str(self.get())

    def __repr__(self) -> str:
        return repr(self.get()).replace("array(", "GPUArray(", 1).replace("\n ", "\n    ")

    def __reduce__(self) -> Any:
        return to_device, (self.get(),)

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Self:
        return self.copy()

    def __array__(self, dtype: Any = None, copy: Any = None) -> Host:
        raise TypeError(
            "a GPUArray does not become a NumPy array by itself, because that copies it to the "
            "host: call its get()"
        )


def to_device(
    ary: Any, allocator: Any = None, stream: Stream = None, async_: bool = False
) -> GPUArray:
    """A copy of a host array on the device, with the same order of axes."""
    host = np.asarray(ary)
    if not host.flags.forc:
        host = np.ascontiguousarray(host)
    made = GPUArray(host.shape, host.dtype, allocator, strides=host.strides)
    if made.size:
        made.set(host, async_=async_, stream=stream)
    return made


native.set_array_class(GPUArray, native.mem_alloc)
