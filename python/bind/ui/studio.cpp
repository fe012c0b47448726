// SPDX-License-Identifier: MIT
#include "engine/ui/studio.h"
#include "engine/broadcast/broadcast.h"
#include "engine/scene/drawn_copies.h"

#include "engine/app/console.h"
#include "engine/app/event_handlers.h"
#include "engine/app/frame_loop.h"
#include "engine/app/history.h"
#include "engine/app/memory_use.h"
#include "engine/app/profiler.h"
#include "engine/app/run_control.h"
#include "engine/app/window.h"
#include "engine/interop/interop_mode.h"
#include "engine/interop/shared_array.h"
#include "engine/interop/texture.h"
#include "engine/live/code_listing.h"
#include "engine/live/parameter_bindings.h"
#include "engine/live/parameter_presets.h"
#include "engine/live/session.h"
#include "engine/scene/camera.h"
#include "gl/framebuffer.h"
#include "gpu/driver/check.h"
#include "python/bind/app/history.h"
#include "python/bind/app/python_call.h"
#include "python/bind/array/gpu_array.h"
#include "python/bind/bind.h"
#include "python/bind/gil.h"
#include "python/bind/interop/shape.h"
#include "python/bind/kernel/kernel.h"
#include "python/bind/kernel/traced_values.h"
#include "python/bind/plots/plots.h"
#include "python/bind/scene/drawing.h"
#include "python/bind/ui/inspected.h"
#include "python/bind/ui/watched_line.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace lathe::bind {

namespace {

using Owner = std::shared_ptr<Studio>;

Owner open_studio(AppConfig config) {
    py::gil_scoped_release release;
    auto opened = std::make_unique<Studio>(std::move(config));
    opened->set_while_waiting(&raise_interrupt);
    opened->set_around_waits([](const std::function<void()>& wait) {
        const WithoutGil others_may_run;
        wait();
    });
    return {opened.release(), [](Studio* studio) {
                const WithoutGil without;       // the driver may wait
                const gl::RestoreContext after; // it may die in the frame of another App
                delete studio;
            }};
}

/// A call of Python's from panels, whose exception goes to the console.
template <class... Arguments>
std::function<void(const Arguments&...)> in_console(Studio& studio, const py::function& function) {
    return
        [call = python_call_with<Arguments...>(function), &studio](const Arguments&... arguments) {
            try {
                call(arguments...);
            } catch (const py::error_already_set&) { // Ctrl+C and sys.exit() have no words
                studio.steps().tell(studio.steps().words_of(std::current_exception()));
            }
        };
}

/// A panel whose exception goes to the console, once as long as it is the same one.
void add_panel(Studio& studio, std::string title, const py::function& function) {
    const auto told = std::make_shared<std::string>();
    const auto draw = [call = python_call(function), told] {
        call();
        told->clear();
    };
    const auto tell = [told, &studio](const std::exception_ptr& error) {
        std::string words = studio.steps().words_of(error);
        if (words != *told) studio.steps().tell(words);
        *told = std::move(words);
    };
    studio.add_panel(std::move(title), draw, tell);
}

/// Of a C-contiguous array on the host, while this lives; none for None.
class HostBytes {
public:
    explicit HostBytes(const py::object& values) {
        if (!values.is_none()) info_ = values.cast<py::buffer>().request();
    }
    std::span<const std::byte> span() const {
        return {static_cast<const std::byte*>(info_.ptr), std::size_t(info_.size * info_.itemsize)};
    }

private:
    py::buffer_info info_;
};

py::dict stats_of(Studio& e) {
    const FrameStats& s = e.loop().stats();
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
    out["frames"] = e.loop().frame();
    out["frames_per_second"] = s.frames_per_second();
    out["bytes_copied"] = interop_stats().bytes_copied;
    out["maps"] = interop_stats().maps;
    out["bytes_drawn_in_place"] = e.drawn_bytes().in_place;
    out["bytes_drawn_by_copy"] = e.drawn_bytes().copied;
    out["bytes_uploaded"] = e.drawn_bytes().uploaded;
    return out;
}

std::vector<std::pair<int, std::string>> code_of(Studio& studio, const KernelSlot& slot,
                                                 CodeKind kind) {
    const auto version = slot.loaded();
    if (!version) throw Error{slot.name() + " has no version that runs"};
    const CodeListing listing = *code_reader(studio.device())(version, kind, 0);
    if (!listing.problem.empty()) throw Error{slot.name() + ": " + listing.problem};
    std::vector<std::pair<int, std::string>> rows;
    for (const CodeLine& row : listing.rows) rows.emplace_back(row.line, row.text);
    return rows;
}

using Pixel = std::pair<float, float>;

void bind_parts(py::class_<Studio, Owner>& c) {
    const auto inside = py::return_value_policy::reference_internal;
    c.def_property_readonly("run_control", [](Studio& e) { return &e.run_control(); }, inside);
    c.def(
        "view_at",
        [](Studio& e, float x, float y) -> std::optional<std::pair<std::shared_ptr<View>, Pixel>> {
            const auto [view, place] = e.view_at({x, y});
            if (!view) return {};
            for (const auto& each : e.views())
                if (each.get() == view) return std::pair{each, Pixel{place.x, place.y}};
            return {};
        },
        py::arg("x"), py::arg("y"), "The uppermost view there, and the pixel of it.");
    c.def(
        "element_at",
        [](Studio& e, float x, float y) -> std::optional<std::pair<int, int>> {
            const auto element = e.element_at({x, y});
            if (!element) return {};
            return std::pair{(*element)[0], (*element)[1]};
        },
        py::arg("x"), py::arg("y"));
    c.def_property_readonly("events", [](Studio& e) { return &e.events(); }, inside);
    c.def_property_readonly("history", [](Studio& e) { return &e.history(); }, inside);
    c.def_property(
        "clipboard", [](Studio& e) { return e.window().clipboard(); },
        [](Studio& e, const std::string& text) { e.window().set_clipboard(text); });
    c.def_property_readonly("profiler", [](Studio& e) { return &e.profiler(); }, inside);
    c.def(
        "memory_use",
        [](Studio& e) {
            std::vector<std::pair<std::string, std::size_t>> rows;
            for (const MemoryUse& use : memory_use(e)) rows.emplace_back(use.owner, use.bytes);
            return rows;
        },
        "Bytes of the device's memory by owner.");
    c.def(
        "set_history_values",
        [](Studio& e, const py::function& copy, const py::function& put_back,
           const py::function& is_same) {
            set_history_values(e.history(), copy, put_back, is_same);
        },
        py::arg("copy"), py::arg("put_back"), py::arg("is_same"));
    c.def_property_readonly("parameters", [](Studio& e) { return &e.parameters(); }, inside);
    c.def(
        "save_preset", [](Studio& e, int number) { e.presets().save(number); }, py::arg("number"));
    c.def(
        "recall_preset",
        [](Studio& e, int number, double fade) {
            return e.presets().recall(number, std::chrono::duration<double>{fade});
        },
        py::arg("number"), py::arg("fade") = 0.0);
    c.def(
        "preset_code", [](Studio& e, int number) { return e.presets().code(number); },
        py::arg("number"));
    c.def(
        "bind_slider",
        [](Studio& e, const std::string& name, const std::string& words) {
            e.bindings().bind(name, parse_follow(words));
        },
        py::arg("name"), py::arg("words"), "What a slider follows, as a directive says it.");
    c.def(
        "unbind_slider",
        [](Studio& e, const std::string& name) { return e.bindings().unbind(name); },
        py::arg("name"), "False where it followed nothing.");
    c.def_property_readonly("slider_bindings", [](Studio& e) {
        std::map<std::string, std::string> out;
        for (const ParameterBinding& b : e.bindings().all())
            if (b.is_active) out[b.target] = to_text(b.follow);
        return out;
    });
    c.def_property(
        "inspecting", [](Studio& e) { return std::string{name_of(e.inspector().mode())}; },
        [](Studio& e, const std::string& mode) { e.inspector().set_mode(inspecting_from(mode)); });
    c.def("inspected", [](Studio& e) { return inspected(e); });
    c.def("followed", [](Studio& e) {
        const ThreadWatch& watch = e.thread_watch();
        return std::pair{to_python(watch.lines()), watch.text()};
    });
    c.def(
        "set_prompt",
        [](Studio& e, const py::function& take, const py::function& complete,
           const py::function& wants_more) {
            e.set_prompt({python_call_with<std::string>(take),
                          python_function<std::vector<std::string>, std::string>(complete),
                          python_call(wants_more)});
        },
        py::arg("take"), py::arg("complete"), py::arg("wants_more"),
        "A row below the console: a line was entered, ends of a text, a statement is unfinished.");
    c.def(
        "set_programs",
        [](Studio& e, const py::function& open, const py::function& new_sketch,
           const py::function& learn) {
            using Path = std::filesystem::path;
            e.set_programs({in_console<Path>(e, open), in_console<Path>(e, new_sketch),
                            in_console<>(e, learn)});
        },
        py::arg("open"), py::arg("new_sketch"), py::arg("learn"),
        "What the menu starts: a file, a new sketch in a folder, the course.");
    c.def("arrange", &Studio::arrange, py::arg("form"), "default, code or picture.");
    c.def(
        "ask_file",
        [](Studio& e, std::string title, std::vector<std::string> endings, bool is_new,
           const std::filesystem::path& folder, const py::function& then) {
            e.ask_file({.title = std::move(title),
                        .endings = std::move(endings),
                        .is_new = is_new,
                        .then = in_console<std::filesystem::path>(e, then)},
                       folder);
        },
        py::arg("title"), py::arg("endings"), py::arg("is_new"), py::arg("folder"),
        py::arg("then"));
    c.def("show_panel", &Studio::show_panel, py::arg("title"), py::arg("shown"));
    c.def_property("picture_only", &Studio::is_picture_only, &Studio::set_picture_only);
    c.def_property("presenter", &Studio::is_presenter, &Studio::set_presenter);
    c.def_property("light", &Studio::is_light, &Studio::set_light, "The panels' colours.");
    c.def(
        "watch_line",
        [](Studio& e, const KernelSlot& slot, const std::string& kernel, int line, std::string show,
           std::string mark, bool pause, std::uint32_t visit) {
            e.line_watch().watch(
                {&slot, line, std::move(show), std::move(mark), pause, kernel, visit});
        },
        py::arg("slot"), py::arg("kernel"), py::arg("line"), py::arg("show"), py::arg("mark"),
        py::arg("pause"), py::arg("visit"));
    c.def("watch_no_line", [](Studio& e) { e.line_watch().forget(); });
    c.def("watched_line", [](Studio& e) { return watched_line(e); });
    c.def_property(
        "code_pane", [](Studio& e) { return std::string{name_of(e.shown_code())}; },
        [](Studio& e, const std::string& kind) { e.show_code(code_kind_from(kind)); });
    c.def(
        "code_of",
        [](Studio& e, const KernelSlot& slot, const std::string& kind) {
            return code_of(e, slot, code_kind_from(kind));
        },
        py::arg("slot"), py::arg("kind"), py::call_guard<py::gil_scoped_release>(),
        "Line and text of each row of the running version's PTX or machine code.");
    c.def_property_readonly("console", [](Studio& e) { return &e.console(); }, inside);
    c.def_property_readonly("input", [](Studio& e) { return &e.window(); }, inside);
    c.def_property_readonly("headless", [](Studio& e) { return e.window().headless(); });
    c.def_property_readonly("has_ui", [](Studio& e) { return e.imgui() != nullptr; });
    c.def_property_readonly("window_size", [](Studio& e) {
        return std::pair{e.window().width(), e.window().height()};
    });
    c.def_property_readonly(
        "gl",
        [](Studio& e) {
            const gl::Info& info = e.window().gl_info();
            py::dict out;
            out["vendor"] = info.vendor;
            out["renderer"] = info.renderer;
            out["version"] = info.version;
            out["is_software"] = info.is_software;
            out["window"] = e.window().description();
            return out;
        },
        "Vendor, renderer, version of GL and the kind of window.");
    c.def_property_readonly("status_lines", [](Studio& e) { return e.status_lines(); });
    c.def_property_readonly("stats", &stats_of);
    c.def_property_readonly("steps", [](Studio& e) { return &e.steps(); }, inside);
    c.def_property_readonly(
        "session", [](Studio& e) { return e.config().session; },
        "Names autosaves: a script's path, or the title.");
    c.def_property_readonly("frame", [](Studio& e) { return e.loop().frame(); });
    c.def_property_readonly("interrupted", [](Studio& e) { return e.loop().interrupted(); });
    c.def_property_readonly("crashed_last_time", [](Studio& e) {
        return e.session() && e.session()->crashed_last_time();
    });
    c.def_property_readonly(
        "stream", [](Studio& e) { return reinterpret_cast<std::uintptr_t>(e.stream().get()); },
        "The CUstream as an integer.");
    c.def_property_readonly("kernels", [](Studio& e) { return e.kernels(); }, inside);
}

} // namespace

void bind_studio(py::module_& m) {
    py::class_<Studio, Owner> c(m, "Studio",
                                "Window, loop, stream, kernels and panels behind an App.");
    c.def(py::init([](std::string title, int width, int height, bool headless, bool ui, bool vsync,
                      std::optional<int> samples, const std::string& context, std::string session,
                      bool restore, std::optional<std::uint64_t> frames, std::filesystem::path out,
                      std::string name, std::filesystem::path folder,
                      std::vector<std::string> assignments, const std::string& inspecting,
                      bool fresh, std::string guide, const std::string& theme, std::size_t history,
                      std::filesystem::path profile, std::shared_ptr<Broadcast> display) {
              AppConfig config;
              config.title = std::move(title);
              config.width = width;
              config.height = height;
              config.headless = headless;
              config.ui = ui;
              config.vsync = vsync;
              config.samples = samples;
              config.context = context == "current" ? GlContext::current : GlContext::own;
              config.session = std::move(session);
              config.restore = restore;
              config.frames = frames;
              config.out = std::move(out);
              config.name = std::move(name);
              config.folder = std::move(folder);
              config.assignments = std::move(assignments);
              config.inspecting = inspecting_from(inspecting);
              config.fresh = fresh;
              config.guide = std::move(guide);
              config.light = theme == "light";
              config.history_bytes = history;
              config.profile = std::move(profile);
              config.display = std::move(display);
              return open_studio(std::move(config));
          }),
          py::kw_only(), py::arg("title") = "Lathe", py::arg("width") = 1280,
          py::arg("height") = 720, py::arg("headless") = false, py::arg("ui") = true,
          py::arg("vsync") = true, py::arg("samples") = py::none(), py::arg("context") = "own",
          py::arg("session") = "", py::arg("restore") = true, py::arg("frames") = py::none(),
          py::arg("out") = "", py::arg("name") = "", py::arg("folder") = "",
          py::arg("assignments") = std::vector<std::string>{}, py::arg("inspecting") = "off",
          py::arg("fresh") = false, py::arg("guide") = "", py::arg("theme") = "dark",
          py::arg("history") = 0, py::arg("profile") = "", py::arg("display") = py::none(),
          "Opens the window and the device; raises lathe.Error naming what is missing.");
    c.def("unmap", &Studio::unmap, py::call_guard<py::gil_scoped_release>(),
          "Hands all arrays back to GL; drawing and end_frame do it, too.");
    c.def_property_readonly(
        "mapped", [](Studio& e) { return e.frame_map()->mapped(); },
        "How many arrays CUDA has at present.");
    c.def_property_readonly("in_frame", [](Studio& e) { return e.in_frame(); });
    c.def("synchronize", &Studio::synchronize, py::call_guard<py::gil_scoped_release>(),
          "Blocks until the stream's work is done.");
    c.def(
        "finish", [](Studio& e) { return e.finish(); }, py::call_guard<py::gil_scoped_release>(),
        "The program ends: keeps the session, waits for the stream; its fault in words, or ''.");
    c.def(
        "owns", [](Studio& e, const Texture& t) { return &t.map() == e.frame_map().get(); },
        py::arg("array"));
    c.def(
        "owns",
        [](Studio& e, const py::object& a) {
            return is_gpu_array(a.ptr()) && place_in_gl(array_of(a), *e.frame_map()).has_value();
        },
        py::arg("array"), "Whether GL can draw the array, or the texture, from where it lies.");
    c.def(
        "set_title", [](Studio& e, const std::string& t) { e.window().set_title(t); },
        py::arg("title"));
    c.def(
        "set_caption", [](Studio& e, std::string t) { e.set_caption(std::move(t)); },
        py::arg("text"), "The line under the picture.");
    c.def("add_panel", &add_panel, py::arg("title"), py::arg("draw"),
          "A panel drawn by a function, in each frame.");
    c.def("show_kernel_alone", &Studio::show_kernel_alone, py::arg("slot"),
          "Its tab of the editor comes to the front; the others' are hidden until they are shown.");
    c.def(
        "kernel",
        [](const Owner& e, const std::string& file_or_source, const std::string& entry,
           std::vector<std::string> options, const std::string& name) {
            KernelSlot* slot = nullptr;
            {
                py::gil_scoped_release release;
                e->window().context().make_current();
                slot = &e->kernel_slot(file_or_source, entry, std::move(options), name);
                e->require_compiled(*slot);
            }
            return std::make_shared<PyKernel>(kernel_of(e, *slot, entry));
        },
        py::arg("file_or_source"), py::arg("entry") = "",
        py::arg("options") = std::vector<std::string>{}, py::arg("name") = "",
        "A live kernel, found again or compiled before it returns.");
    c.def(
        "array",
        [](const Owner& e, const py::object& shape, const py::object& dtype,
           const std::string& name, const py::object& values) {
            const py::object wanted = to_dtype(dtype);
            FirstContents first;
            const HostBytes bytes{is_gpu_array(values.ptr()) ? py::none() : values};
            if (is_gpu_array(values.ptr())) first.array = &array_of(values);
            else first.bytes = bytes.span();
            return wrap_array(
                e->array(element_type(wanted), to_extents(shape, "shape"), first, name), nullptr,
                wanted);
        },
        py::arg("shape"), py::arg("dtype"), py::arg("name") = "", py::arg("values") = py::none(),
        "A GPUArray that GL draws from, found again or made: zeroed, or with values, a GPUArray "
        "or\n"
        "the bytes of a C-contiguous array.");
    c.def(
        "scratch_array",
        [](const Owner& e, const py::object& shape, const py::object& dtype) {
            const py::object wanted = to_dtype(dtype);
            return wrap_array(e->scratch_array(element_type(wanted), to_extents(shape, "shape")),
                              nullptr, wanted);
        },
        py::arg("shape"), py::arg("dtype"),
        "A GPUArray that GL draws from and that is no part of the state.");
    c.def(
        "texture",
        [](Studio& e, const py::object& shape, const py::object& dtype, bool smooth,
           const std::string& name, const py::object& values) {
            const HostBytes first{values};
            return e.texture(dtype_from(dtype), to_extents(shape, "shape"), smooth, first.span(),
                             name);
        },
        py::arg("shape"), py::arg("dtype"), py::arg("smooth") = false, py::arg("name") = "",
        py::arg("values") = py::none(),
        "A texture that kernels write and read and GL draws, found again or made.");
    c.def(
        "memories",
        [](Studio& e) {
            std::vector<std::pair<std::string, py::object>> all;
            for (auto& [name, memory] : e.memories()) {
                if (const auto* array = std::get_if<gpu::Array>(&memory)) {
                    const gpu::ElementType type = array->type();
                    py::object dtype; // of a structure its bytes
                    if (!type.dtype) dtype = py::dtype(fmt::format("V{}", type.bytes));
                    all.emplace_back(name, wrap_array(*array, nullptr, dtype));
                } else all.emplace_back(name, py::cast(std::get<Texture>(memory)));
            }
            return all;
        },
        "Arrays and textures of the program, by name.");
    c.def("restore_arrays", &Studio::restore_arrays, "A reset's part: the first contents.");
    c.def("begin_reload", &Studio::begin_reload,
          "What the script asks for again is found; the rest goes with the reload after this.");
    c.def("begin_part", &Studio::begin_part,
          "A cell of a notebook is executed: kernels of known names may get other sources.");
    bind_drawing(c);
    bind_plots_of(c);
    bind_parts(c);
}

} // namespace lathe::bind
