// SPDX-License-Identifier: MIT
// Nodes of graphs that allocate and free memory, and what of it there is.
#include "gpu/soft/api/graph_arguments.h"

#include <cstring>

using namespace lathe::soft;

namespace {

CUmemPoolProps properties() {
    CUmemPoolProps p{};
    p.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
    return p;
}

void check(const CUDA_MEM_ALLOC_NODE_PARAMS& p) {
    require(p.poolProps.handleTypes == CU_MEM_HANDLE_TYPE_NONE, CUDA_ERROR_NOT_SUPPORTED,
            "memory of graphs is not shared between processes");
    require(p.poolProps.allocType == CU_MEM_ALLOCATION_TYPE_PINNED &&
                p.poolProps.location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
                p.poolProps.location.id == 0,
            CUDA_ERROR_INVALID_VALUE, "memory of graphs is pinned, on device 0");
    require(p.accessDescCount <= 1, CUDA_ERROR_INVALID_VALUE, "there is one device");
    if (!p.accessDescCount) return;
    require_pointer(p.accessDescs);
    require(p.accessDescs->location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
                p.accessDescs->location.id == 0,
            CUDA_ERROR_INVALID_VALUE, "there is one device");
}

} // namespace

extern "C" {

CUresult cuGraphAddMemAllocNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                                std::size_t count, CUDA_MEM_ALLOC_NODE_PARAMS* params) {
    return in_context([&](Context& context) {
        require_pointer(params);
        check(*params);
        add_node(node, graph, dependencies, count, [&] {
            require(!graph_of(graph)->is_child, CUDA_ERROR_NOT_SUPPORTED,
                    "a child graph has no memory of its own");
            AllocateOperation made = allocate_operation(context, params->bytesize);
            params->dptr = made.memory->address();
            return made;
        });
    });
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS* params) {
    return entry([&] {
        require_pointer(params);
        const GraphMemory& memory = *operation_of<AllocateOperation>(*graph_node(node)).memory;
        *params = {};
        params->poolProps = properties();
        params->bytesize = memory.bytes();
        params->dptr = memory.address();
    });
}

CUresult cuGraphAddMemFreeNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                               std::size_t count, CUdeviceptr p) {
    return entry([&] {
        add_node(node, graph, dependencies, count, [&] {
            FreeOperation made = free_operation(p);
            for (const GraphNode* other : graph_of(graph)->nodes())
                if (const auto* frees = std::get_if<FreeOperation>(&other->operation))
                    require(frees->memory != made.memory, CUDA_ERROR_INVALID_VALUE,
                            "another node of the graph frees this");
            return made;
        });
    });
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr* p) {
    return entry([&] {
        require_pointer(p);
        *p = operation_of<FreeOperation>(*graph_node(node)).memory->address();
    });
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute,
                                      void* value) {
    return entry([&] {
        require_device(device);
        require_pointer(value);
        const GraphMemory::Use use = GraphMemory::use();
        cuuint64_t number = 0;
        switch (attribute) {
        case CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT: number = use.now; break;
        case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH: number = use.used_high; break;
        case CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT: number = use.now; break;
        case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH: number = use.reserved_high; break;
        default: fail(CUDA_ERROR_INVALID_VALUE, "unknown attribute of graphs' memory");
        }
        std::memcpy(value, &number, sizeof number);
    });
}

CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute,
                                      void* value) {
    return entry([&] {
        require_device(device);
        require_pointer(value);
        cuuint64_t number = 0;
        std::memcpy(&number, value, sizeof number);
        require(number == 0, CUDA_ERROR_INVALID_VALUE, "high water marks are set to 0 only");
        switch (attribute) {
        case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH: return GraphMemory::reset_used_high();
        case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH: return GraphMemory::reset_reserved_high();
        default: fail(CUDA_ERROR_INVALID_VALUE, "the attribute cannot be set");
        }
    });
}

CUresult cuDeviceGraphMemTrim(CUdevice device) {
    return entry([&] {
        require_device(device);
        GraphMemory::trim();
    });
}

} // extern "C"
