// SPDX-License-Identifier: MIT
// How the kernel of a reduction goes through its elements, and which threads share an output. What
// decides the order in which elements meet is the reduced array's own type and layout.
#pragma once

#include "gpu/array/iteration.h"
#include "gpu/array/kernel_cache.h"
#include "gpu/array/reduction.h"
#include "gpu/array/reduction_source.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace lathe::gpu {

constexpr unsigned kReduceThreads = 256; ///< of a block, as in kernels/lathe_reduce.hpp

/// One call with its axes told apart. Layouts of inputs are broadcast to one shape.
struct ReduceCall {
    Reduction reduction = Reduction::sum;
    /// Arrays that are reduced. Of mapped values: as they would lie in memory, then the arrays that
    /// they are computed from, then the mapped outputs.
    std::vector<Array> inputs{};
    const MappedValues* mapped = nullptr;
    const Array* table = nullptr;
    std::optional<DType> dtype{};
    double parameter = 0;
    Extents kept_shape{}, reduced_shape{};
    std::vector<Layout> kept{}, reduced{}; ///< of each input
    Array output{};
    Layout output_kept{}; ///< the output's axes that are kept
    StreamView stream{};

    /// Of the inputs: the first one that is in memory.
    std::size_t first_read() const { return mapped ? 1 : 0; }
    bool is_place() const {
        return reduction == Reduction::argmin || reduction == Reduction::argmax;
    }
};

/// How its kernel walks.
struct ReduceWalk {
    Iteration kept, reduced; ///< operands of `kept`: the inputs, the output
    Sharing sharing = Sharing::blocks;
    unsigned width = 1, group = 1, groups = 8;
    bool flat = false, aligned = false, narrow = false;
    std::int64_t parts = 1, part_size = 0, tiles = 1;
};

ReduceWalk walk_of(const ReduceCall& call);

/// Compiled where it is not known yet (kernel_cache.h).
const ArrayKernel& reduction_kernel(const ReduceCall& call, const ReduceWalk& walk);

} // namespace lathe::gpu
