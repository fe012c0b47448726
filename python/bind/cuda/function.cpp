// SPDX-License-Identifier: MIT
#include "python/bind/cuda/function.h"

#include "gpu/context.h"
#include "gpu/driver/check.h"
#include "python/bind/array/gpu_array.h"
#include "python/bind/cuda/graph.h"
#include "python/bind/cuda/memory_pool.h"
#include "python/bind/cuda/pointer.h"
#include "python/bind/gil.h"
#include "python/bind/gpu/kernel.h"

#include <pybind11/stl.h>

#include <fmt/format.h>

#include <chrono>
#include <vector>

namespace lathe::bind {

PyFunction::PyFunction(std::shared_ptr<LoadedModule> module, const std::string& name)
    : module_{std::move(module)}, name_{name}, kernel_{module_->kernel(name)},
      sizes_{signature_from_sizes(kernel_)},
      most_threads_{static_cast<std::size_t>(kernel_.max_threads_per_block())} {
    sizes_.kernel = name;
    if (kernel_.parameters_known()) plan_ = ArgumentPlan{sizes_};
}

// A Python number has no type of its own: then the source says what the parameter is.
const Signature& PyFunction::signature_for(const py::tuple& values) {
    for (std::size_t k = 0; k < values.size(); ++k) {
        const py::handle value = values[k];
        if (!PyLong_Check(value.ptr()) && !PyFloat_CheckExact(value.ptr())) continue;
        if (!types_asked_) {
            std::optional<Signature> found;
            {
                const GilRelease release; // another thread may come here, too
                found = module_->signature(name_);
            }
            types_asked_ = true;
            if (found && fits(*found, kernel_)) {
                plan_ = ArgumentPlan{*found};
                typed_ = std::move(found);
            }
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
                        const py::tuple& values, const gpu::LaunchAttributes& more) const {
    check_block(kernel_, config.block);
    PackedArguments packed{signature, py::args{values}, py::kwargs{}, nullptr};
    const StreamUse use{config.stream, true, values};
    module_->update_references(config.stream);
    if (PyGraph* graph = PyGraph::capturing()) {
        graph->keep(module_->kept_for_graph(module_));
        graph->keep(values);
        if (module_->has_references()) graph->wait_at_end();
    }
    const GilRelease release;
    if (more.any()) gpu::launch_with(kernel_, config, more, packed.pointers());
    else kernel_.launch(config, packed.pointers());
}

py::object PyFunction::call(const py::args& args, const py::object& block, const py::object& grid,
                            const PyStream* stream, std::size_t shared, bool time_kernel,
                            bool cooperative, const py::object& cluster,
                            const gpu::LaunchAttributes& more) {
    if (block.is_none()) throw py::value_error("must specify block size");
    gpu::LaunchConfig config{dim3_from(grid, "grid"), dim3_from(block, "block"), shared,
                             stream_of(stream), cooperative};
    if (!cluster.is_none()) config.cluster = dim3_from(cluster, "cluster");
    if (time_kernel && stream) throw py::value_error("time_kernel measures calls without a stream");
    py::tuple values{args.size()};
    std::vector<py::object> handlers; // In, Out, InOut
    const py::object on =
        stream ? py::cast(stream, py::return_value_policy::reference) : py::none();
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
    launch(config, signature_for(values), values, more);
    py::object seconds = py::none();
    if (time_kernel) {
        gpu::Context::current().synchronize();
        seconds = py::float_(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    for (const py::object& handler : handlers) handler.attr("post_call")(on);
    return seconds;
}

PackedArguments PyFunction::pack(const py::tuple& values) {
    return {signature_for(values), py::args{values}, py::kwargs{}, nullptr};
}

void PyFunction::set_parameters(const py::args& args) {
    PackedArguments packed = pack(args);
    const auto& known = kernel_.parameters();
    for (std::size_t k = 0; k < known.size(); ++k)
        state_.set(known[k].offset_bytes, packed.pointers()[k], known[k].bytes);
}

void PyFunction::prepare(const py::object& types, std::size_t shared_bytes) {
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
                    fmt::format("{}: parameter {} has {} bytes, the type given to prepare() {}",
                                name_, k, known[k].bytes, signature.parameters[k].bytes));
    }
    prepared_plan_ = ArgumentPlan{signature};
    prepared_ = std::move(signature);
    prepared_shared_bytes_ = shared_bytes;
}

bool PyFunction::launch_plain(bool prepared, const gpu::LaunchConfig& config,
                              std::span<PyObject* const> values) {
    if (recording) [[unlikely]]
        settle_thread();
    if (prepared && prepared_shared_bytes_) return false;
    ArgumentPlan::Block block;
    ArgumentPlan& plan = prepared ? prepared_plan_ : plan_;
    CUcontext context = nullptr;
    gpu::driver().cuCtxGetCurrent(&context);
    PlainLaunch plain{context, config.stream};
    if (!context || config.block.total() > most_threads_ || PyGraph::capturing() ||
        module_->has_references() || !plan.pack(values.data(), values.size(), plain, block))
        return false;
    std::optional<StreamUse> use; // after the GIL is back, as it was made before it went
    if (!plain.blocks().empty()) use.emplace(config.stream, plain.blocks());
    if (config.block == last_block_ && !is_python_in_streams()) [[likely]] {
        kernel_.launch(config, block.pointers.data());
        return true;
    }
    last_block_ = config.block;
    const GilRelease release; // code may be loaded or compiled now
    kernel_.launch(config, block.pointers.data());
    return true;
}

void PyFunction::prepared_call(const py::object& grid, const py::object& block,
                               gpu::StreamView stream, const py::args& args,
                               std::size_t shared_bytes) {
    if (!prepared_)
        throw py::value_error(fmt::format("{} was not prepared: call prepare() first", name_));
    gpu::Context::ensure_current();
    if (shared_bytes == 0) shared_bytes = prepared_shared_bytes_;
    launch({dim3_from(grid, "grid"), dim3_from(block, "block"), shared_bytes, stream}, *prepared_,
           args);
}

} // namespace lathe::bind
