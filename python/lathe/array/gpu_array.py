# SPDX-License-Identifier: MIT
"""The array on the device. Operators, attributes and views are native; methods are here and in
the classes it inherits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lathe.array.documented_names import documented_as
from lathe.array.pycuda_methods import PycudaMethods
from lathe.array.reductions import ReductionMethods
from lathe.array.shapes import ShapeMethods
from lathe.array.standard import StandardMethods
from lathe.array.transfers import TransferMethods
from lathe.native import native

if TYPE_CHECKING:
    from typing import Self

Host = NDArray[Any]
Stream = native.Stream | None


class GPUArray(
    ShapeMethods,
    TransferMethods,
    ReductionMethods,
    PycudaMethods,
    StandardMethods,
    native.ArrayBase,
):
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
