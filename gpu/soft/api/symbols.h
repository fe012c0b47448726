// SPDX-License-Identifier: MIT
// Every symbol of the CUDA driver library, and what cuGetProcAddress says of it.
#pragma once

#include <span>

namespace lathe::soft {

struct Proc {
    const char* name;
    int version;     ///< first CUDA version under which the name means this symbol
    bool per_thread; ///< the variant whose stream 0 is the calling thread's own
    void* address;
};

/// Sorted by name; of one name, the per-thread variants last, older versions first.
std::span<const Proc> procs();

/// What a function does that the device does not have: logs its name the first time and returns
/// CUDA_ERROR_NOT_SUPPORTED.
int unsupported(const char* name, bool first_call) noexcept;

} // namespace lathe::soft
