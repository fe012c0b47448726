// SPDX-License-Identifier: MIT
// Streams and events, as PyCUDA's driver module has them.
#include "gpu/stream.h"
#include "gpu/driver/check.h"
#include "gpu/event.h"
#include "python/bind/bind.h"
#include "python/bind/cuda/host_function.h"
#include "python/bind/cuda/ipc.h"
#include "python/bind/cuda/stream.h"
#include "python/bind/gil.h"

#include <cuda.h>

#include <atomic>
#include <fmt/format.h>

#include <memory>

namespace lathe::bind {

gpu::StreamView stream_of(const PyStream* stream) {
    return stream ? stream->view() : gpu::StreamView::legacy();
}

namespace {
std::atomic<bool> python_in_streams{false};
}

void expect_python_in_streams() noexcept { python_in_streams = true; }
bool is_python_in_streams() noexcept { return python_in_streams.load(std::memory_order_relaxed); }

namespace {

using gpu::Event;
using gpu::EventConfig;
using gpu::Stream;
using gpu::StreamConfig;

using EventPointer = std::shared_ptr<Event>;

float milliseconds(const Event& from, const Event& to) { return to.elapsed_since(from).count(); }

std::uintptr_t number(const PyStream& s) { return reinterpret_cast<std::uintptr_t>(s.get()); }

void add_callback(const PyStream& stream, const py::object& function, const py::args& arguments) {
    auto call = host_function(std::make_shared<PyCall>(function, arguments));
    const GilRelease release;
    gpu::Context::ensure_current();
    stream.add_host_function(std::move(call));
}

void bind_streams(py::module_& m) {
    py::class_<PyStream, std::unique_ptr<PyStream, DeleteWithoutGil<PyStream>>>(
        m, "Stream", "A queue of device work in the current context.")
        .def(py::init([](unsigned flags, int priority) {
                 if (flags & ~static_cast<unsigned>(CU_STREAM_NON_BLOCKING))
                     throw gpu::Error{"cuStreamCreateWithPriority", CUDA_ERROR_INVALID_VALUE,
                                      fmt::format("flags must be 0 or 1, got {}", flags)};
                 return PyStream{StreamConfig{.non_blocking = (flags & CU_STREAM_NON_BLOCKING) != 0,
                                              .priority = priority}};
             }),
             py::arg("flags") = 0, py::arg("priority") = 0,
             "`flags`: 1 for a stream that does not order itself against the default one. A lower\n"
             "`priority` runs earlier; it is clamped to stream_priorities().")
        .def(py::init([](const ForeignStream& other) { return PyStream::wrap(other.handle); }),
             py::arg("stream"), py::keep_alive<1, 2>(),
             "Another library's stream, which it keeps: any object with __cuda_stream__.")
        .def_static(
            "from_handle",
            [](std::uintptr_t handle) {
                return PyStream::wrap(reinterpret_cast<CUstream>(handle));
            },
            py::arg("handle"),
            "The stream of a CUstream, which must live as long. It is not destroyed here.")
        .def(
            "synchronize",
            [](const PyStream& s) {
                refuse_in_host_function("cuStreamSynchronize");
                const GilRelease release;
                gpu::Context::ensure_current();
                s.synchronize();
                raise_left_out("cuStreamSynchronize");
            },
            "Blocks until all work issued so far is done; raises its errors.")
        .def(
            "is_done",
            [](const PyStream& s) {
                gpu::Context::ensure_current();
                return s.done();
            },
            "Whether all work issued so far is done. Does not block.")
        .def(
            "wait_for_event", [](const PyStream& s, const Event& event) { s.wait_event(event); },
            py::arg("evt"), "Work issued from now on waits, on the device, for the event.")
        .def("add_callback", &add_callback, py::arg("f"),
             "Calls f(*args) when all work issued so far is done, and holds back later work until "
             "it\n"
             "returns; in a capture, at each launch. It runs on a thread of its own, one function "
             "at a\n"
             "time, and must not wait for the device. What it raises goes to sys.unraisablehook.")
        .def(
            "is_capturing",
            [](const PyStream& s) {
                gpu::Context::ensure_current();
                return s.is_capturing();
            },
            "Whether its work goes to a Graph.")
        .def_property_readonly("priority", [](const PyStream& s) { return s.priority(); })
        .def_property_readonly("flags", [](const PyStream& s) { return s.flags(); })
        .def_property_readonly("handle", &number, "The CUstream as an int.")
        .def(
            "__eq__", [](const PyStream& a, const PyStream& b) { return a.get() == b.get(); },
            py::is_operator())
        .def("__hash__", [](const PyStream& s) { return py::hash(py::int_(number(s))); })
        .def("__cuda_stream__", [](const PyStream& s) { return std::pair{0, number(s)}; });
    py::implicitly_convertible<ForeignStream, PyStream>();
    m.def(
        "stream_priorities",
        [] {
            const auto range = gpu::stream_priorities();
            return std::pair{range.least, range.greatest};
        },
        "(least, greatest) priority of streams; the greatest is the lowest number.");
}

py::bytes bytes_of(const gpu::IpcHandle& handle) {
    return {reinterpret_cast<const char*>(handle.data()), handle.size()};
}

void bind_events(py::module_& m) {
    py::class_<Event, EventPointer>(m, "Event", "A point in a stream's work.")
        .def(py::init([](unsigned flags) {
                 return std::make_shared<Event>(
                     EventConfig{.timing = (flags & CU_EVENT_DISABLE_TIMING) == 0,
                                 .blocking_wait = (flags & CU_EVENT_BLOCKING_SYNC) != 0,
                                 .interprocess = (flags & CU_EVENT_INTERPROCESS) != 0});
             }),
             py::arg("flags") = 0, "`flags` are event_flags.")
        .def(
            "record",
            [](const EventPointer& e, const PyStream* stream) {
                e->record(stream_of(stream));
                return e;
            },
            py::arg("stream") = py::none(), "Marks the stream's work so far; returns itself.")
        .def(
            "synchronize",
            [](const EventPointer& e) {
                refuse_in_host_function("cuEventSynchronize");
                const GilRelease release;
                e->synchronize();
                raise_left_out("cuEventSynchronize");
                return e;
            },
            "Blocks until the marked work is done; returns itself.")
        .def(
            "query", [](const Event& e) { return e.done(); }, "Whether the marked work is done.")
        .def(
            "time_since", [](const Event& e, const Event& other) { return milliseconds(other, e); },
            py::arg("event"), "Milliseconds from `event` to this one.")
        .def(
            "time_till", [](const Event& e, const Event& other) { return milliseconds(e, other); },
            py::arg("event"), "Milliseconds from this one to `event`.")
        .def(
            "ipc_handle", [](const Event& e) { return bytes_of(e.ipc_handle()); },
            "For Event.from_ipc_handle in another process: 64 bytes. Raises LogicError unless "
            "made\n"
            "with event_flags.INTERPROCESS | DISABLE_TIMING. (cuIpcGetEventHandle)")
        .def_static(
            "from_ipc_handle",
            [](const py::object& handle) {
                return std::make_shared<Event>(
                    Event::open(ipc_handle_from(handle, "Event.from_ipc_handle")));
            },
            py::arg("handle"),
            "Another process's event. Raises LogicError for one of this process.\n"
            "(cuIpcOpenEventHandle)")
        .def_property_readonly(
            "handle", [](const Event& e) { return reinterpret_cast<std::uintptr_t>(e.get()); });
}

} // namespace

void bind_stream(py::module_& m) {
    bind_streams(m);
    bind_events(m);
}

} // namespace lathe::bind

bool pybind11::detail::type_caster<lathe::bind::ForeignStream>::load(handle source, bool) {
    if (!source || isinstance<lathe::bind::PyStream>(source) || !hasattr(source, "__cuda_stream__"))
        return false;
    const object given = source.attr("__cuda_stream__")();
    const auto wrong = [&] {
        return type_error("__cuda_stream__() must give (0, handle), got " +
                          repr(given).cast<std::string>());
    };
    if (!isinstance<tuple>(given) || len(given) != 2) throw wrong();
    const auto pair = reinterpret_borrow<tuple>(given);
    if (!isinstance<int_>(pair[0]) || !isinstance<int_>(pair[1]) || pair[0].cast<int>() != 0)
        throw wrong();
    value.handle = reinterpret_cast<CUstream>(pair[1].cast<std::uintptr_t>());
    return true;
}
