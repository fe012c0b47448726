// SPDX-License-Identifier: MIT
// How the blocks of grids lie over the workers of the software device. Of a GPU nothing is known.
#pragma once

#include "engine/core/api.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace lathe::gpu {

/// Blocks of a grid that a worker took together.
struct BlockSpan {
    std::string kernel; ///< as the source spells it
    unsigned worker = 0;
    std::uint64_t first_block = 0, blocks = 0; ///< by their place in the grid, x first
    std::chrono::steady_clock::time_point begin{}, end{};
};

/// Spans that end are kept from now on, until it is destroyed; the last scope of several ends it.
/// Throws Error where the device cannot.
class LATHE_API BlockSpanScope {
public:
    BlockSpanScope();
    ~BlockSpanScope();
    BlockSpanScope(const BlockSpanScope&) = delete;
    BlockSpanScope& operator=(const BlockSpanScope&) = delete;
};

/// Those that are kept from the number `from` on, in the order in which they ended; `from` becomes
/// the number of the next one. Of more than 65,536 the oldest go. Empty where the device cannot
/// tell.
LATHE_API std::vector<BlockSpan> block_spans(std::uint64_t& from);

} // namespace lathe::gpu
