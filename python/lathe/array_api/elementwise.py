# SPDX-License-Identifier: MIT
"""Elementwise functions of the array API: the device's own under the standard's names.

They broadcast, take Python's numbers beside arrays, and promote types as the standard says; types
that it leaves open go NumPy's way. All are asynchronous on the legacy default stream.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lathe.array.gpu_array import GPUArray
from lathe.array_api.devices import expect_arrays
from lathe.native import native


def _unary(name: str, operation: str = "") -> Callable[[GPUArray], GPUArray]:
    operation = operation or name

    def function(x: GPUArray, /) -> GPUArray:
        expect_arrays(name, x)
        return native.apply(operation, x)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The standard's `{name}` of each element."
    return function


def _binary(name: str, operation: str = "") -> Callable[[Any, Any], GPUArray]:
    operation = operation or name

    def function(x1: Any, x2: Any, /) -> GPUArray:
        expect_arrays(name, x1 if isinstance(x1, GPUArray) else x2)
        return native.apply(operation, x1, x2)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The standard's `{name}` of each pair of elements."
    return function


abs = _unary("abs", "absolute")
acos = _unary("acos", "arccos")
acosh = _unary("acosh", "arccosh")
asin = _unary("asin", "arcsin")
asinh = _unary("asinh", "arcsinh")
atan = _unary("atan", "arctan")
atanh = _unary("atanh", "arctanh")
bitwise_invert = _unary("bitwise_invert", "invert")
ceil = _unary("ceil")
conj = _unary("conj", "conjugate")
cos = _unary("cos")
cosh = _unary("cosh")
exp = _unary("exp")
expm1 = _unary("expm1")
floor = _unary("floor")
imag = _unary("imag")
isfinite = _unary("isfinite")
isinf = _unary("isinf")
isnan = _unary("isnan")
log = _unary("log")
log1p = _unary("log1p")
log2 = _unary("log2")
log10 = _unary("log10")
logical_not = _unary("logical_not")
negative = _unary("negative")
positive = _unary("positive")
real = _unary("real")
reciprocal = _unary("reciprocal")
sign = _unary("sign")
signbit = _unary("signbit")
sin = _unary("sin")
sinh = _unary("sinh")
sqrt = _unary("sqrt")
square = _unary("square")
tan = _unary("tan")
tanh = _unary("tanh")
trunc = _unary("trunc")

add = _binary("add")
atan2 = _binary("atan2", "arctan2")
bitwise_and = _binary("bitwise_and")
bitwise_left_shift = _binary("bitwise_left_shift", "left_shift")
bitwise_or = _binary("bitwise_or")
bitwise_right_shift = _binary("bitwise_right_shift", "right_shift")
bitwise_xor = _binary("bitwise_xor")
copysign = _binary("copysign")
divide = _binary("divide")
equal = _binary("equal")
floor_divide = _binary("floor_divide")
greater = _binary("greater")
greater_equal = _binary("greater_equal")
hypot = _binary("hypot")
less = _binary("less")
less_equal = _binary("less_equal")
logaddexp = _binary("logaddexp")
logical_and = _binary("logical_and")
logical_or = _binary("logical_or")
logical_xor = _binary("logical_xor")
maximum = _binary("maximum")
minimum = _binary("minimum")
multiply = _binary("multiply")
nextafter = _binary("nextafter")
not_equal = _binary("not_equal")
pow = _binary("pow", "power")
remainder = _binary("remainder")
subtract = _binary("subtract")


def round(x: GPUArray, /) -> GPUArray:
    """The nearest whole number, the even one of two; integers stay as they are."""
    expect_arrays("round", x)
    return native.apply("copy" if x.dtype.kind in "iu" else "rint", x)


def clip(x: GPUArray, /, min: Any = None, max: Any = None) -> GPUArray:
    """Each element, or the nearest bound, where there is one. Types promote as NumPy's do."""
    expect_arrays("clip", x)
    if min is None and max is None:
        return x.copy()
    return x.clip(min, max)
