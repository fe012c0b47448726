# SPDX-License-Identifier: MIT
"""Copies of `App.state` (`lathe.kept_state`) as JSON beside named arrays, and back, bit for bit."""

from __future__ import annotations

import base64
import sys
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lathe.array.gpu_array import GPUArray
from lathe.array.protocols import asarray
from lathe.kept_state import Attributes, Shared

__all__ = ["decode", "encode"]

Arrays = dict[str, NDArray[Any]]


def encode(value: Any, arrays: Arrays, memories: Sequence[tuple[str, Any]]) -> Any:
    """What json.dumps() takes.

    Parameters
    ----------
    value
        What `KeptState.copy` gives.
    arrays : dict of str to ndarray
        Gets the arrays among the values, under names that no other has.
    memories : sequence of (str, array or texture)
        Those of the App: an array of these is stored as its name.
    """

    def inner(each: Any) -> Any:
        return encode(each, arrays, memories)

    if value is None or type(value) in (bool, int, str):
        return value
    if type(value) is list:
        return [inner(each) for each in value]
    for kind, (held, store) in _STORED.items():
        if type(value) is held:
            return {kind: store(value, inner)}
    if isinstance(value, Shared):
        return {"memory": _name_of(value.memory, memories)}
    if isinstance(value, np.random.Generator):
        return {"numpy": inner(value.bit_generator.state)}
    for kind, held in (("array", np.ndarray), ("device", GPUArray), ("scalar", np.generic)):
        if isinstance(value, held):
            name = f"state/{len(arrays)}"
            arrays[name] = value.get() if isinstance(value, GPUArray) else np.asarray(value)
            return {kind: name}
    return {"random": [value.seed, value.sequence, value.position]}


Inner = Callable[[Any], Any]
_STORED: dict[str, tuple[type, Callable[[Any, Inner], Any]]] = {
    "float": (float, lambda v, inner: v.hex()),
    "complex": (complex, lambda v, inner: [v.real.hex(), v.imag.hex()]),
    "bytes": (bytes, lambda v, inner: base64.b64encode(v).decode()),
    "tuple": (tuple, lambda v, inner: list(map(inner, v))),
    "deque": (deque, lambda v, inner: [v.maxlen, list(map(inner, v))]),
    "dict": (dict, lambda v, inner: [[inner(key), inner(each)] for key, each in v.items()]),
    "object": (Attributes, lambda v, inner: {n: inner(each) for n, each in v.values.items()}),
}


def decode(stored: Any, arrays: Arrays, memories: dict[str, Any]) -> Any:
    """What `KeptState.put_back` takes.

    Its arrays are taken out of `arrays`. Raises ValueError and KeyError for what encode() does not
    give.
    """

    def inner(each: Any) -> Any:
        return decode(each, arrays, memories)

    if stored is None or isinstance(stored, bool | int | str):
        return stored
    if isinstance(stored, list):
        return [inner(each) for each in stored]
    if not isinstance(stored, dict) or len(stored) != 1:
        raise ValueError(f"{stored!r} is no stored value")
    ((kind, content),) = stored.items()
    if kind == "memory":
        # A part of an array is the same part from start to end.
        return Attributes({}) if content not in memories else Shared(memories[content])
    if kind in _OF_ARRAYS:
        return _OF_ARRAYS[kind](arrays.pop(content))
    if kind not in _READ:
        raise ValueError(f"a stored value of the unknown kind {kind!r}")
    return _READ[kind](content, inner)


def _random_generator(content: Any, inner: Inner) -> Any:
    module = sys.modules.get("lathe.random")
    if module is None:
        raise ValueError("it has a generator of lathe.random, which the program does not use")
    seed, sequence, position = content
    return module.Generator(seed, sequence=sequence, position=position)


def _numpy_generator(content: Any, inner: Inner) -> np.random.Generator:
    state = inner(content)
    known = {
        each.__name__: each
        for each in (
            np.random.PCG64, np.random.PCG64DXSM, np.random.MT19937,
            np.random.Philox, np.random.SFC64,
        )
    }  # fmt: skip
    generator = np.random.Generator(known[state["bit_generator"]]())
    generator.bit_generator.state = state
    return generator


_OF_ARRAYS: dict[str, Callable[[NDArray[Any]], Any]] = {
    "array": lambda values: values,
    "device": asarray,
    "scalar": lambda values: values[()],
}
_READ: dict[str, Callable[[Any, Inner], Any]] = {
    "float": lambda content, inner: float.fromhex(content),
    "complex": lambda content, inner: complex(*map(float.fromhex, content)),
    "bytes": lambda content, inner: base64.b64decode(content),
    "tuple": lambda content, inner: tuple(map(inner, content)),
    "deque": lambda content, inner: deque(map(inner, content[1]), content[0]),
    "dict": lambda content, inner: {inner(key): inner(each) for key, each in content},
    "object": lambda content, inner: Attributes({n: inner(v) for n, v in content.items()}),
    "numpy": _numpy_generator,
    "random": _random_generator,
}


def _name_of(wanted: Any, memories: Sequence[tuple[str, Any]]) -> str | None:
    """Of the App's array or texture that this is as a whole."""
    for name, memory in memories:
        if isinstance(wanted, GPUArray):
            if isinstance(memory, GPUArray) and memory.ptr == wanted.ptr:
                is_whole = memory.shape == wanted.shape and memory.dtype == wanted.dtype
                return name if is_whole else None
        elif not isinstance(memory, GPUArray) and memory.surface == wanted.surface:
            return name
    return None
