// SPDX-License-Identifier: MIT
// Events: places in streams that others wait for, also in other processes.
#pragma once

#include "gpu/soft/drv/stream.h"

namespace lathe::soft {

class SharedEvent;

struct Event {
    Context* context = nullptr;
    unsigned flags = 0;
    std::shared_ptr<SharedEvent> shared; ///< of CU_EVENT_INTERPROCESS; stays as it is
    std::mutex mutex;
    CommandPtr command; ///< null until recorded
    std::shared_ptr<Stream> stream;
    std::uint64_t record = 0; ///< of `shared`, which this process asked for last

    // Under the lock of capture.cpp: where it was recorded last, if that was in a capture.
    std::shared_ptr<Capture> capture;
    std::vector<GraphNode*> tails;
};

/// Records an event in stream order, whatever is captured.
void record(Context& context, Event& event, std::shared_ptr<Stream> stream);
/// Lets a stream wait for what the event stands for now, whatever is captured.
void wait_for(Context& context, const std::shared_ptr<Stream>& stream, Event& event);
/// CUDA_ERROR_NOT_READY, or what the commands before it say.
CUresult query(Event& event);
/// As query, when it is done.
CUresult synchronize(Event& event);

} // namespace lathe::soft
