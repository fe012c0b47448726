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

from lathe.array.documented_names import documented_as
from lathe.cuda import constants
from lathe.cuda.array_descriptors import ArrayDescriptor, ArrayDescriptor3D
from lathe.cuda.arrays import (
    bind_array_to_texref,
    dtype_to_array_format,
    gpuarray_to_array,
    make_multichannel_2d_array,
    matrix_to_array,
    matrix_to_texref,
    np_to_array,
)
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
    register_host_memory,
)
from lathe.cuda.module_loading import module_get_loading_mode, module_set_loading_mode
from lathe.cuda.pools import (
    DeviceMemoryPool,
    PageLockedAllocator,
    PageLockedMemoryPool,
    PooledDeviceAllocation,
    PooledHostAllocation,
)
from lathe.native import native

Error = native.Error
CompileError = native.CompileError
MemoryError = native.MemoryError
LogicError = native.LogicError
LaunchError = native.LaunchError
RuntimeError = native.RuntimeError

RegisteredObject = native.RegisteredObject
RegisteredBuffer = native.RegisteredBuffer
RegisteredImage = native.RegisteredImage
RegisteredMapping = native.RegisteredMapping

Device = native.Device
Context = native.Context
Stream = native.Stream
Event = native.Event
DeviceAllocation = native.DeviceAllocation
PointerHolderBase = native.PointerHolderBase
PagelockedHostAllocation = HostAllocation = native.PagelockedHostAllocation
AlignedHostAllocation = native.AlignedHostAllocation
ManagedAllocation = ManagedAllocationOrStub = native.ManagedAllocation
HostPointer = native.HostPointer
RegisteredHostMemory = native.RegisteredHostMemory
IPCMemoryHandle = native.IPCMemoryHandle
Module = native.Module
Function = native.Kernel
Linker = native.Linker
Graph = native.Graph
GraphNode = native.GraphNode
Array = native.CudaArray
MipmappedArray = native.MipmappedArray
TextureReference = native.TextureReference
SurfaceReference = native.SurfaceReference
TextureObject = native.TextureObject
SurfaceObject = native.SurfaceObject
Memcpy2D = native.Memcpy2D
Memcpy3D = native.Memcpy3D
Memcpy3DPeer = native.Memcpy3DPeer

LEGACY_DEFAULT_STREAM = Stream.from_handle(1)
PER_THREAD_DEFAULT_STREAM = Stream.from_handle(2)

mem_get_info = native.mem_get_info
mem_get_address_range = native.mem_get_address_range
mem_get_ipc_handle = native.mem_get_ipc_handle
pointer_get_attribute = native.pointer_get_attribute
mem_alloc = native.mem_alloc
mem_alloc_async = native.mem_alloc_async
stream_priorities = native.stream_priorities
start_profiler = native.start_profiler
stop_profiler = native.stop_profiler
mem_alloc_pitch = native.mem_alloc_pitch
memcpy_htod = native.memcpy_htod
memcpy_htod_async = native.memcpy_htod_async
memcpy_dtoh = native.memcpy_dtoh
memcpy_dtoh_async = native.memcpy_dtoh_async
memcpy_dtod = native.memcpy_dtod
memcpy_dtod_async = native.memcpy_dtod_async
memcpy_htoa = native.memcpy_htoa
memcpy_atoh = native.memcpy_atoh
memcpy_dtoa = native.memcpy_dtoa
memcpy_atod = native.memcpy_atod
memcpy_atoa = native.memcpy_atoa
memcpy_peer = native.memcpy_peer
memcpy_peer_async = native.memcpy_peer_async
memset_d2d8 = native.memset_d2d8
memset_d2d8_async = native.memset_d2d8_async
memset_d2d16 = native.memset_d2d16
memset_d2d16_async = native.memset_d2d16_async
memset_d2d32 = native.memset_d2d32
memset_d2d32_async = native.memset_d2d32_async
memset_d8 = native.memset_d8
memset_d8_async = native.memset_d8_async
memset_d16 = native.memset_d16
memset_d16_async = native.memset_d16_async
memset_d32 = native.memset_d32
memset_d32_async = native.memset_d32_async
module_from_buffer = native.module_from_buffer


CUDA_DEBUGGING = False


def set_debugging(flag: bool = True) -> None:
    """From now on sources are compiled for debuggers (``-G``), and run slowly."""
    global CUDA_DEBUGGING
    CUDA_DEBUGGING = bool(flag)


def bitlog2(n: int) -> int:
    """The exponent of the greatest power of two that is not above `n`; 0 for 0."""
    if n < 0:
        raise ValueError(f"n must not be negative, got {n}")
    return max(int(n).bit_length() - 1, 0)


def have_gl_ext() -> bool:
    """Whether `lathe.cuda.gl` is there: always."""
    return True


def make_gl_context(dev: native.Device, flags: int = 0) -> native.Context:
    """`lathe.cuda.gl.make_context`."""
    from lathe.cuda import gl

    return gl.make_context(dev, flags)


def gl_init() -> None:
    """`lathe.cuda.gl.init`."""
    from lathe.cuda import gl

    gl.init()


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


def initialize_profiler(config_file: str, output_file: str, output_mode: int) -> None:
    """Raises LogicError: CUDA 12 has no profiler that a program sets up. Nsight Systems watches it.

    `start_profiler` and `stop_profiler` say what is of interest.
    """
    raise LogicError(
        "cuProfilerInitialize failed: operation not supported - CUDA 12 took it away; run the "
        "program in Nsight Systems (nsys profile -c cudaProfilerApi)"
    )


def mem_alloc_like(ary: NDArray[Any]) -> native.DeviceAllocation:
    """Device memory as large as `ary`."""
    if not hasattr(ary, "nbytes"):
        raise TypeError(f"ary must be an array, got {ary!r}")
    return mem_alloc(ary.nbytes)


@documented_as(buffer="bf_obj")
def to_device(bf_obj: Any) -> native.DeviceAllocation:
    """Device memory with a copy of a contiguous buffer. Blocks until the copy is done."""
    view = memoryview(bf_obj)
    if not view.contiguous:
        raise BufferError(
            f"the buffer must be contiguous, got shape {view.shape}, strides {view.strides}"
        )
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
    "CUDA_DEBUGGING",
    "LEGACY_DEFAULT_STREAM",
    "PER_THREAD_DEFAULT_STREAM",
    "AlignedHostAllocation",
    "ArgumentHandler",
    "CompileError",
    "Context",
    "Device",
    "DeviceAllocation",
    "DeviceMemoryPool",
    "Error",
    "Event",
    "Function",
    "Graph",
    "GraphNode",
    "HostAllocation",
    "HostPointer",
    "IPCMemoryHandle",
    "In",
    "InOut",
    "LaunchError",
    "Linker",
    "LogicError",
    "ManagedAllocation",
    "ManagedAllocationOrStub",
    "MemoryError",
    "Module",
    "Out",
    "PageLockedAllocator",
    "PageLockedMemoryPool",
    "PagelockedHostAllocation",
    "PointerHolderBase",
    "PooledDeviceAllocation",
    "PooledHostAllocation",
    "RegisteredBuffer",
    "RegisteredHostMemory",
    "RegisteredImage",
    "RegisteredMapping",
    "RegisteredObject",
    "RuntimeError",
    "Stream",
    "bitlog2",
    "from_device",
    "from_device_like",
    "get_driver_version",
    "get_version",
    "gl_init",
    "have_gl_ext",
    "init",
    "initialize_profiler",
    "make_gl_context",
    "mem_alloc",
    "mem_alloc_async",
    "mem_alloc_like",
    "mem_get_address_range",
    "mem_get_info",
    "mem_get_ipc_handle",
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
    "module_get_loading_mode",
    "module_set_loading_mode",
    "pointer_get_attribute",
    "register_host_memory",
    "set_debugging",
    "start_profiler",
    "stop_profiler",
    "stream_priorities",
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
    "Array",
    "ArrayDescriptor",
    "ArrayDescriptor3D",
    "Memcpy2D",
    "Memcpy3D",
    "Memcpy3DPeer",
    "MipmappedArray",
    "SurfaceObject",
    "SurfaceReference",
    "TextureObject",
    "TextureReference",
    "bind_array_to_texref",
    "dtype_to_array_format",
    "gpuarray_to_array",
    "make_multichannel_2d_array",
    "matrix_to_array",
    "matrix_to_texref",
    "np_to_array",
    "mem_alloc_pitch",
    "memcpy_atoa",
    "memcpy_atod",
    "memcpy_atoh",
    "memcpy_dtoa",
    "memcpy_htoa",
    "memcpy_peer",
    "memcpy_peer_async",
    "memset_d2d16",
    "memset_d2d16_async",
    "memset_d2d32",
    "memset_d2d32_async",
    "memset_d2d8",
    "memset_d2d8_async",
]
