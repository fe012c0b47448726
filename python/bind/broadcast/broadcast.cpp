// SPDX-License-Identifier: MIT
#include "engine/broadcast/broadcast.h"

#include "engine/app/display_line.h"
#include "python/bind/bind.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <fmt/format.h>

#include <string_view>

namespace lathe::bind {

namespace {

py::dict status_of(const Broadcast& broadcast) {
    const BroadcastStatus status = broadcast.status();
    py::dict out;
    out["is_open"] = status.is_open;
    out["windows"] = status.windows;
    out["viewers"] = status.viewers;
    out["width"] = status.width;
    out["height"] = status.height;
    out["frames"] = status.frames;
    out["sent_frames"] = status.sent_frames;
    out["sent_bytes"] = status.sent_bytes;
    out["encode_ms"] = status.encode_ms;
    out["encode_cpu_ms"] = status.encode_cpu_ms;
    out["videos"] = status.videos;
    return out;
}

std::shared_ptr<Broadcast> broadcast_of(std::string_view codec, std::string ffmpeg) {
    VideoUse use = VideoUse::when_the_line_is_short;
    if (codec == "jpeg") use = VideoUse::never;
    else if (codec == "h264") use = VideoUse::always;
    else if (codec != "auto")
        throw py::value_error(fmt::format("codec is 'auto', 'jpeg' or 'h264', not '{}'", codec));
    return Broadcast::make({use, std::move(ffmpeg)});
}

py::list packets_of(Viewer& viewer) {
    std::vector<Packet> packets;
    {
        const py::gil_scoped_release free;
        packets = viewer.take();
    }
    py::list out;
    for (const Packet& packet : packets)
        if (packet.is_text) out.append(py::str(*packet.bytes));
        else out.append(py::bytes(*packet.bytes));
    return out;
}

py::object still_of(Broadcast& broadcast, double seconds) {
    std::optional<ImageData> image;
    std::string png;
    {
        const py::gil_scoped_release free;
        image = broadcast.still(seconds);
        if (image) png = png_of(*image);
    }
    if (!image) return py::none();
    return py::bytes(png);
}

} // namespace

void bind_broadcast(py::module_& m) {
    const py::call_guard<py::gil_scoped_release> free;
    py::class_<Broadcast, std::shared_ptr<Broadcast>>(
        m, "Broadcast", "The display of an App that others look at, over lines of their own.")
        .def(py::init(&broadcast_of), py::arg("codec") = "auto", py::arg("ffmpeg") = "ffmpeg",
             "Frames are JPEG files, or H.264 by the program `ffmpeg` for viewers who can show it: "
             "\"auto\" where the line to them is short of room, \"h264\" always.")
        .def("connect", &Broadcast::connect, free,
             "A `Viewer`; raises lathe.Error where too many look already.")
        .def("still", &still_of, py::arg("seconds") = 2.0,
             "The newest picture as a PNG file's bytes; None before the first.")
        .def(
            "carry", [](Broadcast& broadcast, int socket) { carry_display(broadcast, socket); },
            py::arg("socket"), free,
            "Shows the program at the other end of a socket, until that is gone.")
        .def_property_readonly("status", &status_of);
    py::class_<Viewer, std::shared_ptr<Viewer>>(m, "Viewer", "The line to one who looks.")
        .def_property_readonly("number", &Viewer::number)
        .def_property_readonly("signal", &Viewer::signal,
                               "A file descriptor that can be read while there are packets.")
        .def("take", &packets_of, "What is to be sent: str for words, bytes for frames.")
        .def(
            "receive", [](Viewer& viewer, std::string_view lines) { viewer.receive(lines); },
            py::arg("lines"), free,
            "Messages of the client; raises lathe.Error where one cannot be understood.")
        .def(
            "receive_bytes",
            [](Viewer& viewer, std::string_view data) { viewer.receive_bytes(data); },
            py::arg("data"), free,
            "The next bytes of a file of the client; raises lathe.Error where it has announced "
            "none.")
        .def("leave", &Viewer::leave, free, "Nothing comes any more.");
}

} // namespace lathe::bind
