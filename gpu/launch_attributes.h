// SPDX-License-Identifier: MIT
// What a launch may ask beyond its shape (CUlaunchAttribute). gpu/launch.h has launches without.
#pragma once

#include "engine/core/api.h"
#include "gpu/launch.h"

#include <cuda.h>

#include <optional>
#include <string>

namespace lathe::gpu {

/// Names are those of CUDA's fields. What is not set is the stream's or the kernel's.
struct LATHE_API LaunchAttributes {
    /// Lower runs earlier, as for streams; brought into stream_priorities() by the driver.
    std::optional<int> priority;
    /// The kernel may begin before the one before it on the stream has ended, and waits for its
    /// results itself (cudaGridDependencySynchronize). Without effect before compute
    /// capability 9.0.
    bool programmatic_stream_serialization = false;
    /// Fences of kernels in one domain do not wait for writes of the other: 0 (default), 1
    /// (remote).
    std::optional<int> mem_sync_domain;
    /// Percent of the L1 cache's memory that is wanted as shared memory, 0 to 100; -1: no wish.
    std::optional<int> preferred_shared_memory_carveout;
    /// Which part of global memory the L2 cache should hold on to.
    std::optional<CUaccessPolicyWindow> access_policy_window;

    bool any() const noexcept;
};

/// As launch(), untyped. Throws gpu::Error that names the attributes where a value is outside of
/// its range or the driver refuses one of them. (cuLaunchKernelEx)
LATHE_API void launch_with(const Kernel& kernel, const LaunchConfig& config,
                           const LaunchAttributes& attributes, void** arguments);
/// Kernel::launch() where there are no attributes, else launch_with().
inline void launch_untyped(const Kernel& kernel, const LaunchConfig& config,
                           const LaunchAttributes& attributes, void** arguments) {
    if (attributes.any()) launch_with(kernel, config, attributes, arguments);
    else kernel.launch(config, arguments);
}

namespace detail {
/// Of a refused launch: the kernel, the shape, and the limits it may have broken.
LATHE_API std::string describe(const Kernel& kernel, const LaunchConfig& config);
} // namespace detail

} // namespace lathe::gpu
