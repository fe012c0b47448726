// SPDX-License-Identifier: MIT
// Launches as CUDA had them before 4.0: block, shared memory and parameters are set one by one and
// stay for the launches that follow.
#pragma once

#include "gpu/launch.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace lathe::bind {

class StatefulLaunch {
public:
    /// Throws gpu::Error where the kernel does not run as many threads in a block.
    void set_block(const gpu::Kernel& kernel, gpu::Dim3 block);
    void set_shared(std::size_t bytes) { shared_bytes_ = bytes; }
    /// `bytes` of the parameters from `offset` on.
    void set(std::size_t offset, const void* value, std::size_t bytes);
    /// Throws gpu::Error where no kernel takes as much.
    void set_size(std::size_t bytes);
    /// Throws gpu::Error where no block was set, or fewer parameters than the kernel has.
    void launch(const gpu::Kernel& kernel, gpu::Dim3 grid, gpu::StreamView stream) const;

private:
    std::optional<gpu::Dim3> block_;
    std::size_t shared_bytes_ = 0;
    std::vector<std::byte> parameters_;
};

/// Throws gpu::Error with PyCUDA's routine for it.
void check_block(const gpu::Kernel& kernel, gpu::Dim3 block);

} // namespace lathe::bind
