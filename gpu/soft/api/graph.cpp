// SPDX-License-Identifier: MIT
// Graphs: nodes and edges. What nodes do is in graph_nodes.cpp.
#include "gpu/soft/api/graph_arguments.h"

using namespace lathe::soft;

namespace {

std::shared_ptr<Graph> graph_with(const GraphNode& node) {
    auto graph = node.graph.lock();
    require(graph != nullptr, CUDA_ERROR_INVALID_VALUE);
    return graph;
}

} // namespace

extern "C" {

CUresult cuGraphCreate(CUgraph* graph, unsigned flags) {
    return entry([&] {
        require_pointer(graph);
        require(flags == 0, CUDA_ERROR_INVALID_VALUE, "flags must be 0");
        *graph = handle_of(Graph::create().get());
    });
}

CUresult cuGraphDestroy(CUgraph handle) {
    return entry([&] {
        auto graph = graph_of(handle);
        require(!graph->is_child, CUDA_ERROR_INVALID_VALUE, "a node has this graph");
        forget(graph);
    });
}

CUresult cuGraphClone(CUgraph* clone, CUgraph original) {
    return entry([&] {
        require_pointer(clone);
        const auto graph = graph_of(original);
        graph->refuse_memory("is not cloned");
        *clone = handle_of(graph->clone().get());
    });
}

CUresult cuGraphNodeFindInClone(CUgraphNode* found, CUgraphNode original, CUgraph clone) {
    return entry([&] {
        require_pointer(found);
        GraphNode* node = graph_of(clone)->clone_of(graph_node(original).get());
        require(node != nullptr, CUDA_ERROR_INVALID_VALUE, "the graph has no clone of this node");
        *found = handle_of(node);
    });
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count) {
    return entry([&] { give_nodes(graph_of(graph)->nodes(), nodes, count); });
}

CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count) {
    return entry([&] { give_nodes(graph_of(graph)->roots(), nodes, count); });
}

CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data,
                         std::size_t* count) {
    return entry([&] {
        require((from == nullptr) == (to == nullptr), CUDA_ERROR_INVALID_VALUE);
        require_pointer(count);
        std::vector<GraphNode*> begins, ends;
        for (const GraphEdge& edge : graph_of(graph)->edges()) {
            begins.push_back(edge.from);
            ends.push_back(edge.to);
        }
        std::size_t room = *count;
        give_nodes(begins, from, &room);
        give_nodes(ends, to, count);
        if (from) give_ordinary(data, *count);
    });
}

CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode* dependencies,
                                    CUgraphEdgeData* data, std::size_t* count) {
    return entry([&] {
        give_nodes(graph_node(node)->before, dependencies, count);
        if (dependencies) give_ordinary(data, *count);
    });
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode* dependents,
                                      CUgraphEdgeData* data, std::size_t* count) {
    return entry([&] {
        give_nodes(graph_node(node)->after, dependents, count);
        if (dependents) give_ordinary(data, *count);
    });
}

CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                const CUgraphEdgeData* data, std::size_t count) {
    return entry([&] { graph_of(graph)->connect(edges_of(from, to, data, count)); });
}

CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                   const CUgraphEdgeData* data, std::size_t count) {
    return entry([&] {
        graph_of(graph)->refuse_memory("keeps its edges");
        graph_of(graph)->disconnect(edges_of(from, to, data, count));
    });
}

CUresult cuGraphDestroyNode(CUgraphNode handle) {
    return entry([&] {
        auto node = graph_node(handle);
        graph_with(*node)->refuse_memory("keeps its nodes");
        if (const auto* child = std::get_if<ChildOperation>(&node->operation)) forget(child->graph);
        graph_with(*node)->remove(node.get());
    });
}

CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
    return entry([&] {
        require_pointer(type);
        *type = type_of(graph_node(node)->operation);
    });
}

// --- as CUDA 11 and 12 had them
// ------------------------------------------------------------------

#undef cuGraphGetEdges
#undef cuGraphNodeGetDependencies
#undef cuGraphNodeGetDependentNodes
#undef cuGraphAddDependencies
#undef cuGraphRemoveDependencies
#define LATHE_OLD __attribute__((visibility("default"))) CUresult

LATHE_OLD cuGraphGetEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to, std::size_t* count) {
    return cuGraphGetEdges_v2(graph, from, to, nullptr, count);
}
LATHE_OLD cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode* nodes, std::size_t* count) {
    return cuGraphNodeGetDependencies_v2(node, nodes, nullptr, count);
}
LATHE_OLD cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode* nodes, std::size_t* count) {
    return cuGraphNodeGetDependentNodes_v2(node, nodes, nullptr, count);
}
LATHE_OLD cuGraphAddDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                 std::size_t count) {
    return cuGraphAddDependencies_v2(graph, from, to, nullptr, count);
}
LATHE_OLD cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                    std::size_t count) {
    return cuGraphRemoveDependencies_v2(graph, from, to, nullptr, count);
}

} // extern "C"
