// SPDX-License-Identifier: MIT
#include "engine/app/run_control.h"

#include "python/bind/bind.h"

#include <pybind11/stl.h>

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>

namespace lathe::bind {

void bind_run_control(py::module_& m) {
    py::class_<RunControl>(
        m, "RunControl",
        "Whether the simulation runs and how fast; frames go on while it is paused.")
        .def_readwrite("paused", &RunControl::paused)
        .def_readwrite("speed", &RunControl::speed,
                       "Steps a frame are substeps * speed, 0.01 to 100.")
        .def_readwrite("substeps", &RunControl::substeps, "Steps a frame at speed 1, at least 1.")
        .def_property(
            "fixed_dt", [](const RunControl& control) { return control.fixed_dt; },
            [](RunControl& control, std::optional<double> dt) {
                if (dt && !(*dt > 0 && std::isfinite(*dt)))
                    throw py::value_error(fmt::format("fixed_dt is above 0, or None, got {}", *dt));
                control.fixed_dt = dt;
            },
            "Simulated seconds of each step. None: in a window what passed since the frame before, "
            "0.1 at most; without one 1/60.")
        .def("step", &RunControl::request_step, "Pauses; the next frame does exactly one step.")
        .def("reset", &RunControl::request_reset, "The next frame begins with the first state.")
        .def_property_readonly("steps", &RunControl::steps, "Steps of this frame.")
        .def_property_readonly("is_reset", &RunControl::reset, "This frame starts over.")
        .def(
            "go_to",
            [](RunControl& control, std::int64_t step, std::optional<int> branch) {
                if (step < 0)
                    throw py::value_error(fmt::format("steps are from 0 on, got {}", step));
                control.request_go_to(std::uint64_t(step), branch);
            },
            py::arg("step"), py::arg("branch") = std::nullopt,
            "The next frame shows what that step has drawn.")
        .def("step_back", &RunControl::request_step_back,
             "Pauses; the next frame shows the step before. Several calls add up.");
}

} // namespace lathe::bind
