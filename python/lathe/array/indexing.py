# SPDX-License-Identifier: MIT
"""Indices that are arrays: elements taken by them, elements put where they say."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from lathe.array.creation import to_gpu
from lathe.array.gpu_array import GPUArray, Stream, to_device
from lathe.native import native


def _index_array(entry: Any, size: int, axis: int) -> GPUArray:
    """One index of integers, on the device and within bounds."""
    if not isinstance(entry, GPUArray):
        host = np.asarray(entry)
        if host.size == 0 and host.dtype.kind == "f":
            host = host.astype(np.int64)
        if host.dtype.kind not in "iu":
            raise IndexError(
                "only integers, slices (`:`), ellipsis (`...`), None and integer or boolean arrays "
                f"are valid indices, got {host.dtype}"
            )
        wrong = (host < -size) | (host >= size)
        if wrong.any():
            raise IndexError(
                f"index {host[wrong].flat[0]} is out of bounds for axis {axis} with size {size}"
            )
        return to_gpu(host.astype(np.int64, copy=False))
    if entry.dtype.kind not in "iu":
        raise IndexError(
            f"arrays used as indices must be of integer or boolean type, got {entry.dtype}"
        )
    outside = (entry < -size) | (entry >= size)
    if entry.size and outside.any():
        found = entry.get()[outside.get()].flat[0]
        raise IndexError(f"index {found} is out of bounds for axis {axis} with size {size}")
    return entry


def _nonzero(mask: Any) -> tuple[Any, ...]:
    """Indices of what is true, along each axis; on the device where the mask is."""
    if isinstance(mask, GPUArray):
        return tuple(native.nonzero_array(mask, None))
    return np.asarray(mask).nonzero()


def _is_mask(entry: Any) -> bool:
    if isinstance(entry, GPUArray):
        return bool(entry.dtype == np.bool_)
    return isinstance(entry, (bool, np.bool_)) or (
        not isinstance(entry, (int, slice)) and np.asarray(entry).dtype == np.bool_
    )


class _Selection:
    """An index with arrays in it: which element of `array` each element of the result is.

    Integers, slices, `...` and None become a view first; the arrays then select along the axes that
    are left to them, and stand where NumPy puts their axes: in the place of the first one, or in
    front where a slice lies between them.
    """

    def __init__(self, array: GPUArray, index: tuple[Any, ...]) -> None:
        entries = list(index)
        plain: list[Any] = []  # for the view: arrays keep their axes
        arrays: list[tuple[int, Any]] = []  # axis of the view, entry
        axis = 0
        used = sum(
            (np.ndim(each) if not isinstance(each, GPUArray) else each.ndim)
            if _is_array(each) and _is_mask(each)
            else each is not None and each is not Ellipsis
            for each in entries
        )
        if used > array.ndim:
            raise IndexError(
                f"too many indices for array: array is {array.ndim}-dimensional, "
                f"but {used} were indexed"
            )
        if not any(each is Ellipsis for each in entries):
            entries.append(Ellipsis)
        source_axis = 0
        for each in entries:
            if each is Ellipsis:
                kept = array.ndim - used
                plain.extend([slice(None)] * kept)
                axis += kept
                source_axis += kept
            elif each is None:
                plain.append(None)
                axis += 1
            elif isinstance(each, slice):
                plain.append(each)
                axis += 1
                source_axis += 1
            elif _is_array(each) and _is_mask(each) and not np.ndim(each):
                plain.append(None)  # a new axis of one element, which is taken or not
                arrays.append((axis, np.zeros(int(bool(each)), np.int64)))
                axis += 1
            elif _is_array(each) and _is_mask(each):
                shape = each.shape if isinstance(each, GPUArray) else np.shape(each)
                wanted = array.shape[source_axis : source_axis + len(shape)]
                # As NumPy's: a mask of no elements fits axes of any size.
                if any(k not in (n, 0) for k, n in zip(shape, wanted, strict=True)):
                    raise IndexError(
                        f"boolean index did not match indexed array: its shape is {shape}, "
                        f"that of the axes {wanted}"
                    )
                for part in _nonzero(each):
                    plain.append(slice(None))
                    arrays.append((axis, part))
                    axis += 1
                    source_axis += 1
            else:  # an array of integers, or an integer beside one
                plain.append(slice(None))
                arrays.append((axis, each))
                axis += 1
                source_axis += 1
        self.view = array[tuple(plain)]
        shape = self.view.shape
        chosen = [(k, _index_array(entry, shape[k], k)) for k, entry in arrays]
        try:
            broadcast = np.broadcast_shapes(*(each.shape for _, each in chosen))
        except ValueError:
            shapes = " ".join(str(each.shape) for _, each in chosen)
            raise IndexError(
                f"shape mismatch: indexing arrays could not be broadcast together with "
                f"shapes {shapes}"
            ) from None
        axes = [k for k, _ in chosen]
        rest = [k for k in range(len(shape)) if k not in axes]
        together = axes == list(range(axes[0], axes[0] + len(axes)))
        front = [k for k in rest if together and k < axes[0]]
        back = [k for k in rest if k not in front]
        self.shape = (
            *(shape[k] for k in front), *broadcast, *(shape[k] for k in back)
        )  # fmt: skip
        self._parts: list[tuple[GPUArray, int, int]] = []
        for k, each in chosen:
            wide = each.reshape(*each.shape, *[1] * len(back))
            self._parts.append((wide, self.view.strides[k], shape[k]))
        for place, k in [*enumerate(front), *enumerate(back, len(front) + len(broadcast))]:
            sizes = [1] * len(self.shape)
            sizes[place] = shape[k]
            line = to_gpu(np.arange(shape[k]).reshape(sizes))
            self._parts.append((line, self.view.strides[k], shape[k]))

    def offsets(self, stream: Stream = None) -> GPUArray:
        made = native.index_offsets(self._parts, stream)
        if made.shape != self.shape:
            made = made._broadcast_to(self.shape).copy("C")
        return made


def _as_words(offsets: GPUArray, arrays: Sequence[GPUArray], stream: Stream) -> list[GPUArray]:
    """Offsets and arrays of structures with an axis more, of the words that these consist of."""
    bytes_ = arrays[0].itemsize
    if any(each.itemsize != bytes_ for each in arrays):
        names = " and ".join(str(each.dtype) for each in arrays)
        raise TypeError(f"elements of {names} cannot be assigned to one another")
    word = math.gcd(8, bytes_, *(n for each in arrays for n in (int(each.ptr), *each.strides)))
    count = bytes_ // word
    steps = to_gpu(np.arange(count, dtype=np.int64) * word)
    return [
        native.apply("add", offsets[..., None], steps, stream=stream),
        *(
            each._view((*each.shape, count), (*each.strides, word), 0, np.dtype(f"u{word}"))
            for each in arrays
        ),
    ]


def _gather(to: GPUArray, source: GPUArray, offsets: GPUArray, stream: Stream = None) -> None:
    if to.dtype.kind == "V":
        offsets, to, source = _as_words(offsets, (to, source), stream)
    native.gather(to, source, offsets, stream)


def _scatter(to: GPUArray, offsets: GPUArray, values: GPUArray, stream: Stream = None) -> None:
    if to.dtype.kind == "V":
        offsets, to, values = _as_words(offsets, (to, values), stream)
    native.scatter(to, offsets, values, stream)


def _is_array(entry: Any) -> bool:
    if isinstance(entry, bool):
        return True  # a mask, though it is an int
    return not (entry is None or entry is Ellipsis or isinstance(entry, (slice, int, np.integer)))


def _plain(index: Any) -> tuple[Any, ...]:
    """The entries of an index; integers in arrays without dimensions become integers."""

    def plain(entry: Any) -> Any:
        if _is_array(entry) and not isinstance(entry, (bool, np.bool_)) and not _is_mask(entry):
            if isinstance(entry, GPUArray):
                return operator.index(entry.item()) if entry.ndim == 0 else entry
            if np.ndim(entry) == 0:
                return operator.index(np.asarray(entry).item())
        return entry

    return tuple(plain(each) for each in (index if isinstance(index, tuple) else (index,)))


def take_index(array: GPUArray, index: Any) -> GPUArray:
    """``array[index]`` where arrays are in the index: a copy."""
    index = _plain(index)
    if not any(_is_array(each) for each in index):
        return array[index].copy()
    selection = _Selection(array, index)
    made = GPUArray(selection.shape, array.dtype, array.allocator)
    if made.size:
        _gather(made, selection.view, selection.offsets())
    return made


def put_index(array: GPUArray, index: Any, value: Any) -> None:
    """``array[index] = value`` where arrays are in the index."""
    index = _plain(index)
    if not any(_is_array(each) for each in index):
        array[index] = value
        return
    selection = _Selection(array, index)
    if not isinstance(value, GPUArray):
        value = to_gpu(_host_values(value, array.dtype))
    if np.broadcast_shapes(value.shape, selection.shape) != selection.shape:
        raise ValueError(
            f"shape mismatch: value array of shape {value.shape} could not be broadcast to "
            f"indexing result of shape {selection.shape}"
        )
    if np.prod(selection.shape, dtype=int):
        _scatter(selection.view, selection.offsets(), value)


def _host_values(value: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, np.dtype[Any]]:
    """The value in an array of `dtype`, as NumPy converts it; a tuple is one structure."""
    if dtype.names is not None and not isinstance(value, (np.ndarray, np.generic)):
        return np.array(value, dtype)
    host = np.asarray(value)
    if host.dtype.kind not in "biufcV":
        raise TypeError(f"cannot assign {type(value).__name__} to an array of {dtype}")
    return host if host.dtype == dtype else host.astype(dtype)


def assign_host(part: GPUArray, value: Any, stream: Stream = None) -> None:
    """``part[...] = value`` for what is on the host."""
    native.assign_array(part, to_device(_host_values(value, part.dtype), None, stream), stream)


def take(
    a: GPUArray, indices: GPUArray, out: GPUArray | None = None, stream: Stream = None
) -> GPUArray:
    """Elements of `a`, in C order, by their numbers: ``a.ravel()[indices]``.

    Indices are not looked at: those outside of the array read what is not theirs. ``a[indices]``
    checks them.
    """
    flat = a.ravel()
    if out is None:
        out = GPUArray(indices.shape, a.dtype, a.allocator)
    if indices.size:
        offsets = native.index_offsets([(indices, flat.strides[0], flat.size)], stream)
        _gather(out, flat, offsets, stream)
    return out


def _outputs(
    arrays: Sequence[GPUArray], shape: Any, out: Sequence[GPUArray] | None
) -> list[GPUArray]:
    if out is None:
        return [GPUArray(shape, each.dtype, each.allocator) for each in arrays]
    if len(out) != len(arrays):
        raise ValueError(
            f"out and arrays must have the same length, got {len(out)} and {len(arrays)}"
        )
    return list(out)


def multi_take(
    arrays: Sequence[GPUArray], indices: GPUArray, out: Sequence[GPUArray] | None = None,
    stream: Stream = None,
) -> list[GPUArray]:  # fmt: skip
    """`take` from several arrays by the same indices."""
    made = _outputs(arrays, indices.shape, out)
    for each, to in zip(arrays, made, strict=True):
        take(each, indices, to, stream)
    return made


def multi_take_put(
    arrays: Sequence[GPUArray], dest_indices: GPUArray, src_indices: GPUArray,
    dest_shape: Any = None, out: Sequence[GPUArray] | None = None, stream: Stream = None,
    src_offsets: Sequence[int] | None = None,
) -> list[GPUArray]:  # fmt: skip
    """``out[dest_indices] = array[src_indices]`` for several arrays.

    Parameters
    ----------
    dest_shape : int or tuple, optional
        Of new arrays, without `out`; their other elements are undefined.
    src_offsets : sequence of int, optional
        Added to the source indices, one for each array.
    """
    if out is None and dest_shape is None:
        raise ValueError("multi_take_put needs dest_shape or out")
    made = _outputs(arrays, dest_shape, out)
    shifts = src_offsets if src_offsets is not None else [0] * len(arrays)
    for each, to, shift in zip(arrays, made, shifts, strict=True):
        values = take(each, src_indices + int(shift) if shift else src_indices, stream=stream)
        _put(to, dest_indices, values, stream)
    return made


def multi_put(
    arrays: Sequence[GPUArray], dest_indices: GPUArray, dest_shape: Any = None,
    out: Sequence[GPUArray] | None = None, stream: Stream = None,
) -> list[GPUArray]:  # fmt: skip
    """``out[dest_indices] = array`` for several arrays."""
    if out is None and dest_shape is None:
        raise ValueError("multi_put needs dest_shape or out")
    made = _outputs(arrays, dest_shape, out)
    for each, to in zip(arrays, made, strict=True):
        _put(to, dest_indices, each, stream)
    return made


def _put(to: GPUArray, indices: GPUArray, values: GPUArray, stream: Stream) -> None:
    if indices.size:
        flat = to._reshape((to.size,), "C")
        if flat is None:
            raise ValueError("elements can be put into arrays in C order only")
        offsets = native.index_offsets([(indices, flat.strides[0], flat.size)], stream)
        _scatter(flat, offsets, values, stream)
