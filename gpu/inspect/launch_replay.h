// SPDX-License-Identifier: MIT
// A launch is repeated on the software device, from a copy of what it reads, and looked at there:
// so what a line costs, and hazards, are known of launches on a GPU, too.
#pragma once

#include "engine/core/api.h"
#include "gpu/compiler.h"
#include "gpu/inspect/hazards.h"
#include "gpu/inspect/launch_copy.h"
#include "gpu/inspect/line_counts.h"

#include <cuda.h>

#include <chrono>
#include <string>
#include <vector>

namespace lathe::gpu {

/// Why launches cannot be replayed here, and what mends it; empty where they can. Opens the driver
/// and, beside a GPU's, the software device.
LATHE_API std::string replay_problem();

struct LaunchReplay {
    std::vector<LineCounts> counts;
    std::vector<HazardFinding> findings;
};

/// A kernel as the software device runs it, whatever device this process works with.
class LATHE_API ReplayKernel {
public:
    /// `kernel` is spelled as in the source. Throws CompileError; Error where the source has no
    /// such kernel or the software device refuses it. Any thread, without a context.
    ReplayKernel(const CompileRequest& request, const std::string& kernel);
    ~ReplayKernel();
    ReplayKernel(ReplayKernel&& other) noexcept;
    ReplayKernel(const ReplayKernel&) = delete;
    ReplayKernel& operator=(const ReplayKernel&) = delete;
    ReplayKernel& operator=(ReplayKernel&&) = delete;

    /// Of its module: what a LaunchCopy is to have.
    const std::vector<std::string>& variables() const { return variables_; }

    /// Launches it with what was fetched, counts, and looks for hazards where `searches`. Any
    /// thread; blocks until it is done, one replay after another. Other launches on the software
    /// device should not run meanwhile, since they would count, too. Throws Error with the place
    /// and the reason where the launch faults, as it does where it reads memory that was not
    /// copied, and where it takes longer than `most`.
    LaunchReplay replay(const LaunchCopy& copy, bool searches,
                        std::chrono::milliseconds most = std::chrono::seconds{10}) const;
    /// Ends the replay that runs now, as if its time were over. Any thread.
    static void cancel();

private:
    std::vector<std::string> variables_;
    CUmodule module_ = nullptr; ///< of the software device
    CUfunction function_ = nullptr;
};

} // namespace lathe::gpu
