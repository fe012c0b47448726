// SPDX-License-Identifier: MIT
#include "gpu/array/reduction_walk.h"

#include "gpu/driver/device_traits.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <optional>

namespace lathe::gpu {

namespace {

constexpr std::int64_t kMostBlocks = 1024; // that share what one could do: about what runs at once
// Of those that look for places: fewer, unless each has this many rounds. It looks through one of
// them twice, and with two blocks on each processor memory is busy.
constexpr std::int64_t kFewBlocks = 256, kManyRounds = 16;
// Rows up to this length have a warp each where there are some; a processor waits at a block's
// barriers, so that it gains from longer ones (2048 rows of 2048: a sum 0.6, argmax an eighth).
constexpr std::int64_t kWarpRow = 1024, kWarpRowOfLoneThreads = 64 * 1024;

/// Axes in their own order, neighbours joined where they are one: for places, which count so.
Iteration in_order(const Extents& shape, const Layout& layout) {
    Iteration it;
    it.count = count_of(shape);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] == 1) continue;
        const std::size_t last = it.shape.size() - 1;
        if (!it.shape.empty() && it.strides[0][last] == layout.strides[axis] * shape[axis]) {
            it.shape[last] *= shape[axis];
            it.strides[0][last] = layout.strides[axis];
        } else {
            it.shape.push_back(shape[axis]);
            it.strides[0].push_back(layout.strides[axis]);
        }
    }
    return it;
}

void at_least_one_axis(Iteration& it, std::size_t operands) {
    if (!it.shape.empty()) return;
    it.shape.push_back(1);
    for (std::size_t k = 0; k < operands; ++k) it.strides[k].push_back(0);
}

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

void plan_axes(const ReduceCall& call, ReduceWalk& walk) {
    const std::size_t inputs = call.inputs.size();
    std::array<const Layout*, Iteration::kMostOperands> layouts{};
    for (std::size_t k = 0; k < inputs; ++k) layouts[k] = &call.kept[k];
    layouts[inputs] = &call.output_kept;
    walk.kept = plan(call.kept_shape, std::span{layouts}.first(inputs + 1));
    for (std::size_t k = 0; k < inputs; ++k) layouts[k] = &call.reduced[k];
    walk.reduced = call.is_place() ? in_order(call.reduced_shape, call.reduced[0])
                                   : plan(call.reduced_shape, std::span{layouts}.first(inputs));
    at_least_one_axis(walk.kept, inputs + 1);
    at_least_one_axis(walk.reduced, inputs);
    walk.narrow =
        std::max(walk.kept.count, walk.reduced.count) < std::numeric_limits<std::int32_t>::max();
}

/// Groups that one load brings, where what is reduced lies one after the other.
void plan_loads(const ReduceCall& call, ReduceWalk& walk) {
    if (call.table) return;
    // Mapped values are taken in the order that they would have in memory.
    const std::size_t decide = call.mapped ? 1 : call.inputs.size();
    std::optional<Iteration> alone;
    if (call.mapped) {
        const Layout* const layout = &call.reduced[0];
        alone = plan(call.reduced_shape, {&layout, 1});
        at_least_one_axis(*alone, 1);
    }
    const Iteration& reduced = alone ? *alone : walk.reduced;
    std::size_t largest = 1;
    const auto is_flat = [&](const Iteration& it, std::size_t k) {
        return it.shape.size() == 1 &&
               it.strides[k][0] == static_cast<std::int64_t>(call.inputs[k].type().bytes);
    };
    walk.flat = true;
    for (std::size_t k = 0; k < decide; ++k) {
        largest = std::max(largest, call.inputs[k].type().bytes);
        walk.flat = walk.flat && is_flat(reduced, k);
    }
    if (!walk.flat) return;
    walk.group = static_cast<unsigned>(16 / largest);
    if (walk.group > 4) walk.groups /= 2;
    for (std::size_t k = decide; k < call.inputs.size(); ++k)
        walk.flat = walk.flat && is_flat(walk.reduced, k);
    walk.aligned = walk.flat;
    for (std::size_t k = call.mapped ? 1 : 0; k < call.inputs.size() && walk.aligned; ++k) {
        std::uint64_t all =
            call.inputs[k].address() +
            static_cast<std::uint64_t>(walk.kept.offsets[k] + walk.reduced.offsets[k]);
        for (const std::int64_t stride : walk.kept.strides[k])
            all |= static_cast<std::uint64_t>(stride);
        walk.aligned = all % (walk.group * call.inputs[k].type().bytes) == 0;
    }
}

/// Whether neighbours in memory belong to different outputs.
bool kept_is_faster(const ReduceWalk& walk) {
    if (walk.kept.count == 1) return false;
    const std::int64_t kept = std::abs(walk.kept.strides[0].back());
    const std::int64_t reduced = std::abs(walk.reduced.strides[0].back());
    return kept != 0 && (reduced == 0 || kept < reduced);
}

void plan_sharing(const ReduceCall& call, ReduceWalk& walk) {
    const std::int64_t kept = walk.kept.count, reduced = walk.reduced.count;
    const bool columns = kept_is_faster(walk);
    if (columns ? reduced <= 16 || kept >= 64 * 1024 : reduced <= 16) {
        walk.sharing = Sharing::lanes;
        walk.width = 1;
    } else if (!columns && kept >= 32 &&
               reduced <= (device_traits().lone_threads ? kWarpRowOfLoneThreads : kWarpRow)) {
        walk.sharing = Sharing::lanes;
        walk.width = reduced <= 128 ? 8 : 32;
    } else {
        walk.width = columns ? static_cast<unsigned>(std::bit_ceil(
                                   static_cast<std::uint64_t>(std::min<std::int64_t>(kept, 32))))
                             : 1;
    }
    if (walk.sharing == Sharing::lanes) {
        walk.tiles = divided_up(kept, kReduceThreads / walk.width);
        walk.part_size = reduced;
        return;
    }
    walk.tiles = divided_up(kept, walk.width);
    const std::int64_t round = std::int64_t{kReduceThreads / walk.width} * walk.group * walk.groups;
    const std::int64_t rounds = std::max<std::int64_t>(divided_up(reduced, round), 1);
    const std::int64_t blocks =
        call.is_place() ? std::clamp(walk.tiles * rounds / kManyRounds, kFewBlocks, kMostBlocks)
                        : kMostBlocks;
    const std::int64_t most = std::max<std::int64_t>(blocks / walk.tiles, 1);
    const std::int64_t each = divided_up(rounds, std::min(rounds, most));
    walk.parts = divided_up(rounds, each);
    walk.part_size = each * round;
}

} // namespace

ReduceWalk walk_of(const ReduceCall& call) {
    ReduceWalk walk;
    plan_axes(call, walk);
    plan_loads(call, walk);
    plan_sharing(call, walk);
    return walk;
}

} // namespace lathe::gpu
