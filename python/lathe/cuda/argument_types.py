# SPDX-License-Identifier: MIT
"""Types of arguments as `Function.prepare` takes them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

# struct characters that name no NumPy type of the same meaning
_POINTER = "P"
_KINDS = {"f": "float", "i": "int", "u": "unsigned", "b": "bool"}


def _of_dtype(dtype: np.dtype[Any]) -> tuple[str, int]:
    if dtype.kind in _KINDS and dtype.itemsize <= 8:
        return _KINDS[dtype.kind], dtype.itemsize
    return "bytes", dtype.itemsize


def _of_character(character: str) -> tuple[str, int]:
    if character == _POINTER:
        return "pointer", 8
    if character == "N":
        return "unsigned", 8
    if character == "n":
        return "int", 8
    try:
        return _of_dtype(np.dtype(character))
    except TypeError:
        raise TypeError(f"'{character}' is no type of an argument") from None


def _of_text(text: str) -> list[tuple[str, int]]:
    types = []
    digits = ""
    for character in text:
        if character.isdigit():
            digits += character
        elif character == "s":
            types.append(("bytes", int(digits or 1)))
            digits = ""
        elif not character.isspace():
            types += [_of_character(character)] * int(digits or 1)
            digits = ""
    return types


def parse(types: str | Iterable[Any]) -> list[tuple[str, int]]:
    """Kind and bytes of each argument.

    Parameters
    ----------
    types : str or sequence
        Characters of the struct module (``"PPf"``; ``"16s"`` for a structure of 16 bytes), or a
        data type for each argument: NumPy's, ``numpy.intp`` or ``"P"`` for a pointer.

    Raises
    ------
    TypeError
        For what is no type.
    """
    if isinstance(types, str):
        return _of_text(types)
    found = []
    for each in types:
        if isinstance(each, str) and each[:1].isalpha() and len(each) == 1:
            found.append(_of_character(each))
        elif each is np.intp or each is np.uintp:
            found.append(("pointer", 8))
        else:
            found.append(_of_dtype(np.dtype(each)))
    return found
