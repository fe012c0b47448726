// SPDX-License-Identifier: MIT
// Device memory for copies of states: few large allocations, whose places are used again.
#pragma once

#include "gpu/array/array.h"

#include <cstddef>
#include <memory>

namespace lathe {

class StateMemory {
public:
    /// Takes memory from the device in parts of `part_bytes`, or of what an array needs.
    explicit StateMemory(std::size_t part_bytes);

    /// In C order, contents undefined, for work on the legacy default stream and those that take
    /// turns with it. Its place is free again when the last array that has it ends; the device gets
    /// its memory back when this and all arrays have ended. Throws gpu::Error (out of memory).
    gpu::Array empty(gpu::ElementType type, const gpu::Extents& shape);

private:
    struct Places;
    std::shared_ptr<Places> places_;
};

} // namespace lathe
