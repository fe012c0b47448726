// SPDX-License-Identifier: MIT
// What the device says of itself.
#pragma once

#include "gpu/soft/drv/cuda_abi.h"

#include <cstddef>

namespace lathe::soft {

constexpr char kDeviceName[] = "Lathe software CUDA device";

struct Capability {
    int major, minor;
};
/// 7.5, or LATHE_SOFT_COMPUTE_CAPABILITY: what programs compile for, and nothing else.
Capability capability();

/// 13000, or LATHE_SOFT_DRIVER_VERSION.
int driver_version();
/// False for an attribute that no CUDA device of this capability knows.
bool device_attribute(CUdevice_attribute attribute, int& value);

/// Blocks of `threads` threads and `shared_bytes` of shared memory that fit on one
/// multiprocessor (worker) at a time.
unsigned resident_blocks(unsigned threads, std::size_t shared_bytes);

} // namespace lathe::soft
