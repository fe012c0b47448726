# SPDX-License-Identifier: MIT
"""NumPy's functions for arrays on the device, with NumPy's arguments: ``np.concatenate([a, b])``.

Those of sorting, counting and rearranging are NumPy's anyway (the modules of these names),
reductions are methods.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lathe.array import counting, creation, rearranging, reductions, sorting
from lathe.array.extensions import provided
from lathe.array.gpu_array import GPUArray
from lathe.array.rearranging import axes_of
from lathe.native import native

# Those whose methods have NumPy's arguments: PyCUDA's functions of these names have others.
_METHODS = {
    "sum": ("axis", "dtype", "out", "keepdims"),
    "prod": ("axis", "dtype", "out", "keepdims"),
    "max": ("axis", "out", "keepdims"),
    "min": ("axis", "out", "keepdims"),
    "argmax": ("axis", "out"),
    "argmin": ("axis", "out"),
    "any": ("axis", "out", "keepdims"),
    "all": ("axis", "out", "keepdims"),
    "mean": ("axis", "dtype", "out", "keepdims"),
    "var": ("axis", "dtype", "out", "ddof", "keepdims"),
    "std": ("axis", "dtype", "out", "ddof", "keepdims"),
}
_OTHER_NAMES = {"amax": "max", "amin": "min"}


def _method(name: str) -> Callable[..., Any]:
    def function(a: GPUArray, *given: Any, **keywords: Any) -> Any:
        keywords |= dict(zip(_METHODS[name], given, strict=False))
        return getattr(a, name)(**keywords)

    return function


def count_nonzero(a: GPUArray, axis: Any = None, *, keepdims: bool = False) -> GPUArray:
    return native.reduce("count_nonzero", a, axis=axis, keepdims=keepdims)


def dot(a: Any, b: Any, out: GPUArray | None = None) -> GPUArray:
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return native.apply("multiply", a, b, out=out)
    if np.ndim(a) != 1 or np.ndim(b) != 1:
        return provided("linalg").dot(a, b, out)
    made = reductions.dot(a, b)
    if out is None:
        return made
    out[...] = made
    return out


def vdot(a: GPUArray, b: GPUArray) -> GPUArray:
    return reductions.vdot(a, b)


def concatenate(arrays: Sequence[GPUArray], axis: int | None = 0) -> GPUArray:
    if axis is None:
        return creation.concatenate([each.ravel() for each in arrays])
    return creation.concatenate(arrays, axis)


def stack(arrays: Sequence[GPUArray], axis: int = 0) -> GPUArray:
    return creation.stack(arrays, axis)


def vstack(arrays: Sequence[GPUArray]) -> GPUArray:
    return concatenate([each.reshape(1, -1) if each.ndim < 2 else each for each in arrays])


def hstack(arrays: Sequence[GPUArray]) -> GPUArray:
    return concatenate(arrays, 0 if arrays[0].ndim == 1 else 1)


def where(condition: Any, x: Any, y: Any) -> GPUArray:
    return native.apply("where", condition, x, y)


def clip(
    a: GPUArray, a_min: Any = None, a_max: Any = None, out: GPUArray | None = None
) -> GPUArray:
    return a.clip(a_min, a_max, out)


def zeros_like(a: GPUArray, dtype: Any = None, order: str = "K") -> GPUArray:
    return creation.zeros_like(a, dtype, order)


def ones_like(a: GPUArray, dtype: Any = None, order: str = "K") -> GPUArray:
    return creation.ones_like(a, dtype, order)


def empty_like(a: GPUArray, dtype: Any = None, order: str = "K") -> GPUArray:
    return creation.empty_like(a, dtype, order)


def full_like(a: GPUArray, fill_value: Any, dtype: Any = None, order: str = "K") -> GPUArray:
    return creation.empty_like(a, dtype, order).fill(fill_value)


def copy(a: GPUArray, order: str = "K") -> GPUArray:
    return a.copy(order)


def shape(a: GPUArray) -> tuple[int, ...]:
    return a.shape


def ndim(a: GPUArray) -> int:
    return a.ndim


def size(a: GPUArray, axis: int | None = None) -> int:
    return a.size if axis is None else a.shape[axis]


def reshape(a: GPUArray, shape: Any, order: str = "C") -> GPUArray:
    return a.reshape(shape, order=order)


def ravel(a: GPUArray, order: str = "C") -> GPUArray:
    return a.ravel(order)


def transpose(a: GPUArray, axes: Any = None) -> GPUArray:
    return a.transpose(axes)


def swapaxes(a: GPUArray, axis1: int, axis2: int) -> GPUArray:
    return a.swapaxes(axis1, axis2)


def moveaxis(a: GPUArray, source: Any, destination: Any) -> GPUArray:
    np.moveaxis(np.empty((1,) * a.ndim), source, destination)  # raises for axes that are not there
    sources = [k % a.ndim for k in np.atleast_1d(source)]
    places = [k % a.ndim for k in np.atleast_1d(destination)]
    axes = [k for k in range(a.ndim) if k not in sources]
    for place, k in sorted(zip(places, sources, strict=True)):
        axes.insert(place, k)
    return a.transpose(axes)


def squeeze(a: GPUArray, axis: Any = None) -> GPUArray:
    return a.squeeze(axis)


def expand_dims(a: GPUArray, axis: Any) -> GPUArray:
    given = axis if isinstance(axis, (tuple, list)) else (axis,)
    dimensions = a.ndim + len(given)
    new = axes_of(given, dimensions)
    return a[tuple(None if k in new else slice(None) for k in range(dimensions))]


def broadcast_to(a: GPUArray, shape: Any) -> GPUArray:
    return a._broadcast_to(shape)


def real(val: GPUArray) -> GPUArray:
    return val.real


def imag(val: GPUArray) -> GPUArray:
    return val.imag


def angle(z: GPUArray, deg: bool = False) -> GPUArray:
    found = native.apply("angle", z)
    return native.apply("degrees", found) if deg else found


def isclose(
    a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> GPUArray:
    near = abs(a - b) <= atol + rtol * abs(b)
    close = (near & native.apply("isfinite", b)) | (a == b)
    return close | ((a != a) & (b != b)) if equal_nan else close


def array_equal(a1: Any, a2: Any) -> bool:
    return np.shape(a1) == np.shape(a2) and bool((a1 == a2).get().all())


def outer(a: GPUArray, b: GPUArray, out: GPUArray | None = None) -> GPUArray:
    """Of all elements, whatever their axes: `numpy.linalg.outer` wants one dimension."""
    return native.apply("multiply", a.ravel()[:, None], b.ravel()[None, :], out=out)


def diagonal(a: GPUArray, offset: int = 0, axis1: int = 0, axis2: int = 1) -> GPUArray:
    return provided("linalg").diagonal(moveaxis(a, (axis1, axis2), (-2, -1)), offset=offset)


def trace(
    a: GPUArray, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None,
    out: GPUArray | None = None,
) -> GPUArray:  # fmt: skip
    return diagonal(a, offset, axis1, axis2).sum(axis=-1, dtype=dtype, out=out)


def cross(a: GPUArray, b: GPUArray, axis: int = -1) -> GPUArray:
    return provided("linalg").cross(a, b, axis=axis)


# Of numpy itself, with the arguments of those in numpy.linalg.
_IN_LINALG = ("tensordot", "inner", "einsum", "matrix_transpose")


def _from_linalg(name: str) -> Callable[..., Any] | None:
    linalg = provided("linalg")
    return getattr(linalg, name) if name in linalg.__all__ else None


def find(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """Ours for one of NumPy's; None where there is none."""
    if not getattr(function, "__module__", "").startswith("numpy"):
        return None
    name = function.__name__
    if function.__module__ == "numpy.fft":
        fft = provided("fft")
        return getattr(fft, name) if name in fft.__all__ else None
    if function.__module__ == "numpy.linalg" or name in _IN_LINALG:
        return _from_linalg(name)
    name = _OTHER_NAMES.get(name, name)
    if name in _METHODS:
        return _method(name)
    return _OWN.get(name) or _MODULES.get(name)


_OWN = {
    function.__name__: function
    for function in (
        concatenate, stack, vstack, hstack, where, clip, zeros_like, ones_like, empty_like,
        full_like, copy, shape, ndim, size, reshape, ravel, transpose, swapaxes, moveaxis, squeeze,
        expand_dims, broadcast_to, real, imag, angle, isclose, array_equal,
        count_nonzero, dot, vdot, outer, diagonal, trace, cross,
    )
}  # fmt: skip
_MODULES = {
    name: getattr(module, name)
    for module in (sorting, counting, rearranging)
    for name in module.__all__
}
