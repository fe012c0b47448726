// SPDX-License-Identifier: MIT
// Options of the driver's compiler and linker as their calls take them, with room for what they
// say.
#pragma once

#include "engine/core/api.h"
#include "gpu/module.h"

#include <cuda.h>

#include <array>
#include <span>
#include <vector>

namespace lathe::gpu::detail {

/// Keeps its place: a link looks at it until it is complete.
class LATHE_API JitOptions {
public:
    /// Throws gpu::Error for options that are buffers or lists.
    explicit JitOptions(std::span<const JitOption> given, bool verbose = false);
    JitOptions(const JitOptions&) = delete;
    JitOptions& operator=(const JitOptions&) = delete;

    unsigned count() const noexcept { return static_cast<unsigned>(names_.size()); }
    CUjit_option* names() noexcept { return names_.data(); }
    void** values() noexcept { return values_.data(); }
    /// What was said so far.
    JitLog log() const { return {info_.data(), error_.data()}; }

private:
    void add(CUjit_option name, std::uintptr_t value);

    std::vector<CUjit_option> names_;
    std::vector<void*> values_;
    std::array<char, 32768> info_{};
    std::array<char, 32768> error_{};
};

} // namespace lathe::gpu::detail
