# SPDX-License-Identifier: MIT
"""Copies of `App.state`: what the history keeps of a script's own values."""

from __future__ import annotations

import copy
import sys
import types
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from lathe._lathe import Texture
from lathe.array.gpu_array import GPUArray

__all__ = ["Attributes", "KeptState", "Shared", "is_own"]

_own_classes: WeakKeyDictionary[type, bool] = WeakKeyDictionary()
_PLAIN = (bool, int, float, complex, str, bytes, type(None), np.generic)


@dataclass(frozen=True, slots=True)
class Shared:
    """An array or a texture of the App, whose contents are kept with its memory."""

    memory: GPUArray | Texture


@dataclass(frozen=True, slots=True)
class Attributes:
    """Those of an object of the script's own class."""

    values: dict[str, Any]


class KeptState:
    """Copies, compares and puts back the attributes that are values.

    Numbers, texts, tuples, lists, deques and dictionaries of them, NumPy arrays, arrays on the
    device, textures of the App, generators of `lathe.random` and of NumPy are, and objects of the
    script's own classes by such attributes. Other attributes are left alone, and so are those of
    such objects whose names begin with an underscore.

    Parameters
    ----------
    state : SimpleNamespace
    owns : callable
        Whether an array's or a texture's memory is the App's: which one it is, is the value then.
    """

    def __init__(
        self, state: types.SimpleNamespace, owns: Callable[[GPUArray | Texture], bool]
    ) -> None:
        self._state = state
        self._owns = owns

    def copy(self) -> tuple[dict[str, Any], int] | None:
        """The values and their bytes; None where there is nothing to keep."""
        copies = self._copy_attributes(self._state, [])
        return (copies, sum(map(_bytes, copies.values()))) if copies else None

    def put_back(self, copies: dict[str, Any]) -> None:
        """Arrays get their old contents where they are; other values are set anew."""
        self._put_back(self._state, copies)

    def is_same(self, copies: dict[str, Any]) -> bool:
        """Whether `put_back` would change nothing."""
        return self._has_same(self._state, copies)

    def _copy_attributes(self, holder: Any, above: list[Any]) -> dict[str, Any]:
        return {
            name: self._copy(value, [*above, holder])
            for name, value in vars(holder).items()
            if not name.startswith("_")
            and _is_kept(value)
            and not any(value is each for each in above)
        }

    def _copy(self, value: Any, above: list[Any]) -> Any:
        if isinstance(value, deque):
            return deque((self._copy(each, above) for each in value), value.maxlen)
        if isinstance(value, tuple | list):
            return type(value)(self._copy(each, above) for each in value)
        if isinstance(value, dict):
            return {key: self._copy(each, above) for key, each in value.items()}
        if isinstance(value, GPUArray | Texture) and self._owns(value):
            return Shared(value)
        if isinstance(value, np.ndarray | GPUArray):
            return value.copy()
        if _is_generator(value):
            return value.at(value.position)
        if _is_numpys(value):
            return copy.deepcopy(value)
        if is_own(value):
            return Attributes(self._copy_attributes(value, above))
        return value

    def _put_back(self, holder: Any, copies: dict[str, Any]) -> None:
        for name, old in copies.items():
            setattr(holder, name, self._restored(getattr(holder, name, None), old))

    def _restored(self, now: Any, old: Any) -> Any:
        """The old value: `now` itself where that could take it."""
        if isinstance(old, Shared):
            return old.memory
        if isinstance(old, Attributes):
            if is_own(now):
                self._put_back(now, old.values)
            return now
        if isinstance(old, deque | tuple | list):
            there = [*now] if isinstance(now, deque | tuple | list) else []
            there += [None] * (len(old) - len(there))
            made = [self._restored(_holder(at), each) for at, each in zip(there, old, strict=False)]
            return deque(made, old.maxlen) if isinstance(old, deque) else type(old)(made)
        if isinstance(old, dict):
            at = now if isinstance(now, dict) else {}
            return {key: self._restored(_holder(at.get(key)), each) for key, each in old.items()}
        if isinstance(now, np.ndarray | GPUArray) and _is_alike(now, old):
            if not (isinstance(now, GPUArray) and self._owns(now)):
                now[...] = old
                return now
        elif _is_numpys(now) and _is_numpys(old) and _is_one_kind(now, old):
            now.bit_generator.state = old.bit_generator.state
            return now
        elif _is_generator(now) and _is_generator(old) and _is_one_key(now, old):
            now.position = old.position
            return now
        return self._copy(old, [])

    def _has_same(self, holder: Any, copies: dict[str, Any]) -> bool:
        return all(self._is_same(getattr(holder, name, None), old) for name, old in copies.items())

    def _is_same(self, now: Any, old: Any) -> bool:
        if isinstance(old, Shared):
            return _is_one_memory(now, old.memory)
        if isinstance(old, Attributes):
            return is_own(now) and self._has_same(now, old.values)
        if type(now) is not type(old):
            return False
        if isinstance(old, tuple | list | deque):
            return len(now) == len(old) and all(map(self._is_same, now, old))
        if isinstance(old, dict):
            return now.keys() == old.keys() and all(
                self._is_same(now[key], old[key]) for key in old
            )
        if isinstance(old, GPUArray):
            now, old = now.get(), old.get()
        if isinstance(old, np.ndarray):
            return _is_alike(now, old) and bool(now.tobytes() == old.tobytes())
        if _is_numpys(old):
            return self._is_same(now.bit_generator.state, old.bit_generator.state)
        if _is_generator(old):
            return _is_one_key(now, old) and bool(now.position == old.position)
        if isinstance(old, float):
            return bool(now.hex() == old.hex())
        return bool(now == old)


def is_own(value: Any) -> bool:
    """Of a class that the script defines, with attributes."""
    return hasattr(value, "__dict__") and not callable(value) and _is_own_class(type(value))


def _holder(value: Any) -> Any:
    """The value if it holds others, which objects among them then get back; else None."""
    holds = type(value) in (tuple, list, deque, dict) or is_own(value)
    return value if holds else None


def _is_own_class(kind: type) -> bool:
    if kind not in _own_classes:
        _own_classes[kind] = _look_for_own_class(kind)
    return _own_classes[kind]


def _look_for_own_class(kind: type) -> bool:
    name = kind.__module__.partition(".")[0]
    if name in sys.stdlib_module_names and name != "__main__":
        return kind is types.SimpleNamespace
    file = getattr(sys.modules.get(kind.__module__), "__file__", None) or ""
    is_installed = any(part in ("site-packages", "dist-packages") for part in Path(file).parts)
    return name != "lathe" and not is_installed


def _is_kept(value: Any) -> bool:
    if type(value) in (tuple, list, deque):
        return all(map(_is_kept, value))
    if type(value) is dict:
        return all(map(_is_kept, value.values()))
    if isinstance(value, np.ndarray):
        return not value.dtype.hasobject
    is_value = isinstance(value, (*_PLAIN, GPUArray, Texture))
    return is_value or _is_generator(value) or _is_numpys(value) or is_own(value)


def _is_generator(value: Any) -> bool:
    """Of lathe.random, which is there if somebody has made one."""
    module = sys.modules.get("lathe.random")
    return module is not None and isinstance(value, module.Generator)


def _is_one_key(generator: Any, other: Any) -> bool:
    return bool((generator.seed, generator.sequence) == (other.seed, other.sequence))


def _is_numpys(value: Any) -> bool:
    return isinstance(value, np.random.Generator)


def _is_one_kind(generator: Any, other: Any) -> bool:
    return type(generator.bit_generator) is type(other.bit_generator)


def _is_alike(array: Any, other: Any) -> bool:
    if type(array) is not type(other):
        return False
    return bool(array.shape == other.shape and array.dtype == other.dtype)


def _is_one_memory(memory: Any, other: GPUArray | Texture) -> bool:
    if memory is other or not isinstance(other, GPUArray):
        return memory is other
    return _is_alike(memory, other) and bool(
        memory.ptr == other.ptr and memory.strides == other.strides
    )


def _bytes(value: Any) -> int:
    if isinstance(value, Attributes):
        return _bytes(value.values)
    if isinstance(value, dict):
        return sum(map(_bytes, value.values()))
    if isinstance(value, tuple | list | deque):
        return sum(map(_bytes, value))
    return int(getattr(value, "nbytes", 16))
