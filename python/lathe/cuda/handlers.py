# SPDX-License-Identifier: MIT
"""Host arrays as arguments of a call: copied before it, after it, or both."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lathe.array.documented_names import documented_as
from lathe.native import native


class ArgumentHandler:
    """What a kernel's argument does before and after the call.

    Parameters
    ----------
    ary : numpy.ndarray
        Contiguous. Its device memory is allocated at the first call and kept for the next.
    """

    @documented_as(array="ary")
    def __init__(self, ary: NDArray[Any]) -> None:
        self.array = ary
        self.dev_alloc: native.DeviceAllocation | None = None

    def get_device_alloc(self) -> native.DeviceAllocation:
        """The device memory that the kernel gets."""
        if self.dev_alloc is None:
            self.dev_alloc = native.mem_alloc(self.array.nbytes)
        return self.dev_alloc

    def pre_call(self, stream: native.Stream | None) -> None:
        """Before the launch, in the order of `stream`."""

    def post_call(self, stream: native.Stream | None) -> None:
        """After the launch, in the order of `stream`."""


class In(ArgumentHandler):
    """An array that the kernel reads."""

    def pre_call(self, stream: native.Stream | None) -> None:
        if stream is None:
            native.memcpy_htod(self.get_device_alloc(), self.array)
        else:
            native.memcpy_htod_async(self.get_device_alloc(), self.array, stream)


class Out(ArgumentHandler):
    """An array that the kernel writes.

    With a stream the copy back is in its order: synchronise before reading the array.
    """

    @documented_as(array="ary")
    def __init__(self, ary: NDArray[Any]) -> None:
        if isinstance(ary, np.ndarray) and not ary.flags.writeable:
            raise ValueError("Out and InOut write to the array, and this one is read-only")
        super().__init__(ary)

    def post_call(self, stream: native.Stream | None) -> None:
        if stream is None:
            native.memcpy_dtoh(self.array, self.get_device_alloc())
        else:
            native.memcpy_dtoh_async(self.array, self.get_device_alloc(), stream)


class InOut(In, Out):
    """An array that the kernel reads and writes."""
