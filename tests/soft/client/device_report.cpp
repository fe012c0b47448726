// SPDX-License-Identifier: MIT
// Prints what the device says of itself in this environment, one "name value" a line.
#include <cuda.h>

#include <cstdio>

int main() {
    CUcontext context = nullptr;
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context)) return 1;
    auto attribute = [](CUdevice_attribute a) {
        int value = -1;
        cuDeviceGetAttribute(&value, a, 0);
        return value;
    };
    size_t total = 0, free_bytes = 0, all = 0;
    cuDeviceTotalMem(&total, 0);
    cuMemGetInfo(&free_bytes, &all);
    int version = 0, major = 0, minor = 0;
    cuDriverGetVersion(&version);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" // programs of before still call it
    cuDeviceComputeCapability(&major, &minor, 0);
#pragma GCC diagnostic pop
    std::printf("total %zu\nfree %zu\nall %zu\n", total, free_bytes, all);
    std::printf("workers %d\n", attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
    std::printf("major %d\nminor %d\n", attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
    std::printf("capability %d%d\nversion %d\n", major, minor, version);

    // Blocks of a MiB until there are no more.
    int blocks = 0;
    CUdeviceptr p = 0;
    CUresult result = CUDA_SUCCESS;
    while (blocks < 1000 && (result = cuMemAlloc(&p, 1 << 20)) == CUDA_SUCCESS) ++blocks;
    void* host = nullptr;
    CUdeviceptr array = 0;
    std::printf("blocks %d\nthen %d\n", blocks, result);
    std::printf("pinned %d\nasync %d\nmanaged %d\n", cuMemAllocHost(&host, 1 << 20),
                cuMemAllocAsync(&array, 1 << 20, nullptr),
                cuMemAllocManaged(&array, 1 << 20, CU_MEM_ATTACH_GLOBAL));
    return 0;
}
