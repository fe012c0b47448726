// SPDX-License-Identifier: MIT
// Which code a launch runs: threads one by one, or side by side in warps.
#pragma once

#include "gpu/soft/jit/compiler.h"
#include "gpu/soft/jit/module_facts.h"
#include "gpu/soft/jit/warp/shapes.h"

namespace lathe::soft::jit::warp {

/// The form of warp code that suits a block of this size and this processor.
ShapeOptions options_for(const KernelFacts& kernel, const std::uint32_t block[3],
                         const ExecutionMode& mode, bool has_wide_vectors,
                         Instruments instruments = {});

/// Says once per kernel and process why it runs by single threads.
void log_fall_back(const std::string& kernel, const std::string& why);

} // namespace lathe::soft::jit::warp
