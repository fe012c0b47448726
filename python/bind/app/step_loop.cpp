// SPDX-License-Identifier: MIT
#include "engine/app/step_loop.h"

#include "python/bind/app/python_call.h"
#include "python/bind/bind.h"
#include "python/bind/kernel/unwatched_launches.h"

#include <pybind11/functional.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

namespace lathe::bind {

namespace {

/// The traceback through the user's code; what is no Exception (KeyboardInterrupt, a reload) is
/// thrown again.
std::string words_of(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const py::error_already_set& raised) {
        const py::gil_scoped_acquire acquire;
        if (!raised.matches(PyExc_Exception)) throw;
        if (raised.trace()) PyException_SetTraceback(raised.value().ptr(), raised.trace().ptr());
        return py::module_::import("lathe.tracebacks")
            .attr("format_error")(raised.value())
            .cast<std::string>();
    } catch (const std::exception& e) { return e.what(); }
}

void set_hooks(StepLoop& loop, const py::function& before_frame, const py::function& is_needed,
               const py::object& after_frame, const py::function& on_start) {
    loop.hooks = {.before_frame = python_call(before_frame),
                  .is_needed = python_call(is_needed),
                  .after_frame = [] { look_after_launches(false); },
                  .on_start = python_call(on_start),
                  .words_of = words_of};
    if (after_frame.is_none()) return;
    loop.hooks.after_frame = [call = python_call(after_frame)] {
        look_after_launches(false);
        call();
    };
}

} // namespace

void bind_step_loop(py::module_& m) {
    using Release = py::call_guard<py::gil_scoped_release>;
    py::class_<StepLoop> c(m, "StepLoop", "The loop of an App, a step at a time.");
    c.def("next", &StepLoop::next, Release{},
          "Shows frames until there is a step to do; False: the run is over.");
    c.def("start", &StepLoop::start, py::arg("frames") = std::nullopt, Release{},
          "The next run ends after so many frames; None: after frame_limit.");
    c.def(
        "turn",
        [](StepLoop& loop) -> std::string {
            switch (loop.turn()) {
            case StepLoop::Turn::step: return "step";
            case StepLoop::Turn::frame: return "frame";
            case StepLoop::Turn::rest: return "rest";
            case StepLoop::Turn::over: break;
            }
            return "over";
        },
        Release{}, "Without waiting: step, frame (one was shown), rest (nothing happens) or over.");
    c.def_readwrite("simulates", &StepLoop::simulates, "Steps do something.");
    c.def("start_simulation", &StepLoop::start_simulation, Release{},
          "Calls on_start now, unless the simulation has started.");
    c.def(
        "resume",
        [](StepLoop& loop, std::optional<std::uint64_t> index, double time, double dt) {
            loop.resume({.step = {index.value_or(0), float(time), float(dt)},
                         .time = time,
                         .dt = dt,
                         .has_stepped = index.has_value()});
        },
        py::arg("index"), py::arg("time"), py::arg("dt"), Release{},
        "As if that step had been the last one; None: there was none.");
    c.def("fail", py::overload_cast<const std::string&>(&StepLoop::fail), py::arg("words"),
          Release{}, "The step failed: its drawing is dropped, and steps rest.");
    c.def("forget_failure", &StepLoop::forget_failure, "There are steps again.");
    c.def("show_now", &StepLoop::show_now, Release{}, "Shows the frame that is open.");
    c.def("close", &StepLoop::close, "Closes the window after this frame.");
    c.def("interrupt", &StepLoop::interrupt, Release{}, "Ends the run and writes its files.");
    c.def(
        "wait_for_change",
        [](StepLoop& loop, const py::function& has_changed) {
            const py::gil_scoped_release release;
            return loop.wait_for_change([&] {
                const py::gil_scoped_acquire acquire;
                return has_changed().cast<bool>();
            });
        },
        py::arg("has_changed"), "Shows frames without steps until there is reason for them.");
    c.def("write_results", &StepLoop::write_results, Release{},
          "Leaves the picture and the movie.");
    c.def("set_hooks", &set_hooks, py::arg("before_frame"), py::arg("is_needed"),
          py::arg("after_frame"), py::arg("on_start"));
    c.def(
        "record",
        [](StepLoop& loop, const std::filesystem::path& file, double frames_per_second) {
            loop.movie().begin(file, frames_per_second);
        },
        py::arg("file"), py::arg("frames_per_second") = 60.0, "Every frame from the next one.");
    c.def(
        "stop_recording", [](StepLoop& loop) { return loop.movie().finish(); }, Release{},
        "The file, or the folder of pictures; None where nothing was recorded.");
    c.def_readwrite("frame_limit", &StepLoop::frame_limit);
    c.def_property_readonly(
        "is_over", [](const StepLoop& loop) { return loop.state() == StepLoop::State::over; });
    c.def_property_readonly("index", [](const StepLoop& loop) {
        return loop.has_stepped() ? static_cast<long long>(loop.step().index) : -1;
    });
    c.def_property_readonly("time", &StepLoop::time);
    c.def_property_readonly("dt", &StepLoop::dt);
    c.def_property_readonly("frames", &StepLoop::frames);
    c.def_property_readonly("frame_milliseconds", &StepLoop::frame_milliseconds);
    c.def_property_readonly("element_under_mouse", &StepLoop::element_under_mouse);
    c.def_property_readonly("movie_seconds", [](StepLoop& loop) { return loop.movie().seconds(); });
    c.def_property_readonly("movie_frames", [](StepLoop& loop) { return loop.movie().frames(); });
    c.def_property_readonly("written", &StepLoop::written);
    c.def_property_readonly("unwritten", &StepLoop::unwritten);
}

} // namespace lathe::bind
