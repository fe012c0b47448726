// SPDX-License-Identifier: MIT
// Streams that capture: what is asked of them becomes nodes of a graph instead of running. Events
// carry a capture from stream to stream.
#pragma once

#include "gpu/soft/drv/graph.h"

#include <atomic>
#include <thread>

namespace lathe::soft {

/// One capture, of one or more streams. All of it is under the lock of capture.cpp.
struct Capture {
    std::uint64_t id = 0;
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    std::thread::id owner;
    const Stream* origin = nullptr;
    std::shared_ptr<Graph> graph;
    bool is_invalid = false; ///< something was asked that cannot be captured
    bool is_new_graph = true;
    std::vector<std::weak_ptr<Stream>> streams; ///< the origin, and those that joined
};

/// Whether any stream of the process captures; cheap.
bool any_capture();
bool is_capturing(const Stream& stream);

/// Appends a node behind what the stream captured last. Fails with
/// CUDA_ERROR_STREAM_CAPTURE_INVALIDATED.
void capture(Stream& stream, Operation operation);

/// Of what cannot be captured: where the stream captures, fails with
/// CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, and where it is the legacy stream and one that waits for
/// it captures, with CUDA_ERROR_STREAM_CAPTURE_IMPLICIT. The capture is invalid then.
void refuse_capture(const Stream& stream);
/// The same for what waits for all streams of a context.
void refuse_captures_of(const Context& context);
/// For queries of an event, and waits for it: fails with CUDA_ERROR_CAPTURED_EVENT where it was
/// recorded in a capture.
void refuse_captured(Event& event);

/// `dependencies` are nodes of `graph`, the first captured operations come behind them; a null
/// graph is made.
void begin_capture(const std::shared_ptr<Stream>& stream, CUstreamCaptureMode mode,
                   std::shared_ptr<Graph> graph = nullptr,
                   std::vector<GraphNode*> dependencies = {});
/// The graph; fails as the driver API says, with the capture ended in any case but those of a
/// wrong stream or thread.
std::shared_ptr<Graph> end_capture(const std::shared_ptr<Stream>& stream);
/// Of a stream that goes: its capture cannot be ended any more.
void abandon_capture(Stream& stream);

struct CaptureState {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    std::uint64_t id = 0;
    std::shared_ptr<Graph> graph;
    std::vector<GraphNode*> tails;
};
/// Fails with CUDA_ERROR_STREAM_CAPTURE_IMPLICIT as refuse_capture, without making it invalid.
CaptureState capture_state(const Stream& stream);
/// Replaces what the next captured operation comes behind, or adds to it.
void set_tails(Stream& stream, const std::vector<GraphNode*>& tails, bool adds);

/// Both are false where nothing is captured. Recording an event in a capture, and a stream that
/// waits for such an event joins its capture. `is_external` makes a node of it.
bool capture_record(Stream& stream, Event& event, CUevent handle, bool is_external);
bool capture_wait(const std::shared_ptr<Stream>& stream, Event& event, CUevent handle,
                  bool is_external);

} // namespace lathe::soft
