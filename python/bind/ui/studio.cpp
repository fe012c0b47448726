// SPDX-License-Identifier: MIT
#include "engine/ui/studio.h"

#include "engine/app/camera.h"
#include "engine/app/frame_loop.h"
#include "engine/app/run_control.h"
#include "engine/app/window.h"
#include "engine/interop/interop_mode.h"
#include "engine/live/session.h"
#include "engine/ui/console_panel.h"
#include "gl/framebuffer.h"
#include "gpu/driver/check.h"
#include "python/bind/bind.h"
#include "python/bind/gpu/kernel.h"
#include "python/bind/interop/array.h"
#include "python/bind/interop/texture.h"
#include "python/bind/ui/draw.h"
#include "python/bind/ui/engine.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace lathe::bind {

namespace {

using Owner = std::shared_ptr<Engine>;

Owner open_studio(const std::string& title, int width, int height, bool headless, bool ui,
                  bool vsync, const std::string& session, bool restore) {
    StudioConfig config;
    config.title = title;
    config.width = width;
    config.height = height;
    config.headless = headless;
    config.ui = ui;
    config.vsync = vsync;
    config.session = session;
    config.restore = restore;
    py::gil_scoped_release release;
    auto opened = std::make_unique<Engine>(std::move(config));
    opened->studio.set_while_waiting(&raise_interrupt);
    return {opened.release(), [](Engine* engine) {
                const gl::RestoreContext after; // it may die in the frame of another App
                delete engine;
            }};
}

/// Python code in a panel: an exception goes to the console and the panel stays empty.
std::function<void()> panel_of(Engine& engine, const py::function& draw) {
    struct Callback { // destroyed with the GIL held, whoever destroys it
        py::function call;
        ~Callback() {
            py::gil_scoped_acquire acquire;
            call = py::function();
        }
    };
    auto callback = std::make_shared<Callback>(Callback{draw});
    return [callback, &engine] {
        py::gil_scoped_acquire acquire;
        try {
            callback->call();
        } catch (py::error_already_set& error) {
            engine.studio.console().write(ConsolePanel::Source::script, log::Level::error,
                                          error.what());
        }
    };
}

py::dict stats_of(Engine& e) {
    const FrameStats& s = e.studio.loop().stats();
    py::dict out;
    const auto add = [&](const char* name, double FrameSample::* member) {
        const auto summary = s.summary(member);
        py::dict d;
        d["mean"] = summary.mean;
        d["p50"] = summary.p50;
        d["p95"] = summary.p95;
        d["max"] = summary.max;
        out[name] = d;
    };
    add("frame_ms", &FrameSample::frame_ms);
    add("work_ms", &FrameSample::work_ms);
    add("sim_ms", &FrameSample::sim_ms);
    add("draw_ms", &FrameSample::draw_ms);
    out["frames"] = e.studio.loop().frame();
    out["frames_per_second"] = s.frames_per_second();
    out["bytes_copied"] = interop_stats().bytes_copied;
    out["maps"] = interop_stats().maps;
    return out;
}

void bind_parts(py::class_<Engine, Owner>& c) {
    const auto inside = py::return_value_policy::reference_internal;
    c.def_property_readonly(
        "run_control", [](Engine& e) { return &e.studio.run_control(); }, inside);
    c.def_property_readonly("parameters", [](Engine& e) { return &e.studio.parameters(); }, inside);
    c.def_property_readonly("console", [](Engine& e) { return &e.studio.console(); }, inside);
    c.def_property_readonly("input", [](Engine& e) { return &e.studio.window().input(); }, inside);
    c.def_property_readonly(
        "orbit_camera", [](Engine& e) { return &e.studio.orbit_camera(); }, inside);
    c.def_property_readonly(
        "pan_zoom_camera", [](Engine& e) { return &e.studio.pan_zoom_camera(); }, inside);
    c.def_property_readonly("headless", [](Engine& e) { return e.studio.window().headless(); });
    c.def_property_readonly("has_ui", [](Engine& e) { return e.studio.imgui() != nullptr; });
    c.def_property_readonly("window_size", [](Engine& e) {
        return std::pair{e.studio.window().width(), e.studio.window().height()};
    });
    c.def_property_readonly(
        "gl",
        [](Engine& e) {
            const gl::Info& info = e.studio.window().gl_info();
            py::dict out;
            out["vendor"] = info.vendor;
            out["renderer"] = info.renderer;
            out["version"] = info.version;
            out["is_software"] = info.is_software;
            out["window"] = e.studio.window().description();
            return out;
        },
        "Vendor, renderer, version of GL and the kind of window.");
    c.def_property_readonly("status_lines", [](Engine& e) { return e.studio.status_lines(); });
    c.def_property_readonly("stats", &stats_of);
    c.def_property_readonly("delta_seconds",
                            [](Engine& e) { return e.studio.loop().delta_seconds(); });
    c.def_property_readonly(
        "session", [](Engine& e) { return e.studio.config().session; },
        "Names autosaves: a script's path, or the title.");
    c.def_property_readonly("frame", [](Engine& e) { return e.studio.loop().frame(); });
    c.def_property_readonly("interrupted", [](Engine& e) { return e.studio.loop().interrupted(); });
    c.def_property_readonly("crashed_last_time", [](Engine& e) {
        return e.studio.session() && e.studio.session()->crashed_last_time();
    });
    c.def_property_readonly(
        "stream",
        [](Engine& e) { return reinterpret_cast<std::uintptr_t>(e.studio.stream().get()); },
        "The CUstream as an integer.");
    c.def_property_readonly("kernels", [](Engine& e) { return e.studio.kernels(); }, inside);
}

} // namespace

void bind_studio(py::module_& m) {
    py::class_<Engine, Owner> c(m, "Studio",
                                "Window, loop, stream, kernels and panels behind an App.");
    c.def(py::init(&open_studio), py::arg("title") = "Lathe", py::arg("width") = 1280,
          py::arg("height") = 720, py::arg("headless") = false, py::arg("ui") = true,
          py::arg("vsync") = true, py::arg("session") = "", py::arg("restore") = true,
          "Opens the window and the device; raises lathe.Error naming what is missing.");
    c.def(
        "begin_frame",
        [](Engine& e) {
            py::gil_scoped_release release;
            e.make_current();
            return e.studio.begin_frame();
        },
        "False once the window is closed.");
    c.def(
        "unmap", [](Engine& e) { e.unmap_all(); }, py::call_guard<py::gil_scoped_release>(),
        "Hands all arrays back to GL; drawing and end_frame do it, too.");
    c.def(
        "end_frame",
        [](Engine& e) {
            py::gil_scoped_release release;
            e.unmap_all();
            e.studio.end_frame();
            look_after_launches(false);
        },
        "Waits for the stream, draws the panels, shows the window.");
    c.def_property_readonly(
        "mapped", [](Engine& e) { return e.pool.mapped(); },
        "How many arrays CUDA has at present.");
    c.def_property_readonly("in_frame", [](Engine& e) { return e.studio.in_frame(); });
    c.def("synchronize", &Engine::synchronize, py::call_guard<py::gil_scoped_release>(),
          "Blocks until the stream's work is done.");
    c.def("finish", &Engine::finish, py::call_guard<py::gil_scoped_release>(),
          "The program ends: keeps the session, waits for the stream; its fault in words, or ''.");
    c.def(
        "owns", [](const Owner& e, const Array& a) { return a.count() > 0 && a.engine() == e; },
        py::arg("array"), "Whether the array is of this App, so that its GL can draw it.");
    c.def(
        "owns", [](const Owner& e, const Texture& t) { return t.engine() == e; }, py::arg("array"));
    c.def("close", [](Engine& e) { e.studio.window().close(); });
    c.def(
        "set_title", [](Engine& e, const std::string& t) { e.studio.window().set_title(t); },
        py::arg("title"));
    c.def(
        "set_caption", [](Engine& e, std::string t) { e.studio.set_caption(std::move(t)); },
        py::arg("text"), "The line under the picture.");
    c.def("set_time", [](Engine& e, double t) { e.studio.set_time(t); }, py::arg("seconds"));
    c.def(
        "add_panel",
        [](Engine& e, std::string title, const py::function& draw) {
            e.studio.add_panel(std::move(title), panel_of(e, draw));
        },
        py::arg("title"), py::arg("draw"), "A panel drawn by a function, in each frame.");
    c.def(
        "add_kernel",
        [](const Owner& e, const std::string& file_or_source, const std::string& entry,
           std::vector<std::string> options, const std::string& name) {
            KernelSlot* slot = nullptr;
            {
                py::gil_scoped_release release;
                e->make_current();
                slot = &e->studio.add_kernel(file_or_source, entry, std::move(options), name);
            }
            return std::make_shared<PyKernel>(e, *slot, entry);
        },
        py::arg("file_or_source"), py::arg("entry") = "",
        py::arg("options") = std::vector<std::string>{}, py::arg("name") = "",
        "A live kernel; compiles before it returns.");
    c.def(
        "array",
        [](const Owner& e, const std::vector<py::ssize_t>& shape, const py::object& dtype) {
            return Array{e, shape, dtype_from(dtype)};
        },
        py::arg("shape"), py::arg("dtype"), "A zeroed array that GL draws from.");
    c.def(
        "texture",
        [](const Owner& e, const std::vector<py::ssize_t>& shape, const py::object& dtype,
           bool smooth) { return Texture{e, shape, dtype_from(dtype), smooth}; },
        py::arg("shape"), py::arg("dtype"), py::arg("smooth") = false,
        "A zeroed texture that kernels write and read and GL draws.");
    bind_drawing(c);
    bind_parts(c);
}

} // namespace lathe::bind
