# SPDX-License-Identifier: MIT
"""Copies of `App.state`: what the history keeps of a script's own values."""

from __future__ import annotations

import sys
import types
from typing import Any

import numpy as np

from lathe.array.gpu_array import GPUArray

__all__ = ["KeptState"]

_PLAIN = (bool, int, float, complex, str, bytes, type(None), np.generic)


def _is_generator(value: Any) -> bool:
    """Of lathe.random, which is there if somebody has made one."""
    module = sys.modules.get("lathe.random")
    return module is not None and isinstance(value, module.Generator)


class KeptState:
    """Copies, compares and puts back the attributes that are values.

    Numbers, texts, tuples, lists and dictionaries of them, NumPy arrays, arrays on the device and
    generators are. Other attributes are left alone.
    """

    def __init__(self, state: types.SimpleNamespace) -> None:
        self._state = state

    def copy(self) -> tuple[dict[str, Any], int] | None:
        """The values and their bytes; None where there is nothing to keep."""
        copies = {
            name: _copy(value) for name, value in vars(self._state).items() if _is_kept(value)
        }
        return (copies, sum(map(_bytes, copies.values()))) if copies else None

    def put_back(self, copies: dict[str, Any]) -> None:
        """Arrays get their old contents where they are; other values are set anew."""
        for name, old in copies.items():
            now: Any = getattr(self._state, name, None)
            if isinstance(now, np.ndarray | GPUArray) and _is_alike(now, old):
                now[...] = old
            elif _is_generator(now) and _is_same(now.at(0), old.at(0)):
                now.position = old.position
            else:
                setattr(self._state, name, _copy(old))

    def is_same(self, copies: dict[str, Any]) -> bool:
        """Whether `put_back` would change nothing."""
        return all(_is_same(getattr(self._state, name, None), old) for name, old in copies.items())


def _is_kept(value: Any) -> bool:
    if type(value) in (tuple, list):
        return all(map(_is_kept, value))
    if type(value) is dict:
        return all(map(_is_kept, value.values()))
    if isinstance(value, np.ndarray):
        return not value.dtype.hasobject
    return isinstance(value, (*_PLAIN, GPUArray)) or _is_generator(value)


def _is_alike(array: Any, other: Any) -> bool:
    if type(array) is not type(other):
        return False
    return bool(array.shape == other.shape and array.dtype == other.dtype)


def _copy(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return type(value)(map(_copy, value))
    if isinstance(value, dict):
        return {key: _copy(each) for key, each in value.items()}
    if isinstance(value, np.ndarray | GPUArray):
        return value.copy()
    if _is_generator(value):
        return value.at(value.position)
    return value


def _bytes(value: Any) -> int:
    if isinstance(value, dict):
        return sum(map(_bytes, value.values()))
    if isinstance(value, tuple | list):
        return sum(map(_bytes, value))
    return int(getattr(value, "nbytes", 16))


def _is_same(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(map(_is_same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_is_same(a[key], b[key]) for key in a)
    if isinstance(a, GPUArray):
        a, b = a.get(), b.get()
    if isinstance(a, np.ndarray):
        return _is_alike(a, b) and bool(a.tobytes() == b.tobytes())
    if _is_generator(a):
        return (a.seed, a.sequence, a.position) == (b.seed, b.sequence, b.position)
    if isinstance(a, float):
        return bool(a.hex() == b.hex())
    return bool(a == b)
