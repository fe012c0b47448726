// SPDX-License-Identifier: MIT
// Graphs as Python has them: captured by `with graph:`, or made node by node; what they name in
// Python is kept.
#pragma once

#include "gpu/graph.h"
#include "python/bind/cuda/host_function.h"
#include "python/bind/cuda/stream.h"

#include <pybind11/pybind11.h>

#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace lathe::bind {

namespace py = pybind11;

/// A node, and the life of its graph: one that is captured anew has other nodes.
struct PyGraphNode {
    gpu::GraphNode node;
    std::weak_ptr<int> life;
};

class PyGraph {
public:
    /// `stream`: where to capture; null: one of its own.
    explicit PyGraph(std::optional<py::object> stream);
    ~PyGraph();

    /// What captures, on this thread: keeps what is launched meanwhile.
    static PyGraph* capturing();
    void keep(py::object object) { kept_.push_back(std::move(object)); }
    /// The memory of a copy or fill, where `stream` captures: buffers of Python's cannot move then.
    static void keep_captured(gpu::StreamView stream, std::initializer_list<py::handle> memory);

    /// What is kept now may go only when launches are done: neither its end nor a driver's free
    /// waits for them.
    void wait_at_end() { must_wait_ = true; }

    py::object stream();
    /// Throws gpu::Error where it captures already.
    void begin();
    /// Takes over what was captured; drops it and leaves the graph as it was where `failed`.
    void end(bool failed);
    bool is_capturing() const { return capture_ != nullptr; }

    void launch(gpu::StreamView stream);
    /// Takes over all that another graph's nodes do; false where it has other nodes or edges.
    bool update(PyGraph& other);
    std::vector<PyGraphNode> nodes() const;

    // Nodes wait for `after`: a node or a sequence of them.

    using Change = std::function<gpu::GraphNode(gpu::Graph&, std::span<const gpu::GraphNode>)>;
    PyGraphNode add(const py::object& after, py::object kept, const Change& change);
    PyGraphNode add_host(const py::object& after, const py::object& function,
                         const py::tuple& arguments);

    // They change the graph and the executable one, from the next launch on.

    gpu::GraphNode check(const PyGraphNode& node) const;
    gpu::Graph& graph();
    /// Null as long as there is none.
    gpu::GraphExec* exec() { return exec_ ? &exec_ : nullptr; }
    gpu::GraphExec& ready();
    void keep_for(gpu::GraphNode node, py::object object);
    void set_host(const PyGraphNode& node, const py::object& function, const py::tuple& arguments);

private:
    PyGraphNode named(gpu::GraphNode node) const { return {node, life_}; }
    std::vector<gpu::GraphNode> nodes_from(const py::object& after) const;
    void wait_for_launches();

    py::object stream_;
    gpu::Graph graph_;
    gpu::GraphExec exec_;
    std::unique_ptr<gpu::StreamCapture> capture_;
    gpu::Context launched_in_; ///< empty: not launched since the last wait
    bool must_wait_ = false;
    std::shared_ptr<int> life_ = std::make_shared<int>(0);  ///< of its nodes
    std::shared_ptr<int> alive_ = std::make_shared<int>(0); ///< its own
    std::vector<py::object> kept_;                          ///< of the capture
    std::vector<py::object> kept_before_;                   ///< of the one before, while capturing
    std::map<CUgraphNode, py::object> kept_by_node_;
    std::map<CUgraphNode, std::shared_ptr<PyCall>> calls_; ///< of host nodes
};

} // namespace lathe::bind
