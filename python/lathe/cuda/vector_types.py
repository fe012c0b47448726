# SPDX-License-Identifier: MIT
"""CUDA's vector types as data types: `vec.float4`, `vec.make_float4(1, 2, 3, 4)`.

Sizes and alignments are those of the CUDA C++ Programming Guide, "Built-in Vector Types".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lathe.cuda.c_arguments import get_or_register_dtype

_SCALARS: dict[str, str] = {
    "char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4",
    "long": "i8", "ulong": "u8", "longlong": "i8", "ulonglong": "u8", "float": "f4", "double": "f8",
}  # fmt: skip


def _maker(dtype: np.dtype[Any], name: str) -> Callable[..., Any]:
    count = len(dtype.names or ())

    def make(*values: Any) -> Any:
        if len(values) > count:
            raise TypeError(f"make_{name} takes at most {count} values, got {len(values)}")
        return np.array(tuple(values) + (0,) * (count - len(values)), dtype)

    make.__name__ = make.__qualname__ = f"make_{name}"
    make.__doc__ = f"A `{name}` as a NumPy array without dimensions; values not given are 0."
    return make


class vec:
    """Data types with fields x, y, z, w, and a function that makes one of each."""

    def __init_subclass__(cls) -> None:
        raise TypeError("vec is a namespace")


def _fill() -> None:
    for scalar, code in _SCALARS.items():
        for count in range(1, 5):
            name = f"{scalar}{count}"
            dtype = np.dtype([(field, code) for field in "xyzw"[:count]])
            if scalar not in ("long", "ulong"):  # one type with longlong: one name for C++
                dtype = get_or_register_dtype(name, dtype)
            setattr(vec, name, dtype)
            setattr(vec, f"make_{name}", staticmethod(_maker(dtype, name)))


_fill()
