# SPDX-License-Identifier: MIT
"""The Python array API standard, 2025.12, over arrays on the device.

Functions take and give `lathe.cuda.gpuarray.GPUArray`; their names, arguments and types are those
of the standard (https://data-apis.org/array-api/2025.12), while `lathe.cuda` keeps PyCUDA's. Code
that is written for the standard finds this module by ``x.__array_namespace__()``. What the standard
leaves open is as in NumPy 2. The first array makes the primary context current, where there is no
other.

Examples
--------
>>> import lathe.array_api as xp
>>> x = xp.linspace(0, 1, 5, dtype=xp.float32)
>>> xp.sum(x * x)
GPUArray(1.875, dtype=float32)
"""

from __future__ import annotations

import sys
from importlib import import_module
from math import e, inf, nan, pi
from typing import Any

from lathe import __version__ as __version__
from lathe.array.extensions import register
from lathe.array_api.creation import (
    arange,
    asarray,
    empty,
    empty_like,
    eye,
    from_dlpack,
    full,
    full_like,
    linspace,
    meshgrid,
    ones,
    ones_like,
    tril,
    triu,
    zeros,
    zeros_like,
)
from lathe.array_api.dtypes import (
    astype,
    bool,
    can_cast,
    complex64,
    complex128,
    finfo,
    float32,
    float64,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    isdtype,
    result_type,
    uint8,
    uint16,
    uint32,
    uint64,
)
from lathe.array_api.elementwise import (
    abs,
    acos,
    acosh,
    add,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    bitwise_and,
    bitwise_invert,
    bitwise_left_shift,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    ceil,
    clip,
    conj,
    copysign,
    cos,
    cosh,
    divide,
    equal,
    exp,
    expm1,
    floor,
    floor_divide,
    greater,
    greater_equal,
    hypot,
    imag,
    isfinite,
    isinf,
    isnan,
    less,
    less_equal,
    log,
    log1p,
    log2,
    log10,
    logaddexp,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    multiply,
    negative,
    nextafter,
    not_equal,
    positive,
    pow,
    real,
    reciprocal,
    remainder,
    round,
    sign,
    signbit,
    sin,
    sinh,
    sqrt,
    square,
    subtract,
    tan,
    tanh,
    trunc,
)
from lathe.array_api.information import Information as __array_namespace_info__
from lathe.array_api.manipulation import (
    broadcast_arrays,
    broadcast_shapes,
    broadcast_to,
    concat,
    expand_dims,
    flip,
    moveaxis,
    permute_dims,
    repeat,
    reshape,
    roll,
    squeeze,
    stack,
    tile,
    unstack,
)
from lathe.array_api.searching import (
    argmax,
    argmin,
    argsort,
    count_nonzero,
    isin,
    nonzero,
    searchsorted,
    sort,
    take,
    take_along_axis,
    unique_all,
    unique_counts,
    unique_inverse,
    unique_values,
    where,
)
from lathe.array_api.statistics import (
    all,
    any,
    cumulative_prod,
    cumulative_sum,
    diff,
    max,
    mean,
    min,
    prod,
    std,
    sum,
    var,
)
from lathe.linalg import matmul, matrix_transpose, tensordot, vecdot

__array_api_version__ = "2025.12"
newaxis = None

_EXTENSIONS = ("linalg", "fft")


def __getattr__(name: str) -> Any:
    """The extensions, imported when first used."""
    if name in _EXTENSIONS:
        return import_module(f"lathe.{name}")
    raise AttributeError(f"module 'lathe.array_api' has no attribute '{name}'")


def __dir__() -> list[str]:
    return [*__all__, *_EXTENSIONS]


__all__ = [
    "__array_api_version__", "__array_namespace_info__", "__version__",
    "abs", "acos", "acosh", "add", "all", "any", "arange", "argmax", "argmin", "argsort",
    "asarray", "asin", "asinh", "astype", "atan", "atan2", "atanh", "bitwise_and",
    "bitwise_invert", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor",
    "bool", "broadcast_arrays", "broadcast_shapes", "broadcast_to", "can_cast", "ceil", "clip",
    "complex64", "complex128", "concat", "conj", "copysign", "cos", "cosh", "count_nonzero",
    "cumulative_prod", "cumulative_sum", "diff", "divide", "e", "empty", "empty_like", "equal",
    "exp", "expand_dims", "expm1", "eye", "finfo", "flip", "float32", "float64", "floor",
    "floor_divide", "from_dlpack", "full", "full_like", "greater", "greater_equal", "hypot",
    "iinfo", "imag", "inf", "int8", "int16", "int32", "int64", "isdtype", "isfinite", "isin",
    "isinf", "isnan", "less", "less_equal", "linspace", "log", "log1p", "log2", "log10",
    "logaddexp", "logical_and", "logical_not", "logical_or", "logical_xor", "matmul",
    "matrix_transpose", "max", "maximum", "mean", "meshgrid", "min", "minimum", "moveaxis",
    "multiply", "nan", "negative", "newaxis", "nextafter", "nonzero", "not_equal", "ones",
    "ones_like", "permute_dims", "pi", "positive", "pow", "prod", "real", "reciprocal",
    "remainder", "repeat", "reshape", "result_type", "roll", "round", "searchsorted", "sign",
    "signbit", "sin", "sinh", "sort", "sqrt", "square", "squeeze", "stack", "std", "subtract",
    "sum", "take", "take_along_axis", "tan", "tanh", "tensordot", "tile", "tril", "triu", "trunc",
    "uint8", "uint16", "uint32", "uint64", "unique_all", "unique_counts", "unique_inverse",
    "unique_values", "unstack", "var", "vecdot", "where", "zeros", "zeros_like",
]  # fmt: skip

register("array_api", sys.modules[__name__])
