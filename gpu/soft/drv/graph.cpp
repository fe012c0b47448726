// SPDX-License-Identifier: MIT
#include "gpu/soft/drv/graph.h"

#include "gpu/soft/drv/objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace lathe::soft {

namespace {

constexpr auto kInvalid = CUDA_ERROR_INVALID_VALUE;

bool has(const std::vector<GraphNode*>& nodes, const GraphNode* node) {
    return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

} // namespace

std::shared_ptr<Graph> Graph::create() {
    auto made = std::make_shared<Graph>();
    Objects<Graph>::instance().add(made);
    return made;
}

Graph::~Graph() {
    for (const auto& node : nodes_) Objects<GraphNode>::instance().remove(node.get());
}

GraphNode* Graph::add(Operation operation, std::span<GraphNode* const> dependencies) {
    for (std::size_t k = 0; k < dependencies.size(); ++k) {
        require(dependencies[k]->graph.lock().get() == this, kInvalid, "node of another graph");
        require(std::find(dependencies.begin(), dependencies.begin() + static_cast<long>(k),
                          dependencies[k]) == dependencies.begin() + static_cast<long>(k),
                kInvalid, "the same dependency twice");
    }
    auto node = std::make_shared<GraphNode>();
    node->operation = std::move(operation);
    node->graph = weak_from_this();
    for (GraphNode* before : dependencies) {
        node->before.push_back(before);
        before->after.push_back(node.get());
    }
    Objects<GraphNode>::instance().add(node);
    nodes_.push_back(std::move(node));
    return nodes_.back().get();
}

void Graph::remove(GraphNode* node) {
    for (GraphNode* before : node->before) std::erase(before->after, node);
    for (GraphNode* after : node->after) std::erase(after->before, node);
    Objects<GraphNode>::instance().remove(node);
    std::erase_if(nodes_, [&](const auto& each) { return each.get() == node; });
}

void Graph::connect(std::span<const GraphEdge> edges) {
    const auto take_back = [&](std::size_t count) {
        for (const GraphEdge& edge : edges.first(count)) {
            std::erase(edge.from->after, edge.to);
            std::erase(edge.to->before, edge.from);
        }
    };
    for (std::size_t k = 0; k < edges.size(); ++k) {
        const GraphEdge& edge = edges[k];
        const bool ours =
            edge.from->graph.lock().get() == this && edge.to->graph.lock().get() == this;
        if (!ours || edge.from == edge.to || has(edge.from->after, edge.to)) {
            take_back(k);
            fail(kInvalid, !ours ? "node of another graph" : "an edge twice, or of one node");
        }
        edge.from->after.push_back(edge.to);
        edge.to->before.push_back(edge.from);
    }
}

void Graph::disconnect(std::span<const GraphEdge> edges) {
    for (const GraphEdge& edge : edges)
        require(edge.from->graph.lock().get() == this && has(edge.from->after, edge.to), kInvalid,
                "there is no such edge");
    for (const GraphEdge& edge : edges) {
        std::erase(edge.from->after, edge.to);
        std::erase(edge.to->before, edge.from);
    }
}

std::shared_ptr<Graph> Graph::clone() const {
    auto made = create();
    std::unordered_map<const GraphNode*, GraphNode*> like;
    for (const auto& node : nodes_) {
        Operation operation = node->operation;
        if (auto* child = std::get_if<ChildOperation>(&operation)) {
            child->graph = child->graph->clone();
            child->graph->is_child = true;
        }
        GraphNode* copy = made->add(std::move(operation), {});
        copy->origin = node.get();
        copy->enabled = node->enabled;
        like[node.get()] = copy;
    }
    for (const auto& node : nodes_) {
        for (const GraphNode* before : node->before)
            like[node.get()]->before.push_back(like[before]);
        for (const GraphNode* after : node->after) like[node.get()]->after.push_back(like[after]);
    }
    made->keep_as(*this);
    return made;
}

bool Graph::has_memory() const {
    return std::any_of(nodes_.begin(), nodes_.end(), [](const auto& node) {
        return std::holds_alternative<AllocateOperation>(node->operation) ||
               std::holds_alternative<FreeOperation>(node->operation);
    });
}

void Graph::refuse_memory(const char* what) const {
    if (has_memory())
        fail(CUDA_ERROR_NOT_SUPPORTED,
             fmt::format("a graph whose nodes allocate or free memory {}", what));
}

void Graph::keep(std::shared_ptr<UserReferences> references) {
    kept_.push_back(std::move(references));
}

void Graph::let_go(const UserObject& object, unsigned count) {
    for (const auto& references : kept_)
        if (references->object() == &object && references->count() >= count) {
            references->release(count);
            std::erase_if(kept_, [](const auto& each) { return each->count() == 0; });
            return;
        }
    fail(kInvalid, "the graph does not keep this object");
}

KeptObjects Graph::kept() const {
    KeptObjects all = kept_;
    for (const auto& node : nodes_)
        if (const auto* child = std::get_if<ChildOperation>(&node->operation))
            for (auto& references : child->graph->kept()) all.push_back(std::move(references));
    return all;
}

void Graph::keep_as(const Graph& other) {
    KeptObjects copies;
    for (const auto& references : other.kept_)
        copies.push_back(std::make_shared<UserReferences>(*references));
    kept_ = std::move(copies); // launches under way hold the others
}

GraphNode* Graph::clone_of(const GraphNode* original) const {
    for (const auto& node : nodes_) {
        if (node->origin == original) return node.get();
        if (const auto* child = std::get_if<ChildOperation>(&node->operation))
            if (GraphNode* found = child->graph->clone_of(original)) return found;
    }
    return nullptr;
}

std::vector<GraphNode*> Graph::nodes() const {
    std::vector<GraphNode*> all;
    for (const auto& node : nodes_) all.push_back(node.get());
    return all;
}

std::vector<GraphEdge> Graph::edges() const {
    std::vector<GraphEdge> all;
    for (const auto& node : nodes_)
        for (GraphNode* after : node->after) all.push_back({node.get(), after});
    return all;
}

std::vector<GraphNode*> Graph::roots() const {
    std::vector<GraphNode*> all;
    for (const auto& node : nodes_)
        if (node->before.empty()) all.push_back(node.get());
    return all;
}

std::vector<GraphNode*> Graph::in_order() const {
    std::unordered_map<const GraphNode*, std::size_t> left;
    std::vector<GraphNode*> order = roots();
    for (const auto& node : nodes_) left[node.get()] = node->before.size();
    for (std::size_t k = 0; k < order.size(); ++k)
        for (GraphNode* after : order[k]->after)
            if (--left[after] == 0) order.push_back(after);
    return order;
}

std::shared_ptr<GraphNode> graph_node(CUgraphNode handle) {
    auto found = Objects<GraphNode>::instance().find(handle);
    require(found != nullptr, kInvalid, "unknown node");
    return found;
}

std::shared_ptr<Graph> graph_of(CUgraph handle) {
    auto found = Objects<Graph>::instance().find(handle);
    require(found != nullptr, kInvalid, "unknown graph");
    return found;
}

void forget(const std::shared_ptr<Graph>& graph) {
    for (GraphNode* node : graph->nodes())
        if (const auto* child = std::get_if<ChildOperation>(&node->operation)) forget(child->graph);
    Objects<Graph>::instance().remove(graph.get());
}

} // namespace lathe::soft
