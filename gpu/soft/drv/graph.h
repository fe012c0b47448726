// SPDX-License-Identifier: MIT
// Graphs of operations: nodes with what they do, and edges. What an operation does when it is
// replayed is in graph_node.cpp; made from streams they are by capture.h.
#pragma once

#include "gpu/soft/drv/graph_node.h"
#include "gpu/soft/drv/user_object.h"

#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace lathe::soft {

class Graph;

/// Nodes belong to one graph and are destroyed with it.
struct GraphNode {
    Operation operation;
    std::weak_ptr<Graph> graph;
    std::vector<GraphNode*> before, after; ///< in the order in which edges were added
    const GraphNode* origin = nullptr;     ///< of a clone: the node that it is like
    bool enabled = true;                   ///< of a GraphExec: else nothing is done
};

struct GraphEdge {
    GraphNode *from, *to;
};

/// Not thread-safe, as the driver API says of its graphs; handles are looked up under locks.
class Graph : public std::enable_shared_from_this<Graph> {
public:
    static std::shared_ptr<Graph> create();
    ~Graph();

    /// Fails with CUDA_ERROR_INVALID_VALUE where a dependency is of another graph, or twice there.
    GraphNode* add(Operation operation, std::span<GraphNode* const> dependencies);
    /// Removes the node with its edges; its handle ends.
    void remove(GraphNode* node);
    /// All or none. Fails where an edge is there already or is of one node.
    void connect(std::span<const GraphEdge> edges);
    /// All or none. Fails where one is not there.
    void disconnect(std::span<const GraphEdge> edges);

    /// With clones of child graphs. Memory of nodes stays one.
    std::shared_ptr<Graph> clone() const;
    /// Whether nodes of it allocate or free memory: then its nodes and edges stay, it is neither
    /// cloned nor made a child, and there is one GraphExec of it at a time.
    bool has_memory() const;
    /// Fails with CUDA_ERROR_NOT_SUPPORTED where it has.
    void refuse_memory(const char* what) const;
    /// The node that was made from another graph's; null: none.
    GraphNode* clone_of(const GraphNode* original) const;

    /// In the order in which they were added.
    std::vector<GraphNode*> nodes() const;
    std::vector<GraphEdge> edges() const;
    std::vector<GraphNode*> roots() const;
    /// Each node behind all that it depends on, earlier ones first; without those of circles.
    std::vector<GraphNode*> in_order() const;

    /// Keeps an object of the caller's until the graph ends; its copies keep it, too.
    void keep(std::shared_ptr<UserReferences> references);
    /// Fails with CUDA_ERROR_INVALID_VALUE where it keeps fewer.
    void let_go(const UserObject& object, unsigned count);
    /// What it keeps, and what its children keep.
    KeptObjects kept() const;
    /// Keeps what `other` keeps instead.
    void keep_as(const Graph& other);

    bool is_child = false;                        ///< ends with its node
    mutable std::weak_ptr<struct GraphExec> exec; ///< the last one made of it

private:
    std::vector<std::shared_ptr<GraphNode>> nodes_;
    KeptObjects kept_;
};

/// The node of a handle; fails with CUDA_ERROR_INVALID_VALUE, as for graphs.
std::shared_ptr<GraphNode> graph_node(CUgraphNode handle);
std::shared_ptr<Graph> graph_of(CUgraph handle);
/// Ends the handles of a graph and of its children; it lives on where it is held.
void forget(const std::shared_ptr<Graph>& graph);
inline CUgraphNode handle_of(const GraphNode* node) {
    return reinterpret_cast<CUgraphNode>(const_cast<GraphNode*>(node));
}
inline CUgraph handle_of(const Graph* graph) {
    return reinterpret_cast<CUgraph>(const_cast<Graph*>(graph));
}

/// A graph that is ready to be launched: a copy, with parameters of its own.
struct GraphExec {
    ~GraphExec();

    std::mutex mutex;
    std::shared_ptr<Graph> graph;
    cuuint64_t flags = 0;
    std::vector<GraphNode*> order; ///< as replayed, with the nodes of children

    /// The copy's node of one of the graph that it was made from; fails.
    GraphNode& node(CUgraphNode original);
};

/// Fails with CUDA_ERROR_INVALID_VALUE where the graph has a circle, CUDA_ERROR_NOT_SUPPORTED where
/// it has memory and a GraphExec.
std::shared_ptr<GraphExec> instantiate(const Graph& graph, cuuint64_t flags);
/// Appends all operations to a stream. Fails with CUDA_ERROR_INVALID_VALUE where memory that the
/// graph allocates is not free, unless it is to free it itself.
void launch(Context& context, const std::shared_ptr<Stream>& stream, GraphExec& exec);
/// Takes over the parameters of a graph of the same topology.
CUgraphExecUpdateResultInfo update(GraphExec& exec, const Graph& graph);

} // namespace lathe::soft
