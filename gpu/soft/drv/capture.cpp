// SPDX-License-Identifier: MIT
#include "gpu/soft/drv/capture.h"

#include "gpu/soft/drv/context.h"

#include <algorithm>
#include <unordered_set>

namespace lathe::soft {

namespace {

std::recursive_mutex& lock_of_captures() {
    static auto* mutex = new std::recursive_mutex;
    return *mutex;
}
std::vector<std::shared_ptr<Capture>> g_captures; // that are not ended
std::atomic<std::uint32_t> g_count{0};

using Lock = std::lock_guard<std::recursive_mutex>;

[[noreturn]] void fail_capture(Capture& of, CUresult code, const char* text) {
    of.is_invalid = true;
    fail(code, text);
}

Capture& valid(const Stream& stream) {
    require(!stream.capture->is_invalid, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
            "the capture was made invalid by an earlier call");
    return *stream.capture;
}

void add_tails(Stream& stream, const std::vector<GraphNode*>& tails) {
    for (GraphNode* node : tails)
        if (std::find(stream.tails.begin(), stream.tails.end(), node) == stream.tails.end())
            stream.tails.push_back(node);
}

/// What comes before these nodes, themselves included.
std::unordered_set<const GraphNode*> all_before(const std::vector<GraphNode*>& nodes) {
    std::vector<const GraphNode*> pending{nodes.begin(), nodes.end()};
    std::unordered_set<const GraphNode*> seen;
    while (!pending.empty()) {
        const GraphNode* node = pending.back();
        pending.pop_back();
        if (seen.insert(node).second)
            pending.insert(pending.end(), node->before.begin(), node->before.end());
    }
    return seen;
}

/// Whether all that other streams captured comes before what the origin captured last.
bool is_joined(const Capture& of, const Stream& origin) {
    const auto reached = all_before(origin.tails);
    for (const auto& weak : of.streams) {
        const auto stream = weak.lock();
        if (!stream || stream.get() == &origin || stream->capture.get() != &of) continue;
        for (const GraphNode* tail : stream->tails)
            if (!reached.contains(tail)) return false;
    }
    return true;
}

void close(const std::shared_ptr<Capture>& of) {
    for (const auto& weak : of->streams) {
        const auto stream = weak.lock();
        if (!stream || stream->capture != of) continue;
        stream->capture = nullptr;
        stream->tails.clear();
    }
    std::erase(g_captures, of);
    g_count = static_cast<std::uint32_t>(g_captures.size());
}

/// A capture that the legacy stream would have to wait for.
std::shared_ptr<Capture> blocked_by(const Stream& legacy) {
    for (const auto& one : g_captures)
        for (const auto& weak : one->streams)
            if (const auto stream = weak.lock(); stream && stream->context == legacy.context &&
                                                 stream->blocking() && stream->capture == one)
                return one;
    return nullptr;
}

} // namespace

bool any_capture() { return g_count.load(std::memory_order_acquire) != 0; }

bool is_capturing(const Stream& stream) {
    if (!any_capture()) return false;
    Lock lock{lock_of_captures()};
    return stream.capture != nullptr;
}

void capture(Stream& stream, Operation operation) {
    Lock lock{lock_of_captures()};
    GraphNode* const node = valid(stream).graph->add(std::move(operation), stream.tails);
    stream.tails = {node};
}

void refuse_capture(const Stream& stream) {
    if (!any_capture()) return;
    Lock lock{lock_of_captures()};
    if (stream.capture)
        fail_capture(*stream.capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                     "the stream is capturing");
    if (!stream.legacy) return;
    if (const auto blocked = blocked_by(stream))
        fail_capture(*blocked, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
                     "a stream that waits for the legacy one is capturing");
}

void refuse_captures_of(const Context& context) {
    if (!any_capture()) return;
    Lock lock{lock_of_captures()};
    bool found = false;
    for (const auto& one : g_captures) {
        if (one->origin->context != &context) continue;
        one->is_invalid = found = true;
    }
    require(!found, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "a stream of the context is capturing");
}

void refuse_captured(Event& event) {
    Lock lock{lock_of_captures()};
    if (event.capture)
        fail_capture(*event.capture, CUDA_ERROR_CAPTURED_EVENT,
                     "the event was recorded in a capture");
}

void begin_capture(const std::shared_ptr<Stream>& stream, CUstreamCaptureMode mode,
                   std::shared_ptr<Graph> graph, std::vector<GraphNode*> dependencies) {
    require(mode <= CU_STREAM_CAPTURE_MODE_RELAXED, CUDA_ERROR_INVALID_VALUE, "unknown mode");
    require(!stream->legacy, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
            "the legacy stream cannot capture");
    Lock lock{lock_of_captures()};
    require(!stream->capture, CUDA_ERROR_ILLEGAL_STATE, "the stream is capturing");
    static std::uint64_t next_id = 1;
    auto made = std::make_shared<Capture>();
    made->id = next_id++;
    made->mode = mode;
    made->owner = std::this_thread::get_id();
    made->origin = stream.get();
    made->is_new_graph = graph == nullptr;
    made->graph = graph ? std::move(graph) : Graph::create();
    made->streams = {stream};
    stream->capture = made;
    stream->tails = std::move(dependencies);
    g_captures.push_back(std::move(made));
    g_count = static_cast<std::uint32_t>(g_captures.size());
}

std::shared_ptr<Graph> end_capture(const std::shared_ptr<Stream>& stream) {
    Lock lock{lock_of_captures()};
    const std::shared_ptr<Capture> of = stream->capture;
    require(of != nullptr, CUDA_ERROR_ILLEGAL_STATE, "the stream does not capture");
    require(of->mode == CU_STREAM_CAPTURE_MODE_RELAXED || of->owner == std::this_thread::get_id(),
            CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, "another thread began this capture");
    if (of->origin != stream.get())
        fail_capture(*of, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
                     "the capture began in another stream");
    const CUresult code = of->is_invalid             ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                          : !is_joined(*of, *stream) ? CUDA_ERROR_STREAM_CAPTURE_UNJOINED
                                                     : CUDA_SUCCESS;
    close(of);
    if (code == CUDA_SUCCESS) return of->graph;
    if (of->is_new_graph) forget(of->graph);
    fail(code, code == CUDA_ERROR_STREAM_CAPTURE_UNJOINED
                   ? "a stream that joined the capture was not waited for"
                   : "the capture was made invalid by an earlier call");
}

void abandon_capture(Stream& stream) {
    if (!any_capture()) return;
    Lock lock{lock_of_captures()};
    const std::shared_ptr<Capture> of = stream.capture;
    if (!of) return;
    of->is_invalid = true;
    if (of->origin != &stream) return;
    close(of);
    if (of->is_new_graph) forget(of->graph);
}

CaptureState capture_state(const Stream& stream) {
    if (!any_capture()) return {};
    Lock lock{lock_of_captures()};
    if (stream.legacy)
        require(!blocked_by(stream), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
                "a stream that waits for the legacy one is capturing");
    if (!stream.capture) return {};
    const Capture& of = *stream.capture;
    if (of.is_invalid) return {CU_STREAM_CAPTURE_STATUS_INVALIDATED, of.id, nullptr, {}};
    return {CU_STREAM_CAPTURE_STATUS_ACTIVE, of.id, of.graph, stream.tails};
}

void set_tails(Stream& stream, const std::vector<GraphNode*>& tails, bool adds) {
    Lock lock{lock_of_captures()};
    require(stream.capture != nullptr, CUDA_ERROR_ILLEGAL_STATE, "the stream does not capture");
    const Capture& of = valid(stream);
    for (const GraphNode* node : tails)
        require(node->graph.lock() == of.graph, CUDA_ERROR_INVALID_VALUE, "node of another graph");
    if (!adds) stream.tails.clear();
    add_tails(stream, tails);
}

bool capture_record(Stream& stream, Event& event, CUevent handle, bool is_external) {
    Lock lock{lock_of_captures()};
    if (!stream.capture) {
        event.capture = nullptr;
        event.tails.clear();
        return false;
    }
    valid(stream);
    if (is_external) {
        capture(stream, RecordOperation{handle});
    } else {
        event.capture = stream.capture;
        event.tails = stream.tails;
    }
    return true;
}

bool capture_wait(const std::shared_ptr<Stream>& stream, Event& event, CUevent handle,
                  bool is_external) {
    Lock lock{lock_of_captures()};
    if (is_external && stream->capture) {
        valid(*stream);
        capture(*stream, WaitOperation{handle});
        return true;
    }
    const std::shared_ptr<Capture> of = event.capture;
    if (!of) {
        if (!stream->capture) return false;
        fail_capture(*stream->capture, CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
                     "the event was not recorded in the capture");
    }
    require(std::find(g_captures.begin(), g_captures.end(), of) != g_captures.end(),
            CUDA_ERROR_CAPTURED_EVENT, "the event was recorded in a capture that has ended");
    require(!of->is_invalid, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
            "the event's capture was made invalid by an earlier call");
    if (stream->legacy)
        fail_capture(*of, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "the legacy stream cannot capture");
    if (stream->capture && stream->capture != of) {
        stream->capture->is_invalid = true;
        fail_capture(*of, CUDA_ERROR_STREAM_CAPTURE_MERGE, "two captures would become one");
    }
    if (!stream->capture) {
        stream->capture = of;
        stream->tails.clear();
        of->streams.push_back(stream);
    }
    add_tails(*stream, event.tails);
    return true;
}

} // namespace lathe::soft
