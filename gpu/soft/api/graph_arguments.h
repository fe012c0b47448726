// SPDX-License-Identifier: MIT
// Arrays of nodes and edges, in and out, as the functions of graphs take them.
#pragma once

#include "gpu/soft/api/entry.h"
#include "gpu/soft/drv/graph.h"
#include "gpu/soft/rt/fault.h"

#include <span>
#include <vector>

namespace lathe::soft {

/// Parameters that a caller gives by a pointer.
template <class T> const T& given(const T* params) {
    require_pointer(params);
    return *params;
}

/// The nodes of an array of handles; `data` must be null or ordinary edges.
inline std::vector<GraphNode*> nodes_of(const CUgraphNode* handles, std::size_t count,
                                        const CUgraphEdgeData* data = nullptr) {
    require(count < (1u << 24), CUDA_ERROR_INVALID_VALUE, "too many nodes");
    std::vector<CUgraphNode> read(count);
    std::vector<CUgraphEdgeData> edges(data ? count : 0);
    if (count) require_pointer(handles);
    require(guarded_copy(read.data(), handles, count * sizeof(CUgraphNode)) &&
                guarded_copy(edges.data(), data, edges.size() * sizeof(CUgraphEdgeData)),
            CUDA_ERROR_INVALID_VALUE, "unreadable nodes");
    for (const CUgraphEdgeData& edge : edges)
        require(!edge.from_port && !edge.to_port && edge.type == CU_GRAPH_DEPENDENCY_TYPE_DEFAULT,
                CUDA_ERROR_NOT_SUPPORTED, "programmatic edges");
    std::vector<GraphNode*> nodes;
    for (CUgraphNode handle : read) nodes.push_back(graph_node(handle).get());
    return nodes;
}

inline std::vector<GraphEdge> edges_of(const CUgraphNode* from, const CUgraphNode* to,
                                       const CUgraphEdgeData* data, std::size_t count) {
    const auto begins = nodes_of(from, count, data), ends = nodes_of(to, count);
    std::vector<GraphEdge> edges;
    for (std::size_t k = 0; k < count; ++k) edges.push_back({begins[k], ends[k]});
    return edges;
}

/// Writes as many as there is room for; the rest of the room is nulls. Without `to` the count
/// alone.
inline void give_nodes(const std::vector<GraphNode*>& nodes, CUgraphNode* to, std::size_t* count) {
    require_pointer(count);
    if (!to) {
        *count = nodes.size();
        return;
    }
    require_pointer(to);
    for (std::size_t k = 0; k < *count; ++k)
        to[k] = k < nodes.size() ? handle_of(nodes[k]) : nullptr;
    *count = std::min(*count, nodes.size());
}

inline void give_ordinary(CUgraphEdgeData* to, std::size_t count) {
    if (!to) return;
    require_pointer(to);
    for (std::size_t k = 0; k < count; ++k) to[k] = {};
}

/// Adds a node and writes its handle.
inline void add_node(CUgraphNode* to, CUgraph graph, const CUgraphNode* dependencies,
                     std::size_t count, auto&& operation) {
    require_pointer(to);
    auto found = graph_of(graph);
    const auto before = nodes_of(dependencies, count);
    *to = handle_of(found->add(operation(), before));
}

/// What a node of this kind does; fails where it is of another.
template <class T> T& operation_of(GraphNode& node) {
    T* found = std::get_if<T>(&node.operation);
    require(found != nullptr, CUDA_ERROR_INVALID_VALUE, "a node of another type");
    return *found;
}

} // namespace lathe::soft
