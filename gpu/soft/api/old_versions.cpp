// SPDX-License-Identifier: MIT
// Older symbols of functions whose arguments did not change in a 64-bit process, or changed in a
// way that says the same. Those of CUDA 2 with 32-bit pointers stay unsupported.
#include "gpu/soft/api/entry.h"

// Below, names are symbols, not the newest version that the header makes of them.
#undef cuCtxCreate
#undef cuCtxDestroy
#undef cuCtxPopCurrent
#undef cuCtxPushCurrent
#undef cuDeviceGetUuid
#undef cuDevicePrimaryCtxRelease
#undef cuDevicePrimaryCtxReset
#undef cuDevicePrimaryCtxSetFlags
#undef cuEventDestroy
#undef cuGraphicsResourceSetMapFlags
#undef cuIpcOpenMemHandle
#undef cuLinkAddData
#undef cuLinkAddFile
#undef cuLinkCreate
#undef cuMemAdvise
#undef cuMemHostRegister
#undef cuMemPrefetchAsync
#undef cuStreamBatchMemOp
#undef cuStreamDestroy
#undef cuStreamWaitValue32
#undef cuStreamWaitValue64
#undef cuStreamWriteValue32
#undef cuStreamWriteValue64

#define LATHE_OLD __attribute__((visibility("default"))) CUresult

extern "C" {

CUresult cuCtxCreate_v2(CUcontext*, unsigned, CUdevice);

LATHE_OLD cuCtxCreate(CUcontext* context, unsigned flags, CUdevice device) {
    return cuCtxCreate_v2(context, flags, device);
}
LATHE_OLD cuCtxCreate_v3(CUcontext* context, CUexecAffinityParam*, int count, unsigned flags,
                         CUdevice device) {
    if (count < 0) return CUDA_ERROR_INVALID_VALUE;
    return count ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY : cuCtxCreate_v2(context, flags, device);
}
LATHE_OLD cuCtxDestroy(CUcontext context) { return cuCtxDestroy_v2(context); }
LATHE_OLD cuCtxPopCurrent(CUcontext* context) { return cuCtxPopCurrent_v2(context); }
LATHE_OLD cuCtxPushCurrent(CUcontext context) { return cuCtxPushCurrent_v2(context); }
LATHE_OLD cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
    return cuDeviceGetUuid_v2(uuid, device);
}
LATHE_OLD cuDevicePrimaryCtxRelease(CUdevice device) {
    return cuDevicePrimaryCtxRelease_v2(device);
}
LATHE_OLD cuDevicePrimaryCtxReset(CUdevice device) { return cuDevicePrimaryCtxReset_v2(device); }
LATHE_OLD cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
    return cuDevicePrimaryCtxSetFlags_v2(device, flags);
}
LATHE_OLD cuEventDestroy(CUevent event) { return cuEventDestroy_v2(event); }
LATHE_OLD cuGraphicsResourceSetMapFlags(CUgraphicsResource resource, unsigned flags) {
    return cuGraphicsResourceSetMapFlags_v2(resource, flags);
}
LATHE_OLD cuIpcOpenMemHandle(CUdeviceptr* p, CUipcMemHandle handle, unsigned flags) {
    return cuIpcOpenMemHandle_v2(p, handle, flags);
}
LATHE_OLD cuLinkCreate(unsigned count, CUjit_option* options, void** values, CUlinkState* state) {
    return cuLinkCreate_v2(count, options, values, state);
}
LATHE_OLD cuLinkAddData(CUlinkState state, CUjitInputType type, void* data, std::size_t bytes,
                        const char* name, unsigned count, CUjit_option* options, void** values) {
    return cuLinkAddData_v2(state, type, data, bytes, name, count, options, values);
}
LATHE_OLD cuLinkAddFile(CUlinkState state, CUjitInputType type, const char* path, unsigned count,
                        CUjit_option* options, void** values) {
    return cuLinkAddFile_v2(state, type, path, count, options, values);
}
LATHE_OLD cuMemHostRegister(void* p, std::size_t bytes, unsigned flags) {
    return cuMemHostRegister_v2(p, bytes, flags);
}
LATHE_OLD cuStreamDestroy(CUstream stream) { return cuStreamDestroy_v2(stream); }
LATHE_OLD cuStreamBatchMemOp(CUstream stream, unsigned count, CUstreamBatchMemOpParams* operations,
                             unsigned flags) {
    return cuStreamBatchMemOp_v2(stream, count, operations, flags);
}
LATHE_OLD cuStreamWaitValue32(CUstream s, CUdeviceptr p, cuuint32_t value, unsigned flags) {
    return cuStreamWaitValue32_v2(s, p, value, flags);
}
LATHE_OLD cuStreamWaitValue64(CUstream s, CUdeviceptr p, cuuint64_t value, unsigned flags) {
    return cuStreamWaitValue64_v2(s, p, value, flags);
}
LATHE_OLD cuStreamWriteValue32(CUstream s, CUdeviceptr p, cuuint32_t value, unsigned flags) {
    return cuStreamWriteValue32_v2(s, p, value, flags);
}
LATHE_OLD cuStreamWriteValue64(CUstream s, CUdeviceptr p, cuuint64_t value, unsigned flags) {
    return cuStreamWriteValue64_v2(s, p, value, flags);
}

// Before CUDA 13 a place was a device, or the host as -1.
static CUmemLocation location_of(CUdevice device) {
    CUmemLocation location{};
    location.type =
        device == CU_DEVICE_CPU ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE;
    location.id = device == CU_DEVICE_CPU ? 0 : device;
    return location;
}
LATHE_OLD cuMemAdvise(CUdeviceptr p, std::size_t bytes, CUmem_advise advice, CUdevice device) {
    return cuMemAdvise_v2(p, bytes, advice, location_of(device));
}
LATHE_OLD cuMemPrefetchAsync(CUdeviceptr p, std::size_t bytes, CUdevice device, CUstream stream) {
    return cuMemPrefetchAsync_v2(p, bytes, location_of(device), 0, stream);
}

} // extern "C"
