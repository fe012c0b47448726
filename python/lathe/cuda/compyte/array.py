# SPDX-License-Identifier: MIT
"""Strides and layouts of arrays, as NumPy counts them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def f_contiguous_strides(itemsize: int, shape: Sequence[int]) -> tuple[int, ...]:
    """Strides in bytes of an array without gaps whose first index varies fastest."""
    strides = []
    step = itemsize
    for size in shape:
        strides.append(step)
        step *= max(int(size), 1)
    return tuple(strides)


def c_contiguous_strides(itemsize: int, shape: Sequence[int]) -> tuple[int, ...]:
    """Strides in bytes of an array without gaps whose last index varies fastest."""
    return f_contiguous_strides(itemsize, list(shape)[::-1])[::-1]


def equal_strides(strides1: Sequence[int], strides2: Sequence[int], shape: Sequence[int]) -> bool:
    """Whether both reach the same elements: strides of dimensions of one element do not count.

    Raises
    ------
    ValueError
        Where the lengths differ.
    """
    if not len(strides1) == len(strides2) == len(shape):
        raise ValueError(
            f"lengths differ: {len(strides1)} and {len(strides2)} strides, {len(shape)} dimensions"
        )
    return all(a == b or n <= 1 for a, b, n in zip(strides1, strides2, shape, strict=True))


def is_f_contiguous_strides(strides: Sequence[int], itemsize: int, shape: Sequence[int]) -> bool:
    """Whether these are strides without gaps, the first index fastest."""
    return 0 in shape or equal_strides(strides, f_contiguous_strides(itemsize, shape), shape)


def is_c_contiguous_strides(strides: Sequence[int], itemsize: int, shape: Sequence[int]) -> bool:
    """Whether these are strides without gaps, the last index fastest."""
    return 0 in shape or equal_strides(strides, c_contiguous_strides(itemsize, shape), shape)


class ArrayFlags:
    """`c_contiguous`, `f_contiguous`, and `forc` for either, of an array."""

    def __init__(self, ary: Any) -> None:
        layout = (ary.strides, ary.dtype.itemsize, ary.shape)
        self.f_contiguous = is_f_contiguous_strides(*layout)
        self.c_contiguous = is_c_contiguous_strides(*layout)
        self.forc = self.f_contiguous or self.c_contiguous

    def __repr__(self) -> str:
        return f"  C_CONTIGUOUS : {self.c_contiguous}\n  F_CONTIGUOUS : {self.f_contiguous}"


def get_common_dtype(obj1: Any, obj2: Any, allow_double: bool = True) -> np.dtype[Any]:
    """The type of what is computed of both, arrays or scalars; without doubles where asked so."""
    of = [each if np.isscalar(each) else each.dtype for each in (obj1, obj2)]
    result = np.result_type(*of)
    if not allow_double:
        result = {"d": np.dtype("f4"), "D": np.dtype("c8")}.get(result.char, result)
    return result


class _Interface:
    def __init__(self, interface: dict[str, Any], base: Any) -> None:
        self.__array_interface__ = interface
        self.base = base


def as_strided(
    x: Any, shape: Sequence[int] | None = None, strides: Sequence[int] | None = None
) -> np.ndarray[Any, Any]:
    """A view of a NumPy array with another shape and other strides; nothing checks its bounds."""
    x = np.asarray(x)
    interface = dict(x.__array_interface__)
    if shape is not None:
        interface["shape"] = tuple(shape)
    if strides is not None:
        interface["strides"] = tuple(strides)
    return np.asarray(_Interface(interface, x))
