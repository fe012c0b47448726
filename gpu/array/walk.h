// SPDX-License-Identifier: MIT
// How the kernel of elementwise statements goes through its arrays: all in the order of memory
// where they lie alike, else by strides.
#pragma once

#include "gpu/array/array.h"
#include "gpu/array/elementwise_source.h"
#include "gpu/array/iteration.h"
#include "gpu/array/kernel_cache.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace lathe::gpu {

/// Of one call; only the entries of its operands are set. Refers to nothing.
struct Walk {
    static constexpr std::size_t kMost = Iteration::kMostOperands;

    std::array<Access, kMost> access;
    std::array<CUdeviceptr, kMost> address;
    std::array<const Extents*, kMost> strides; ///< of those that are strided, within `iteration`
    Iteration iteration;                       ///< used where dimensions is not 0
    std::int64_t count = 0;
    unsigned dimensions = 0, vector = 1;
    bool wide = false;

    Walk() {} // entries are set as they are needed
    Walk(const Walk&) = delete;
    Walk& operator=(const Walk&) = delete;

    /// For operands of which the first `outputs` are written: arrays of one shape, to which the
    /// others broadcast. A null stands for a number.
    void plan(std::span<const Array* const> operands, std::size_t outputs);
    /// What a strided kernel takes; nothing where it needs none.
    std::optional<Geometry> geometry(std::size_t operands) const;
    /// Flat: a thread for each group, so that blocks walk memory from one end to the other.
    unsigned blocks(const ArrayKernel& kernel) const;
};

/// Throws where arrays cannot be read or written together by what is called `name`: those of
/// another device (lathe::Error), structures (TypeError), read-only outputs (ReadOnlyError), shapes
/// that do not broadcast to the outputs' (ShapeError).
void check_operands(const char* name, std::span<const Array* const> operands, std::size_t outputs);

/// Whether each element of `input` is read by the thread that writes it, or before anything is
/// written.
bool is_safe_beside(const Array& input, const Array& output);

} // namespace lathe::gpu
