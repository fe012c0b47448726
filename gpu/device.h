// SPDX-License-Identifier: MIT
// A CUDA device and what it can do.
#pragma once

#include "engine/core/api.h"

#include <cuda.h>

#include <array>
#include <compare>
#include <cstddef>
#include <string>
#include <vector>

namespace lathe::gpu {

struct ComputeCapability {
    int major = 0;
    int minor = 0;
    auto operator<=>(const ComputeCapability&) const = default;
};

/// A value that names one device; copies are cheap and own nothing.
class LATHE_API Device {
public:
    /// The device with this ordinal, from 0 in the order CUDA_VISIBLE_DEVICES leaves.
    /// Throws gpu::Error where there is none. (cuDeviceGet)
    explicit Device(int ordinal = 0);
    static Device wrap(CUdevice device) noexcept;

    static int count();
    static std::vector<Device> all();

    CUdevice get() const noexcept { return device_; }
    std::string name() const;
    ComputeCapability compute_capability() const;
    int attribute(CUdevice_attribute which) const;
    std::size_t total_bytes() const;
    std::string pci_bus_id() const; ///< "0000:01:00.0"
    std::array<unsigned char, 16> uuid() const;

    bool operator==(const Device&) const = default;

private:
    struct Wrap {};
    Device(Wrap, CUdevice device) noexcept : device_{device} {}
    CUdevice device_ = 0;
};

} // namespace lathe::gpu
