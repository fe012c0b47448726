# SPDX-License-Identifier: MIT
"""Prepared elementwise kernels for one operation and its types, under PyCUDA's names.

Each is compiled once for a context and takes its arrays as they are named, then ``n``:
``kernel.prepared_async_call(grid, block, stream, x.gpudata, z.gpudata, n)``. The arrays lie alike.
Lookups and linear combinations of any number of arrays are in canned_lookups.py.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike

from lathe.cuda.c_arguments import Argument, ScalarArg, VectorArg, dtype_to_ctype
from lathe.cuda.driver import Function
from lathe.cuda.elementwise_source import get_elwise_kernel
from lathe.cuda.memoize import context_dependent_memoize


def _arrays(**dtypes: DTypeLike) -> list[Argument]:
    return [VectorArg(dtype, name) for name, dtype in dtypes.items()]


def _given(dtype: DTypeLike, name: str, is_scalar: bool) -> Argument:
    return ScalarArg(dtype, name) if is_scalar else VectorArg(dtype, name)


@context_dependent_memoize
def get_copy_kernel(dtype_dest: DTypeLike, dtype_src: DTypeLike) -> Function:
    """``dest[i] = src[i]``."""
    arguments = _arrays(dest=dtype_dest, src=dtype_src)
    return get_elwise_kernel(arguments, "dest[i] = src[i]", "copy")


@context_dependent_memoize
def get_axpbyz_kernel(
    dtype_x: DTypeLike, dtype_y: DTypeLike, dtype_z: DTypeLike,
    x_is_scalar: bool = False, y_is_scalar: bool = False,
) -> Function:  # fmt: skip
    """``z[i] = a * x[i] + b * y[i]``: a, x, b, y, z, n. Scalars are arrays of one element."""
    z, x, y = (dtype_to_ctype(each) for each in (dtype_z, dtype_x, dtype_y))
    arguments = [
        ScalarArg(dtype_x, "a"), VectorArg(dtype_x, "x"), ScalarArg(dtype_y, "b"),
        VectorArg(dtype_y, "y"), VectorArg(dtype_z, "z"),
    ]  # fmt: skip
    left = f"({z})(({x})a * x[{0 if x_is_scalar else 'i'}])"
    right = f"({z})(({y})b * y[{0 if y_is_scalar else 'i'}])"
    return get_elwise_kernel(arguments, f"z[i] = {left} + {right}", "axpbyz")


@context_dependent_memoize
def get_axpbz_kernel(dtype_x: DTypeLike, dtype_z: DTypeLike) -> Function:
    """``z[i] = a * x[i] + b``: a, x, b, z, n."""
    arguments = [
        ScalarArg(dtype_z, "a"), VectorArg(dtype_x, "x"), ScalarArg(dtype_z, "b"),
        VectorArg(dtype_z, "z"),
    ]  # fmt: skip
    body = f"z[i] = a * ({dtype_to_ctype(dtype_z)})x[i] + b"
    return get_elwise_kernel(arguments, body, "axpb")


@context_dependent_memoize
def get_binary_op_kernel(
    dtype_x: DTypeLike, dtype_y: DTypeLike, dtype_z: DTypeLike, operator: str,
    x_is_scalar: bool = False, y_is_scalar: bool = False,
) -> Function:  # fmt: skip
    """``z[i] = x[i] operator y[i]``. Scalars are arrays of one element."""
    x, y = (f"[{0 if scalar else 'i'}]" for scalar in (x_is_scalar, y_is_scalar))
    arguments = _arrays(x=dtype_x, y=dtype_y, z=dtype_z)
    return get_elwise_kernel(arguments, f"z[i] = x{x} {operator} y{y}", "binary_op")


@context_dependent_memoize
def get_rdivide_elwise_kernel(dtype_x: DTypeLike, dtype_z: DTypeLike) -> Function:
    """``z[i] = y / x[i]``: x, y, z, n."""
    arguments = [VectorArg(dtype_x, "x"), ScalarArg(dtype_x, "y"), VectorArg(dtype_z, "z")]
    return get_elwise_kernel(arguments, "z[i] = y / x[i]", "divide_r")


@context_dependent_memoize
def get_binary_func_kernel(
    func: str, dtype_x: DTypeLike, dtype_y: DTypeLike, dtype_z: DTypeLike
) -> Function:
    """``z[i] = func(x[i], y[i])``."""
    arguments = _arrays(x=dtype_x, y=dtype_y, z=dtype_z)
    return get_elwise_kernel(arguments, f"z[i] = {func}(x[i], y[i])", f"{func}_kernel")


@context_dependent_memoize
def get_binary_func_scalar_kernel(
    func: str, dtype_x: DTypeLike, dtype_y: DTypeLike, dtype_z: DTypeLike
) -> Function:
    """``z[i] = func(x[i], y)``: x, y, z, n."""
    arguments = [VectorArg(dtype_x, "x"), ScalarArg(dtype_y, "y"), VectorArg(dtype_z, "z")]
    return get_elwise_kernel(arguments, f"z[i] = {func}(x[i], y)", f"{func}_kernel")


def get_binary_minmax_kernel(
    func: str, dtype_x: DTypeLike, dtype_y: DTypeLike, dtype_z: DTypeLike, use_scalar: bool
) -> Function:
    """``"min"`` or ``"max"`` of two arrays, or of an array and a number; NaN is left out."""
    if any(np.dtype(each).kind == "f" for each in (dtype_x, dtype_y, dtype_z)):
        func = "f" + func
    make = get_binary_func_scalar_kernel if use_scalar else get_binary_func_kernel
    return make(func, dtype_x, dtype_y, dtype_z)


@context_dependent_memoize
def get_fill_kernel(dtype: DTypeLike) -> Function:
    """``z[i] = a``: a, z, n."""
    return get_elwise_kernel([ScalarArg(dtype, "a"), VectorArg(dtype, "z")], "z[i] = a", "fill")


@context_dependent_memoize
def get_reverse_kernel(dtype: DTypeLike) -> Function:
    """``z[i] = y[n - 1 - i]``."""
    return get_elwise_kernel(_arrays(y=dtype, z=dtype), "z[i] = y[n - 1 - i]", "reverse")


def _part(dtype: DTypeLike, to: DTypeLike, text: str, name: str) -> Function:
    return get_elwise_kernel(_arrays(y=dtype, z=to), f"z[i] = {text}", name)


@context_dependent_memoize
def get_real_kernel(dtype: DTypeLike, real_dtype: DTypeLike) -> Function:
    """``z[i] = real(y[i])``."""
    return _part(dtype, real_dtype, "y[i].real()", "real")


@context_dependent_memoize
def get_imag_kernel(dtype: DTypeLike, real_dtype: DTypeLike) -> Function:
    """``z[i] = imag(y[i])``."""
    return _part(dtype, real_dtype, "y[i].imag()", "imag")


@context_dependent_memoize
def get_conj_kernel(dtype: DTypeLike, conj_dtype: DTypeLike) -> Function:
    """``z[i] = conj(y[i])``."""
    return _part(dtype, conj_dtype, "pycuda::conj(y[i])", "conj")


@context_dependent_memoize
def get_arange_kernel(dtype: DTypeLike) -> Function:
    """``z[i] = start + i * step``: z, start, step, n."""
    arguments = [VectorArg(dtype, "z"), ScalarArg(dtype, "start"), ScalarArg(dtype, "step")]
    body = f"z[i] = start + ({dtype_to_ctype(dtype)})i * step"
    return get_elwise_kernel(arguments, body, "arange")


@context_dependent_memoize
def get_pow_array_kernel(
    dtype_x: DTypeLike, dtype_y: DTypeLike, dtype_z: DTypeLike,
    is_base_array: bool, is_exp_array: bool,
) -> Function:  # fmt: skip
    """``z[i] = pow(base, exponent)``, each an array or a number: base, exponent, z, n."""
    kinds = {np.dtype(each).kind for each in (dtype_x, dtype_y, dtype_z)}
    single = np.float32 in (np.dtype(dtype_z).type,) and "c" not in kinds
    func = "pycuda::pow" if "c" in kinds else "powf" if single else "pow"
    arguments = [
        _given(dtype_x, "x", not is_base_array), _given(dtype_y, "y", not is_exp_array),
        VectorArg(dtype_z, "z"),
    ]  # fmt: skip
    x, y = "x[i]" if is_base_array else "x", "y[i]" if is_exp_array else "y"
    return get_elwise_kernel(arguments, f"z[i] = {func}({x}, {y})", "pow_method")


def _floats(arguments: str, body: str, name: str) -> Function:
    return get_elwise_kernel(arguments, body, f"{name}_kernel")


@context_dependent_memoize
def get_fmod_kernel() -> Function:
    """Of floats: arg, mod, z, n."""
    return _floats("float *arg, float *mod, float *z", "z[i] = fmodf(arg[i], mod[i])", "fmod")


@context_dependent_memoize
def get_modf_kernel() -> Function:
    """Of floats: x, intpart, fracpart, n."""
    body = "fracpart[i] = modff(x[i], &intpart[i])"
    return _floats("float *x, float *intpart, float *fracpart", body, "modf")


@context_dependent_memoize
def get_frexp_kernel() -> Function:
    """Of floats: x, significand, exponent (a float as well), n."""
    body = "int power; significand[i] = frexpf(x[i], &power); exponent[i] = power"
    return _floats("float *x, float *significand, float *exponent", body, "frexp")


@context_dependent_memoize
def get_ldexp_kernel() -> Function:
    """Of floats: sig, expt (a float as well), z, n."""
    return _floats(
        "float *sig, float *expt, float *z", "z[i] = ldexpf(sig[i], int(expt[i]))", "ldexp"
    )


@context_dependent_memoize
def get_unary_func_kernel(
    func_name: str, in_dtype: DTypeLike, out_dtype: DTypeLike | None = None
) -> Function:
    """``z[i] = func(y[i])``."""
    to = in_dtype if out_dtype is None else out_dtype
    return _part(in_dtype, to, f"{func_name}(y[i])", "unary")


@context_dependent_memoize
def get_if_positive_kernel(crit_dtype: DTypeLike, dtype: DTypeLike) -> Function:
    """``result[i] = crit[i] > 0 ? then_[i] : else_[i]``."""
    arguments = _arrays(crit=crit_dtype, then_=dtype, else_=dtype, result=dtype)
    body = "result[i] = crit[i] > 0 ? then_[i] : else_[i]"
    return get_elwise_kernel(arguments, body, "if_positive")


@context_dependent_memoize
def get_where_kernel(crit_dtype: DTypeLike, dtype: DTypeLike) -> Function:
    """``result[i] = crit[i] != 0 ? then_[i] : else_[i]``."""
    arguments = _arrays(crit=crit_dtype, then_=dtype, else_=dtype, result=dtype)
    body = "result[i] = crit[i] != 0 ? then_[i] : else_[i]"
    return get_elwise_kernel(arguments, body, "if_positive")


@context_dependent_memoize
def get_scalar_op_kernel(
    dtype_x: DTypeLike, dtype_a: DTypeLike, dtype_y: DTypeLike, operator: str
) -> Function:
    """``y[i] = x[i] operator a``: x, a, y, n."""
    arguments = [VectorArg(dtype_x, "x"), ScalarArg(dtype_a, "a"), VectorArg(dtype_y, "y")]
    return get_elwise_kernel(arguments, f"y[i] = x[i] {operator} a", "scalarop_kernel")


@context_dependent_memoize
def get_logical_not_kernel(dtype_x: DTypeLike, dtype_out: DTypeLike) -> Function:
    """``out[i] = x[i] == 0``."""
    arguments = _arrays(x=dtype_x, out=dtype_out)
    return get_elwise_kernel(arguments, "out[i] = (x[i] == 0)", "logical_not")
