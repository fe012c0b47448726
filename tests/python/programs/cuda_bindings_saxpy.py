# SPDX-License-Identifier: MIT
"""A small program on cuda.bindings, as its users write them: it knows nothing of Lathe."""

from __future__ import annotations

import ctypes

import numpy as np
from cuda.bindings import driver, nvrtc

SOURCE = rb"""
extern "C" __global__ void saxpy(float a, const float* x, float* y, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
"""


def check(result):
    error, *values = result
    if error.value:
        raise RuntimeError(f"{error.name}")
    return values[0] if len(values) == 1 else values


def compile_for(device) -> bytes:
    """PTX for the device's own compute capability."""
    attribute = driver.CUdevice_attribute
    major = check(
        driver.cuDeviceGetAttribute(attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device)
    )
    minor = check(
        driver.cuDeviceGetAttribute(attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device)
    )
    program = check(nvrtc.nvrtcCreateProgram(SOURCE, b"saxpy.cu", 0, [], []))
    check(
        nvrtc.nvrtcCompileProgram(
            program, 1, [f"--gpu-architecture=compute_{major}{minor}".encode()]
        )
    )
    ptx = bytes(check(nvrtc.nvrtcGetPTXSize(program)))
    check(nvrtc.nvrtcGetPTX(program, ptx))
    return ptx


def main() -> None:
    check(driver.cuInit(0))
    device = check(driver.cuDeviceGet(0))
    name = check(driver.cuDeviceGetName(64, device)).split(b"\0")[0].decode()
    context = check(driver.cuDevicePrimaryCtxRetain(device))
    check(driver.cuCtxSetCurrent(context))
    ptx = compile_for(device)
    module = check(driver.cuModuleLoadData(ptx))
    library = check(driver.cuLibraryLoadData(ptx, [], [], 0, [], [], 0))
    from_module = check(driver.cuModuleGetFunction(module, b"saxpy"))
    from_library = check(
        driver.cuKernelGetFunction(check(driver.cuLibraryGetKernel(library, b"saxpy")))
    )

    n = 100_000
    x = np.arange(n, dtype=np.float32)
    y = np.ones(n, dtype=np.float32)
    stream = check(driver.cuStreamCreate(driver.CUstream_flags.CU_STREAM_NON_BLOCKING))
    begin, end = (check(driver.cuEventCreate(0)) for _ in range(2))
    device_x = check(driver.cuMemAlloc(x.nbytes))
    device_y = check(driver.cuMemAllocAsync(y.nbytes, stream))
    check(driver.cuMemcpyHtoDAsync(device_x, x.ctypes.data, x.nbytes, stream))
    check(driver.cuMemcpyHtoDAsync(device_y, y.ctypes.data, y.nbytes, stream))
    check(driver.cuEventRecord(begin, stream))
    values = (2.0, device_x, device_y, n)
    types = (ctypes.c_float, None, None, ctypes.c_uint)
    for function in (from_module, from_library):
        check(
            driver.cuLaunchKernel(
                function, (n + 255) // 256, 1, 1, 256, 1, 1, 0, stream, (values, types), 0
            )
        )
    check(driver.cuEventRecord(end, stream))
    result = np.empty_like(y)
    check(driver.cuMemcpyDtoHAsync(result.ctypes.data, device_y, y.nbytes, stream))
    check(driver.cuMemFreeAsync(device_y, stream))
    check(driver.cuStreamSynchronize(stream))
    assert check(driver.cuEventElapsedTime(begin, end)) >= 0
    assert np.array_equal(result, 1 + 4 * x)

    graph = check(driver.cuGraphCreate(0))
    check(driver.cuGraphAddEmptyNode(graph, None, 0))
    check(driver.cuGraphDestroy(graph))
    error, _ = driver.cuMemAddressReserve(1 << 21, 0, 0, 0)
    print(f"virtual memory: {error.name}")
    check(driver.cuMemFree(device_x))
    check(driver.cuLibraryUnload(library))
    check(driver.cuModuleUnload(module))
    check(driver.cuDevicePrimaryCtxRelease(device))
    print(f"ok on {name}")


if __name__ == "__main__":
    main()
