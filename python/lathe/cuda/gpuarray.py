# SPDX-License-Identifier: MIT
"""Arrays on the device, under PyCUDA's names."""

from __future__ import annotations

from lathe.cuda.array_creation import (
    arange,
    concatenate,
    empty_like,
    full,
    ones,
    ones_like,
    stack,
    to_gpu,
    to_gpu_async,
    zeros,
    zeros_like,
)
from lathe.cuda.array_functions import (
    if_positive,
    logical_and,
    logical_not,
    logical_or,
    maximum,
    minimum,
    reshape,
    splay,
    transpose,
    where,
)
from lathe.cuda.array_indexing import multi_put, multi_take, multi_take_put, take
from lathe.cuda.array_protocols import asarray, from_dlpack
from lathe.cuda.array_type import ArrayFlags, GPUArray
from lathe.cuda.vector_types import vec

empty = GPUArray

__all__ = [
    "ArrayFlags",
    "GPUArray",
    "arange",
    "asarray",
    "concatenate",
    "empty",
    "empty_like",
    "from_dlpack",
    "full",
    "if_positive",
    "logical_and",
    "logical_not",
    "logical_or",
    "maximum",
    "minimum",
    "multi_put",
    "multi_take",
    "multi_take_put",
    "ones",
    "ones_like",
    "reshape",
    "splay",
    "stack",
    "take",
    "to_gpu",
    "to_gpu_async",
    "transpose",
    "vec",
    "where",
    "zeros",
    "zeros_like",
]
