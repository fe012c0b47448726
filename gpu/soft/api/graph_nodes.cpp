// SPDX-License-Identifier: MIT
// What nodes of graphs do: kernels, copies, fills, host functions, events, graphs.
#include "gpu/soft/api/graph_arguments.h"

using namespace lathe::soft;

namespace {

/// A kernel node of CUDA 11 has no library's kernel.
CUDA_KERNEL_NODE_PARAMS newer(const CUDA_KERNEL_NODE_PARAMS_v1* params) {
    const CUDA_KERNEL_NODE_PARAMS_v1& p = given(params);
    return {p.func,      p.gridDimX,       p.gridDimY,     p.gridDimZ, p.blockDimX, p.blockDimY,
            p.blockDimZ, p.sharedMemBytes, p.kernelParams, p.extra,    nullptr,     nullptr};
}

template <class T, class Params> CUresult get(CUgraphNode node, Params* to) {
    return entry([&] {
        require_pointer(to);
        *to = operation_of<T>(*graph_node(node)).params;
    });
}

template <class T> CUresult get_event(CUgraphNode node, CUevent* to) {
    return entry([&] {
        require_pointer(to);
        *to = operation_of<T>(*graph_node(node)).event;
    });
}

template <class T> void set(CUgraphNode node, auto&& make) {
    operation_of<T>(*graph_node(node)) = make();
}

void require_context(CUcontext context) {
    require(!context || Objects<Context>::instance().find(context), CUDA_ERROR_INVALID_VALUE,
            "unknown context");
}

} // namespace

extern "C" {

CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                              std::size_t count, const CUDA_KERNEL_NODE_PARAMS* params) {
    return in_context([&](Context& context) {
        add_node(node, graph, dependencies, count,
                 [&] { return kernel_operation(context, given(params)); });
    });
}
CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* params) {
    return get<KernelOperation>(node, params);
}
CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* params) {
    return in_context([&](Context& context) {
        set<KernelOperation>(node, [&] { return kernel_operation(context, given(params)); });
    });
}

CUresult cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                              std::size_t count, const CUDA_MEMCPY3D* params, CUcontext context) {
    return entry([&] {
        require_context(context);
        add_node(node, graph, dependencies, count, [&] { return copy_operation(given(params)); });
    });
}
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D* params) {
    return get<CopyOperation>(node, params);
}
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D* params) {
    return entry([&] { set<CopyOperation>(node, [&] { return copy_operation(given(params)); }); });
}

CUresult cuGraphAddMemsetNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                              std::size_t count, const CUDA_MEMSET_NODE_PARAMS* params,
                              CUcontext context) {
    return entry([&] {
        require_context(context);
        add_node(node, graph, dependencies, count, [&] { return fill_operation(given(params)); });
    });
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS* params) {
    return get<FillOperation>(node, params);
}
CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* params) {
    return entry([&] { set<FillOperation>(node, [&] { return fill_operation(given(params)); }); });
}

CUresult cuGraphAddHostNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                            std::size_t count, const CUDA_HOST_NODE_PARAMS* params) {
    return entry([&] {
        add_node(node, graph, dependencies, count, [&] { return host_operation(given(params)); });
    });
}
CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS* params) {
    return get<HostOperation>(node, params);
}
CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS* params) {
    return entry([&] { set<HostOperation>(node, [&] { return host_operation(given(params)); }); });
}

CUresult cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                                  std::size_t count, CUgraph child) {
    return entry([&] {
        add_node(node, graph, dependencies, count, [&] {
            graph_of(child)->refuse_memory("is no child of another one");
            ChildOperation operation{graph_of(child)->clone()};
            operation.graph->is_child = true;
            return operation;
        });
    });
}
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph* graph) {
    return entry([&] {
        require_pointer(graph);
        *graph = handle_of(operation_of<ChildOperation>(*graph_node(node)).graph.get());
    });
}

CUresult cuGraphAddEmptyNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                             std::size_t count) {
    return entry(
        [&] { add_node(node, graph, dependencies, count, [] { return EmptyOperation{}; }); });
}

CUresult cuGraphAddEventRecordNode(CUgraphNode* node, CUgraph graph,
                                   const CUgraphNode* dependencies, std::size_t count,
                                   CUevent event) {
    return entry([&] {
        add_node(node, graph, dependencies, count, [&] { return record_operation(event); });
    });
}
CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent* event) {
    return get_event<RecordOperation>(node, event);
}
CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
    return entry([&] { set<RecordOperation>(node, [&] { return record_operation(event); }); });
}
CUresult cuGraphAddEventWaitNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                                 std::size_t count, CUevent event) {
    return entry(
        [&] { add_node(node, graph, dependencies, count, [&] { return wait_operation(event); }); });
}
CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent* event) {
    return get_event<WaitOperation>(node, event);
}
CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
    return entry([&] { set<WaitOperation>(node, [&] { return wait_operation(event); }); });
}

// --- as CUDA 11 had them
// -------------------------------------------------------------------------

#undef cuGraphAddKernelNode
#undef cuGraphKernelNodeGetParams
#undef cuGraphKernelNodeSetParams
#define LATHE_OLD __attribute__((visibility("default"))) CUresult

LATHE_OLD cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                               std::size_t count, const CUDA_KERNEL_NODE_PARAMS_v1* params) {
    return in_context([&](Context& context) {
        add_node(node, graph, dependencies, count,
                 [&] { return kernel_operation(context, newer(params)); });
    });
}
LATHE_OLD cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1* params) {
    return entry([&] {
        require_pointer(params);
        const CUDA_KERNEL_NODE_PARAMS& p = operation_of<KernelOperation>(*graph_node(node)).params;
        *params = {p.func,      p.gridDimX,  p.gridDimY,       p.gridDimZ,     p.blockDimX,
                   p.blockDimY, p.blockDimZ, p.sharedMemBytes, p.kernelParams, p.extra};
    });
}
LATHE_OLD cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1* params) {
    return in_context([&](Context& context) {
        set<KernelOperation>(node, [&] { return kernel_operation(context, newer(params)); });
    });
}

} // extern "C"
