# SPDX-License-Identifier: MIT
"""`ReductionKernel`s for one operation and its types, under PyCUDA's names; one for a context each.

`gpuarray.sum` and its like do not use them: they know strides and axes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike

from lathe.cuda.c_arguments import dtype_to_ctype
from lathe.cuda.memoize import context_dependent_memoize

if TYPE_CHECKING:
    from lathe.cuda.reduction import ReductionKernel


def _kernel(dtype_out: DTypeLike, neutral: str, reduce_expr: str, **others: Any) -> ReductionKernel:
    from lathe.cuda.reduction import ReductionKernel

    return ReductionKernel(dtype_out, neutral, reduce_expr, **others)


def _pointer(dtype: DTypeLike, name: str) -> str:
    return f"const {dtype_to_ctype(dtype)} *{name}"


@context_dependent_memoize
def get_sum_kernel(dtype_out: DTypeLike | None, dtype_in: DTypeLike) -> ReductionKernel:
    """The sum of an array, computed in `dtype_out`."""
    out = dtype_in if dtype_out is None else dtype_out
    return _kernel(out, "0", "a + b", arguments=_pointer(dtype_in, "in"), name="sum")


@context_dependent_memoize
def get_any_kernel(dtype_out: DTypeLike | None, dtype_in: DTypeLike) -> ReductionKernel:
    """Whether an element is not 0."""
    out = dtype_in if dtype_out is None else dtype_out
    return _kernel(
        out, "false", "a || b", map_expr="bool(in[i])", arguments=_pointer(dtype_in, "in"),
        name="any",
    )  # fmt: skip


@context_dependent_memoize
def get_all_kernel(dtype_out: DTypeLike | None, dtype_in: DTypeLike) -> ReductionKernel:
    """Whether no element is 0."""
    out = dtype_in if dtype_out is None else dtype_out
    return _kernel(
        out, "true", "a && b", map_expr="bool(in[i])", arguments=_pointer(dtype_in, "in"),
        name="all",
    )  # fmt: skip


@context_dependent_memoize
def get_subset_sum_kernel(
    dtype_out: DTypeLike | None, dtype_subset: DTypeLike, dtype_in: DTypeLike
) -> ReductionKernel:
    """The sum of the elements at the indices in the first array."""
    return _kernel(
        dtype_in if dtype_out is None else dtype_out, "0", "a + b", map_expr="in[lookup_tbl[i]]",
        arguments=f"{_pointer(dtype_subset, 'lookup_tbl')}, {_pointer(dtype_in, 'in')}",
        name="subset_sum",
    )  # fmt: skip


def _product_types(
    out: DTypeLike | None, a: DTypeLike | None, b: DTypeLike | None
) -> tuple[Any, Any, Any]:
    if out is None and (a is None or b is None):
        raise ValueError("say the result's type, or those of both arrays")
    if out is None:
        out = np.result_type(np.dtype(a), np.dtype(b))
    return out, out if a is None else a, out if b is None else b


@context_dependent_memoize
def get_dot_kernel(
    dtype_out: DTypeLike | None, dtype_a: DTypeLike | None = None, dtype_b: DTypeLike | None = None
) -> ReductionKernel:
    """The inner product of two arrays."""
    out, a, b = _product_types(dtype_out, dtype_a, dtype_b)
    name = dtype_to_ctype(out)
    return _kernel(
        out, "0", "a + b", map_expr=f"({name})a[i] * ({name})b[i]",
        arguments=f"{_pointer(a, 'a')}, {_pointer(b, 'b')}", name="dot",
    )  # fmt: skip


@context_dependent_memoize
def get_subset_dot_kernel(
    dtype_out: DTypeLike | None, dtype_subset: DTypeLike, dtype_a: DTypeLike | None = None,
    dtype_b: DTypeLike | None = None,
) -> ReductionKernel:  # fmt: skip
    """The inner product of the elements at the indices in the first array."""
    out, a, b = _product_types(dtype_out, dtype_a, dtype_b)
    name = dtype_to_ctype(out)
    pointers = [_pointer(dtype_subset, "lookup_tbl"), _pointer(a, "a"), _pointer(b, "b")]
    return _kernel(
        out, "0", "a + b", map_expr=f"({name})a[lookup_tbl[i]] * ({name})b[lookup_tbl[i]]",
        arguments=", ".join(pointers), name="subset_dot",
    )  # fmt: skip


def get_minmax_neutral(what: str, dtype: DTypeLike) -> str:
    """In C: the value of `dtype` that loses against all others; ``what`` is "min" or "max"."""
    wanted = np.dtype(dtype)
    if wanted.kind == "f":
        if wanted == np.float16:
            return "__ushort_as_half(0x{})".format("7c00" if what == "min" else "fc00")
        bits = "7f800000" if what == "min" else "ff800000"
        if wanted == np.float32:
            return f"__int_as_float(0x{bits})"
        return f"__longlong_as_double(0x{'7' if what == 'min' else 'f'}ff0000000000000LL)"
    if wanted.kind == "b":
        return "true" if what == "min" else "false"
    if wanted.kind not in "iu":
        raise TypeError(f"there is no order of {wanted}")
    limits = np.iinfo(wanted)
    value = limits.max if what == "min" else limits.min
    if wanted.kind == "u":
        return f"{value}ULL"
    return f"(-{-(value + 1)}LL - 1)" if value < 0 else f"{value}LL"


def _minmax_expression(what: str, dtype: DTypeLike) -> str:
    if what not in ("min", "max"):
        raise ValueError(f"what must be 'min' or 'max', got {what!r}")
    wanted = np.dtype(dtype)
    if wanted.kind == "f" and wanted != np.float16:
        return f"f{what}(a, b)"
    if wanted == np.float16:
        return f"__h{what}(a, b)"
    return "a < b ? a : b" if what == "min" else "a < b ? b : a"


@context_dependent_memoize
def get_minmax_kernel(what: str, dtype: DTypeLike) -> ReductionKernel:
    """The least ("min") or greatest ("max") element; NaN is left out."""
    return _kernel(
        dtype, get_minmax_neutral(what, dtype), _minmax_expression(what, dtype),
        arguments=_pointer(dtype, "in"), name=f"{what}_kernel",
    )  # fmt: skip


@context_dependent_memoize
def get_subset_minmax_kernel(
    what: str, dtype: DTypeLike, dtype_subset: DTypeLike
) -> ReductionKernel:
    """The same of the elements at the indices in the first array."""
    return _kernel(
        dtype, get_minmax_neutral(what, dtype), _minmax_expression(what, dtype),
        map_expr="in[lookup_tbl[i]]", name=f"subset_{what}",
        arguments=f"{_pointer(dtype_subset, 'lookup_tbl')}, {_pointer(dtype, 'in')}",
    )  # fmt: skip
