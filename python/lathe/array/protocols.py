# SPDX-License-Identifier: MIT
"""What other libraries ask of arrays: NumPy's functions, DLPack, the CUDA Array Interface."""

from __future__ import annotations

import html
from typing import Any

import numpy as np

from lathe.array.extensions import provided
from lathe.array.gpu_array import GPUArray, Stream, to_device
from lathe.native import native

_OPERATIONS = {name: (inputs, outputs) for name, inputs, outputs in native.elementwise_functions()}
# Where NumPy's ufunc is named otherwise.
_NAMES = {"deg2rad": "radians", "rad2deg": "degrees", "conj": "conjugate", "mod": "remainder"}

_DLPACK = (1, 1)
_CPU, _CUDA, _CUDA_MANAGED = 1, 2, 13


def _refuse_host(name: str, values: Any) -> None:
    for each in values:
        if isinstance(each, np.ndarray) and each.ndim:
            raise TypeError(
                f"{name}: a GPUArray and a numpy.ndarray of shape {each.shape}: copy one to the "
                "side of the other, by gpuarray.to_gpu(array) or array.get()"
            )


def _array_ufunc(
    self: GPUArray, ufunc: np.ufunc, method: str, *inputs: Any, **keywords: Any
) -> Any:
    """NumPy's functions on arrays of the device (NEP 13): ``np.add(a, b, out=c)``."""
    name = _NAMES.get(ufunc.__name__, ufunc.__name__)
    _refuse_host(ufunc.__name__, inputs)
    out = keywords.pop("out", None)
    if name in ("matmul", "vecdot", "matvec", "vecmat"):
        return _product(name, method, inputs, out, keywords)
    if method in ("reduce", "accumulate"):
        return _fold(name, method, *inputs, out=out, **keywords)
    if method != "__call__" or name not in _OPERATIONS or keywords:
        return NotImplemented
    values = [each.item() if isinstance(each, np.ndarray) else each for each in inputs]
    if out is not None:
        if any(each is not None and not isinstance(each, GPUArray) for each in out):
            raise TypeError(f"{ufunc.__name__}: out must be a GPUArray")
        out = out[0] if len(out) == 1 else tuple(out)
    return native.apply(name, *values, out=out)


def _product(name: str, method: str, inputs: Any, out: Any, keywords: dict[str, Any]) -> Any:
    linalg = provided("linalg")
    if method != "__call__" or not all(isinstance(each, GPUArray) for each in inputs):
        return NotImplemented
    into = out[0] if out else None
    if name == "matmul":
        return linalg.matmul(inputs[0], inputs[1], into, **keywords)
    if into is not None or keywords.keys() - {"axis"}:
        return NotImplemented
    a, b = inputs
    if name == "vecdot":
        return linalg.vecdot(a, b, **keywords)
    if keywords or not a.ndim or not b.ndim:
        return NotImplemented
    if name == "matvec":
        return linalg.matmul(a, b[..., :, None])[..., 0]
    return linalg.matmul(a.conj()[..., None, :], b)[..., 0, :]


_FOLDS = {
    "add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "fmax": "fmax",
    "fmin": "fmin", "logical_and": "all", "logical_or": "any",
}  # fmt: skip


def _fold(
    name: str, method: str, array: GPUArray, axis: Any = 0, dtype: Any = None, *,
    out: Any = None, **keywords: Any,
) -> Any:  # fmt: skip
    """``np.add.reduce(a)``, ``np.maximum.accumulate(a)``."""
    out = out[0] if out else None
    if method == "reduce" and name in _FOLDS and keywords.keys() <= {"keepdims"}:
        return native.reduce(_FOLDS[name], array, axis=axis, dtype=dtype, out=out, **keywords)
    if method == "accumulate" and not keywords and out is None:
        from lathe.array.sorting import accumulate

        return accumulate(name, array, axis, dtype)
    return NotImplemented


def _array_function(
    self: GPUArray, function: Any, types: Any, args: Any, keywords: dict[str, Any]
) -> Any:
    """NumPy's other functions (NEP 18), those that the modules here have under the same name."""
    from lathe.array import numpy_functions

    ours = numpy_functions.find(function)
    if ours is None:
        return NotImplemented
    _refuse_host(function.__name__, args)
    return ours(*args, **keywords)


def _dlpack(
    self: GPUArray, *, stream: int | None = None, max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None, copy: bool | None = None,
) -> Any:  # fmt: skip
    """A capsule of DLPack, version 1 where `max_version` allows it.

    Parameters
    ----------
    stream : int, optional
        The consumer's: work that it gets from now on comes after the array's. 1: the legacy default
        stream, 2: the per-thread one, -1: no order wanted.
    dl_device : tuple, optional
        ``(1, 0)``: a copy on the host.
    copy : bool, optional
        True: a copy in any case.
    """
    if dl_device is not None and tuple(dl_device) != _dlpack_device(self):
        if dl_device[0] != _CPU:
            raise BufferError(f"a GPUArray cannot go to DLPack's device {tuple(dl_device)}")
        if copy is False:
            raise BufferError("an array on the host is a copy, and copy=False was asked for")
        return self.get().__dlpack__(max_version=max_version)
    return native.to_dlpack(self.copy() if copy else self, stream, max_version)


def _dlpack_device(self: GPUArray) -> tuple[int, int]:
    """``(2, ordinal)``: CUDA's device of that number."""
    return _CUDA, native.array_device(self)


def from_dlpack(x: Any) -> GPUArray:
    """An array over the memory of another library's array on the device, which is kept.

    Parameters
    ----------
    x : object with ``__dlpack__``
        Of PyTorch, CuPy, JAX, or from here.

    Raises
    ------
    BufferError
        For arrays that are elsewhere, or of types that there are none of.
    """
    device = x.__dlpack_device__()
    if int(device[0]) not in (_CUDA, _CUDA_MANAGED):
        raise BufferError(
            f"the array is on DLPack's device {tuple(map(int, device))}, which is not CUDA's: "
            "gpuarray.to_gpu(numpy.from_dlpack(x)) copies arrays of the host"
        )
    try:
        capsule = x.__dlpack__(stream=1, max_version=_DLPACK)
    except TypeError:  # before DLPack 1.0
        capsule = x.__dlpack__(stream=1)
    return native.from_dlpack_capsule(capsule)


def is_on_device(x: Any) -> bool:
    """Whether `asarray` shares the memory of `x`, and copies nothing from the host."""
    if isinstance(x, GPUArray) or hasattr(x, "__cuda_array_interface__"):
        return True
    ask = getattr(x, "__dlpack_device__", None)
    return ask is not None and int(ask()[0]) in (_CUDA, _CUDA_MANAGED)


def asarray(x: Any, dtype: Any = None, stream: Stream = None) -> GPUArray:
    """An array on the device: `x` itself, a view of its memory, or a copy from the host.

    Parameters
    ----------
    x : GPUArray, object with ``__cuda_array_interface__`` or ``__dlpack__``, array_like
        Memory of other objects is shared, and kept.
    dtype : data type, optional
        Cast to it where it is another one.
    """
    if isinstance(x, GPUArray):
        made = x
    elif hasattr(x, "__cuda_array_interface__"):
        made = _over_interface(x)
    elif hasattr(x, "__dlpack__") and not isinstance(x, np.ndarray):
        made = from_dlpack(x)
    else:
        return to_device(np.asarray(x, dtype), None, stream)
    return made if dtype is None else made.astype(dtype, stream, copy=False)


def _over_interface(x: Any) -> GPUArray:
    interface = x.__cuda_array_interface__
    address, read_only = interface["data"]
    dtype = interface["typestr"]
    if np.dtype(dtype).kind == "V" and interface.get("descr"):
        dtype = [tuple(each) for each in interface["descr"]]
    if interface.get("mask") is not None:
        raise TypeError("arrays with a mask are not known here")
    stream = interface.get("stream")
    if stream is not None:
        native.wait_for_stream(int(stream))
    return native.array_over(
        address or 0,
        np.dtype(dtype),
        interface["shape"],
        interface.get("strides"),
        x,
        bool(read_only),
    )


def _repr_html(self: GPUArray) -> str:
    """A table of what it is and of its first elements, for notebooks."""
    few = self[tuple(slice(6) for _ in range(self.ndim))].get() if self.size else self.get()
    rows = [
        ("shape", str(self.shape)), ("dtype", str(self.dtype)), ("bytes", f"{self.nbytes:,}"),
        ("device", str(native.array_device(self))),
    ]  # fmt: skip
    cells = "".join(f"<tr><th>{name}</th><td>{html.escape(text)}</td></tr>" for name, text in rows)
    more = "" if few.size == self.size else ", first elements"
    return (
        f"<table>{cells}</table><details><summary>values{more}</summary>"
        f"<pre>{html.escape(str(few))}</pre></details>"
    )


def _sort(self: GPUArray, axis: int = -1, kind: str | None = None) -> None:
    """Sorts the array itself along an axis; `numpy.sort` gives a copy."""
    from lathe.array import sorting

    native.assign_array(self, sorting.sort(self, axis, kind))


def _sorting_method(name: str) -> Any:
    def method(self: GPUArray, *args: Any, **keywords: Any) -> Any:
        from lathe.array import sorting

        return getattr(sorting, name)(self, *args, **keywords)

    method.__name__ = name
    method.__doc__ = f"`lathe.array.sorting.{name}`."
    return method


def _dot_method(self: GPUArray, other: GPUArray) -> GPUArray:
    """`numpy.dot` of the arrays: of vectors the sum of products, of matrices their product."""
    from lathe.array import numpy_functions

    return numpy_functions.dot(self, other)


def _diagonal_method(self: GPUArray, offset: int = 0, axis1: int = 0, axis2: int = 1) -> GPUArray:
    """The diagonals of two axes; a view."""
    from lathe.array import numpy_functions

    return numpy_functions.diagonal(self, offset, axis1, axis2)


def _trace_method(
    self: GPUArray, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None,
    out: GPUArray | None = None,
) -> GPUArray:  # fmt: skip
    """The sums of the diagonals of two axes."""
    from lathe.array import numpy_functions

    return numpy_functions.trace(self, offset, axis1, axis2, dtype, out)


def _matrix_transpose(self: GPUArray) -> GPUArray:
    """The last two axes exchanged; a view."""
    return provided("linalg").matrix_transpose(self)


def install() -> None:
    """Gives the class its protocols."""
    for name in ("argsort", "cumsum", "cumprod", "nonzero"):
        setattr(GPUArray, name, _sorting_method(name))
    for name, function in {
        "__array_ufunc__": _array_ufunc,
        "__array_function__": _array_function,
        "__dlpack__": _dlpack,
        "__dlpack_device__": _dlpack_device,
        "_repr_html_": _repr_html,
        "sort": _sort,
        "dot": _dot_method,
        "diagonal": _diagonal_method,
        "trace": _trace_method,
        "mT": property(_matrix_transpose),
    }.items():
        setattr(GPUArray, name, function)


install()
