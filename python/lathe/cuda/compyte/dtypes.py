# SPDX-License-Identifier: MIT
"""Data types of NumPy and their names in CUDA C++."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import DTypeLike

Arg = TypeVar("Arg")


class TypeNameNotKnown(RuntimeError):
    """A name that no data type is registered under."""


class DTypeRegistry:
    """Which data type has which names; `dtype_to_ctype` gives the first one registered."""

    def __init__(self) -> None:
        self.dtype_to_name: dict[np.dtype[Any], str] = {}
        self.name_to_dtype: dict[str, np.dtype[Any]] = {}

    def get_or_register_dtype(
        self, names: str | Sequence[str], dtype: DTypeLike | None = None
    ) -> np.dtype[Any]:
        """Registers names of a type, or looks one up.

        Parameters
        ----------
        names : str or sequence of str
            The first one is what `dtype_to_ctype` says, unless the type has a name already.
        dtype : data type, optional
            Without it the type that the name has.

        Returns
        -------
        numpy.dtype
            The registered one; equal types are one type.

        Raises
        ------
        TypeNameNotKnown
            Without `dtype`, for a name that is not known.
        RuntimeError
            For a name that another type has.
        """
        given = [names] if isinstance(names, str) else list(names)
        if not given or not all(isinstance(name, str) and name for name in given):
            raise ValueError(f"names must be one or more names, got {names!r}")
        if dtype is None:
            try:
                return self.name_to_dtype[given[0]]
            except KeyError:
                raise TypeNameNotKnown(f"no data type is named '{given[0]}'") from None
        wanted = np.dtype(dtype)
        for name in given:
            known = self.name_to_dtype.get(name)
            if known is not None and known != wanted:
                raise RuntimeError(
                    f"'{name}' is the name of {known}, and cannot be that of {wanted}"
                )
        for name in given:
            wanted = self.name_to_dtype.setdefault(name, wanted)
        self.dtype_to_name.setdefault(wanted, given[0])
        return wanted

    def dtype_to_ctype(self, dtype: DTypeLike | None) -> str:
        """The name of a type in CUDA C++.

        Raises
        ------
        ValueError
            For None, and for a type without a name.
        """
        if dtype is None:
            raise ValueError("dtype may not be None")
        wanted = np.dtype(dtype)
        name = self.dtype_to_name.get(wanted) or _OF_EXTENSIONS.get(wanted.name)
        if name is None:
            raise ValueError(
                f"unable to map dtype '{wanted}': get_or_register_dtype(name, dtype) names it"
            )
        return name


# Types of ml_dtypes, which are known by name without importing it.
_OF_EXTENSIONS = {
    "bfloat16": "__nv_bfloat16",
    "float8_e4m3fn": "__nv_fp8_e4m3",
    "float8_e5m2": "__nv_fp8_e5m2",
}


def fill_registry_with_c_types(
    reg: DTypeRegistry, respect_windows: bool, include_bool: bool = True
) -> None:
    """Registers C's own types. `respect_windows`: there a long has four bytes."""
    add = reg.get_or_register_dtype
    if include_bool:
        add("bool", np.bool_)
    add(["signed char", "char"], np.int8)
    add("unsigned char", np.uint8)
    add(["short", "signed short", "signed short int", "short signed int", "short int"], np.int16)
    add(["unsigned short", "unsigned short int", "short unsigned int"], np.uint16)
    add(["int", "signed int", "signed"], np.int32)
    add(["unsigned int", "unsigned"], np.uint32)
    if np.dtype("l").itemsize == 8 or not respect_windows:
        add(["long", "long int", "signed long", "signed long int"], np.int64)
        add(["unsigned long", "unsigned long int", "long unsigned int"], np.uint64)
    add(["long long", "long long int", "signed long long"], np.int64)
    add(["unsigned long long", "unsigned long long int"], np.uint64)
    add("float", np.float32)
    add("double", np.float64)


def fill_registry_with_c99_stdint_types(reg: DTypeRegistry) -> None:
    """Registers int8_t to uint64_t, and size_t."""
    for bits in (8, 16, 32, 64):
        reg.get_or_register_dtype(f"int{bits}_t", f"int{bits}")
        reg.get_or_register_dtype(f"uint{bits}_t", f"uint{bits}")
    reg.get_or_register_dtype("size_t", np.uintp)
    reg.get_or_register_dtype("ptrdiff_t", np.intp)


def fill_registry_with_c99_complex_types(reg: DTypeRegistry) -> None:
    """Registers C's complex types."""
    reg.get_or_register_dtype("float complex", np.complex64)
    reg.get_or_register_dtype("double complex", np.complex128)


def fill_registry_with_opencl_c_types(reg: DTypeRegistry) -> None:
    """Registers OpenCL's types."""
    for name, dtype in (("char", "i1"), ("short", "i2"), ("int", "i4"), ("long", "i8")):
        reg.get_or_register_dtype(name, dtype)
        reg.get_or_register_dtype(["u" + name, "unsigned " + name], dtype.replace("i", "u"))
    reg.get_or_register_dtype("half", np.float16)
    reg.get_or_register_dtype("float", np.float32)
    reg.get_or_register_dtype("double", np.float64)


def _fill_registry_with_cuda_types(reg: DTypeRegistry) -> None:
    fill_registry_with_c_types(reg, respect_windows=True)
    fill_registry_with_c99_stdint_types(reg)
    reg.get_or_register_dtype(["half", "__half"], np.float16)
    reg.get_or_register_dtype("pycuda::complex<float>", np.complex64)
    reg.get_or_register_dtype("pycuda::complex<double>", np.complex128)


TYPE_REGISTRY = DTypeRegistry()
_fill_registry_with_cuda_types(TYPE_REGISTRY)
DTYPE_TO_NAME = TYPE_REGISTRY.dtype_to_name
NAME_TO_DTYPE = TYPE_REGISTRY.name_to_dtype
get_or_register_dtype = TYPE_REGISTRY.get_or_register_dtype
dtype_to_ctype = TYPE_REGISTRY.dtype_to_ctype


def register_dtype(
    dtype: DTypeLike,
    c_names: str | Sequence[str],
    alias_ok: bool = False,
) -> None:
    """The older `get_or_register_dtype`.

    Raises
    ------
    RuntimeError
        Where a name, or without `alias_ok` the type, is registered already.
    """
    names = [c_names] if isinstance(c_names, str) else list(c_names)
    for name in names:
        if name in NAME_TO_DTYPE:
            raise RuntimeError(f"'{name}' is registered already")
    if np.dtype(dtype) in DTYPE_TO_NAME and not alias_ok:
        raise RuntimeError(f"{np.dtype(dtype)} is registered already")
    get_or_register_dtype(names, dtype)


_QUALIFIERS = re.compile(r"\b(const|volatile|restrict|__restrict__|__restrict|struct)\b")
_DECLARATION = re.compile(
    r"\s*(?P<type>[\w:<>, ]+?)\s*(?P<pointers>\*[\s*]*)?\b(?P<name>[A-Za-z_]\w*)\s*"
)


def parse_c_arg_backend(
    c_arg: str,
    scalar_arg_factory: Callable[[np.dtype[Any], str], Arg],
    vec_arg_factory: Callable[[np.dtype[Any], str], Arg],
    name_to_dtype: Callable[[str], np.dtype[Any]] | None = None,
) -> Arg:
    """Reads the declaration of one parameter: ``"const float *x"``, ``"unsigned n"``.

    Raises
    ------
    ValueError
        For what is no such declaration, with it.
    TypeNameNotKnown
        For a type that is not registered.
    """
    if not isinstance(c_arg, str):
        raise TypeError(f"c_arg must be a str, got {c_arg!r}")
    plain = _QUALIFIERS.sub(" ", c_arg)
    match = _DECLARATION.fullmatch(plain)
    if match is None:
        raise ValueError(f"cannot read '{c_arg}' as a parameter: a type, perhaps *, and a name")
    pointers = (match["pointers"] or "").count("*")
    if pointers > 1:
        raise ValueError(f"'{c_arg}' is a pointer to pointers, which no array is")
    type_name = " ".join(match["type"].split())
    dtype = (name_to_dtype or get_or_register_dtype)(type_name)
    factory = vec_arg_factory if pointers else scalar_arg_factory
    return factory(dtype, match["name"])


def parse_c_args(text: str | Iterable[str], parse: Callable[[str], Arg]) -> list[Arg]:
    """Reads the declarations of all parameters, separated by commas outside of < >."""
    if not isinstance(text, str):
        return [parse(each) for each in text]
    parts, depth = [""], 0
    for character in text:
        depth += {"<": 1, ">": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [parse(part) for part in parts if part.strip()]
