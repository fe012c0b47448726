// SPDX-License-Identifier: MIT
// The class Graph: what its nodes take from Python.
#include "gpu/driver/check.h"
#include "python/bind/bind.h"
#include "python/bind/cuda/constants.h"
#include "python/bind/cuda/fast_method.h"
#include "python/bind/cuda/graph.h"
#include "python/bind/cuda/host_buffer.h"
#include "python/bind/cuda/module.h"
#include "python/bind/cuda/pointer.h"
#include "python/bind/kernel/argument_plan.h"
#include "python/bind/kernel/kernel.h"

#include <pybind11/stl.h>

#include <fmt/format.h>

namespace lathe::bind {

namespace {

/// One end of a copy: device memory, or a contiguous buffer of Python's, which is kept.
struct CopyEnd {
    CUmemorytype type = CU_MEMORYTYPE_DEVICE;
    std::uint64_t address = 0;
    std::optional<std::size_t> bytes;
    py::object kept;

    CopyEnd(const py::object& value, const char* argument, bool written) : kept{value} {
        if (const auto found = find_device_pointer(value)) {
            address = found->address;
            bytes = found->bytes;
            return;
        }
        if (!PyObject_CheckBuffer(value.ptr()))
            throw py::type_error(fmt::format("{} must be device memory or a buffer, got {}",
                                             argument, Py_TYPE(value.ptr())->tp_name));
        kept = py::memoryview(value);
        const Py_buffer& view = *PyMemoryView_GET_BUFFER(kept.ptr());
        if (!PyBuffer_IsContiguous(&view, 'A'))
            throw py::value_error(
                fmt::format("{} must be contiguous, got {}", argument, layout_text(kept)));
        if (written && view.readonly)
            throw py::value_error(
                fmt::format("{} is read-only, and the copy writes to it", argument));
        type = CU_MEMORYTYPE_HOST;
        address = reinterpret_cast<std::uint64_t>(view.buf);
        bytes = static_cast<std::size_t>(view.len);
    }
};

struct PlannedCopy {
    gpu::GraphCopy copy;
    py::object kept;
    bool has_host_memory() const {
        return copy.to_type == CU_MEMORYTYPE_HOST || copy.from_type == CU_MEMORYTYPE_HOST;
    }
};

PlannedCopy copy_from(const py::object& dest, const py::object& src,
                      std::optional<std::size_t> size) {
    const CopyEnd to{dest, "dest", true}, from{src, "src", false};
    const auto known = from.bytes ? from.bytes : to.bytes;
    if (!size) {
        if (!known) throw py::value_error("size must be given: neither side says how long it is");
        size = to.bytes ? std::min(*known, *to.bytes) : *known;
        if (from.bytes && to.bytes && *from.bytes > *to.bytes) size = *from.bytes; // refused below
    }
    for (const CopyEnd* end : {&to, &from})
        if (end->bytes && *size > *end->bytes)
            throw gpu::Error{"cuGraphAddMemcpyNode", CUDA_ERROR_INVALID_VALUE,
                             fmt::format("{} bytes, one side has {}", *size, *end->bytes)};
    return {{to.type, to.address, from.type, from.address, *size},
            py::make_tuple(to.kept, from.kept)};
}

gpu::GraphFill fill_from(const py::object& dest, std::uint32_t data, std::size_t size,
                         unsigned itemsize) {
    const DevicePointer to = device_pointer(dest, "add_memset", "dest");
    if (itemsize != 1 && itemsize != 2 && itemsize != 4)
        throw py::value_error(fmt::format("itemsize must be 1, 2 or 4, got {}", itemsize));
    if (itemsize < 4 && data >> (8 * itemsize))
        throw py::value_error(fmt::format("{} does not fit {} bytes", data, itemsize));
    check_room(to, size * itemsize, "cuGraphAddMemsetNode");
    return {to.address, data, itemsize, size};
}

gpu::LaunchConfig launch_config_from(const py::object& block, const py::object& grid,
                                     std::size_t shared) {
    if (block.is_none()) throw py::value_error("must specify block size");
    return {dim3_from(grid, "grid"), dim3_from(block, "block"), shared};
}

/// The code and the values; texture references show what they are bound to now.
py::object kept_for_node(PyKernel& f, const py::args& args) {
    if (const auto module = f.origin().module())
        module->update_references(gpu::StreamView::legacy());
    return py::make_tuple(f.kept_version(), args);
}

PyGraphNode add_kernel(PyGraph& g, PyKernel& f, const py::args& args, const py::object& block,
                       const py::object& grid, std::size_t shared, const py::object& after) {
    const gpu::LaunchConfig config = launch_config_from(block, grid, shared);
    check_block(f.kernel(), config.block);
    PackedArguments packed = f.pack(args);
    return g.add(after, kept_for_node(f, args), [&](gpu::Graph& graph, auto before) {
        return graph.add_kernel(f.kernel(), config, packed.pointers(), before);
    });
}

void set_kernel(PyGraph& g, const PyGraphNode& node, PyKernel& f, const py::args& args,
                const py::object& block, const py::object& grid, std::size_t shared) {
    const gpu::LaunchConfig config = launch_config_from(block, grid, shared);
    check_block(f.kernel(), config.block);
    const gpu::GraphNode n = g.check(node);
    PackedArguments packed = f.pack(args);
    const py::object kept = kept_for_node(f, args);
    g.graph().set_kernel(n, f.kernel(), config, packed.pointers());
    if (auto* exec = g.exec()) exec->set_kernel(n, f.kernel(), config, packed.pointers());
    g.keep_for(n, kept);
}

using GraphClass = py::class_<PyGraph>;

void bind_nodes(GraphClass& c) {
    c.def("add_kernel", &add_kernel, py::arg("function"), py::arg("block") = py::none(),
          py::arg("grid") = py::make_tuple(1, 1), py::arg("shared") = 0,
          py::arg("after") = py::tuple(),
          "A launch: Function, its arguments as a call takes them (without In and Out), block, "
          "grid.\n"
          "`after`: the node or nodes that it waits for.");
    c.def(
        "add_memcpy",
        [](PyGraph& g, const py::object& dest, const py::object& src,
           std::optional<std::size_t> size, const py::object& after) {
            const PlannedCopy made = copy_from(dest, src, size);
            if (made.has_host_memory()) g.wait_at_end();
            return g.add(after, made.kept, [&](gpu::Graph& graph, auto before) {
                return graph.add_copy(made.copy, before);
            });
        },
        py::arg("dest"), py::arg("src"), py::arg("size") = py::none(),
        py::arg("after") = py::tuple(),
        "A copy of `size` bytes between device memory and contiguous buffers, which are read and\n"
        "written at each launch.");
    c.def(
        "add_memset",
        [](PyGraph& g, const py::object& dest, std::uint32_t data, std::size_t size,
           unsigned itemsize, const py::object& after) {
            const gpu::GraphFill fill = fill_from(dest, data, size, itemsize);
            return g.add(after, dest, [&](gpu::Graph& graph, auto before) {
                return graph.add_fill(fill, before);
            });
        },
        py::arg("dest"), py::arg("data"), py::arg("size"), py::arg("itemsize") = 4,
        py::arg("after") = py::tuple(), "`size` elements of `itemsize` bytes set to `data`.");
    c.def(
        "add_host",
        [](PyGraph& g, const py::object& f, const py::args& args, const py::object& after) {
            return g.add_host(after, f, args);
        },
        py::arg("f"), py::arg("after") = py::tuple(),
        "f(*args) is called, as by Stream.add_callback.");
    c.def(
        "add_empty",
        [](PyGraph& g, const py::object& after) {
            return g.add(after, py::none(),
                         [](gpu::Graph& graph, auto before) { return graph.add_empty(before); });
        },
        py::arg("after") = py::tuple(), "Does nothing; others may wait for it.");
    c.def(
        "add_graph",
        [](PyGraph& g, PyGraph& child, const py::object& after) {
            if (&g == &child) throw py::value_error("a graph is no node of itself");
            return g.add(after, py::cast(&child, py::return_value_policy::reference),
                         [&](gpu::Graph& graph, auto before) {
                             return graph.add_graph(child.graph(), before);
                         });
        },
        py::arg("graph"), py::arg("after") = py::tuple(), "A copy of another graph as one node.");
}

void bind_changes(GraphClass& c) {
    c.def("set_kernel", &set_kernel, py::arg("node"), py::arg("function"),
          py::arg("block") = py::none(), py::arg("grid") = py::make_tuple(1, 1),
          py::arg("shared") = 0,
          "What a kernel node does from the next launch on, without making the graph ready anew.");
    c.def(
        "set_memcpy",
        [](PyGraph& g, const PyGraphNode& node, const py::object& dest, const py::object& src,
           std::optional<std::size_t> size) {
            const gpu::GraphNode n = g.check(node);
            const PlannedCopy made = copy_from(dest, src, size);
            if (made.has_host_memory()) g.wait_at_end();
            g.graph().set_copy(n, made.copy);
            if (auto* exec = g.exec()) exec->set_copy(n, made.copy);
            g.keep_for(n, made.kept);
        },
        py::arg("node"), py::arg("dest"), py::arg("src"), py::arg("size") = py::none(),
        "The same of a copy; the kinds of memory must stay.");
    c.def(
        "set_memset",
        [](PyGraph& g, const PyGraphNode& node, const py::object& dest, std::uint32_t data,
           std::size_t size, unsigned itemsize) {
            const gpu::GraphNode n = g.check(node);
            const gpu::GraphFill fill = fill_from(dest, data, size, itemsize);
            g.graph().set_fill(n, fill);
            if (auto* exec = g.exec()) exec->set_fill(n, fill);
            g.keep_for(n, dest);
        },
        py::arg("node"), py::arg("dest"), py::arg("data"), py::arg("size"), py::arg("itemsize") = 4,
        "The same of a fill.");
    c.def(
        "set_host",
        [](PyGraph& g, const PyGraphNode& node, const py::object& f, const py::args& args) {
            g.set_host(node, f, args);
        },
        py::arg("node"), py::arg("f"),
        "The same of a host function; launches under way change, too.");
    c.def(
        "set_enabled",
        [](PyGraph& g, const PyGraphNode& node, bool enabled) {
            const gpu::GraphNode n = g.check(node);
            g.ready().set_enabled(n, enabled);
        },
        py::arg("node"), py::arg("enabled"),
        "A kernel, copy or fill that is off does nothing, until nodes are added.");
}

PyObject* bound_launch = nullptr; // by pybind11

/// graph.launch(), graph.launch(stream): what a frame does.
PyObject* launch(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
    auto* const graph = bound_object<PyGraph>(self);
    const PyStream* stream = nullptr;
    if (!graph || count > 1 || keywords || (count == 1 && !to_stream(args[0], stream)))
        return call_instead(bound_launch, self, args, static_cast<std::size_t>(count), keywords);
    try {
        graph->launch(stream_of(stream));
    } catch (...) { return raise_in_python(std::current_exception()); }
    Py_RETURN_NONE;
}

} // namespace

void bind_graph(py::module_& m) {
    py::class_<PyGraphNode>(m, "GraphNode", "A node of a Graph.")
        .def_property_readonly(
            "type",
            [](const PyGraphNode& n) {
                if (n.life.expired()) throw py::value_error("the node's graph has ended");
                return constants("graph_node_type")(static_cast<int>(n.node.type()));
            },
            "A graph_node_type.")
        .def(
            "__eq__",
            [](const PyGraphNode& a, const PyGraphNode& b) {
                return a.node == b.node && a.life.lock() == b.life.lock();
            },
            py::is_operator())
        .def("__hash__", [](const PyGraphNode& n) {
            return py::hash(py::int_(reinterpret_cast<std::uintptr_t>(n.node.get())));
        });
    GraphClass graph{m, "Graph",
                     "Work that is launched as a whole: `with graph:` captures what is issued to\n"
                     "`graph.stream`, or nodes are added. It keeps what its nodes name."};
    graph
        .def(py::init([](const py::object& stream) { return std::make_unique<PyGraph>(stream); }),
             py::arg("stream") = py::none(),
             "`stream`: where to capture; one of its own unless given, which orders itself against "
             "the\n"
             "default stream: work that forgets stream= is told. Where other threads use the "
             "default\n"
             "stream meanwhile, give one with stream_flags.NON_BLOCKING.")
        .def_property_readonly("stream", &PyGraph::stream, "What is issued to it in `with graph:`.")
        .def("__enter__",
             [](const py::object& self) {
                 self.cast<PyGraph&>().begin();
                 return self;
             })
        .def(
            "__exit__",
            [](PyGraph& g, const py::object& type, const py::object&, const py::object&) {
                g.end(!type.is_none());
            },
            py::arg("type"), py::arg("value"), py::arg("traceback"))
        .def(
            "launch", [](PyGraph& g, const PyStream* stream) { g.launch(stream_of(stream)); },
            py::arg("stream") = py::none(), "Runs it in the order of a stream; returns at once.")
        .def("update", &PyGraph::update, py::arg("graph"),
             "Takes over what the nodes of another graph do, without making this one ready anew. "
             "False,\n"
             "and nothing changed, where that has other nodes or edges. (cuGraphExecUpdate)")
        .def_property_readonly("nodes", &PyGraph::nodes, "All of them, in the driver's order.");
    bound_launch = replace_method(graph, "launch", &launch);
    bind_nodes(graph);
    bind_changes(graph);
}

} // namespace lathe::bind
