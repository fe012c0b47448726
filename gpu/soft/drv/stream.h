// SPDX-License-Identifier: MIT
// Streams and events: names for places in the executor's graph of commands.
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

struct Event {
    Context* context = nullptr;
    unsigned flags = 0;
    std::mutex mutex;
    CommandPtr command; ///< null until recorded
    std::shared_ptr<Stream> stream;

    // Under the lock of capture.cpp: where it was recorded last, if that was in a capture.
    std::shared_ptr<Capture> capture;
    std::vector<GraphNode*> tails;
};

/// Records an event in stream order, whatever is captured.
void record(Context& context, Event& event, std::shared_ptr<Stream> stream);

} // namespace lathe::soft
