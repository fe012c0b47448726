// SPDX-License-Identifier: MIT
#include "gpu/array/reduction_scratch.h"

#include "gpu/context.h"
#include "gpu/driver/check.h"
#include "gpu/memory.h"

#include <algorithm>
#include <bit>
#include <list>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace lathe::gpu {

namespace {

struct Block {
    DeviceBuffer memory;
    std::size_t state_bytes = 0;

    Scratch scratch() const {
        return {memory.address(), memory.address() + kMostTickets * sizeof(std::uint32_t)};
    }
};

/// Of one context. Streams are told apart by their numbers, which the driver does not give twice.
struct Blocks {
    Context context;
    std::map<unsigned long long, Block> of_stream;
    std::vector<Block> kept; ///< of graphs, and those that became too small
};

struct AllBlocks {
    std::mutex mutex;
    std::list<Blocks> contexts; // guarded by mutex

    Blocks& of(const Context& context) { // under the lock
        for (Blocks& each : contexts)
            if (each.context == context) return each;
        return contexts.emplace_back(Blocks{context, {}, {}});
    }
};

unsigned long long number_of(StreamView stream) {
    unsigned long long number = 0;
    if (driver().cuStreamGetId && driver().cuStreamGetId(stream.get(), &number) == CUDA_SUCCESS)
        return number;
    return std::bit_cast<unsigned long long>(stream.get());
}

Block make_block(std::size_t state_bytes, StreamView stream) {
    Block made;
    made.state_bytes = std::bit_ceil(std::max<std::size_t>(state_bytes, 64 << 10));
    made.memory = DeviceBuffer{kMostTickets * sizeof(std::uint32_t) + made.state_bytes};
    fill_units(made.memory.address(), 0, 4, kMostTickets, stream);
    return made;
}

} // namespace

Scratch scratch_for(StreamView stream, std::size_t state_bytes) {
    static auto* const all = new AllBlocks; // outlives statics
    const Context context = Context::ensure_current();
    const bool captures = stream.get() != CU_STREAM_LEGACY && stream.get() && stream.is_capturing();
    std::lock_guard lock{all->mutex};
    Blocks& blocks = all->of(context);
    if (captures) return blocks.kept.emplace_back(make_block(state_bytes, stream)).scratch();
    const auto [at, is_new] = blocks.of_stream.try_emplace(number_of(stream));
    Block& block = at->second;
    if (block.state_bytes < state_bytes || is_new) {
        Block larger = make_block(state_bytes, stream);
        if (!is_new) blocks.kept.push_back(std::move(block)); // work may still use it
        block = std::move(larger);
    }
    return block.scratch();
}

} // namespace lathe::gpu
