// SPDX-License-Identifier: MIT
// One launch of a kernel that somebody looks into: it is made with other code.
#pragma once

#include "gpu/launch.h"
#include "gpu/launch_attributes.h"
#include "gpu/module.h"

namespace lathe::bind {

class ObservedLaunch {
public:
    virtual ~ObservedLaunch() = default;

    /// In the place of a launch of the kernel, whose module is `original`, and waits for it.
    /// `elements`: of Kernel.over(), else {0, 0, 0}. Without the GIL.
    virtual void launch(const gpu::Module& original, const gpu::LaunchConfig& config,
                        const gpu::Dim3& elements, const gpu::LaunchAttributes& more,
                        void** arguments) = 0;
};

} // namespace lathe::bind
