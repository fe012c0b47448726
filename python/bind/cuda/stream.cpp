// SPDX-License-Identifier: MIT
// Streams and events, as PyCUDA's driver module has them.
#include "gpu/event.h"
#include "gpu/stream.h"
#include "python/bind/bind.h"
#include "python/bind/cuda/stream.h"

#include <cuda.h>

#include <memory>

namespace lathe::bind {

gpu::StreamView stream_of(const PyStream* stream) {
    return stream ? stream->view() : gpu::StreamView::legacy();
}

namespace {

using gpu::Event;
using gpu::EventConfig;
using gpu::Stream;
using gpu::StreamConfig;

using EventPointer = std::shared_ptr<Event>;

float milliseconds(const Event& from, const Event& to) { return to.elapsed_since(from).count(); }

void bind_streams(py::module_& m) {
    py::class_<PyStream>(m, "Stream", "A queue of device work in the current context.")
        .def(py::init([](unsigned flags, int priority) {
                 return PyStream{StreamConfig{.non_blocking = (flags & CU_STREAM_NON_BLOCKING) != 0,
                                              .priority = priority}};
             }),
             py::arg("flags") = 0, py::arg("priority") = 0,
             "`flags`: 1 for a stream that does not order itself against the default one. A lower\n"
             "`priority` runs earlier.")
        .def("synchronize", [](const PyStream& s) { s.synchronize(); },
             py::call_guard<py::gil_scoped_release>(),
             "Blocks until all work issued so far is done; raises its errors.")
        .def("is_done", [](const PyStream& s) { return s.done(); },
             "Whether all work issued so far is done. Does not block.")
        .def("wait_for_event",
             [](const PyStream& s, const Event& event) { s.wait_event(event); }, py::arg("evt"),
             "Work issued from now on waits, on the device, for the event.")
        .def_property_readonly("priority", [](const PyStream& s) { return s.priority(); })
        .def_property_readonly("handle",
                               [](const PyStream& s) {
                                   return reinterpret_cast<std::uintptr_t>(s.get());
                               },
                               "The CUstream as an int.")
        .def("__cuda_stream__", [](const PyStream& s) {
            return std::pair{0, reinterpret_cast<std::uintptr_t>(s.get())};
        });
}

void bind_events(py::module_& m) {
    py::class_<Event, EventPointer>(m, "Event", "A point in a stream's work.")
        .def(py::init([](unsigned flags) {
                 return std::make_shared<Event>(
                     EventConfig{.timing = (flags & CU_EVENT_DISABLE_TIMING) == 0,
                                 .blocking_wait = (flags & CU_EVENT_BLOCKING_SYNC) != 0});
             }),
             py::arg("flags") = 0, "`flags` are event_flags.")
        .def("record",
             [](const EventPointer& e, const PyStream* stream) {
                 e->record(stream_of(stream));
                 return e;
             },
             py::arg("stream") = py::none(), "Marks the stream's work so far; returns itself.")
        .def("synchronize",
             [](const EventPointer& e) {
                 py::gil_scoped_release release;
                 e->synchronize();
                 return e;
             },
             "Blocks until the marked work is done; returns itself.")
        .def("query", [](const Event& e) { return e.done(); }, "Whether the marked work is done.")
        .def("time_since", [](const Event& e, const Event& other) { return milliseconds(other, e); },
             py::arg("event"), "Milliseconds from `event` to this one.")
        .def("time_till", [](const Event& e, const Event& other) { return milliseconds(e, other); },
             py::arg("event"), "Milliseconds from this one to `event`.")
        .def_property_readonly("handle", [](const Event& e) {
            return reinterpret_cast<std::uintptr_t>(e.get());
        });
}

} // namespace

void bind_stream(py::module_& m) {
    bind_streams(m);
    bind_events(m);
}

} // namespace lathe::bind
