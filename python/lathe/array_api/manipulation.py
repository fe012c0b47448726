# SPDX-License-Identifier: MIT
"""Shapes of the array API. Views, but for `concat`, `repeat`, `roll`, `stack` and `tile`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lathe.array import creation, numpy_functions, rearranging
from lathe.array.gpu_array import GPUArray
from lathe.array.rearranging import axes_of


def broadcast_arrays(*arrays: GPUArray) -> tuple[GPUArray, ...]:
    """All in the shape that they have together."""
    return rearranging.broadcast_arrays(*arrays)


def broadcast_shapes(*shapes: tuple[int | None, ...]) -> tuple[int | None, ...]:
    """The shape that arrays of these shapes have together."""
    if any(n is None for shape in shapes for n in shape):
        raise ValueError("broadcast_shapes: all sizes are known here, none is None")
    return np.broadcast_shapes(*(tuple(int(n or 0) for n in shape) for shape in shapes))


def broadcast_to(x: GPUArray, /, shape: tuple[int, ...]) -> GPUArray:
    """The array in a wider shape, which must not be written."""
    return x._broadcast_to(shape)


def concat(arrays: Sequence[GPUArray], /, *, axis: int | None = 0) -> GPUArray:
    """Arrays one after the other; without an axis all elements of each."""
    return numpy_functions.concatenate(arrays, axis)


def expand_dims(x: GPUArray, /, axis: Any) -> GPUArray:
    """With new axes of one element, where they are in the result."""
    return numpy_functions.expand_dims(x, axis)


def flip(x: GPUArray, /, *, axis: Any = None) -> GPUArray:
    """With axes that run backwards."""
    return rearranging.flip(x, axis)


def moveaxis(x: GPUArray, source: Any, destination: Any, /) -> GPUArray:
    """With axes in other places, the others in their order."""
    return numpy_functions.moveaxis(x, source, destination)


def permute_dims(x: GPUArray, /, axes: tuple[int, ...]) -> GPUArray:
    """With axes in another order."""
    return x.transpose(axes)


def repeat(x: GPUArray, repeats: Any, /, *, axis: int | None = None) -> GPUArray:
    """Each element several times in a row."""
    return rearranging.repeat(x, repeats, axis)


def reshape(x: GPUArray, /, shape: tuple[int, ...], *, copy: bool | None = None) -> GPUArray:
    """The same elements in another shape, in C order.

    Parameters
    ----------
    copy : bool, optional
        True: new memory in any case. False: a ValueError where strides do not allow a view.
    """
    if copy:
        return x.copy("C").reshape(shape)
    if copy is False:
        view = x._reshape(tuple(int(n) for n in shape), "C")
        if view is None:
            raise ValueError(f"strides {x.strides} of {x.shape} allow no view of shape {shape}")
        return view
    return x.reshape(shape)


def roll(x: GPUArray, /, shift: Any, *, axis: Any = None) -> GPUArray:
    """With elements moved along axes, around their ends."""
    return rearranging.roll(x, shift, axis)


def squeeze(x: GPUArray, /, axis: Any) -> GPUArray:
    """Without axes of one element."""
    return x.squeeze(axes_of(axis, x.ndim))


def stack(arrays: Sequence[GPUArray], /, *, axis: int = 0) -> GPUArray:
    """Arrays of one shape along a new axis."""
    return creation.stack(arrays, axis)


def tile(x: GPUArray, repetitions: tuple[int, ...], /) -> GPUArray:
    """The array beside itself, so often along each axis."""
    return rearranging.tile(x, repetitions)


def unstack(x: GPUArray, /, *, axis: int = 0) -> tuple[GPUArray, ...]:
    """The parts along an axis."""
    return rearranging.unstack(x, axis=axis)
