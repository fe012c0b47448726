# SPDX-License-Identifier: MIT
"""Copies of a GPUArray to the host and from it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lathe.native import native

Host = NDArray[Any]
Stream = native.Stream | None


def _host_image(array: Any, pagelocked: bool = False) -> tuple[Host, Host]:
    """Host memory for all bytes of a dense array, and the array in it with the same strides."""
    begin, end = array._reach()
    if pagelocked:
        locked: Any = native.PagelockedHostAllocation(end - begin, 0)
        memory = np.ndarray(end - begin, np.uint8, locked)
    else:
        memory = np.empty(end - begin, np.uint8)
    image = np.ndarray(array.shape, array.dtype, memory, -begin, array.strides)
    return memory, image


def _lowest_address(array: Any) -> int:
    """Of all elements: axes may be walked backwards."""
    return int(array.ptr + array._reach()[0])


class TransferMethods:
    """What `GPUArray` has for its values on the host."""

    def get(
        self: Any,
        ary: Host | None = None,
        pagelocked: bool = False,
        async_: bool = False,
        stream: Stream = None,
        **others: Any,
    ) -> Host:
        """A copy in host memory, with the same order of axes.

        Parameters
        ----------
        ary : numpy.ndarray, optional
            Where to, of the same shape and type.
        pagelocked : bool
            The new array is in page-locked memory, which makes the copy faster.
        async_ : bool
            Do not wait: the values are there when `stream` has come so far.
        stream : Stream, optional
            The copy comes after its work.
        """
        async_ = others.pop("async", async_)  # PyCUDA's older spelling
        if others:
            raise TypeError(f"get() got an unexpected keyword argument '{next(iter(others))}'")
        if ary is not None and (ary.shape != self.shape or ary.dtype != self.dtype):
            raise ValueError(
                f"get: the array given is {ary.dtype} {ary.shape}, "
                f"this one {self.dtype} {self.shape}"
            )
        source = self if self.flags.dense else native.copy_array(self, "C", stream)
        if ary is not None and ary.flags.forc and ary.strides == source.strides:
            memory = image = ary
        else:
            memory, image = _host_image(source, pagelocked)
        if memory.nbytes:
            address = _lowest_address(source)
            if async_ or stream is not None:
                native.memcpy_dtoh_async(memory, address, stream)
                if not async_ or (ary is not None and image is not ary):
                    (stream or native.Context).synchronize()
            else:
                native.wait_for_kernels(source)
                native.memcpy_dtoh(memory, address)
        if ary is not None and image is not ary:
            ary[...] = image
            return ary
        return image

    def get_async(self: Any, stream: Stream = None, ary: Host | None = None) -> Host:
        """`get` without waiting, into page-locked memory."""
        made: Host = self.get(ary, pagelocked=ary is None, async_=True, stream=stream)
        return made

    def set(
        self: Any, ary: Any, async_: bool = False, stream: Stream = None, **others: Any
    ) -> None:
        """Copies from the host (or from another array on the device).

        Parameters
        ----------
        ary : array_like
            Of the same size, and of the same type if it has one of its own; a different shape is
            read in C order, with a warning. ``array[...] = value`` broadcasts and converts.
        async_ : bool
            Do not wait: page-locked memory must stay as it is until `stream` has come so far.
        """
        async_ = others.pop("async", async_)
        if others:
            raise TypeError(f"set() got an unexpected keyword argument '{next(iter(others))}'")
        if isinstance(ary, native.ArrayBase):
            native.assign_array(self, ary, stream)
            return
        ary = np.asarray(ary, None if hasattr(ary, "dtype") else self.dtype)
        if ary.size != self.size:
            raise ValueError(f"ary and self must be the same size, got {ary.size} and {self.size}")
        if ary.dtype != self.dtype:
            raise ValueError(
                f"ary and self must have the same dtype, got {ary.dtype} and {self.dtype}"
            )
        if ary.shape != self.shape:
            warnings.warn(
                f"Setting array from one with different shape: {ary.shape} to {self.shape}",
                stacklevel=2,
            )
            ary = ary.reshape(self.shape)
        if not self.size:
            return
        if not self.flags.dense:
            from lathe.array.gpu_array import to_device

            native.assign_array(self, to_device(ary, None, stream, async_), stream)
            return
        address = _lowest_address(self)
        if ary.strides == self.strides and ary.flags.forc:
            memory = ary
        else:
            memory, image = _host_image(self)
            image[...] = ary
            async_ = False  # of a copy that ends here
        if async_ or stream is not None:
            native.memcpy_htod_async(address, memory, stream)
            if not async_:
                (stream or native.Context).synchronize()
        else:
            native.wait_for_kernels(self)
            native.memcpy_htod(address, memory)

    def set_async(self: Any, ary: Any, stream: Stream = None) -> None:
        """`set` without waiting."""
        self.set(ary, async_=True, stream=stream)
