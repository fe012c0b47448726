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

/// Shape, sizes and parameters alone: what launch checks first.
void check_launch(const Function& function, const LaunchArguments& arguments);
/// Copies the parameters to param_bytes of packed ones; fails as launch.
void pack_arguments(const KernelInfo& info, const LaunchArguments& arguments, std::uint8_t* to);
/// The grid, not yet in a stream; `arguments.stream` is not looked at.
std::shared_ptr<Launch> make_grid(Context& context, Function& function,
                                  const LaunchArguments& arguments, const Stream& stream);

/// Blocks of this kernel on one multiprocessor at a time; 0 where a launch would be refused.
unsigned resident_blocks(const Function& function, int threads, std::size_t dynamic_bytes);

} // namespace lathe::soft
