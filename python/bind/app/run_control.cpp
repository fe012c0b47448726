// SPDX-License-Identifier: MIT
#include "engine/app/run_control.h"

#include "python/bind/bind.h"

namespace lathe::bind {

void bind_run_control(py::module_& m) {
    py::class_<RunControl>(
        m, "RunControl",
        "Whether the simulation runs and how fast; frames go on while it is paused.")
        .def_readwrite("paused", &RunControl::paused)
        .def_readwrite("speed", &RunControl::speed,
                       "Steps a frame are substeps * speed, 0.01 to 100.")
        .def_readwrite("substeps", &RunControl::substeps, "Steps a frame at speed 1, at least 1.")
        .def("step", &RunControl::request_step, "Pauses; the next frame does exactly one step.")
        .def("reset", &RunControl::request_reset, "The next frame begins with the first state.")
        .def_property_readonly("steps", &RunControl::steps, "Steps of this frame.")
        .def_property_readonly("is_reset", &RunControl::reset, "This frame starts over.")
        .def_property_readonly("steps_done", &RunControl::steps_done,
                               "Steps since the start or the last reset.");
}

} // namespace lathe::bind
