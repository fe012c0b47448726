# SPDX-License-Identifier: MIT
"""Parameters of generated kernels, under PyCUDA's names: type, name, and how a call passes them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from lathe.cuda.compyte import dtypes
from lathe.cuda.compyte.dtypes import get_or_register_dtype, parse_c_arg_backend

# Names of PyCUDA's texture fetches, which give numbers that textures do not have.
_TEXTURE_NAMES = {
    "f": "fp_tex_float",
    "d": "fp_tex_double",
    "F": "fp_tex_cfloat",
    "D": "fp_tex_cdouble",
}


def register_dtype(dtype: DTypeLike, name: str | Sequence[str]) -> None:
    """Names a type for generated code. `get_or_register_dtype` replaces it."""
    warnings.warn(
        "register_dtype is deprecated: use get_or_register_dtype", DeprecationWarning, stacklevel=2
    )
    dtypes.register_dtype(dtype, name, alias_ok=True)


def dtype_to_ctype(dtype: DTypeLike | None, with_fp_tex_hack: bool = False) -> str:
    """The name of a type in CUDA C++: ``"float"``, ``"half"``, ``"pycuda::complex<double>"``.

    Sources with ``half`` include ``cuda_fp16.h``, those with ``__nv_bfloat16`` (of ml_dtypes)
    ``cuda_bf16.h``.

    Parameters
    ----------
    dtype : data type
    with_fp_tex_hack : bool
        The names that PyCUDA's texture helpers have for floating-point numbers.

    Raises
    ------
    ValueError
        For a type without a name.
    """
    if with_fp_tex_hack and dtype is not None and np.dtype(dtype).char in _TEXTURE_NAMES:
        return _TEXTURE_NAMES[np.dtype(dtype).char]
    return dtypes.dtype_to_ctype(dtype)


class Argument:
    """A parameter of a generated kernel.

    Parameters
    ----------
    dtype : data type
    name : str
    """

    def __init__(self, dtype: DTypeLike, name: str) -> None:
        if not isinstance(name, str) or not name.isidentifier():
            raise ValueError(f"name must be one of C's names, got {name!r}")
        self.dtype = np.dtype(dtype)
        self.name = name

    def declarator(self) -> str:
        """Its declaration in C."""
        raise NotImplementedError("a ScalarArg or a VectorArg has one")

    @property
    def struct_char(self) -> str:
        """How `Function.prepare` calls it."""
        raise NotImplementedError("a ScalarArg or a VectorArg has one")

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Argument)
            and type(self) is type(other)
            and (self.dtype, self.name) == (other.dtype, other.name)
        )

    def __hash__(self) -> int:
        return hash((type(self), self.dtype, self.name))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {self.dtype})"


class VectorArg(Argument):
    """A pointer to numbers: an array."""

    def declarator(self) -> str:
        return f"{dtype_to_ctype(self.dtype)} *{self.name}"

    @property
    def struct_char(self) -> str:
        return "P"


class ScalarArg(Argument):
    """A number or a structure, passed by value."""

    def declarator(self) -> str:
        return f"{dtype_to_ctype(self.dtype)} {self.name}"

    @property
    def struct_char(self) -> str:
        if self.dtype.kind == "V":  # structures, and types of ml_dtypes
            return f"{self.dtype.itemsize}s"
        return self.dtype.char


def parse_c_arg(c_arg: str) -> Argument:
    """The `ScalarArg` or `VectorArg` that a declaration says: ``"const float *x"``.

    Raises
    ------
    ValueError
        For what is no such declaration.
    TypeNameNotKnown
        For a type that is not registered.
    """
    made: Argument = parse_c_arg_backend(c_arg, ScalarArg, VectorArg)
    return made


def get_arg_type(c_arg: str) -> Any:
    """How `Function.prepare` calls the parameter of a declaration: ``"P"`` for ``"float *x"``."""
    return parse_c_arg(c_arg).struct_char


__all__ = [
    "Argument",
    "ScalarArg",
    "VectorArg",
    "dtype_to_ctype",
    "get_arg_type",
    "get_or_register_dtype",
    "parse_c_arg",
    "register_dtype",
]
