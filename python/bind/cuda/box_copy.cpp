// SPDX-License-Identifier: MIT
// Memcpy2D, Memcpy3D and Memcpy3DPeer, as PyCUDA's driver module has them. Each keeps the memory of
// both sides alive, and finds its address at the call.
#include "gpu/box_copy.h"

#include "gpu/driver/check.h"
#include "python/bind/bind.h"
#include "python/bind/cuda/cuda_array.h"
#include "python/bind/cuda/graph.h"
#include "python/bind/cuda/host_buffer.h"
#include "python/bind/cuda/pointer.h"
#include "python/bind/cuda/stream.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

namespace lathe::bind {

namespace {

/// One side, with what it lies in.
struct Side {
    gpu::CopySide at;
    std::shared_ptr<HostBuffer> host;
    py::object device;
    CudaArrayPointer array;
};

struct Copy {
    Side from, to;
    std::size_t width_bytes = 0, height = 0, depth = 0;
};

// Three types, so that each has the attributes and the calls of its own.
struct Copy2D : Copy {};
struct Copy3D : Copy {};
struct Copy3DPeer : Copy {};

CUdeviceptr address_of(const Side& side) {
    return side.device ? device_pointer(side.device, "a copy", "the device memory").address : 0;
}

void set_host(Side& side, const py::object& buffer, bool writable) {
    side.host = std::make_shared<HostBuffer>(buffer, writable);
    side.at.memory = CU_MEMORYTYPE_HOST;
}

void set_array(Side& side, CudaArrayPointer array) {
    array->get();
    side.array = std::move(array);
    side.at.memory = CU_MEMORYTYPE_ARRAY;
}

void set_device(Side& side, const py::object& pointer, const char* function) {
    device_pointer(pointer, function, "devptr");
    side.device = pointer;
    side.at.memory = CU_MEMORYTYPE_DEVICE;
}

// Unified memory: managed or page-locked arrays by their address on the device, other buffers by
// that on the host.
void set_unified(Side& side, const py::object& memory, bool writable) {
    side.device = py::object{};
    side.host.reset();
    if (find_device_pointer(memory)) side.device = memory;
    else side.host = std::make_shared<HostBuffer>(memory, writable);
    side.at.memory = CU_MEMORYTYPE_UNIFIED;
}

/// What the driver gets; valid while `side` is.
gpu::CopySide resolved(const Side& side) {
    gpu::CopySide at = side.at;
    const bool unified = at.memory == CU_MEMORYTYPE_UNIFIED;
    if (side.host && (unified || at.memory == CU_MEMORYTYPE_HOST)) {
        at.host = side.host->data();
        at.device = reinterpret_cast<CUdeviceptr>(at.host);
        at.room = side.host->bytes();
    } else if (side.device && (unified || at.memory == CU_MEMORYTYPE_DEVICE)) {
        const DevicePointer pointer = device_pointer(side.device, "a copy", "the device memory");
        at.device = pointer.address;
        at.room = pointer.bytes;
    } else if (side.array && at.memory == CU_MEMORYTYPE_ARRAY) {
        at.array = &side.array->get();
    }
    return at;
}

gpu::BoxCopy resolved(const Copy& c, bool has_depth) {
    return {resolved(c.from), resolved(c.to), c.width_bytes, c.height, has_depth ? c.depth : 1};
}

/// For the graph, where `stream` captures: what the sides lie in now.
void keep_captured(const Copy& c, gpu::StreamView stream) {
    PyGraph* const graph = PyGraph::capturing();
    if (!graph || !stream.is_capturing()) return;
    graph->wait_at_end();
    graph->keep(py::capsule{new std::pair{c.from, c.to}, [](void* sides) {
                                delete static_cast<std::pair<Side, Side>*>(sides);
                            }});
}

py::object memory_type(const Side& side) {
    return py::module_::import("lathe.cuda.constants")
        .attr("memory_type")(static_cast<int>(side.at.memory));
}

/// src_… or dst_… and set_src_… or set_dst_… of one side.
template <class T>
void bind_side(py::class_<T>& c, Side Copy::* side, const std::string& prefix, bool is_target,
               bool has_depth) {
    const auto number = [&](const char* name, std::size_t gpu::CopySide::* field) {
        c.def_property((prefix + "_" + name).c_str(),
                       [=](const T& t) { return (t.*side).at.*field; },
                       [=](T& t, std::size_t value) { (t.*side).at.*field = value; });
    };
    number("x_in_bytes", &gpu::CopySide::x_bytes);
    number("y", &gpu::CopySide::y);
    number("pitch", &gpu::CopySide::pitch_bytes);
    if (has_depth) {
        number("z", &gpu::CopySide::z);
        number("height", &gpu::CopySide::height);
        number("lod", &gpu::CopySide::lod);
    }
    c.def_property(
        (prefix + "_memory_type").c_str(), [=](const T& t) { return memory_type(t.*side); },
        [=](T& t, int value) { (t.*side).at.memory = static_cast<CUmemorytype>(value); });
    c.def_property((prefix + "_device").c_str(), [=](const T& t) { return address_of(t.*side); },
                   [=](T& t, const py::object& pointer) {
                       device_pointer(pointer, "a copy", "the device memory");
                       (t.*side).device = pointer;
                   });
    const std::string set = "set_" + prefix;
    c.def((set + "_host").c_str(),
          [=](T& t, const py::object& buffer) { set_host(t.*side, buffer, is_target); },
          py::arg("buffer"),
          is_target ? "A writable contiguous host buffer; kept alive."
                    : "A contiguous host buffer; kept alive.");
    c.def((set + "_array").c_str(),
          [=](T& t, CudaArrayPointer array) { set_array(t.*side, std::move(array)); },
          py::arg("array").none(false), "A CUDA array; kept alive.");
    c.def((set + "_device").c_str(),
          [=](T& t, const py::object& pointer) {
              set_device(t.*side, pointer, "set_src_device or set_dst_device");
          },
          py::arg("devptr"), "Device memory; kept alive where it is an object.");
    c.def((set + "_unified").c_str(),
          [=](T& t, const py::object& memory) { set_unified(t.*side, memory, is_target); },
          py::arg("buffer"), "Memory that the device finds by its address; kept alive.");
}

template <class T>
py::class_<T> bind_copy(py::module_& m, const char* name, const char* doc, bool has_depth) {
    py::class_<T> c{m, name, doc};
    c.def(py::init<>());
    bind_side(c, &Copy::from, "src", false, has_depth);
    bind_side(c, &Copy::to, "dst", true, has_depth);
    c.def_property(
        "width_in_bytes", [](const T& t) { return t.width_bytes; },
        [](T& t, std::size_t v) { t.width_bytes = v; });
    c.def_property(
        "height", [](const T& t) { return t.height; }, [](T& t, std::size_t v) { t.height = v; });
    if (has_depth)
        c.def_property(
            "depth", [](const T& t) { return t.depth; }, [](T& t, std::size_t v) { t.depth = v; });
    return c;
}

constexpr const char* kNow =
    "Copies and blocks until done. Raises LogicError with the figures where\n"
    "the copy would leave the memory of a side.";
constexpr const char* kInOrder =
    "Copies in the order of `stream`; this object and page-locked memory must live until then.";

template <class T, class Now, class InOrder>
void bind_calls(py::class_<T>& c, Now now, InOrder in_order) {
    c.def(
        "__call__",
        [=](const T& t) {
            const gpu::BoxCopy copy = resolved(t, true);
            py::gil_scoped_release release;
            now(copy);
        },
        kNow);
    c.def(
        "__call__",
        [=](const T& t, const PyStream* stream) {
            const gpu::BoxCopy copy = resolved(t, true);
            keep_captured(t, stream_of(stream));
            py::gil_scoped_release release;
            in_order(copy, stream_of(stream));
        },
        py::arg("stream"), kInOrder);
}

void bind_rows(py::module_& m) {
    auto c = bind_copy<Copy2D>(
        m, "Memcpy2D", "A copy of rows between host memory, device memory and CUDA arrays.", false);
    c.def(
        "__call__",
        [](const Copy2D& t, bool aligned) {
            const gpu::BoxCopy copy = resolved(t, false);
            py::gil_scoped_release release;
            gpu::copy_rows(copy, aligned);
        },
        py::arg("aligned").noconvert() = false, kNow);
    c.def(
        "__call__",
        [](const Copy2D& t, const PyStream* stream) {
            const gpu::BoxCopy copy = resolved(t, false);
            keep_captured(t, stream_of(stream));
            py::gil_scoped_release release;
            gpu::copy_rows(copy, stream_of(stream));
        },
        py::arg("stream"), kInOrder);
}

void bind_boxes(py::module_& m) {
    auto box = bind_copy<Copy3D>(
        m, "Memcpy3D", "A copy of a box between host memory, device memory and CUDA arrays.", true);
    bind_calls(
        box, [](const gpu::BoxCopy& c) { gpu::copy_box(c); },
        [](const gpu::BoxCopy& c, gpu::StreamView s) { gpu::copy_box(c, s); });
    auto peer = bind_copy<Copy3DPeer>(m, "Memcpy3DPeer",
                                      "Memcpy3D whose sides may be in different contexts.", true);
    bind_calls(
        peer, [](const gpu::BoxCopy& c) { gpu::copy_box_between(c); },
        [](const gpu::BoxCopy& c, gpu::StreamView s) { gpu::copy_box_between(c, s); });
    peer.def(
            "set_src_context",
            [](Copy3DPeer& t, const gpu::Context& ctx) { t.from.at.context = ctx; }, py::arg("ctx"),
            "The context that the source is in; the current one unless set.")
        .def(
            "set_dst_context",
            [](Copy3DPeer& t, const gpu::Context& ctx) { t.to.at.context = ctx; }, py::arg("ctx"),
            "The context that the destination is in; the current one unless set.");
}

gpu::Context context_of(const gpu::Context* context, const char* name) {
    if (!context) return {};
    if (!context->is_alive())
        throw gpu::Error{"cuMemcpyPeer", CUDA_ERROR_CONTEXT_IS_DESTROYED,
                         fmt::format("{} was destroyed", name)};
    return *context;
}

void copy_peer(const py::object& dest, const py::object& src, std::size_t size,
               const gpu::Context* dest_context, const gpu::Context* src_context,
               const PyStream* stream, bool async) {
    const DevicePointer to = device_pointer(dest, "memcpy_peer", "dest");
    const DevicePointer from = device_pointer(src, "memcpy_peer", "src");
    check_room(to, size, "cuMemcpyPeer");
    check_room(from, size, "cuMemcpyPeer");
    const gpu::Context there = context_of(dest_context, "dest_context");
    const gpu::Context here = context_of(src_context, "src_context");
    if (async) PyGraph::keep_captured(stream_of(stream), {dest, src});
    py::gil_scoped_release release;
    async ? gpu::copy_between(to.address, there, from.address, here, size, stream_of(stream))
          : gpu::copy_between(to.address, there, from.address, here, size);
}

} // namespace

void bind_box_copy(py::module_& m) {
    bind_rows(m);
    bind_boxes(m);
    m.def(
        "memcpy_peer",
        [](const py::object& dest, const py::object& src, std::size_t size,
           const gpu::Context* dest_context, const gpu::Context* src_context) {
            copy_peer(dest, src, size, dest_context, src_context, nullptr, false);
        },
        py::arg("dest"), py::arg("src"), py::arg("size"), py::arg("dest_context") = py::none(),
        py::arg("src_context") = py::none(),
        "`size` bytes from device memory of one context to that of another; None is the current\n"
        "context. (cuMemcpyPeer)");
    m.def(
        "memcpy_peer_async",
        [](const py::object& dest, const py::object& src, std::size_t size,
           const gpu::Context* dest_context, const gpu::Context* src_context,
           const PyStream* stream) {
            copy_peer(dest, src, size, dest_context, src_context, stream, true);
        },
        py::arg("dest"), py::arg("src"), py::arg("size"), py::arg("dest_context") = py::none(),
        py::arg("src_context") = py::none(), py::arg("stream") = py::none());
}

} // namespace lathe::bind
