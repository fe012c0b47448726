# SPDX-License-Identifier: MIT
"""CUDA arrays from arrays of NumPy and from arrays on the device.

An array's *last* axis runs along x with ``order="C"``, its *first* one with ``order="F"``: memory
stays as it is. Each function copies before it returns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lathe.array.documented_names import documented_as
from lathe.cuda.array_descriptors import ArrayDescriptor, ArrayDescriptor3D
from lathe.cuda.constants import address_mode, array3d_flags, array_format, filter_mode
from lathe.native import native

_FORMATS = {
    "u1": array_format.UNSIGNED_INT8,
    "u2": array_format.UNSIGNED_INT16,
    "u4": array_format.UNSIGNED_INT32,
    "i1": array_format.SIGNED_INT8,
    "i2": array_format.SIGNED_INT16,
    "i4": array_format.SIGNED_INT32,
    "f2": array_format.HALF,
    "f4": array_format.FLOAT,
}
# Numbers that textures do not know, as ints of 32 bits: fp_tex_double and its like.
_CHANNELS = {"f8": 2, "c8": 2, "c16": 4}


def dtype_to_array_format(dtype: DTypeLike) -> int:
    """The `array_format` of a NumPy type.

    Raises
    ------
    TypeError
        Where CUDA arrays have no such numbers.
    """
    kind = np.dtype(dtype)
    found = _FORMATS.get(kind.str[1:])
    if found is None or not kind.isnative:
        raise TypeError(f"cannot convert dtype '{kind}' to array format")
    return found


def _element(dtype: np.dtype[Any], packed: bool) -> tuple[int, int]:
    channels = _CHANNELS.get(dtype.str[1:])
    if packed and channels is not None:
        return array_format.SIGNED_INT32, channels
    return dtype_to_array_format(dtype), 1


def _settled(order: str) -> str:
    if order not in ("C", "F", "c", "f"):
        raise native.LogicError(f"order must be either F or C, got {order!r}")
    return order.upper()


def _sizes(shape: Sequence[int], order: str) -> list[int]:
    """Along x, y, z."""
    return [int(n) for n in (shape if order == "F" else reversed(shape))]


def _copied(
    descriptor: Any, source: Any, row_bytes: int, on_device: bool = False
) -> native.CudaArray:
    array = native.CudaArray(descriptor)
    copy = native.Memcpy3D()
    if on_device:
        copy.set_src_device(source)
    else:
        copy.set_src_host(source)
    copy.set_dst_array(array)
    copy.width_in_bytes = copy.src_pitch = row_bytes
    copy.height = copy.src_height = max(1, descriptor.height)
    copy.depth = max(1, getattr(descriptor, "depth", 1))
    copy()
    return array


def _seen(value: Any) -> str:
    return f"{type(value).__name__} of shape {np.shape(value)}"


def matrix_to_array(
    matrix: NDArray[Any], order: str, allow_double_hack: bool = False
) -> native.CudaArray:
    """A CUDA array of two dimensions with a copy of a matrix.

    Parameters
    ----------
    matrix : (h, w) array
        Of integers up to 32 bits, float16 or float32.
    order : {"C", "F"}
        In which the matrix is laid down, and copied first where it is not.
    allow_double_hack : bool
        Take float64, too, as two ints of 32 bits: ``fp_tex_double`` in a kernel.

    Raises
    ------
    TypeError
        For other types of numbers.
    ValueError
        For other shapes.
    """
    order = _settled(order)
    if np.ndim(matrix) != 2:
        raise ValueError(f"a matrix has two dimensions, got {_seen(matrix)}")
    laid = np.asarray(matrix, order="F" if order == "F" else "C")
    width, height = _sizes(laid.shape, order)
    packed = allow_double_hack and laid.dtype == np.float64
    format_, channels = _element(laid.dtype, packed)
    descriptor = ArrayDescriptor(width, height, format_, channels)
    return _copied(descriptor, laid, width * laid.itemsize)


def _volume_descriptor(
    shape: Sequence[int], dtype: np.dtype[Any], order: str, surface: bool
) -> ArrayDescriptor | ArrayDescriptor3D:
    sizes = _sizes(shape, order)
    format_, channels = _element(dtype, True)
    if len(sizes) == 2 and not surface:
        return ArrayDescriptor(sizes[0], sizes[1], format_, channels)
    if len(sizes) not in (2, 3):
        raise native.LogicError(f"a CUDA array has two or three dimensions, got shape {shape}")
    flags = 0
    if surface:
        flags = int(array3d_flags.SURFACE_LDST)
        if len(sizes) == 2:
            flags |= array3d_flags.ARRAY3D_LAYERED
    depth = sizes[2] if len(sizes) == 3 else 1
    return ArrayDescriptor3D(sizes[0], sizes[1], depth, format_, channels, flags)


def np_to_array(
    nparray: NDArray[Any],
    order: str,
    allowSurfaceBind: bool = False,
) -> native.CudaArray:
    """A CUDA array of two or three dimensions with a copy of a NumPy array.

    Parameters
    ----------
    nparray : (h, w) or (d, h, w) array
        float64 is taken as two ints of 32 bits, complex64 as two and complex128 as four: the
        ``fp_tex_`` types of kernels.
    order : {"C", "F"}
        In which the array is laid down, and copied first where it is not.
    allowSurfaceBind : bool
        Surfaces may write it. A matrix then is an array of one layer.

    Raises
    ------
    LogicError
        For other numbers of dimensions.
    TypeError
        For other types of numbers.
    """
    order = _settled(order)
    if np.ndim(nparray) not in (2, 3):
        raise native.LogicError(f"a CUDA array has two or three dimensions, got {_seen(nparray)}")
    laid = np.asarray(nparray, order="F" if order == "F" else "C")
    descriptor = _volume_descriptor(laid.shape, laid.dtype, order, allowSurfaceBind)
    return _copied(descriptor, laid, descriptor.width * laid.itemsize)


def _is_laid(shape: Sequence[int], strides: Any, itemsize: int, order: str) -> bool:
    expected = itemsize
    axes = range(len(shape)) if order == "F" else reversed(range(len(shape)))
    if strides is None:  # C order; with one long axis the two are the same
        return order == "C" or sum(n > 1 for n in shape) <= 1
    for axis in axes:
        if shape[axis] > 1 and strides[axis] != expected:
            return False
        expected *= shape[axis]
    return True


def gpuarray_to_array(
    gpuarray: Any,
    order: str,
    allowSurfaceBind: bool = False,
) -> native.CudaArray:
    """`np_to_array` of an array on the device, which must be laid down in `order`.

    Parameters
    ----------
    gpuarray : object with ``__cuda_array_interface__``
    order, allowSurfaceBind
        Those of `np_to_array`.

    Raises
    ------
    TypeError
        For other objects, and other types of numbers.
    ValueError
        Where the memory is not contiguous in that order.
    """
    order = _settled(order)
    interface = getattr(gpuarray, "__cuda_array_interface__", None)
    if interface is None:
        raise TypeError(f"gpuarray must be an array on the device, got {type(gpuarray).__name__}")
    shape, dtype = tuple(interface["shape"]), np.dtype(interface["typestr"])
    descriptor = _volume_descriptor(shape, dtype, order, allowSurfaceBind)
    if not _is_laid(shape, interface.get("strides"), dtype.itemsize, order):
        raise ValueError(f"the array's memory is not contiguous in order {order!r}")
    return _copied(descriptor, gpuarray, descriptor.width * dtype.itemsize, on_device=True)


@documented_as(matrix="ndarray")
def make_multichannel_2d_array(ndarray: NDArray[Any], order: str) -> native.CudaArray:
    """A CUDA array of two dimensions whose elements have channels.

    Parameters
    ----------
    ndarray : (h, w, channels) array for ``"C"``, (channels, w, h) array for ``"F"``
        1, 2 or 4 channels.
    order : {"C", "F"}

    Raises
    ------
    ValueError
        For other shapes.
    TypeError
        For types that CUDA arrays do not have.
    """
    order = _settled(order)
    if np.ndim(ndarray) != 3:
        raise ValueError(f"an array with channels has three dimensions, got {_seen(ndarray)}")
    laid = np.asarray(ndarray, order="F" if order == "F" else "C")
    channels, width, height = _sizes(laid.shape, order)
    if channels not in (1, 2, 4):
        raise ValueError(f"elements have 1, 2 or 4 channels, got {channels}")
    descriptor = ArrayDescriptor(width, height, dtype_to_array_format(laid.dtype), channels)
    return _copied(descriptor, laid, channels * width * laid.itemsize)


def bind_array_to_texref(ary: native.CudaArray, texref: native.TextureReference) -> None:
    """Binds an array to a reference that reads its elements, clamped at the edges."""
    if not isinstance(texref, native.TextureReference):
        raise TypeError(f"texref must be a TextureReference, got {texref!r}")
    texref.set_array(ary)
    texref.set_address_mode(0, address_mode.CLAMP)
    texref.set_address_mode(1, address_mode.CLAMP)
    texref.set_filter_mode(filter_mode.POINT)


def matrix_to_texref(matrix: NDArray[Any], texref: native.TextureReference, order: str) -> None:
    """`bind_array_to_texref` of `matrix_to_array`."""
    bind_array_to_texref(matrix_to_array(matrix, order), texref)
