// SPDX-License-Identifier: MIT
// Graphs made ready, launched, and changed between launches.
#include "gpu/soft/api/graph_arguments.h"

#include "gpu/soft/drv/capture.h"

using namespace lathe::soft;

namespace {

std::shared_ptr<GraphExec> exec_of(CUgraphExec handle) {
    auto found = Objects<GraphExec>::instance().find(handle);
    require(found != nullptr, CUDA_ERROR_INVALID_VALUE, "unknown executable graph");
    return found;
}

CUresult make(CUgraphExec* to, CUgraph graph, cuuint64_t flags) {
    return entry([&] {
        require_pointer(to);
        auto made = instantiate(*graph_of(graph), flags);
        *to = reinterpret_cast<CUgraphExec>(Objects<GraphExec>::instance().add(std::move(made)));
    });
}

/// Replaces what the executable graph's node does.
template <class T> void set(CUgraphExec handle, CUgraphNode node, auto&& make_operation) {
    auto exec = exec_of(handle);
    T made = make_operation();
    std::lock_guard lock{exec->mutex};
    operation_of<T>(exec->node(node)) = std::move(made);
}

} // namespace

extern "C" {

CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph, unsigned long long flags) {
    return make(exec, graph, flags);
}

CUresult cuGraphInstantiateWithParams(CUgraphExec* exec, CUgraph graph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
    if (!is_pointer(params)) return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = make(exec, graph, params->flags);
    params->hErrNode_out = nullptr;
    params->result_out = result == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS
                                                : CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE;
    return result;
}

CUresult cuGraphExecGetFlags(CUgraphExec exec, cuuint64_t* flags) {
    return entry([&] {
        require_pointer(flags);
        *flags = exec_of(exec)->flags;
    });
}

CUresult cuGraphExecDestroy(CUgraphExec handle) {
    return entry([&] {
        auto exec = Objects<GraphExec>::instance().remove(handle);
        require(exec != nullptr, CUDA_ERROR_INVALID_VALUE, "unknown executable graph");
    });
}

CUresult cuGraphLaunch(CUgraphExec handle, CUstream stream_handle) {
    return in_context([&](Context& context) {
        auto exec = exec_of(handle);
        auto stream = context.stream(stream_handle);
        refuse_capture(*stream); // as an H200 does
        launch(context, stream, *exec);
    });
}

CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) {
    return in_context([&](Context& context) {
        exec_of(exec);
        refuse_capture(*context.stream(stream)); // there is nothing to send ahead
    });
}

CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo* info) {
    return entry([&] {
        require_pointer(info);
        *info = {CU_GRAPH_EXEC_UPDATE_ERROR, nullptr, nullptr};
        *info = update(*exec_of(exec), *graph_of(graph));
        return info->result == CU_GRAPH_EXEC_UPDATE_SUCCESS ? CUDA_SUCCESS
                                                            : CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    });
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS* params) {
    return in_context([&](Context& context) {
        set<KernelOperation>(exec, node, [&] { return kernel_operation(context, given(params)); });
    });
}
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMCPY3D* params, CUcontext) {
    return entry(
        [&] { set<CopyOperation>(exec, node, [&] { return copy_operation(given(params)); }); });
}
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS* params, CUcontext) {
    return entry(
        [&] { set<FillOperation>(exec, node, [&] { return fill_operation(given(params)); }); });
}
CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                      const CUDA_HOST_NODE_PARAMS* params) {
    return entry(
        [&] { set<HostOperation>(exec, node, [&] { return host_operation(given(params)); }); });
}
CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
    return entry(
        [&] { set<RecordOperation>(exec, node, [&] { return record_operation(event); }); });
}
CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
    return entry([&] { set<WaitOperation>(exec, node, [&] { return wait_operation(event); }); });
}

CUresult cuGraphNodeSetEnabled(CUgraphExec handle, CUgraphNode node, unsigned enabled) {
    return entry([&] {
        auto exec = exec_of(handle);
        std::lock_guard lock{exec->mutex};
        GraphNode& found = exec->node(node);
        require(found.operation.index() <= CU_GRAPH_NODE_TYPE_MEMSET, CUDA_ERROR_INVALID_VALUE,
                "only kernels, copies and fills can be disabled");
        found.enabled = enabled != 0;
    });
}
CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned* enabled) {
    return entry([&] {
        require_pointer(enabled);
        *enabled = exec_of(exec)->node(node).enabled ? 1 : 0;
    });
}

// --- as CUDA 11 and before had them
// ------------------------------------------------------------------

#undef cuGraphInstantiate
#undef cuGraphExecUpdate
#undef cuGraphExecKernelNodeSetParams
#define LATHE_OLD __attribute__((visibility("default"))) CUresult

LATHE_OLD cuGraphInstantiate(CUgraphExec* exec, CUgraph graph, CUgraphNode* error_node, char* log,
                             std::size_t log_bytes) {
    if (is_pointer(error_node)) *error_node = nullptr;
    if (is_pointer(log) && log_bytes) *log = '\0';
    return make(exec, graph, 0);
}
LATHE_OLD cuGraphInstantiate_v2(CUgraphExec* exec, CUgraph graph, CUgraphNode* error_node,
                                char* log, std::size_t log_bytes) {
    return cuGraphInstantiate(exec, graph, error_node, log, log_bytes);
}
LATHE_OLD cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode* error_node,
                            CUgraphExecUpdateResult* result) {
    CUgraphExecUpdateResultInfo info{};
    const CUresult code = cuGraphExecUpdate_v2(exec, graph, &info);
    if (is_pointer(error_node)) *error_node = info.errorNode;
    if (is_pointer(result)) *result = info.result;
    return code;
}
LATHE_OLD cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                         const CUDA_KERNEL_NODE_PARAMS_v1* params) {
    if (!is_pointer(params)) return CUDA_ERROR_INVALID_VALUE;
    const CUDA_KERNEL_NODE_PARAMS newer{
        params->func,         params->gridDimX,  params->gridDimY,  params->gridDimZ,
        params->blockDimX,    params->blockDimY, params->blockDimZ, params->sharedMemBytes,
        params->kernelParams, params->extra,     nullptr,           nullptr};
    return cuGraphExecKernelNodeSetParams_v2(exec, node, &newer);
}

} // extern "C"
