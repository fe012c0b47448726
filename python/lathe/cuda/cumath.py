# SPDX-License-Identifier: MIT
"""Functions of arrays on the device, elementwise, under PyCUDA's names and more of NumPy's.

All take arrays of any strides and numbers, broadcast, and compute integers in the floating type
that NumPy computes them in.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from lathe.array.gpu_array import GPUArray, Stream
from lathe.cuda import driver
from lathe.native import native

_Function = Callable[..., Any]

# NumPy's names of those that C names otherwise.
_NUMPY_NAMES = {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "asinh": "arcsinh",
    "acosh": "arccosh", "atanh": "arctanh", "lgamma": "gammaln", "round": "rint",
}  # fmt: skip


def _unary(name: str) -> _Function:
    operation = _NUMPY_NAMES.get(name, name)

    def function(
        array: Any,
        stream_or_out: driver.Stream | GPUArray | None = None,
        *,
        out: GPUArray | None = None,
        stream: Stream = None,
    ) -> GPUArray:
        if stream_or_out is not None:
            warnings.warn(
                f"{name}: give 'out' and 'stream' by keyword", DeprecationWarning, stacklevel=2
            )
            if isinstance(stream_or_out, GPUArray):
                out = stream_or_out
            else:
                stream = stream_or_out
        return native.apply(operation, array, out=out, stream=stream)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"NumPy's `{operation}` of each element.\n\n"
        "    Into `out` if it is given; asynchronous on `stream`. PyCUDA took either one as the\n"
        "    second argument: that works and warns.\n    "
    )
    return function


def _binary(name: str) -> _Function:
    operation = _NUMPY_NAMES.get(name, name)

    def function(a: Any, b: Any, stream: Stream = None, out: GPUArray | None = None) -> GPUArray:
        return native.apply(operation, a, b, out=out, stream=stream)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"NumPy's `{operation}` of each pair of elements; asynchronous on `stream`."
    return function


fabs = _unary("fabs")
ceil = _unary("ceil")
floor = _unary("floor")
trunc = _unary("trunc")
round = _unary("round")
sqrt = _unary("sqrt")
cbrt = _unary("cbrt")
exp = _unary("exp")
exp2 = _unary("exp2")
expm1 = _unary("expm1")
log = _unary("log")
log2 = _unary("log2")
log10 = _unary("log10")
log1p = _unary("log1p")
sin = _unary("sin")
cos = _unary("cos")
tan = _unary("tan")
asin = _unary("asin")
acos = _unary("acos")
atan = _unary("atan")
sinh = _unary("sinh")
cosh = _unary("cosh")
tanh = _unary("tanh")
asinh = _unary("asinh")
acosh = _unary("acosh")
atanh = _unary("atanh")
erf = _unary("erf")
erfc = _unary("erfc")
gamma = _unary("gamma")
lgamma = _unary("lgamma")
degrees = _unary("degrees")
radians = _unary("radians")
sign = _unary("sign")
isnan = _unary("isnan")
isinf = _unary("isinf")
isfinite = _unary("isfinite")

atan2 = _binary("atan2")
hypot = _binary("hypot")
copysign = _binary("copysign")
nextafter = _binary("nextafter")


def fmod(arg: Any, mod: Any, stream: Stream = None, out: GPUArray | None = None) -> GPUArray:
    """C's remainder of ``arg / mod`` of each pair of elements; asynchronous on `stream`."""
    return native.apply("fmod", arg, mod, out=out, stream=stream)


def ldexp(
    significand: Any, exponent: Any, stream: Stream = None, out: GPUArray | None = None
) -> GPUArray:
    """``significand * 2**exponent`` of each pair of elements; asynchronous on `stream`.

    Exponents of a floating type lose their fractions, as in PyCUDA, whose arrays are all float32.
    """
    if isinstance(exponent, GPUArray) and exponent.dtype.kind == "f":
        exponent = exponent.astype(np.int32, stream)
    elif isinstance(exponent, (float, np.floating)):
        exponent = int(exponent)
    return native.apply("ldexp", significand, exponent, out=out, stream=stream)


def frexp(arg: Any, stream: Stream = None) -> tuple[GPUArray, GPUArray]:
    """``(significands, exponents)`` with ``arg == significands * 2**exponents``.

    Significands are of the argument's type and in [0.5, 1), exponents int32 as NumPy's.
    """
    return native.apply("frexp", arg, stream=stream)


def modf(arg: Any, stream: Stream = None) -> tuple[GPUArray, GPUArray]:
    """``(fractions, integers)``, both of the argument's type and sign."""
    return native.apply("modf", arg, stream=stream)
