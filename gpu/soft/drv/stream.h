// SPDX-License-Identifier: MIT
// Streams: names for places in the executor's graph of commands. Events are event.h.
#pragma once

#include "gpu/soft/drv/status.h"
#include "gpu/soft/rt/executor.h"

#include <atomic>

namespace lathe::soft {

class Context;
struct Capture;
struct GraphNode;

/// Of the commands that are ready, those of streams with lower numbers go first.
constexpr int kLeastPriority = 0, kGreatestPriority = -5;

struct Stream {
    Context* context = nullptr;
    unsigned flags = CU_STREAM_DEFAULT;
    std::atomic<int> priority{0};
    std::uint64_t id = 0;
    bool legacy = false;
    bool destroyed = false;
    CommandPtr last;                           ///< under Context's order lock
    std::atomic<CUresult> error{CUDA_SUCCESS}; ///< of the first command that failed since asked

    std::atomic<long long> limit_ms{0}; ///< of each grid; 0: none
    std::atomic<unsigned> cancels{0};   ///< times that what waits for a value was to give up
    std::atomic<CUsynchronizationPolicy> sync_policy{CU_SYNC_POLICY_AUTO}; ///< kept, without effect

    // Under the lock of capture.cpp:
    std::shared_ptr<Capture> capture; ///< null where it does not capture
    std::vector<GraphNode*> tails;    ///< what the next captured operation comes behind

    bool blocking() const { return !legacy && !(flags & CU_STREAM_NON_BLOCKING); }
    CUresult take_error() { return error.exchange(CUDA_SUCCESS); }
};

} // namespace lathe::soft
