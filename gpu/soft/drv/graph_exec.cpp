// SPDX-License-Identifier: MIT
// Graphs that are ready to be launched: copies that keep the order in which their nodes run.
#include "gpu/soft/drv/graph.h"

#include "gpu/soft/drv/objects.h"

#include <fmt/format.h>

#include <unordered_map>

namespace lathe::soft {

namespace {

void lay_out(const Graph& graph, std::vector<GraphNode*>& order) {
    const auto all = graph.in_order();
    require(all.size() == graph.nodes().size(), CUDA_ERROR_INVALID_VALUE, "the graph has a circle");
    for (GraphNode* node : all) {
        if (const auto* child = std::get_if<ChildOperation>(&node->operation))
            lay_out(*child->graph, order);
        else order.push_back(node);
    }
}

bool same_kind_of_copy(const CUDA_MEMCPY3D& x, const CUDA_MEMCPY3D& y) {
    return x.srcMemoryType == y.srcMemoryType && x.dstMemoryType == y.dstMemoryType;
}

/// What keeps `mine` from becoming `other`.
CUgraphExecUpdateResultInfo compare(const Graph& mine, const Graph& other) {
    const auto of_mine = mine.nodes(), of_other = other.nodes();
    if (of_mine.size() != of_other.size())
        return {CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, nullptr, nullptr};
    std::unordered_map<const GraphNode*, std::size_t> place;
    for (std::size_t k = 0; k < of_mine.size(); ++k) place[of_mine[k]] = place[of_other[k]] = k;
    for (std::size_t k = 0; k < of_mine.size(); ++k) {
        const GraphNode &x = *of_mine[k], &y = *of_other[k];
        if (x.before.size() != y.before.size())
            return {CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, handle_of(&y), nullptr};
        for (std::size_t e = 0; e < x.before.size(); ++e)
            if (place[x.before[e]] != place[y.before[e]])
                return {CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, handle_of(&y),
                        handle_of(y.before[e])};
        if (x.operation.index() != y.operation.index())
            return {CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, handle_of(&y), nullptr};
        if (const auto* copy = std::get_if<CopyOperation>(&x.operation);
            copy && !same_kind_of_copy(copy->params, std::get<CopyOperation>(y.operation).params))
            return {CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, handle_of(&y), nullptr};
        if (const auto* memory = std::get_if<AllocateOperation>(&x.operation);
            memory && memory->memory != std::get<AllocateOperation>(y.operation).memory)
            return {CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, handle_of(&y), nullptr};
        if (const auto* memory = std::get_if<FreeOperation>(&x.operation);
            memory && memory->memory != std::get<FreeOperation>(y.operation).memory)
            return {CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, handle_of(&y), nullptr};
        if (const auto* child = std::get_if<ChildOperation>(&x.operation)) {
            const auto inner = compare(*child->graph, *std::get<ChildOperation>(y.operation).graph);
            if (inner.result != CU_GRAPH_EXEC_UPDATE_SUCCESS) return inner;
        }
    }
    return {CU_GRAPH_EXEC_UPDATE_SUCCESS, nullptr, nullptr};
}

void take_over(Graph& mine, const Graph& other) {
    const auto of_mine = mine.nodes(), of_other = other.nodes();
    for (std::size_t k = 0; k < of_mine.size(); ++k) {
        if (const auto* child = std::get_if<ChildOperation>(&of_mine[k]->operation))
            take_over(*child->graph, *std::get<ChildOperation>(of_other[k]->operation).graph);
        else of_mine[k]->operation = of_other[k]->operation;
    }
    mine.keep_as(other);
}

} // namespace

GraphExec::~GraphExec() { forget(graph); }

GraphNode& GraphExec::node(CUgraphNode original) {
    GraphNode* found = graph->clone_of(graph_node(original).get());
    require(found != nullptr, CUDA_ERROR_INVALID_VALUE, "a node of another graph");
    return *found;
}

std::shared_ptr<GraphExec> instantiate(const Graph& graph, cuuint64_t flags) {
    constexpr cuuint64_t known = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH |
                                 CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
                                 CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
    require((flags & ~known) == 0, CUDA_ERROR_INVALID_VALUE, "unknown flag");
    if (!graph.exec.expired()) graph.refuse_memory("has one executable graph at a time");
    auto made = std::make_shared<GraphExec>();
    made->graph = graph.clone();
    made->flags = flags;
    lay_out(*made->graph, made->order);
    graph.exec = made;
    return made;
}

namespace {

/// Before a launch: what it allocates must be free, or is freed now. After it the memory is as its
/// nodes leave it.
void settle_memory(Context& context, const std::shared_ptr<Stream>& stream, const GraphExec& exec) {
    std::vector<std::shared_ptr<GraphMemory>> begun;
    for (const GraphNode* node : exec.order) {
        if (const auto* allocates = std::get_if<AllocateOperation>(&node->operation)) {
            GraphMemory& memory = *allocates->memory;
            const bool frees = exec.flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
            if (frees && memory.end())
                replay(context, stream, FreeOperation{allocates->memory}, {});
            if (!memory.begin()) {
                for (const auto& each : begun) each->end();
                fail(CUDA_ERROR_INVALID_VALUE,
                     fmt::format(
                         "memory that the graph allocates is not free yet: {} bytes at {:#x}",
                         memory.bytes(), memory.address()));
            }
            begun.push_back(allocates->memory);
        } else if (const auto* gives = std::get_if<FreeOperation>(&node->operation)) {
            gives->memory->end();
        }
    }
}

} // namespace

void launch(Context& context, const std::shared_ptr<Stream>& stream, GraphExec& exec) {
    std::lock_guard lock{exec.mutex};
    settle_memory(context, stream, exec);
    const KeptObjects kept = exec.graph->kept(); // the executable graph may end before its launch
    for (const GraphNode* node : exec.order)
        if (node->enabled) replay(context, stream, node->operation, kept);
}

CUgraphExecUpdateResultInfo update(GraphExec& exec, const Graph& graph) {
    std::lock_guard lock{exec.mutex};
    const auto result = compare(*exec.graph, graph);
    if (result.result == CU_GRAPH_EXEC_UPDATE_SUCCESS) take_over(*exec.graph, graph);
    return result;
}

} // namespace lathe::soft
