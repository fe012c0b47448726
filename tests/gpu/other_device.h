// SPDX-License-Identifier: MIT
// A second device for tests of what is done for each: in truth device 0 once more, with a context
// of its own in the place of its primary one.
#pragma once

#include "gpu/context.h"
#include "gpu/driver/check.h"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

namespace lathe::gpu {

/// While it lives the driver's table pretends that there is one more device. That is not the next
/// ordinal, so that it is never taken for a real one.
class OtherDevice {
public:
    static constexpr CUdevice kOther = 100;

    /// OpenGL draws with `drawn_with`: what cuGLGetDevices answers; empty: with none of CUDA's.
    explicit OtherDevice(std::vector<CUdevice> drawn_with) {
        real_ = &driver();
        drawn_with_ = std::move(drawn_with);
        table_ = *real_;
        table_.cuDeviceGetCount = &count;
        table_.cuDeviceGetName = &name;
        table_.cuDeviceGetAttribute = &attribute;
        table_.cuDevicePrimaryCtxRetain = &retain;
        table_.cuCtxGetDevice = &device_of_current;
        table_.cuGLGetDevices = &gl_devices;
        detail::open_driver = &table_;
    }
    OtherDevice(const OtherDevice&) = delete;
    OtherDevice& operator=(const OtherDevice&) = delete;
    ~OtherDevice() {
        detail::open_driver = real_;
        real_->cuCtxSetCurrent(Context::primary().get());
    }

private:
    static CUresult CUDAAPI count(int* devices) {
        const CUresult code = real_->cuDeviceGetCount(devices);
        ++*devices;
        return code;
    }
    static CUresult CUDAAPI name(char* text, int bytes, CUdevice device) {
        if (device != kOther) return real_->cuDeviceGetName(text, bytes, device);
        std::snprintf(text, std::size_t(bytes), "the other device");
        return CUDA_SUCCESS;
    }
    static CUresult CUDAAPI attribute(int* value, CUdevice_attribute which, CUdevice device) {
        return real_->cuDeviceGetAttribute(value, which, device == kOther ? 0 : device);
    }
    static CUresult CUDAAPI retain(CUcontext* context, CUdevice device) {
        if (device != kOther) return real_->cuDevicePrimaryCtxRetain(context, device);
        CUcontext popped = nullptr;
        // Context::primary keeps it for the process's life.
        const CUresult code = real_->cuCtxCreate(&primary_, 0, 0);
        if (code == CUDA_SUCCESS) real_->cuCtxPopCurrent(&popped);
        *context = primary_;
        return code;
    }
    static CUresult CUDAAPI device_of_current(CUdevice* device) {
        CUcontext current = nullptr;
        real_->cuCtxGetCurrent(&current);
        if (!primary_ || current != primary_) return real_->cuCtxGetDevice(device);
        *device = kOther;
        return CUDA_SUCCESS;
    }
    static CUresult CUDAAPI gl_devices(unsigned* found, CUdevice* list, unsigned room, unsigned) {
        if (drawn_with_.empty()) return CUDA_ERROR_NO_DEVICE;
        *found = unsigned(std::min(drawn_with_.size(), std::size_t(room)));
        std::copy_n(drawn_with_.begin(), *found, list);
        return CUDA_SUCCESS;
    }

    static inline const DriverApi* real_ = nullptr;
    static inline std::vector<CUdevice> drawn_with_;
    static inline CUcontext primary_ = nullptr;
    DriverApi table_;
};

} // namespace lathe::gpu
