# SPDX-License-Identifier: MIT
"""The CUDA driver under PyCUDA's names: devices, contexts, memory, modules, streams, events.

Where PyCUDA needs a context and there is none, the device's primary one is used: no call fails for
want of a context, on any thread. Objects may be destroyed in any order and on any thread.

Examples
--------
>>> import numpy as np
>>> import lathe.cuda.driver as cuda
>>> from lathe.cuda.compiler import SourceModule
>>> twice = SourceModule("__global__ void twice(float* x) { x[threadIdx.x] *= 2; }"
...                     ).get_function("twice")
>>> x = np.arange(4, dtype=np.float32)
>>> twice(cuda.InOut(x), block=(4, 1, 1))
>>> x.tolist()
[0.0, 2.0, 4.0, 6.0]
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lathe.cuda import constants
from lathe.cuda.constants import *  # noqa: F403
from lathe.cuda.handlers import ArgumentHandler, In, InOut, Out
from lathe.cuda.host_arrays import (
    aligned_empty,
    aligned_empty_like,
    aligned_zeros,
    aligned_zeros_like,
    managed_empty,
    managed_empty_like,
    managed_zeros,
    managed_zeros_like,
    pagelocked_empty,
    pagelocked_empty_like,
    pagelocked_zeros,
    pagelocked_zeros_like,
)
from lathe.native import native

Error = native.Error
CompileError = native.CompileError
MemoryError = native.MemoryError
LogicError = native.LogicError
LaunchError = native.LaunchError
RuntimeError = native.RuntimeError

Device = native.Device
Context = native.Context
Stream = native.Stream
Event = native.Event
DeviceAllocation = native.DeviceAllocation
PointerHolderBase = native.PointerHolderBase
PagelockedHostAllocation = HostAllocation = native.PagelockedHostAllocation
AlignedHostAllocation = native.AlignedHostAllocation
ManagedAllocation = native.ManagedAllocation
Module = native.Module
Function = native.Function

mem_get_info = native.mem_get_info
mem_alloc = native.mem_alloc
memcpy_htod = native.memcpy_htod
memcpy_htod_async = native.memcpy_htod_async
memcpy_dtoh = native.memcpy_dtoh
memcpy_dtoh_async = native.memcpy_dtoh_async
memcpy_dtod = native.memcpy_dtod
memcpy_dtod_async = native.memcpy_dtod_async
memset_d8 = native.memset_d8
memset_d8_async = native.memset_d8_async
memset_d16 = native.memset_d16
memset_d16_async = native.memset_d16_async
memset_d32 = native.memset_d32
memset_d32_async = native.memset_d32_async
module_from_buffer = native.module_from_buffer


def init(flags: int = 0) -> None:
    """Opens the driver. Calls that need it do so themselves; calling it again does nothing.

    Parameters
    ----------
    flags : int
        0.

    Raises
    ------
    Error
        Where there is neither a GPU nor the software device.
    """
    if flags:
        raise LogicError(f"cuInit failed: invalid argument - flags must be 0, got {flags}")
    native.driver_init()


def get_version() -> tuple[int, int, int]:
    """(major, minor, revision) of the CUDA headers that Lathe is built with."""
    version = native.cuda_version()
    return version // 1000, version % 1000 // 10, version % 10


def get_driver_version() -> int:
    """1000 * major + 10 * minor of the CUDA that the driver offers."""
    return native.driver_version()


def mem_alloc_like(ary: NDArray[Any]) -> native.DeviceAllocation:
    """Device memory as large as `ary`."""
    return mem_alloc(ary.nbytes)


def to_device(buffer: Any) -> native.DeviceAllocation:
    """Device memory with a copy of a contiguous buffer. Blocks until the copy is done."""
    view = memoryview(buffer)
    memory = mem_alloc(view.nbytes)
    memcpy_htod(memory, view)
    return memory


def from_device(devptr: Any, shape: Any, dtype: DTypeLike, order: Any = "C") -> NDArray[Any]:
    """A new array with a copy of device memory. Blocks until the copy is done.

    Parameters
    ----------
    devptr : DeviceAllocation or other device memory
    shape : int or sequence of int
    dtype : data type
    order : {"C", "F"}
    """
    array = np.empty(shape, dtype, order)
    memcpy_dtoh(array, devptr)
    return array


def from_device_like(devptr: Any, other_ary: NDArray[Any]) -> NDArray[Any]:
    """A new array like `other_ary` with a copy of device memory."""
    array = np.empty_like(other_ary)
    memcpy_dtoh(array, devptr)
    return array


def module_from_file(filename: str | Path) -> native.Module:
    """Loads a file of PTX, a CUBIN or a fat binary.

    Raises
    ------
    LogicError
        With the loader's log.
    OSError
        Where the file cannot be read.
    """
    return module_from_buffer(Path(filename).read_bytes())


__all__ = [
    *(name for name in vars(constants) if name[0] != "_" and name != "Flags"),
    "AlignedHostAllocation",
    "ArgumentHandler",
    "CompileError",
    "Context",
    "Device",
    "DeviceAllocation",
    "Error",
    "Event",
    "Function",
    "HostAllocation",
    "In",
    "InOut",
    "LaunchError",
    "LogicError",
    "ManagedAllocation",
    "MemoryError",
    "Module",
    "Out",
    "PagelockedHostAllocation",
    "PointerHolderBase",
    "RuntimeError",
    "Stream",
    "from_device",
    "from_device_like",
    "get_driver_version",
    "get_version",
    "init",
    "mem_alloc",
    "mem_alloc_like",
    "mem_get_info",
    "memcpy_dtod",
    "memcpy_dtod_async",
    "memcpy_dtoh",
    "memcpy_dtoh_async",
    "memcpy_htod",
    "memcpy_htod_async",
    "memset_d16",
    "memset_d16_async",
    "memset_d32",
    "memset_d32_async",
    "memset_d8",
    "memset_d8_async",
    "module_from_buffer",
    "module_from_file",
    "to_device",
    "aligned_empty",
    "aligned_empty_like",
    "aligned_zeros",
    "aligned_zeros_like",
    "managed_empty",
    "managed_empty_like",
    "managed_zeros",
    "managed_zeros_like",
    "pagelocked_empty",
    "pagelocked_empty_like",
    "pagelocked_zeros",
    "pagelocked_zeros_like",
]
