// SPDX-License-Identifier: MIT
// What a launch reads, as it was before the launch: its arguments, the allocations that they point
// into, and the variables of its module.
#pragma once

#include "engine/core/api.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/module.h"
#include "gpu/stream.h"

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lathe::gpu {

/// Pointers are found among the aligned 8-byte words of the arguments. What variables and device
/// memory point to, textures and surfaces are not copied.
class LATHE_API LaunchCopy {
public:
    /// An allocation that an argument points into.
    struct Memory {
        CUdeviceptr address = 0; ///< where the launch has it
        std::size_t size = 0;
        std::vector<std::byte> bytes; ///< after fetch()
    };
    struct Variable {
        std::string name;
        std::vector<std::byte> bytes; ///< after fetch()
    };

    /// In the order of config.stream, before what is launched there next, by copies on the device
    /// that nobody waits for. `variables` are names of the module's. Throws Error where the
    /// parameters are not known or there is more to copy than `most_bytes`; gpu::Error.
    LaunchCopy(const Module& module, const Kernel& kernel, const LaunchConfig& config,
               void** arguments, std::span<const std::string> variables,
               std::shared_ptr<const Stream> copy_on, std::size_t most_bytes);

    /// Brings the copies to the host, and waits for them. Any thread, in the launch's context.
    void fetch();

    const LaunchConfig& config() const { return config_; } ///< the stream has no meaning elsewhere
    const std::vector<std::vector<std::byte>>& arguments() const { return arguments_; }
    const std::vector<Memory>& memory() const { return memory_; }
    const std::vector<Variable>& variables() const { return variables_; }

private:
    void find_memory(std::span<const std::byte> words);

    LaunchConfig config_;
    std::vector<std::vector<std::byte>> arguments_;
    std::vector<Memory> memory_;
    std::vector<Variable> variables_;
    std::shared_ptr<const Stream> copy_on_;
    std::vector<DeviceBuffer> on_device_; ///< of memory_, then of variables_; empty once fetched
};

} // namespace lathe::gpu
