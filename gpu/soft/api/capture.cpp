// SPDX-License-Identifier: MIT
// Streams to graphs.
#include "gpu/soft/api/graph_arguments.h"

#include "gpu/soft/drv/capture.h"

using namespace lathe::soft;

namespace {

/// What cuStreamGetCaptureInfo gave last, which callers may look at for a while.
std::vector<CUgraphNode>& last_tails() {
    static thread_local std::vector<CUgraphNode> tails;
    return tails;
}

} // namespace

extern "C" {

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
    return in_context([&](Context& context) { begin_capture(context.stream(stream), mode); });
}

CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph,
                                     const CUgraphNode* dependencies, const CUgraphEdgeData* data,
                                     std::size_t count, CUstreamCaptureMode mode) {
    return in_context([&](Context& context) {
        begin_capture(context.stream(stream), mode, graph_of(graph),
                      nodes_of(dependencies, count, data));
    });
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
    return in_context([&](Context& context) {
        require_pointer(graph);
        *graph = nullptr;
        *graph = handle_of(end_capture(context.stream(stream)).get());
    });
}

CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id,
                                CUgraph* graph, const CUgraphNode** dependencies,
                                const CUgraphEdgeData** data, std::size_t* count) {
    return in_context([&](Context& context) {
        require_pointer(status);
        const CaptureState state = capture_state(*context.stream(stream));
        *status = state.status;
        if (state.status == CU_STREAM_CAPTURE_STATUS_NONE) return;
        give(id, state.id);
        if (state.status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return;
        auto& tails = last_tails();
        tails.clear();
        for (const GraphNode* node : state.tails) tails.push_back(handle_of(node));
        give(graph, handle_of(state.graph.get()));
        give(dependencies, tails.data());
        give(data, nullptr); // all are ordinary
        give(count, tails.size());
    });
}

CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode* nodes,
                                           const CUgraphEdgeData* data, std::size_t count,
                                           unsigned flags) {
    return in_context([&](Context& context) {
        require(flags <= CU_STREAM_SET_CAPTURE_DEPENDENCIES, CUDA_ERROR_INVALID_VALUE,
                "unknown flag");
        set_tails(*context.stream(stream), nodes_of(nodes, count, data),
                  flags == CU_STREAM_ADD_CAPTURE_DEPENDENCIES);
    });
}

#undef cuStreamBeginCapture
#undef cuStreamGetCaptureInfo
#undef cuStreamUpdateCaptureDependencies
#define LATHE_OLD __attribute__((visibility("default"))) CUresult

LATHE_OLD cuStreamBeginCapture(CUstream stream) {
    return cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}
LATHE_OLD cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id) {
    return cuStreamGetCaptureInfo_v3(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}
LATHE_OLD cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id,
                                    CUgraph* graph, const CUgraphNode** dependencies,
                                    std::size_t* count) {
    return cuStreamGetCaptureInfo_v3(stream, status, id, graph, dependencies, nullptr, count);
}
LATHE_OLD cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode* nodes, std::size_t count,
                                            unsigned flags) {
    return cuStreamUpdateCaptureDependencies_v2(stream, nodes, nullptr, count, flags);
}

} // extern "C"
