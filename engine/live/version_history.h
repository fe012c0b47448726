// SPDX-License-Identifier: MIT
// Versions of a kernel that ran without a fault, to go back to when a newer one faults.
#pragma once

#include "engine/core/api.h"
#include "engine/live/kernel_build.h"

#include <memory>
#include <string>
#include <vector>

namespace lathe {

struct KernelVersion {
    std::shared_ptr<const LoadedKernels> loaded; ///< null: no version
    std::string text;
    Effort effort = Effort::full;
    std::string key; ///< KernelBuild::key
};

class LATHE_API VersionHistory {
public:
    /// The version ran. A quick one gives way to the full one of the same code.
    void confirm(const KernelVersion& version);
    /// The version faulted: forgets it, be it quick or full, and gives the last confirmed one;
    /// none where none is left.
    KernelVersion reject(const KernelVersion& faulty);

private:
    std::vector<KernelVersion> confirmed_; ///< oldest first
};

} // namespace lathe
