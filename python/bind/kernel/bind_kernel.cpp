// SPDX-License-Identifier: MIT
#include "engine/live/kernel_slot.h"
#include "gpu/driver/check.h"
#include "gpu/event.h"
#include "python/bind/array/gpu_array.h"
#include "python/bind/bind.h"
#include "python/bind/cuda/constants.h"
#include "python/bind/cuda/texture_reference.h"
#include "python/bind/gil.h"
#include "python/bind/kernel/fast_calls.h"
#include "python/bind/kernel/kernel.h"
#include "python/bind/kernel/launch_attributes.h"
#include "python/bind/kernel/launcher.h"
#include "python/bind/kernel/line_reader.h"
#include "python/bind/kernel/unwatched_launches.h"
#include "python/bind/kernel/warp_tracer.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <fmt/format.h>

#include <array>
#include <chrono>

namespace lathe::bind {

namespace {

using KernelPointer = std::shared_ptr<PyKernel>;

int attribute_by_name(PyKernel& f, const std::string& name) {
    const int which = constant_of_attribute("function_attribute", "Kernel", name);
    return f.kernel().attribute(static_cast<CUfunction_attribute>(which));
}

void prepared_call(PyKernel& f, const py::object& grid, const py::object& block,
                   const PyStream* stream, const py::args& args, std::size_t shared_size) {
    LaunchRequest request;
    request.config.grid = dim3_from(grid, "grid");
    request.config.block = dim3_from(block, "block");
    request.config.shared_bytes = shared_size;
    request.stream = stream;
    request.is_prepared = true;
    f.launch(request, args);
}

py::cpp_function timed_call(PyKernel& f, const py::object& grid, const py::object& block,
                            const py::args& args, std::size_t shared_size) {
    const auto begin = std::make_shared<gpu::Event>(gpu::EventConfig{});
    const auto end = std::make_shared<gpu::Event>(gpu::EventConfig{});
    begin->record(gpu::StreamView::legacy());
    prepared_call(f, grid, block, nullptr, args, shared_size);
    end->record(gpu::StreamView::legacy());
    return py::cpp_function{[begin, end] {
        const GilRelease release;
        end->synchronize();
        return std::chrono::duration<double>(end->elapsed_since(*begin)).count();
    }};
}

void bind_call(KernelClass& kernel) {
    kernel.def(
        "__call__",
        [](PyKernel& f, const py::args& args, const py::object& block, const py::object& grid,
           const PyStream* stream, std::size_t shared, const py::object& texrefs, bool time_kernel,
           bool cooperative, const py::object& cluster, const py::object& priority,
           bool programmatic_stream_serialization, const py::object& mem_sync_domain,
           const py::object& preferred_shared_memory_carveout,
           const py::object& access_policy_window, const py::kwargs& parameters) {
            check_texrefs(texrefs);
            if (block.is_none()) throw py::value_error("must specify block size");
            if (time_kernel && stream)
                throw py::value_error("time_kernel measures calls without a stream");
            LaunchRequest request;
            request.config = {dim3_from(grid, "grid"), dim3_from(block, "block"), shared};
            request.config.cooperative = cooperative;
            if (!cluster.is_none()) request.config.cluster = dim3_from(cluster, "cluster");
            request.stream = stream;
            request.is_timed = time_kernel;
            return f.launch(
                request, args, parameters,
                launch_attributes_from(priority, programmatic_stream_serialization, mem_sync_domain,
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
        "waited for without a stream. Without one it runs on an App's stream for the App's\n"
        "kernels and arrays, else on the legacy default stream. Other keywords are parameters\n"
        "of their name. `cooperative`: all blocks run at once, and the grid can\n"
        "synchronise. `cluster`: (x, y, z) blocks that reach each other's shared memory, from\n"
        "compute capability 9.0 on. The last five are launch attributes of CUDA, by their "
        "fields'\n"
        "names: a number as for streams; whether it may begin before the kernel before it "
        "ends;\n"
        "0 or 1; percent; and (memory, num_bytes, hit_ratio, hit_prop, miss_prop). They "
        "change\n"
        "when and how fast a kernel runs, not what it does. Raises TypeError or ValueError "
        "naming the parameter,\n"
        "LogicError for a block, grid or cluster that the device refuses.");
}

void bind_prepared_calls(KernelClass& kernel) {
    kernel
        .def(
            "prepare",
            [](const KernelPointer& f, const py::object& types, const py::object& texrefs,
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
            [](PyKernel& f, const py::object& grid, const py::object& block, const py::args& args,
               std::size_t shared_size) {
                prepared_call(f, grid, block, nullptr, args, shared_size);
            },
            py::arg("grid"), py::arg("block"), py::arg("shared_size") = 0)
        .def(
            "prepared_async_call",
            [](PyKernel& f, const py::object& grid, const py::object& block, const PyStream* stream,
               const py::args& args, std::size_t shared_size) {
                prepared_call(f, grid, block, stream, args, shared_size);
            },
            py::arg("grid"), py::arg("block"), py::arg("stream"), py::arg("shared_size") = 0)
        .def("prepared_timed_call", &timed_call, py::arg("grid"), py::arg("block"),
             py::arg("shared_size") = 0,
             "The same as prepared_call; what it returns, called, waits and gives the seconds of "
             "the\n"
             "device.");
}

void bind_attributes(KernelClass& kernel) {
    kernel
        .def(
            "get_attribute",
            [](PyKernel& f, int which) {
                return f.kernel().attribute(static_cast<CUfunction_attribute>(which));
            },
            py::arg("attr"))
        .def(
            "set_attribute",
            [](PyKernel& f, int which, int value) {
                f.kernel().set_attribute(static_cast<CUfunction_attribute>(which), value);
            },
            py::arg("attr"), py::arg("value"))
        .def("__getattr__", &attribute_by_name, py::arg("name"))
        .def(
            "set_shared_config",
            [](PyKernel& f, int config) {
                CU_TRY(
                    cuFuncSetSharedMemConfig(f.kernel().get(), static_cast<CUsharedconfig>(config)),
                    "{}, {}", f.name(), config);
            },
            py::arg("sc"), "A shared_config: without effect since compute capability 7.")
        .def_property_readonly(
            "num_regs", [](PyKernel& f) { return f.kernel().registers_per_thread(); },
            "Registers of a thread.")
        .def_property_readonly(
            "shared_size_bytes", [](PyKernel& f) { return f.kernel().static_shared_bytes(); },
            "Static shared memory of a block.")
        .def_property_readonly(
            "local_size_bytes",
            [](PyKernel& f) { return f.kernel().attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES); },
            "Local memory of a thread.")
        .def(
            "set_cache_config",
            [](PyKernel& f, int config) {
                CU_TRY(cuFuncSetCacheConfig(f.kernel().get(), static_cast<CUfunc_cache>(config)),
                       "{}, {}", f.name(), config);
            },
            py::arg("fc"), "A func_cache: a hint.")
        .def(
            "param_set_texref", [](PyKernel&, const PyTextureReference&) {}, py::arg("texref"),
            "Nothing is to be done: a kernel sees the references of its module.");
}

/// What the source says, and where it is.
void bind_origin(KernelClass& kernel) {
    kernel
        .def(
            "sibling",
            [](PyKernel& k, const std::string& name) {
                return std::make_shared<PyKernel>(k.origin().sibling(name));
            },
            py::arg("name"), "Another kernel of the same source.")
        .def(
            "trace_next",
            [](PyKernel& k, const std::array<unsigned, 3>& block,
               const std::array<unsigned, 3>& thread) {
                return k.trace_next({block[0], block[1], block[2]},
                                    {thread[0], thread[1], thread[2]});
            },
            py::arg("block"), py::arg("thread"),
            "The next launch follows this thread and waits: what lathe.trace_thread() is made of.")
        .def(
            "trace_warp_next",
            [](PyKernel& k, const std::array<unsigned, 3>& block,
               const std::array<unsigned, 3>& thread) {
                auto tracer = std::make_shared<WarpTracer>(
                    k.origin(), gpu::Dim3{block[0], block[1], block[2]},
                    gpu::Dim3{thread[0], thread[1], thread[2]});
                k.observe_next(tracer);
                return tracer;
            },
            py::arg("block"), py::arg("thread"),
            "The next launch follows this thread's warp: what lathe.trace_warp() is made of.")
        .def(
            "values_next",
            [](PyKernel& k, int line, const std::string& file, std::vector<std::string> names,
               std::uint32_t visit) {
                auto reader = std::make_shared<LineReader>(
                    k.origin(), gpu::LineQuestion{line, file, std::move(names), visit});
                k.observe_next(reader);
                return reader;
            },
            py::arg("line"), py::arg("file"), py::arg("names"), py::arg("visit"),
            "The next launch says what variables are after a line: for lathe.values_at().")
        .def(
            "observe_no_more", [](PyKernel& k) { k.observe_next(nullptr); },
            "The next launch is as usual.")
        .def_property_readonly("name", &PyKernel::name,
                               "Of the function, as the source spells it; '' while none compiles.")
        .def_property_readonly(
            "parameters",
            [](PyKernel& k) {
                py::list out;
                for (const auto& p : k.signature()->parameters)
                    out.append(py::make_tuple(p.name, p.type_name));
                return out;
            },
            "List of (name, type) as the source declares them.")
        .def_property_readonly(
            "slot", [](PyKernel& k) { return k.origin().slot(); },
            py::return_value_policy::reference_internal, "The slot of a live kernel, else None.")
        .def("__repr__",
             [](PyKernel& k) { return fmt::format("<lathe.Kernel {}>", to_text(*k.signature())); });
}

} // namespace

void bind_kernel(py::module_& m) {
    py::class_<ThreadTracer, std::shared_ptr<ThreadTracer>>(
        m, "ThreadTracer", "A launch, one thread of which is followed.")
        .def_property_readonly("steps", &ThreadTracer::steps,
                               "A dict for each line that ran; None before the launch.")
        .def("find", &ThreadTracer::find, py::arg("condition"), py::arg("line"), py::arg("file"),
             "The numbers of steps after which a condition is true: for ThreadTrace.find().")
        .def("active", &ThreadTracer::active, py::arg("step"),
             "A bit for each lane that is at the step.")
        .def("lane", &ThreadTracer::lane, py::arg("lane"), py::arg("step"),
             "What a lane does at the step; None where it is not there.")
        .def_property_readonly("threads", &ThreadTracer::threads,
                               "threadIdx of each lane that the block has.")
        .def_property_readonly("source", &ThreadTracer::source, "The kernel's text.")
        .def_property_readonly("is_cut", &ThreadTracer::is_cut);
    py::class_<WarpTracer, std::shared_ptr<WarpTracer>>(m, "WarpTracer",
                                                        "A launch, one warp of which is followed.")
        .def_property_readonly("steps", &WarpTracer::steps,
                               "A dict for each step in time; None before the launch.")
        .def_property_readonly("source", &WarpTracer::source, "The kernel's text.")
        .def_property_readonly("is_cut", &WarpTracer::is_cut);
    py::class_<LineReader, std::shared_ptr<LineReader>>(
        m, "LineReader", "A launch whose threads say what variables are after a line.")
        .def_property_readonly("threads", &LineReader::threads,
                               "(depth, height, width); None before the launch.")
        .def_property_readonly("elements", &LineReader::elements, "Of over(), as threads.")
        .def_property_readonly("block", &LineReader::block, "blockDim, x first.")
        .def_property_readonly("visits", &LineReader::visits, "A uint32 for each thread.")
        .def_property_readonly("seen", &LineReader::seen,
                               "A uint32 for each thread: bit v says that it has variables[v].")
        .def_property_readonly("variables", &LineReader::variables,
                               "(name, dtype, bytes between threads, bytes) of each.")
        .def_property_readonly("known", &LineReader::known, "Name to type.")
        .def_property_readonly("source", &LineReader::source, "The kernel's text.");
    KernelClass kernel{
        m, "Kernel", with_fast_calls(),
        "A CUDA kernel: kernel[grid, block](a, b), kernel.over(shape)(a, b) or\n"
        "kernel(a, b, block=(x, y, z), grid=(x, y)). Get one from App.kernel, lathe.kernel or a\n"
        "module's get_function()."};
    bind_call(kernel);
    bind_prepared_calls(kernel);
    bind_attributes(kernel);
    bind_origin(kernel);
    add_fast_calls(kernel);
    add_launchers(m, kernel);

    m.def(
        "look_after_launches", [] { look_after_launches(true); },
        py::call_guard<py::gil_scoped_release>(),
        "Waits for launches of kernels and arrays that belong to no App; raises their errors.");

    m.def(
        "wait_for_kernels",
        [](const py::object& array) {
            const gpu::Array& of = array_of(array);
            py::gil_scoped_release release;
            wait_for_kernels(of);
        },
        py::arg("array"), "Blocks until kernels that may write the array are done.");

    m.def(
        "compile_kernel",
        [](std::string source, std::string entry, std::vector<std::string> options,
           std::string name, std::vector<std::filesystem::path> include_directories) {
            return std::make_shared<PyKernel>(
                kernel_of(KernelSource{std::move(source), std::move(name), std::move(entry),
                                       std::move(options), std::move(include_directories)}));
        },
        py::arg("source"), py::arg("entry") = "", py::arg("options") = std::vector<std::string>{},
        py::arg("name") = "kernel.cu",
        py::arg("include_directories") = std::vector<std::filesystem::path>{},
        "Compiles and loads; blocks. The first kernel unless `entry` names another.");
}

} // namespace lathe::bind
