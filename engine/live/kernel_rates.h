// SPDX-License-Identifier: MIT
// How much the launches of each kernel compute, and how fast: counts of some launches beside the
// times of the others. An Inspector fills it.
#pragma once

#include "engine/core/api.h"
#include "gpu/inspect/launch_times.h"
#include "gpu/inspect/line_counts.h"
#include "gpu/inspect/roofline.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace lathe {

class LATHE_API KernelRates {
public:
    /// Launches are timed while it lives. Throws lathe::Error where the device cannot.
    KernelRates();

    /// What ran until now is not looked at.
    void begin();
    /// What counted launches did since begin() or the last call. No launch is under way.
    void take(std::span<const gpu::LineCounts> counts);

    /// Sorted by name. What a kernel that ran before has is kept for some calls of take().
    std::vector<gpu::KernelRate> all() const;

private:
    struct Kernel {
        gpu::KernelRate rate;
        bool is_counted = false;
        int missed = 0; ///< calls since it was launched last
    };
    gpu::TimingScope timing_;
    std::map<std::string, gpu::LaunchTime, std::less<>> before_;
    std::map<std::string, Kernel, std::less<>> kernels_;
};

} // namespace lathe
