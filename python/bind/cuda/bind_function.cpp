// SPDX-License-Identifier: MIT
#include "gpu/driver/check.h"
#include "gpu/event.h"
#include "python/bind/bind.h"
#include "python/bind/cuda/constants.h"
#include "python/bind/cuda/fast_calls.h"
#include "python/bind/cuda/function.h"
#include "python/bind/cuda/launch_attributes.h"
#include "python/bind/gil.h"

#include <fmt/format.h>

#include <chrono>

namespace lathe::bind {

namespace {

using FunctionPointer = std::shared_ptr<PyFunction>;

int attribute_by_name(const PyFunction& f, const std::string& name) {
    const int which = constant_of_attribute("function_attribute", "Function", name);
    return f.kernel().attribute(static_cast<CUfunction_attribute>(which));
}

py::cpp_function timed_call(PyFunction& f, const py::object& grid, const py::object& block,
                            const py::args& args, std::size_t shared_size) {
    const auto begin = std::make_shared<gpu::Event>(gpu::EventConfig{});
    const auto end = std::make_shared<gpu::Event>(gpu::EventConfig{});
    begin->record(gpu::StreamView::legacy());
    f.prepared_call(grid, block, gpu::StreamView::legacy(), args, shared_size);
    end->record(gpu::StreamView::legacy());
    return py::cpp_function{[begin, end] {
        const GilRelease release;
        end->synchronize();
        return std::chrono::duration<double>(end->elapsed_since(*begin)).count();
    }};
}

} // namespace

void bind_function(py::module_& m) {
    py::class_<PyFunction, FunctionPointer> function{m, "Function", with_fast_calls(),
                                                     "A kernel: function(a, b, block=(x, y, z))."};
    function
        .def(
            "__call__",
            [](PyFunction& f, const py::args& args, const py::object& block, const py::object& grid,
               const PyStream* stream, std::size_t shared, const py::object& texrefs,
               bool time_kernel, bool cooperative, const py::object& cluster,
               const py::object& priority, bool programmatic_stream_serialization,
               const py::object& mem_sync_domain,
               const py::object& preferred_shared_memory_carveout,
               const py::object& access_policy_window) {
                check_texrefs(texrefs);
                return f.call(args, block, grid, stream, shared, time_kernel, cooperative, cluster,
                              launch_attributes_from(
                                  priority, programmatic_stream_serialization, mem_sync_domain,
                                  preferred_shared_memory_carveout, access_policy_window));
            },
            py::arg("block") = py::none(), py::arg("grid") = py::make_tuple(1, 1),
            py::arg("stream") = py::none(), py::arg("shared") = 0, py::arg("texrefs") = py::tuple(),
            py::arg("time_kernel") = false, py::arg("cooperative") = false,
            py::arg("cluster") = py::none(), py::arg("priority") = py::none(),
            py::arg("programmatic_stream_serialization") = false,
            py::arg("mem_sync_domain") = py::none(),
            py::arg("preferred_shared_memory_carveout") = py::none(),
            py::arg("access_policy_window") = py::none(),
            "Launches on `stream` and returns at once; In, Out and InOut arguments are copied, "
            "and\n"
            "waited for without a stream. `cooperative`: all blocks run at once, and the grid can\n"
            "synchronise. `cluster`: (x, y, z) blocks that reach each other's shared memory, from\n"
            "compute capability 9.0 on. The last five are launch attributes of CUDA, by their "
            "fields'\n"
            "names: a number as for streams; whether it may begin before the kernel before it "
            "ends;\n"
            "0 or 1; percent; and (memory, num_bytes, hit_ratio, hit_prop, miss_prop). They "
            "change\n"
            "when and how fast a kernel runs, not what it does. Raises TypeError or ValueError "
            "naming the parameter,\n"
            "LogicError for a block, grid or cluster that the device refuses.")
        .def(
            "prepare",
            [](const FunctionPointer& f, const py::object& types, const py::object& texrefs,
               std::size_t shared) {
                check_texrefs(texrefs);
                f->prepare(types, shared);
                return f;
            },
            py::arg("arg_types"), py::arg("texrefs") = py::tuple(), py::arg("shared") = 0,
            "Fixes the types of the arguments: struct characters ('PPf') or data types, and the\n"
            "dynamic shared memory of calls without shared_size. Returns itself. Raises TypeError\n"
            "if the types are not those of the kernel.")
        .def(
            "prepared_call",
            [](PyFunction& f, const py::object& grid, const py::object& block, const py::args& args,
               std::size_t shared_size) {
                f.prepared_call(grid, block, gpu::StreamView::legacy(), args, shared_size);
            },
            py::arg("grid"), py::arg("block"), py::arg("shared_size") = 0)
        .def(
            "prepared_async_call",
            [](PyFunction& f, const py::object& grid, const py::object& block,
               const PyStream* stream, const py::args& args, std::size_t shared_size) {
                f.prepared_call(grid, block, stream_of(stream), args, shared_size);
            },
            py::arg("grid"), py::arg("block"), py::arg("stream"), py::arg("shared_size") = 0)
        .def("prepared_timed_call", &timed_call, py::arg("grid"), py::arg("block"),
             py::arg("shared_size") = 0,
             "The same as prepared_call; what it returns, called, waits and gives the seconds of "
             "the\n"
             "device.")
        .def(
            "get_attribute",
            [](const PyFunction& f, int which) {
                return f.kernel().attribute(static_cast<CUfunction_attribute>(which));
            },
            py::arg("attr"))
        .def(
            "set_attribute",
            [](const PyFunction& f, int which, int value) {
                f.kernel().set_attribute(static_cast<CUfunction_attribute>(which), value);
            },
            py::arg("attr"), py::arg("value"))
        .def("__getattr__", &attribute_by_name, py::arg("name"))
        .def(
            "set_shared_config",
            [](const PyFunction& f, int config) {
                CU_TRY(
                    cuFuncSetSharedMemConfig(f.kernel().get(), static_cast<CUsharedconfig>(config)),
                    "{}, {}", f.name(), config);
            },
            py::arg("sc"), "A shared_config: without effect since compute capability 7.")
        .def_property_readonly(
            "num_regs", [](const PyFunction& f) { return f.kernel().registers_per_thread(); },
            "Registers of a thread.")
        .def_property_readonly(
            "shared_size_bytes",
            [](const PyFunction& f) { return f.kernel().static_shared_bytes(); },
            "Static shared memory of a block.")
        .def_property_readonly(
            "local_size_bytes",
            [](const PyFunction& f) {
                return f.kernel().attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
            },
            "Local memory of a thread.")
        .def(
            "set_cache_config",
            [](const PyFunction& f, int config) {
                CU_TRY(cuFuncSetCacheConfig(f.kernel().get(), static_cast<CUfunc_cache>(config)),
                       "{}, {}", f.name(), config);
            },
            py::arg("fc"), "A func_cache: a hint.")
        .def(
            "param_set_texref", [](const PyFunction&, const PyTextureReference&) {},
            py::arg("texref"), "Nothing is to be done: a kernel sees the references of its module.")
        .def_property_readonly("name", &PyFunction::name)
        .def("__repr__",
             [](const PyFunction& f) { return fmt::format("<Function {}>", f.name()); });
    add_fast_calls(function);
}

} // namespace lathe::bind
