// SPDX-License-Identifier: MIT
#include "engine/app/recorder.h"

#include "engine/ui/studio.h"
#include "python/bind/bind.h"

#include <pybind11/stl/filesystem.h>

namespace lathe::bind {

namespace {

/// A recorder and the studio whose scene it records.
struct SceneRecorder {
    std::shared_ptr<Studio> studio;
    Recorder recorder;
};

} // namespace

void bind_recorder(py::module_& m) {
    py::class_<SceneRecorder>(
        m, "Recorder",
        "Records the scene of an App as H.264 through ffmpeg, or as PNGs without it.")
        .def(py::init([](const std::shared_ptr<Studio>& studio, const std::filesystem::path& file,
                         double frames_per_second) {
                 return std::make_unique<SceneRecorder>(SceneRecorder{
                     studio, Recorder{{.file = file, .frames_per_second = frames_per_second}}});
             }),
             py::arg("studio"), py::arg("file"), py::arg("frames_per_second") = 60.0)
        .def(
            "add", [](SceneRecorder& r) { r.recorder.add(r.studio->scene()); },
            py::call_guard<py::gil_scoped_release>(), "Adds the scene as it is now.")
        .def(
            "finish", [](SceneRecorder& r) { r.recorder.finish(); },
            py::call_guard<py::gil_scoped_release>(),
            "Writes what is under way; raises lathe.Error.")
        .def_property_readonly(
            "is_movie", [](const SceneRecorder& r) { return r.recorder.is_movie(); },
            "False: a folder of PNGs.")
        .def_property_readonly("frames", [](const SceneRecorder& r) { return r.recorder.frames(); })
        .def_property_readonly("output",
                               [](const SceneRecorder& r) { return r.recorder.output(); });
}

} // namespace lathe::bind
