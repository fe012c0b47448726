// SPDX-License-Identifier: MIT
// CUDA's device runtime (dynamic parallelism, version 2), as functions of the device: kernels call
// __cudaCDP2LaunchDeviceV2 and others, which a GPU's programs get from libcudadevrt.
#pragma once

#include "gpu/soft/drv/module.h"
#include "gpu/soft/rt/abi.h"

#include <set>
#include <string_view>

namespace lathe::soft {

/// What a kernel's address stands for in device code; known to Objects<DeviceKernel>.
struct DeviceKernel {
    Module* module = nullptr; ///< lives as long as code that has the address runs
    std::string name;
    std::mutex mutex;
    std::set<std::array<std::uint32_t, 3>> blocks; ///< that there is code for
};

/// The function of this name; null where the device has none.
DeviceFunction device_runtime_function(std::string_view name);

} // namespace lathe::soft
