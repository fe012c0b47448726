// SPDX-License-Identifier: MIT
// The extension module lathe._lathe. Loading it opens no driver and no GL.
#include "python/bind/array/fft.h"
#include "python/bind/array/recorder.h"
#include "python/bind/bind.h"

PYBIND11_MODULE(_lathe, m) {
    using namespace lathe::bind;
    m.doc() = "The C++ engine of Lathe. Use the package `lathe`; names here may change.";
    bind_errors(m);
    bind_resources(m);
    bind_status(m);
    bind_inspect(m);
    bind_interop_mode(m);
    bind_texture(m);
    bind_device(m);
    bind_host_function(m);
    bind_stream(m);
    bind_memory(m);
    bind_host_memory(m);
    bind_memory_pool(m);
    bind_graphics(m);
    bind_query(m);
    bind_ipc(m);
    bind_pitched_memory(m);
    bind_cuda_array(m);
    bind_box_copy(m);
    bind_texture_object(m);
    bind_texture_reference(m);
    bind_kernel(m);
    bind_module(m);
    bind_stateful_launch(m);
    bind_linker(m);
    bind_graph(m);
    bind_gpu_array(m);
    bind_array_memory(m);
    bind_array_functions(m);
    bind_fuse(m);
    bind_array_exchange(m);
    bind_random(m);
    bind_array_sorting(m);
    bind_array_reductions(m);
    bind_linalg(m);
    bind_fft(m);
    bind_colormap(m);
    bind_screenshot(m);
    bind_plots(m);
    bind_run_control(m);
    bind_history(m);
    bind_profiler(m);
    bind_input(m);
    bind_event_handlers(m);
    bind_camera(m);
    bind_step_loop(m);
    bind_window(m);
    bind_broadcast(m);
    bind_directive(m);
    bind_parameter_set(m);
    bind_kernel_slot(m);
    bind_literal(m);
    bind_console(m);
    bind_widgets(m);
    bind_studio(m);
}
