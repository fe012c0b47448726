// SPDX-License-Identifier: MIT
#include "python/bind/cuda/graph.h"

#include "gpu/driver/check.h"
#include "python/bind/gil.h"

#include <fmt/format.h>

namespace lathe::bind {

namespace {
thread_local PyGraph* capturing_graph = nullptr;
thread_local std::weak_ptr<int> capturing_graph_alive; // it may end on another thread
} // namespace

PyGraph* PyGraph::capturing() {
    if (capturing_graph && capturing_graph_alive.expired()) capturing_graph = nullptr;
    return capturing_graph;
}

void PyGraph::keep_captured(gpu::StreamView stream, std::initializer_list<py::handle> memory) {
    PyGraph* const graph = capturing();
    if (!graph || !stream.is_capturing()) return;
    for (const py::handle each : memory) {
        auto* const view =
            PyObject_CheckBuffer(each.ptr()) ? PyMemoryView_FromObject(each.ptr()) : nullptr;
        if (!view) PyErr_Clear();
        else graph->wait_at_end(); // host memory
        graph->keep(view ? py::reinterpret_steal<py::object>(view)
                         : py::reinterpret_borrow<py::object>(each));
    }
}

PyGraph::PyGraph(std::optional<py::object> stream) {
    if (!stream || stream->is_none()) return;
    if (!py::isinstance<PyStream>(*stream))
        throw py::type_error(fmt::format("Graph: stream must be a Stream or None, got {}",
                                         Py_TYPE(stream->ptr())->tp_name));
    stream_ = *stream;
}

PyGraph::~PyGraph() {
    wait_for_launches();
    const WithoutGil release;
    capture_.reset();
    exec_ = {};
    graph_ = {};
}

void PyGraph::wait_for_launches() {
    const gpu::Context context = std::exchange(launched_in_, {});
    if (!must_wait_ || !context) return;
    const WithoutGil release; // a host function may have to come first
    if (const gpu::detail::ReleaseScope scope{context})
        gpu::driver().cuCtxSynchronize(); // an error is found again by who asks for results
}

py::object PyGraph::stream() {
    if (!stream_) { // one that the default stream waits for: what forgets stream= is told, not lost
        gpu::Context::ensure_current();
        stream_ = py::cast(PyStream{gpu::StreamConfig{.non_blocking = false}});
    }
    return stream_;
}

void PyGraph::begin() {
    if (capture_)
        throw gpu::Error{"cuStreamBeginCapture", CUDA_ERROR_ILLEGAL_STATE,
                         "the graph captures already"};
    const auto on = stream().cast<const PyStream*>();
    capture_ = std::make_unique<gpu::StreamCapture>(stream_of(on));
    kept_before_ = std::exchange(kept_, {});
    capturing_graph = this;
    capturing_graph_alive = alive_;
}

void PyGraph::end(bool failed) {
    if (!capture_)
        throw gpu::Error{"cuStreamEndCapture", CUDA_ERROR_ILLEGAL_STATE,
                         "the graph does not capture"};
    if (capturing_graph == this) capturing_graph = nullptr;
    const auto capture = std::move(capture_);
    if (failed) {
        kept_ = std::exchange(kept_before_, {});
        return; // dropped
    }
    try {
        gpu::Graph captured = capture->end();
        if (exec_ && !exec_.update(captured)) exec_ = {};
        graph_ = std::move(captured);
    } catch (...) {
        kept_ = std::exchange(kept_before_, {});
        throw;
    }
    wait_for_launches();
    kept_before_.clear();
    life_ = std::make_shared<int>(0);
    kept_by_node_.clear();
    calls_.clear();
}

gpu::Graph& PyGraph::graph() {
    if (capture_)
        throw gpu::Error{"cuGraphAddNode", CUDA_ERROR_ILLEGAL_STATE,
                         "the graph is captured at present"};
    if (!graph_) graph_ = gpu::Graph::create();
    return graph_;
}

gpu::GraphExec& PyGraph::ready() {
    graph();
    if (!exec_) exec_ = gpu::GraphExec{graph_};
    return exec_;
}

void PyGraph::launch(gpu::StreamView stream) {
    const gpu::Context context = gpu::Context::ensure_current();
    const bool is_first = !exec_;
    const gpu::GraphExec& exec = ready();
    if (must_wait_) launched_in_ = context;
    if (!is_first && !is_python_in_streams()) [[likely]]
        return exec.launch(stream);
    const GilRelease release; // code may be loaded, or a Python function has to come first
    exec.launch(stream);
}

bool PyGraph::update(PyGraph& other) {
    if (!ready().update(other.graph())) return false;
    kept_.push_back(py::cast(
        &other, py::return_value_policy::reference)); // what its nodes name is this graph's, too
    return true;
}

std::vector<PyGraphNode> PyGraph::nodes() const {
    std::vector<PyGraphNode> all;
    if (!graph_) return all;
    for (const gpu::GraphNode& node : graph_.nodes()) all.push_back(named(node));
    return all;
}

std::vector<gpu::GraphNode> PyGraph::nodes_from(const py::object& after) const {
    std::vector<gpu::GraphNode> found;
    if (py::isinstance<PyGraphNode>(after)) return {check(after.cast<const PyGraphNode&>())};
    if (!py::isinstance<py::sequence>(after))
        throw py::type_error(fmt::format("after must be a GraphNode or a sequence of them, got {}",
                                         Py_TYPE(after.ptr())->tp_name));
    for (const py::handle each : after) {
        if (!py::isinstance<PyGraphNode>(each))
            throw py::type_error(fmt::format("after must hold GraphNodes, got {}",
                                             py::repr(each).cast<std::string>()));
        found.push_back(check(each.cast<const PyGraphNode&>()));
    }
    return found;
}

gpu::GraphNode PyGraph::check(const PyGraphNode& node) const {
    if (node.life.lock() != life_)
        throw py::value_error("the node is not of this graph, or the graph was captured anew");
    return node.node;
}

PyGraphNode PyGraph::add(const py::object& after, py::object kept, const Change& change) {
    const auto before = nodes_from(after);
    const gpu::GraphNode node = change(graph(), before);
    exec_ = {}; // made anew for the next launch
    keep_for(node, std::move(kept));
    return named(node);
}

PyGraphNode PyGraph::add_host(const py::object& after, const py::object& function,
                              const py::tuple& arguments) {
    const auto call = std::make_shared<PyCall>(function, arguments);
    const PyGraphNode made = add(after, py::none(), [&](gpu::Graph& graph, auto before) {
        return graph.add_host_function(host_function(call), before);
    });
    calls_[made.node.get()] = call;
    return made;
}

void PyGraph::keep_for(gpu::GraphNode node, py::object object) {
    if (kept_by_node_.contains(node.get())) wait_for_launches();
    kept_by_node_[node.get()] = std::move(object);
}

void PyGraph::set_host(const PyGraphNode& node, const py::object& function,
                       const py::tuple& arguments) {
    const auto found = calls_.find(check(node).get());
    if (found == calls_.end()) throw py::value_error("the node was not made by add_host()");
    found->second->set(function, arguments);
}

} // namespace lathe::bind
