// SPDX-License-Identifier: MIT
// A driver library whose calls do nothing: what a call through Lathe costs the host. One device,
// and kernels with the parameters (pointer, pointer, pointer, float, int).
//   LATHE_DRIVER_LIBRARY=build/tests/benchmarks/libnoop_cuda.so
#include <cuda.h>

#include <cstring>
#include <iterator>

namespace {
int something = 0; // what handles point to
template <class Handle> Handle handle() { return reinterpret_cast<Handle>(&something); }
struct {
    std::size_t offset, bytes;
} constexpr kParameters[] = {{0, 8}, {8, 8}, {16, 8}, {24, 4}, {28, 4}};
unsigned long long launches = 0;
} // namespace

extern "C" {

/// How many kernels were launched, for tests: never more than one thread launches there.
unsigned long long noop_launches() { return launches; }
CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        unsigned, CUstream, void**, void**) {
    ++launches;
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int) {
    *device = 0;
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int* count) {
    *count = 1;
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char* name, int length, CUdevice) {
    std::strncpy(name, "none: every call does nothing", std::size_t(length));
    name[length - 1] = '\0';
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice) {
    *value = which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR   ? 9
             : which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR ? 0
                                                                     : 1024;
    return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
    *context = handle<CUcontext>();
    return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext* context) {
    *context = handle<CUcontext>();
    return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice* device) {
    *device = 0;
    return CUDA_SUCCESS;
}
CUresult cuModuleLoadDataEx(CUmodule* module, const void*, unsigned, CUjit_option*, void**) {
    *module = handle<CUmodule>();
    return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule, const char*) {
    *function = handle<CUfunction>();
    return CUDA_SUCCESS;
}
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute, CUfunction) {
    *value = 1024;
    return CUDA_SUCCESS;
}
CUresult cuFuncGetParamInfo(CUfunction, std::size_t index, std::size_t* offset,
                            std::size_t* bytes) {
    if (index >= std::size(kParameters)) return CUDA_ERROR_INVALID_VALUE;
    *offset = kParameters[index].offset;
    if (bytes) *bytes = kParameters[index].bytes;
    return CUDA_SUCCESS;
}
CUresult cuMemAlloc(CUdeviceptr* address, std::size_t bytes) {
    static CUdeviceptr next = CUdeviceptr{1} << 40; // arrays must not overlap
    *address = next;
    next += (bytes + 511) / 512 * 512;
    return CUDA_SUCCESS;
}
CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned, int) {
    *stream = handle<CUstream>();
    return CUDA_SUCCESS;
}
CUresult cuStreamEndCapture(CUstream, CUgraph* graph) {
    *graph = handle<CUgraph>();
    return CUDA_SUCCESS;
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* graph, CUgraph, unsigned long long) {
    *graph = handle<CUgraphExec>();
    return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult, const char** text) {
    *text = "nothing";
    return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult, const char** text) {
    *text = "NOTHING";
    return CUDA_SUCCESS;
}

} // extern "C"
