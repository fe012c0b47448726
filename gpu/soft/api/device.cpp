// SPDX-License-Identifier: MIT
// Devices and the primary context. There is one device, number 0.
#include "gpu/soft/api/entry.h"

#include "gpu/soft/drv/array.h"
#include "gpu/soft/drv/device.h"
#include "gpu/soft/rt/arena.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace lathe::soft;

namespace {

constexpr unsigned char kUuid[16] = {'L', 'a', 't', 'h', 'e', '-', 's', 'o',
                                     'f', 't', '-', 'd', 'e', 'v', '-', '0'};
constexpr char kBusId[] = "0000:00:00.0";

} // namespace

extern "C" {

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
    return entry([&] {
        require_pointer(device);
        require(ordinal == 0, CUDA_ERROR_INVALID_DEVICE);
        *device = 0;
    });
}

CUresult cuDeviceGetCount(int* count) {
    return entry([&] {
        require_pointer(count);
        *count = 1;
    });
}

CUresult cuDeviceGetName(char* name, int capacity, CUdevice device) {
    return entry([&] {
        require_pointer(name);
        require(capacity > 0, CUDA_ERROR_INVALID_VALUE);
        require_device(device);
        std::snprintf(name, static_cast<std::size_t>(capacity), "%s", kDeviceName);
    });
}

CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
    return entry([&] {
        require_pointer(uuid);
        require_device(device);
        std::memcpy(uuid->bytes, kUuid, sizeof kUuid);
    });
}

CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice device) {
    return entry([&] {
        require_pointer(bytes);
        require_device(device);
        *bytes = Arena::instance().limit_bytes();
    });
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
    return entry([&] {
        require_pointer(value);
        require_device(device);
        require(device_attribute(attribute, *value), CUDA_ERROR_INVALID_VALUE);
    });
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
    return entry([&] {
        require_pointer(major);
        require_pointer(minor);
        require_device(device);
        *major = capability().major;
        *minor = capability().minor;
    });
}

CUresult cuDeviceGetProperties(CUdevprop* p, CUdevice device) {
    return entry([&] {
        require_pointer(p);
        require_device(device);
        auto get = [](CUdevice_attribute a) {
            int value = 0;
            device_attribute(a, value);
            return value;
        };
        *p = {};
        p->maxThreadsPerBlock = get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
        for (int i = 0; i < 3; ++i) {
            auto axis = [i](CUdevice_attribute x) {
                return static_cast<CUdevice_attribute>(x + i);
            };
            p->maxThreadsDim[i] = get(axis(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X));
            p->maxGridSize[i] = get(axis(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X));
        }
        p->sharedMemPerBlock = get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
        p->totalConstantMemory = get(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
        p->SIMDWidth = get(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
        p->memPitch = get(CU_DEVICE_ATTRIBUTE_MAX_PITCH);
        p->regsPerBlock = get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
        p->clockRate = get(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
        p->textureAlign = get(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT);
    });
}

CUresult cuDeviceGetPCIBusId(char* text, int capacity, CUdevice device) {
    return entry([&] {
        require_pointer(text);
        require_device(device);
        require(capacity >= static_cast<int>(sizeof kBusId), CUDA_ERROR_INVALID_VALUE);
        std::memcpy(text, kBusId, sizeof kBusId);
    });
}

CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* text) {
    return entry([&] {
        require_pointer(device);
        require_pointer(text);
        require(std::strcmp(text, kBusId) == 0, CUDA_ERROR_INVALID_DEVICE);
        *device = 0;
    });
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
    return entry([&] {
        require_pointer(can);
        require_device(device);
        require_device(peer);
        *can = 0;
    });
}

CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute, CUdevice device,
                                 CUdevice peer) {
    return entry([&] {
        require_pointer(value);
        require_device(device);
        require_device(peer);
        fail(CUDA_ERROR_INVALID_DEVICE, "there is one device");
    });
}

CUresult cuDeviceGetExecAffinitySupport(int* supported, CUexecAffinityType type, CUdevice device) {
    return entry([&] {
        require_pointer(supported);
        require_device(device);
        require(type >= 0 && type < CU_EXEC_AFFINITY_TYPE_MAX, CUDA_ERROR_INVALID_VALUE);
        *supported = 0;
    });
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(std::size_t* width, CUarray_format format,
                                            unsigned channels, CUdevice device) {
    return entry([&] {
        require_pointer(width);
        require_device(device);
        require(known_format(format) && (channels == 1 || channels == 2 || channels == 4),
                CUDA_ERROR_INVALID_VALUE, "no such texel");
        int texels = 0;
        device_attribute(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH, texels);
        *width = static_cast<std::size_t>(texels);
    });
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
    return entry([&] {
        require_pointer(context);
        require_device(device);
        *context = reinterpret_cast<CUcontext>(PrimaryContext::instance().retain().get());
    });
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
    return entry([&] {
        require_device(device);
        PrimaryContext::instance().release();
    });
}

CUresult cuDevicePrimaryCtxReset(CUdevice device) {
    return entry([&] {
        require_device(device);
        PrimaryContext::instance().reset();
    });
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
    return entry([&] {
        require_device(device);
        require((flags & ~CU_CTX_FLAGS_MASK) == 0, CUDA_ERROR_INVALID_VALUE);
        PrimaryContext::instance().set_flags(flags);
    });
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
    return entry([&] {
        require_device(device);
        require_pointer(flags);
        require_pointer(active);
        *flags = PrimaryContext::instance().flags();
        *active = PrimaryContext::instance().active();
    });
}

} // extern "C"
