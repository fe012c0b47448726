// SPDX-License-Identifier: MIT
// The attributes of a launch as cuLaunchKernelEx takes them: for launches (launch_attributes.h) and
// for their replays on the software device (inspect/launch_replay.h).
#pragma once

#include "gpu/launch_attributes.h"

#include <cuda.h>

#include <array>
#include <string>

namespace lathe::gpu {

class LaunchAttributeList {
public:
    /// What the shape asks for (cooperative, cluster), and what is `wanted` beyond. Throws
    /// gpu::Error where a value is outside of its range.
    explicit LaunchAttributeList(const LaunchConfig& config, const LaunchAttributes& wanted = {});

    /// The launch itself, on `stream`. The list must stay where it is until the call.
    CUlaunchConfig launch(const LaunchConfig& config, CUstream stream);
    /// Of those in the list, for a message.
    const std::string& names() const { return names_; }

private:
    CUlaunchAttributeValue& add(CUlaunchAttributeID id, const char* name);

    std::array<CUlaunchAttribute, 7> list_{};
    unsigned count_ = 0;
    std::string names_;
};

} // namespace lathe::gpu
