// SPDX-License-Identifier: MIT
// From launch arguments to a checked grid in a stream.
#pragma once

#include "gpu/soft/drv/module.h"

namespace lathe::soft {

struct LaunchArguments {
    unsigned grid[3], block[3];
    unsigned shared_bytes = 0;
    CUstream stream = nullptr;
    void** kernel_params = nullptr;
    void** extra = nullptr;
    bool cooperative = false;
};

/// Checks and enqueues. Fails with CUDA_ERROR_INVALID_VALUE (the text says which limit), or
/// CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE.
void launch(Context& context, Function& function, const LaunchArguments& arguments);

/// Blocks of this kernel on one multiprocessor at a time; 0 where a launch would be refused.
unsigned resident_blocks(const Function& function, int threads, std::size_t dynamic_bytes);

} // namespace lathe::soft
