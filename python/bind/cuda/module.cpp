// SPDX-License-Identifier: MIT
#include "python/bind/cuda/module.h"

#include "gpu/compiler.h"
#include "gpu/context.h"
#include "gpu/driver/check.h"
#include "gpu/event.h"
#include "python/bind/bind.h"
#include "python/bind/cuda/pointer.h"
#include "python/bind/gpu/kernel.h"
#include "python/bind/gpu/signature.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <fmt/format.h>

#include <chrono>

namespace lathe::bind {

namespace {

gpu::CompileRequest request_of(const KernelSource& source) {
    gpu::CompileRequest request;
    request.source = source.text;
    request.name = source.name;
    request.options = source.options;
    request.include_directories = source.include_directories;
    return request;
}

} // namespace

LoadedModule::LoadedModule(KernelSource source)
    : module_{gpu::compile_or_throw(request_of(source))}, source_{std::move(source)} {}

gpu::Kernel LoadedModule::kernel(const std::string& name) {
    if (auto found = module_.find_kernel(name)) return *found;
    if (!source_) return module_.kernel(name);
    const auto known = instances_.find(name);
    gpu::CompileRequest request = request_of(*source_);
    request.name_expressions = {name};
    const gpu::CompileResult result = gpu::compile(request);
    const auto lowered = result.lowered_names.find(name);
    if (!result.ok || lowered == result.lowered_names.end()) return module_.kernel(name);
    if (auto found = module_.find_kernel(lowered->second)) return *found;
    if (known != instances_.end()) return known->second.kernel(lowered->second);
    return instances_.emplace(name, gpu::Module{result}).first->second.kernel(lowered->second);
}

std::optional<Signature> LoadedModule::signature(const std::string& name) const {
    return source_ ? signature_from_source(*source_, name) : std::nullopt;
}

PyFunction::PyFunction(std::shared_ptr<LoadedModule> module, const std::string& name)
    : module_{std::move(module)}, name_{name}, kernel_{module_->kernel(name)},
      sizes_{signature_from_sizes(kernel_)} {
    sizes_.kernel = name;
}

// A Python number has no type of its own: then the source says what the parameter is.
const Signature& PyFunction::signature_for(const py::tuple& values) {
    for (std::size_t k = 0; k < values.size(); ++k) {
        const py::handle value = values[k];
        if (!PyLong_Check(value.ptr()) && !PyFloat_CheckExact(value.ptr())) continue;
        if (!types_asked_) {
            types_asked_ = true;
            py::gil_scoped_release release;
            typed_ = module_->signature(name_);
            if (typed_ && !fits(*typed_, kernel_)) typed_.reset();
        }
        if (typed_) return *typed_;
        throw py::type_error(fmt::format(
            "{}: parameter {} is of a type that is not known here: pass numpy.int32({}) or another "
            "NumPy scalar of the parameter's type instead of a Python number",
            name_, k, py::repr(value).cast<std::string>()));
    }
    return sizes_;
}

void PyFunction::launch(const gpu::LaunchConfig& config, const Signature& signature,
                        const py::tuple& values) const {
    const int most = kernel_.max_threads_per_block();
    if (config.block.total() > static_cast<std::size_t>(most)) // PyCUDA's routine for it
        throw gpu::Error{"cuFuncSetBlockShape", CUDA_ERROR_INVALID_VALUE,
                         fmt::format("kernel {} runs {} threads in a block at most, {} x {} x {} = {} "
                                     "were asked for",
                                     name_, most, config.block.x, config.block.y, config.block.z,
                                     config.block.total())};
    PackedArguments packed{signature, py::args{values}, py::kwargs{}, nullptr};
    py::gil_scoped_release release;
    kernel_.launch(config, packed.pointers());
}

py::object PyFunction::call(const py::args& args, const py::object& block, const py::object& grid,
                            const PyStream* stream, std::size_t shared, bool time_kernel) {
    if (block.is_none()) throw py::value_error("must specify block size");
    const gpu::LaunchConfig config{dim3_from(grid, "grid"), dim3_from(block, "block"), shared,
                                   stream_of(stream)};
    if (time_kernel && stream)
        throw py::value_error("time_kernel measures calls without a stream");
    py::tuple values{args.size()};
    std::vector<py::object> handlers; // In, Out, InOut
    const py::object on = stream ? py::cast(stream, py::return_value_policy::reference) : py::none();
    for (std::size_t k = 0; k < args.size(); ++k) {
        py::object value = args[k];
        if (!py::isinstance<DeviceAllocation>(value) && py::hasattr(value, "get_device_alloc")) {
            handlers.push_back(value);
            value.attr("pre_call")(on);
            value = value.attr("get_device_alloc")();
        }
        values[k] = value;
    }
    gpu::Context::ensure_current();
    const auto begin = [&] {
        if (time_kernel) gpu::Context::current().synchronize();
        return std::chrono::steady_clock::now();
    }();
    launch(config, signature_for(values), values);
    py::object seconds = py::none();
    if (time_kernel) {
        gpu::Context::current().synchronize();
        seconds = py::float_(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    for (const py::object& handler : handlers) handler.attr("post_call")(on);
    return seconds;
}

void PyFunction::prepare(const py::object& types) {
    const py::list parsed = py::module_::import("lathe.cuda.argument_types").attr("parse")(types);
    Signature signature;
    signature.kernel = name_;
    for (const py::handle each : parsed) {
        const auto [kind, bytes] = each.cast<std::pair<std::string, std::size_t>>();
        ParameterInfo p;
        p.name = fmt::format("parameter {}", signature.parameters.size());
        p.bytes = bytes;
        p.type = kind == "pointer"    ? ParameterType::pointer
                 : kind == "float"    ? ParameterType::floating
                 : kind == "int"      ? ParameterType::integer
                 : kind == "unsigned" ? ParameterType::unsigned_integer
                 : kind == "bool"     ? ParameterType::boolean
                                      : ParameterType::structure;
        signature.parameters.push_back(std::move(p));
    }
    if (kernel_.parameters_known()) {
        const auto& known = kernel_.parameters();
        if (known.size() != signature.parameters.size())
            throw py::type_error(fmt::format("{} takes {} arguments, prepare() was given {} types",
                                             name_, known.size(), signature.parameters.size()));
        for (std::size_t k = 0; k < known.size(); ++k)
            if (known[k].bytes != signature.parameters[k].bytes)
                throw py::type_error(
                    fmt::format("{}: parameter {} has {} bytes, the type given to prepare() {}", name_,
                                k, known[k].bytes, signature.parameters[k].bytes));
    }
    prepared_ = std::move(signature);
}

void PyFunction::prepared_call(const py::object& grid, const py::object& block,
                               gpu::StreamView stream, const py::args& args,
                               std::size_t shared_bytes) {
    if (!prepared_) throw py::value_error(fmt::format("{} was not prepared: call prepare() first", name_));
    gpu::Context::ensure_current();
    launch({dim3_from(grid, "grid"), dim3_from(block, "block"), shared_bytes, stream}, *prepared_, args);
}

namespace {

using ModulePointer = std::shared_ptr<LoadedModule>;
using FunctionPointer = std::shared_ptr<PyFunction>;

void bind_modules(py::module_& m) {
    py::class_<LoadedModule, ModulePointer>(m, "Module", "Loaded kernels and variables.")
        .def("get_function",
             [](const ModulePointer& self, const std::string& name) {
                 return std::make_shared<PyFunction>(self, name);
             },
             py::arg("name"),
             "A kernel by its name; 'scale<float>' of a source that was compiled here. Raises\n"
             "LogicError, naming those that exist, where there is none.")
        .def("get_global",
             [](const LoadedModule& self, const std::string& name) {
                 const auto span = self.global(name);
                 return std::pair{span.address(), span.bytes()};
             },
             py::arg("name"), "(address, bytes) of a __device__ or __constant__ variable.");
    m.def("module_from_buffer",
          [](const py::buffer& buffer) {
              const auto info = buffer.request();
              const std::span image{static_cast<const std::byte*>(info.ptr),
                                    static_cast<std::size_t>(info.size * info.itemsize)};
              return std::make_shared<LoadedModule>(gpu::Module{image});
          },
          py::arg("buffer"), "Loads PTX, a CUBIN or a fat binary. Raises LogicError with the log.");
    m.def("compile_module",
          [](std::string text, std::vector<std::string> options, std::string name,
             std::vector<std::filesystem::path> folders) {
              py::gil_scoped_release release;
              return std::make_shared<LoadedModule>(
                  KernelSource{std::move(text), std::move(name), {}, std::move(options), std::move(folders)});
          },
          py::arg("source"), py::arg("options") = std::vector<std::string>{},
          py::arg("name") = "kernel.cu", py::arg("include_dirs") = std::vector<std::filesystem::path>{},
          "Compiles (or finds in the cache) and loads. Raises CompileError.");
    m.def("compile_image",
          [](std::string text, std::vector<std::string> options, std::string name,
             std::vector<std::filesystem::path> folders) {
              gpu::CompileResult result;
              {
                  py::gil_scoped_release release;
                  result = gpu::compile_or_throw(request_of(
                      {std::move(text), std::move(name), {}, std::move(options), std::move(folders)}));
              }
              return py::bytes(reinterpret_cast<const char*>(result.image.data()), result.image.size());
          },
          py::arg("source"), py::arg("options") = std::vector<std::string>{},
          py::arg("name") = "kernel.cu", py::arg("include_dirs") = std::vector<std::filesystem::path>{},
          "PTX or a CUBIN, as -arch=compute_XY or sm_XY among the options says; else what the current\n"
          "device runs fastest. Raises CompileError.");
}

int attribute_by_name(const PyFunction& f, const std::string& name) {
    std::string upper = name;
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    const py::object all = py::module_::import("lathe.cuda.constants").attr("function_attribute");
    if (name.starts_with("_") || !py::hasattr(all, upper.c_str()))
        throw py::attribute_error(fmt::format(
            "a Function has no attribute '{}': nor has function_attribute '{}'", name, upper));
    return f.kernel().attribute(static_cast<CUfunction_attribute>(all.attr(upper.c_str()).cast<int>()));
}

py::cpp_function timed_call(PyFunction& f, const py::object& grid, const py::object& block,
                            const py::args& args, std::size_t shared_size) {
    const auto begin = std::make_shared<gpu::Event>(gpu::EventConfig{});
    const auto end = std::make_shared<gpu::Event>(gpu::EventConfig{});
    begin->record(gpu::StreamView::legacy());
    f.prepared_call(grid, block, gpu::StreamView::legacy(), args, shared_size);
    end->record(gpu::StreamView::legacy());
    return py::cpp_function{[begin, end] {
        py::gil_scoped_release release;
        end->synchronize();
        return std::chrono::duration<double>(end->elapsed_since(*begin)).count();
    }};
}

void bind_functions(py::module_& m) {
    py::class_<PyFunction, FunctionPointer>(m, "Function", "A kernel: function(a, b, block=(x, y, z)).")
        .def("__call__",
             [](PyFunction& f, const py::args& args, const py::object& block, const py::object& grid,
                const PyStream* stream, std::size_t shared, const py::object& texrefs, bool time_kernel) {
                 (void)texrefs; // a kernel's texture objects are its arguments
                 return f.call(args, block, grid, stream, shared, time_kernel);
             },
             py::arg("block") = py::none(), py::arg("grid") = py::make_tuple(1, 1),
             py::arg("stream") = py::none(), py::arg("shared") = 0, py::arg("texrefs") = py::tuple(),
             py::arg("time_kernel") = false,
             "Launches on `stream` and returns at once; In, Out and InOut arguments are copied, and\n"
             "waited for without a stream. Raises TypeError or ValueError naming the parameter,\n"
             "LogicError for a block or grid that the device refuses.")
        .def("prepare",
             [](const FunctionPointer& f, const py::object& types, const py::object& texrefs) {
                 (void)texrefs;
                 f->prepare(types);
                 return f;
             },
             py::arg("arg_types"), py::arg("texrefs") = py::tuple(),
             "Fixes the types of the arguments: struct characters ('PPf') or data types. Returns\n"
             "itself. Raises TypeError where they are not those of the kernel.")
        .def("prepared_call",
             [](PyFunction& f, const py::object& grid, const py::object& block, const py::args& args,
                std::size_t shared_size) {
                 f.prepared_call(grid, block, gpu::StreamView::legacy(), args, shared_size);
             },
             py::arg("grid"), py::arg("block"), py::arg("shared_size") = 0)
        .def("prepared_async_call",
             [](PyFunction& f, const py::object& grid, const py::object& block, const PyStream* stream,
                const py::args& args, std::size_t shared_size) {
                 f.prepared_call(grid, block, stream_of(stream), args, shared_size);
             },
             py::arg("grid"), py::arg("block"), py::arg("stream"), py::arg("shared_size") = 0)
        .def("prepared_timed_call", &timed_call, py::arg("grid"), py::arg("block"),
             py::arg("shared_size") = 0,
             "The same as prepared_call; what it returns, called, waits and gives the seconds of the\n"
             "device.")
        .def("get_attribute",
             [](const PyFunction& f, int which) {
                 return f.kernel().attribute(static_cast<CUfunction_attribute>(which));
             },
             py::arg("attr"))
        .def("set_attribute",
             [](const PyFunction& f, int which, int value) {
                 f.kernel().set_attribute(static_cast<CUfunction_attribute>(which), value);
             },
             py::arg("attr"), py::arg("value"))
        .def("__getattr__", &attribute_by_name, py::arg("name"))
        .def("set_cache_config",
             [](const PyFunction& f, int config) {
                 CU_TRY(cuFuncSetCacheConfig(f.kernel().get(), static_cast<CUfunc_cache>(config)), "{}",
                        f.name());
             },
             py::arg("fc"), "A func_cache: a hint.")
        .def_property_readonly("name", &PyFunction::name)
        .def("__repr__", [](const PyFunction& f) { return fmt::format("<Function {}>", f.name()); });
}

} // namespace

void bind_module(py::module_& m) {
    bind_modules(m);
    bind_functions(m);
}

} // namespace lathe::bind
