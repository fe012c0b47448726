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
#include "python/bind/app/screenshot.h"
#include "python/bind/bind.h"
#include "python/bind/gpu/kernel.h"
#include "python/bind/interop/array.h"
#include "python/bind/ui/engine.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <fmt/format.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lathe::bind {

namespace {

using Owner = std::shared_ptr<Engine>;

Owner open_studio(const std::string& title, int width, int height, std::optional<bool> headless,
                  bool ui, bool vsync, const std::string& session, bool restore) {
    StudioConfig config;
    config.title = title;
    config.width = width;
    config.height = height;
    config.headless = headless;
    config.ui = ui;
    config.vsync = vsync;
    config.session = session;
    config.restore = restore;
    config.headless = headless.value_or(!display_is_available());
    py::gil_scoped_release release;
    auto opened = std::make_unique<Engine>(std::move(config));
    opened->studio.set_while_waiting(&raise_interrupt);
    return {opened.release(), [](Engine* engine) {
                const gl::RestoreContext after; // it may die in the frame of another App
                delete engine;
            }};
}

const Array& check_float32(const Array& a, const char* what, int low, int high) {
    const auto& shape = a.shape();
    const bool fits = a.dtype() == DType::float32 && a.count() > 0 && shape.size() == 2 &&
                      shape[1] >= low && shape[1] <= high;
    if (!fits)
        throw py::value_error(fmt::format("{} must be (n, {} to {}) float32 with n > 0, got {}", what,
                                          low, high, a.repr()));
    return a;
}

Blend blend_from(const std::string& name) {
    if (name == "opaque") return Blend::opaque;
    if (name == "alpha") return Blend::alpha;
    if (name == "additive") return Blend::additive;
    throw py::value_error(fmt::format("blend is opaque, alpha or additive, got '{}'", name));
}

glm::vec4 vec4_from(const std::array<float, 4>& c) { return {c[0], c[1], c[2], c[3]}; }

void draw_points(Engine& e, const Array& positions, const Array* values, const Array* colors, float size,
                 bool world_size, const std::array<float, 4>& color, float opacity,
                 const std::string& blend, const std::string& colormap, float low, float high,
                 bool round) {
    check_float32(positions, "positions", 2, 4);
    const auto n = positions.shape()[0];
    PointsData data;
    data.positions = &positions.gl_buffer();
    data.count = std::size_t(n);
    data.components = int(positions.shape()[1]);
    data.offset = positions.offset();
    if (values) {
        if (values->dtype() != DType::float32 || values->count() != std::size_t(n))
            throw py::value_error(fmt::format("values must be ({},) float32, got {}", n, values->repr()));
        data.values = &values->gl_buffer();
        data.value_offset = values->offset();
    }
    if (colors) {
        const bool bytes = colors->dtype() == DType::uint8;
        if ((!bytes && colors->dtype() != DType::float32) || colors->shape() != std::vector<py::ssize_t>{n, 4})
            throw py::value_error(
                fmt::format("colors must be ({}, 4) uint8 or float32, got {}", n, colors->repr()));
        data.colors = &colors->gl_buffer();
        data.color_offset = colors->offset();
        data.colors_are_bytes = bytes;
    }
    PointsStyle style;
    style.size = size;
    style.world_size = world_size;
    style.color = vec4_from(color);
    style.opacity = opacity;
    style.blend = blend_from(blend);
    style.round = round;
    style.colormap = colormap;
    style.value_min = low;
    style.value_max = high;
    py::gil_scoped_release release;
    e.studio.draw_points(data, style);
}

void draw_lines(Engine& e, const Array& positions, const std::array<float, 4>& color, float fade,
                bool segments, bool closed) {
    check_float32(positions, "positions", 2, 4);
    LinesData data;
    data.positions = &positions.gl_buffer();
    data.count = std::size_t(positions.shape()[0]);
    data.components = int(positions.shape()[1]);
    data.offset = positions.offset();
    data.segments = segments;
    data.closed = closed;
    py::gil_scoped_release release;
    e.studio.draw_lines(data, {.color = vec4_from(color), .fade = fade});
}

void draw_image(Engine& e, const Array& array, const std::string& colormap, float low, float high,
                float gamma, bool smooth, bool y_up, float opacity) {
    const auto& shape = array.shape();
    if (array.count() == 0 || (shape.size() != 2 && shape.size() != 3) ||
        (shape.size() == 3 && shape[2] > 4))
        throw py::value_error(fmt::format(
            "a picture is (height, width) or (height, width, 1 to 4), got {}", array.repr()));
    ImageBuffer image;
    image.buffer = &array.gl_buffer();
    image.dtype = array.dtype();
    image.height = int(shape[0]);
    image.width = int(shape[1]);
    image.channels = shape.size() == 3 ? int(shape[2]) : 1;
    image.offset = array.offset();
    ImageStyle style;
    style.value_min = low;
    style.value_max = high;
    style.gamma = gamma;
    style.linear = smooth;
    style.y_up = y_up;
    style.colormap = colormap;
    style.opacity = opacity;
    py::gil_scoped_release release;
    e.studio.draw_image(image, style);
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
            engine.studio.console().write(ConsolePanel::Source::script, log::Level::error, error.what());
        }
    };
}

py::dict stats_of(Engine& e) {
    const FrameStats& s = e.studio.loop().stats();
    py::dict out;
    const auto add = [&](const char* name, double FrameSample::*member) {
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

void bind_drawing(py::class_<Engine, Owner>& c) {
    c.def("draw_points", &draw_points, py::arg("positions"), py::arg("values") = nullptr,
          py::arg("colors") = nullptr, py::arg("size") = 3.0f, py::arg("world_size") = false,
          py::arg("color") = std::array<float, 4>{0.95f, 0.80f, 0.55f, 1.0f}, py::arg("opacity") = 1.0f,
          py::arg("blend") = "alpha", py::arg("colormap") = "viridis", py::arg("low") = 0.0f,
          py::arg("high") = 1.0f, py::arg("round") = true, "In a frame: App.points.");
    c.def("draw_lines", &draw_lines, py::arg("positions"),
          py::arg("color") = std::array<float, 4>{0.6f, 0.65f, 0.7f, 1.0f}, py::arg("fade") = 0.0f,
          py::arg("segments") = false, py::arg("closed") = false, "In a frame: App.lines.");
    c.def("draw_image", &draw_image, py::arg("array"), py::arg("colormap") = "viridis",
          py::arg("low") = 0.0f, py::arg("high") = 1.0f, py::arg("gamma") = 1.0f,
          py::arg("smooth") = false, py::arg("y_up") = false, py::arg("opacity") = 1.0f,
          "In a frame: App.image.");
    c.def_property_readonly("element_under_mouse",
                            [](Engine& e) -> std::optional<std::pair<int, int>> {
                                const auto at = e.studio.element_under_mouse();
                                if (!at) return {};
                                return std::pair{(*at)[0], (*at)[1]};
                            },
                            "(column, row) of the picture drawn last, or None.");
    c.def("set_background", [](Engine& e, std::array<float, 4> c4) { e.studio.set_background(c4); },
          py::arg("rgba"));
    c.def("use_camera",
          [](Engine& e, const std::string& name) {
              if (name != "orbit" && name != "pan_zoom")
                  throw py::value_error("camera is 'orbit' or 'pan_zoom', got '" + name + "'");
              e.studio.use_camera(name == "orbit" ? Camera::orbit : Camera::pan_zoom);
          },
          py::arg("name"), "'orbit' or 'pan_zoom': what the mouse moves.");
    c.def("screenshot",
          [](Engine& e, bool with_ui) {
              ImageData image;
              {
                  py::gil_scoped_release release;
                  image = e.studio.screenshot(with_ui);
              }
              return to_numpy(image);
          },
          py::arg("with_ui") = false, "(height, width, 3) uint8 of the last finished frame.");
}

void bind_parts(py::class_<Engine, Owner>& c) {
    const auto inside = py::return_value_policy::reference_internal;
    c.def_property_readonly("run_control", [](Engine& e) { return &e.studio.run_control(); }, inside);
    c.def_property_readonly("parameters", [](Engine& e) { return &e.studio.parameters(); }, inside);
    c.def_property_readonly("console", [](Engine& e) { return &e.studio.console(); }, inside);
    c.def_property_readonly("input", [](Engine& e) { return &e.studio.window().input(); }, inside);
    c.def_property_readonly("orbit_camera", [](Engine& e) { return &e.studio.orbit_camera(); }, inside);
    c.def_property_readonly("pan_zoom_camera", [](Engine& e) { return &e.studio.pan_zoom_camera(); }, inside);
    c.def_property_readonly("headless", [](Engine& e) { return e.studio.window().headless(); });
    c.def_property_readonly("has_ui", [](Engine& e) { return e.studio.imgui() != nullptr; });
    c.def_property_readonly("window_size", [](Engine& e) {
        return std::pair{e.studio.window().width(), e.studio.window().height()};
    });
    c.def_property_readonly("gl", [](Engine& e) {
        const gl::Info& info = e.studio.window().gl_info();
        py::dict out;
        out["vendor"] = info.vendor;
        out["renderer"] = info.renderer;
        out["version"] = info.version;
        out["is_software"] = info.is_software;
        out["window"] = e.studio.window().description();
        return out;
    }, "Vendor, renderer, version of GL and the kind of window.");
    c.def_property_readonly("status_lines", [](Engine& e) { return e.studio.status_lines(); });
    c.def_property_readonly("stats", &stats_of);
    c.def_property_readonly("delta_seconds", [](Engine& e) { return e.studio.loop().delta_seconds(); });
    c.def_property_readonly("session", [](Engine& e) { return e.studio.config().session; },
                            "Names autosaves: a script's path, or the title.");
    c.def_property_readonly("frame", [](Engine& e) { return e.studio.loop().frame(); });
    c.def_property_readonly("interrupted", [](Engine& e) { return e.studio.loop().interrupted(); });
    c.def_property_readonly("crashed_last_time", [](Engine& e) {
        return e.studio.session() && e.studio.session()->crashed_last_time();
    });
    c.def_property_readonly("stream", [](Engine& e) {
        return reinterpret_cast<std::uintptr_t>(e.studio.stream().get());
    }, "The CUstream as an integer.");
    c.def_property_readonly("kernels", [](Engine& e) { return e.studio.kernels(); }, inside);
}

} // namespace

void bind_studio(py::module_& m) {
    py::class_<Engine, Owner> c(m, "Studio", "Window, loop, stream, kernels and panels behind an App.");
    c.def(py::init(&open_studio), py::arg("title") = "Lathe", py::arg("width") = 1280,
          py::arg("height") = 720, py::arg("headless") = py::none(), py::arg("ui") = true,
          py::arg("vsync") = true, py::arg("session") = "", py::arg("restore") = true,
          "Opens the window and the device; raises lathe.Error naming what is missing.");
    c.def("begin_frame",
          [](Engine& e) {
              py::gil_scoped_release release;
              e.make_current();
              return e.studio.begin_frame();
          },
          "False once the window is closed.");
    c.def("unmap", [](Engine& e) { e.unmap_all(); }, py::call_guard<py::gil_scoped_release>(),
          "Hands all arrays back to GL; drawing and end_frame do it, too.");
    c.def("end_frame",
          [](Engine& e) {
              py::gil_scoped_release release;
              e.unmap_all();
              e.studio.end_frame();
              look_after_launches(false);
          },
          "Waits for the stream, draws the panels, shows the window.");
    c.def_property_readonly("mapped", [](Engine& e) { return e.pool.mapped(); },
                            "How many arrays CUDA has at present.");
    c.def_property_readonly("in_frame", [](Engine& e) { return e.studio.in_frame(); });
    c.def("synchronize", &Engine::synchronize, py::call_guard<py::gil_scoped_release>(),
          "Blocks until the stream's work is done.");
    c.def("finish", &Engine::finish, py::call_guard<py::gil_scoped_release>(),
          "The program ends: keeps the session, waits for the stream; its fault in words, or ''.");
    c.def("owns", [](const Owner& e, const Array& a) { return a.count() > 0 && a.engine() == e; },
          py::arg("array"), "Whether the array is of this App, so that its GL can draw it.");
    c.def("close", [](Engine& e) { e.studio.window().close(); });
    c.def("set_title", [](Engine& e, const std::string& t) { e.studio.window().set_title(t); },
          py::arg("title"));
    c.def("set_caption", [](Engine& e, std::string t) { e.studio.set_caption(std::move(t)); },
          py::arg("text"), "The line under the picture.");
    c.def("set_time", [](Engine& e, double t) { e.studio.set_time(t); }, py::arg("seconds"));
    c.def("add_panel",
          [](Engine& e, std::string title, const py::function& draw) {
              e.studio.add_panel(std::move(title), panel_of(e, draw));
          },
          py::arg("title"), py::arg("draw"), "A panel drawn by a function, in each frame.");
    c.def("add_kernel",
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
    c.def("array",
          [](const Owner& e, const std::vector<py::ssize_t>& shape, const py::object& dtype) {
              return Array{e, shape, dtype_from(dtype)};
          },
          py::arg("shape"), py::arg("dtype"), "A zeroed array that GL draws from.");
    bind_drawing(c);
    bind_parts(c);
}

} // namespace lathe::bind
