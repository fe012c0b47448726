// SPDX-License-Identifier: MIT
// One function a bound header; module.cpp calls them from the bottom layer up.
#pragma once

#include <pybind11/pybind11.h>

#include <exception>

namespace lathe::bind {

namespace py = pybind11;

/// Runs Python's signal handlers and throws what they raise: KeyboardInterrupt. Called without or
/// with the GIL, every few milliseconds of a long wait.
void raise_interrupt();

/// For functions that Python calls without pybind11: raises there what was thrown; returns null.
PyObject* raise_in_python(std::exception_ptr thrown) noexcept;

void bind_errors(py::module_& m);
void bind_resources(py::module_& m); // engine/core
void bind_status(py::module_& m);    // gpu
void bind_inspect(py::module_& m);
void bind_interop_mode(py::module_& m); // engine/interop
void bind_texture(py::module_& m);
void bind_kernel(py::module_& m); // kernels, wherever they come from
void bind_device(py::module_& m); // gpu, as PyCUDA has it
void bind_stream(py::module_& m);
void bind_memory(py::module_& m);
void bind_host_memory(py::module_& m);
void bind_memory_pool(py::module_& m);
void bind_graphics(py::module_& m);
void bind_query(py::module_& m);
void bind_ipc(py::module_& m);
void bind_host_function(py::module_& m);
void bind_pitched_memory(py::module_& m);
void bind_cuda_array(py::module_& m);
void bind_box_copy(py::module_& m);
void bind_texture_object(py::module_& m);
void bind_texture_reference(py::module_& m);
void bind_module(py::module_& m);
void bind_stateful_launch(py::module_& m);
void bind_linker(py::module_& m);
void bind_graph(py::module_& m);
void bind_gpu_array(py::module_& m); // gpu/array
void bind_array_memory(py::module_& m);
void bind_array_functions(py::module_& m);
void bind_array_exchange(py::module_& m);
void bind_random(py::module_& m);
void bind_array_sorting(py::module_& m);
void bind_array_reductions(py::module_& m);
void bind_linalg(py::module_& m);   // gpu/libraries
void bind_colormap(py::module_& m); // engine/render
void bind_screenshot(py::module_& m);
void bind_plots(py::module_& m);       // engine/plots
void bind_run_control(py::module_& m); // engine/app
void bind_history(py::module_& m);
void bind_profiler(py::module_& m);
void bind_input(py::module_& m);
void bind_event_handlers(py::module_& m);
void bind_camera(py::module_& m);
void bind_console(py::module_& m);
void bind_step_loop(py::module_& m);
void bind_window(py::module_& m);
void bind_broadcast(py::module_& m); // engine/broadcast
void bind_directive(py::module_& m); // engine/live
void bind_parameter_set(py::module_& m);
void bind_kernel_slot(py::module_& m);
void bind_literal(py::module_& m);
void bind_widgets(py::module_& m);
void bind_studio(py::module_& m);

} // namespace lathe::bind
