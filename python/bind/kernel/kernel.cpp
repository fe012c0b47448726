// SPDX-License-Identifier: MIT
#include "python/bind/kernel/kernel.h"

#include "engine/interop/frame_map.h"
#include "engine/interop/texture.h"
#include "engine/live/launch_watch.h"
#include "gpu/array/launch_notes.h"
#include "gpu/driver/check.h"
#include "python/bind/array/gpu_array.h"
#include "python/bind/cuda/graph.h"
#include "python/bind/cuda/memory_pool.h"
#include "python/bind/cuda/module.h"
#include "python/bind/cuda/pointer.h"
#include "python/bind/cuda/stream.h"
#include "python/bind/gil.h"
#include "python/bind/kernel/unwatched_launches.h"

#include <pybind11/stl.h>

#include <fmt/format.h>

#include <chrono>
#include <utility>
#include <vector>

namespace lathe::bind {

// --- What is known of the running version

PyKernel::PyKernel(std::unique_ptr<KernelOrigin> origin)
    : origin_{std::move(origin)}, module_{origin_->module()}, parameters_{origin_->parameters()},
      is_strict_{origin_->is_strict()} {}

void PyKernel::refresh() {
    const KernelStamp now = origin_->stamp();
    if (now == stamp_) return;
    const gpu::Kernel kernel = origin_->kernel();
    Signature sizes = signature_from_sizes(kernel);
    sizes.kernel = origin_->name();
    // Most edits leave the parameters as they are. The frame then does not wait for a reading; the
    // slot says when its own, on another thread, found other names.
    const bool same = types_ && now.parameters == stamp_.parameters && fits(*types_, kernel);
    types_assumed_ = same && now.version != stamp_.version;
    types_read_ = same;
    if (!same) types_ = nullptr;
    sizes_ = std::make_shared<const Signature>(std::move(sizes));
    kernel_ = kernel;
    version_ = origin_->version();
    place_ = origin_->place();
    most_threads_ = static_cast<std::size_t>(kernel.max_threads_per_block());
    last_block_ = {0, 0, 0};
    stamp_ = now;
    make_plan();
}

void PyKernel::make_plan() {
    if (types_) plan_ = ArgumentPlan{*types_, is_strict_};
    else if (!is_strict_ && kernel_.parameters_known()) plan_ = ArgumentPlan{*sizes_, false};
    else plan_ = {}; // types are read at the first launch
}

void PyKernel::read_types() {
    const KernelStamp of = stamp_;
    auto found = origin_->read_signature(); // without the GIL: another thread may come here, too
    if (of != stamp_) return;
    types_read_ = true;
    types_assumed_ = false;
    types_ = found && fits(*found, kernel_) ? std::make_shared<const Signature>(std::move(*found))
                                            : nullptr;
    make_plan();
}

const gpu::Kernel& PyKernel::kernel() {
    refresh();
    return kernel_;
}

py::object PyKernel::kept_version() {
    refresh();
    using Kept = std::shared_ptr<const void>;
    return py::capsule{new Kept{version_}, [](void* kept) { delete static_cast<Kept*>(kept); }};
}

std::shared_ptr<const Signature> PyKernel::signature() {
    if (origin_->stamp().version == 0) return std::make_shared<const Signature>();
    refresh();
    if (!types_read_) read_types();
    return types_ ? types_ : sizes_;
}

// A Python number has no type of its own, and a name is the source's: then the source is read.
std::shared_ptr<const Signature> PyKernel::signature_for(const py::tuple& values,
                                                         const py::dict& named) {
    py::object unclear = named.empty() ? py::object{} : py::object{py::none()};
    std::size_t place = values.size();
    for (std::size_t k = 0; k < values.size() && !unclear; ++k) {
        const py::handle value = values[k];
        if (!PyLong_Check(value.ptr()) && !PyFloat_CheckExact(value.ptr())) continue;
        unclear = py::reinterpret_borrow<py::object>(value);
        place = k;
    }
    if (!is_strict_ && !unclear) return sizes_;
    if (!types_read_) read_types();
    if (types_) return types_;
    if (is_strict_ || place == values.size()) return sizes_;
    throw py::type_error(fmt::format(
        "{}: parameter {} is of a type that is not known here: pass numpy.int32({}) or another "
        "NumPy scalar of the parameter's type instead of a Python number",
        origin_->name(), place, py::repr(unclear).cast<std::string>()));
}

PackedArguments PyKernel::pack(const py::tuple& values, const py::dict& named) {
    refresh();
    const auto known = signature_for(values, named);
    try {
        return {*known, values, named, parameters_};
    } catch (const py::type_error&) { // perhaps what was assumed is not so
        if (!types_assumed_) throw;
        read_types();
        const auto read = signature_for(values, named);
        return {*read, values, named, parameters_};
    }
}

// --- Launches

namespace {

/// With an App's array or texture among the values: on its stream, for which its frames wait.
std::optional<LaunchPlace> place_of(const py::tuple& values, const py::dict& named) {
    const auto of = [](py::handle value) -> std::optional<LaunchPlace> {
        if (is_gpu_array(value.ptr())) {
            const gpu::Array& array = self_of(value.ptr()).array;
            if (array.graphics()) return LaunchPlace{array.context(), array.graphics()->stream()};
        } else if (py::isinstance<Texture>(value)) {
            const FrameMap& map = value.cast<const Texture&>().map();
            return LaunchPlace{map.cuda(), map.stream()};
        }
        return {};
    };
    for (const py::handle value : values)
        if (const auto found = of(value)) return found;
    for (const auto& [name, value] : named)
        if (const auto found = of(value)) return found;
    return {};
}

/// In, Out and InOut among the values: what they do before and after a launch. Without a stream
/// they wait.
class HostCopies {
public:
    explicit HostCopies(const PyStream* stream)
        : on_{stream ? py::cast(stream, py::return_value_policy::reference) : py::none()} {}

    /// The value itself, or the device memory that stands for it.
    py::object replace(py::handle value) {
        auto same = py::reinterpret_borrow<py::object>(value);
        if (PyLong_CheckExact(value.ptr()) || PyFloat_CheckExact(value.ptr()) ||
            is_gpu_array(value.ptr()) || py::isinstance<DeviceAllocation>(value) ||
            !py::hasattr(value, "get_device_alloc"))
            return same;
        copies_.push_back(same);
        same.attr("pre_call")(on_);
        return same.attr("get_device_alloc")();
    }
    void finish() const {
        for (const py::object& each : copies_) each.attr("post_call")(on_);
    }

private:
    py::object on_;
    std::vector<py::object> copies_;
};

} // namespace

namespace {

gpu::LaunchedThreads threads_of(const LaunchRequest& request) {
    return {request.config.grid, request.config.block, request.elements};
}

/// Arrays that the kernel may write, for those who want to know an element's thread.
void note_written(const gpu::Kernel& kernel, const LaunchRequest& request,
                  const Signature& signature, const py::tuple& values, const py::dict& named) {
    if (!gpu::NotedLaunches::are_wanted()) return;
    std::vector<const gpu::Array*> written;
    for (std::size_t k = 0; k < signature.parameters.size(); ++k) {
        const ParameterInfo& p = signature.parameters[k];
        if (!is_written(signature, p)) continue;
        py::object value;
        if (k < values.size()) value = values[k];
        else if (named.contains(p.name)) value = named[py::str{p.name}];
        if (value && is_gpu_array(value.ptr())) written.push_back(&self_of(value.ptr()).array);
    }
    note_launch(kernel, threads_of(request), written, true);
}

} // namespace

std::optional<double> PyKernel::launch(LaunchRequest request, const py::tuple& values,
                                       const py::dict& named, const gpu::LaunchAttributes& more) {
    if (request.is_prepared && !prepared_)
        throw py::value_error(
            fmt::format("{} was not prepared: call prepare() first", origin_->name()));
    if (origin_->stamp().version == 0) return {};
    gpu::LaunchConfig& config = request.config;
    std::optional<LaunchPlace> place;
    if (request.stream) config.stream = request.stream->view();
    else if (!(place = origin_->place())) place = place_of(values, named);
    std::optional<gpu::CurrentContext> current;
    if (place) {
        current.emplace(place->context);
        config.stream = place->stream;
    } else {
        gpu::Context::ensure_current();
    }
    refresh();
    check_block(kernel_, config.block);
    if (request.is_prepared && !config.shared_bytes) config.shared_bytes = prepared_shared_bytes_;

    HostCopies copies{request.stream};
    py::tuple passed{values.size()};
    for (std::size_t k = 0; k < values.size(); ++k) passed[k] = copies.replace(values[k]);
    py::dict passed_named;
    for (const auto& [name, value] : named) passed_named[name] = copies.replace(value);
    const auto begin = [&] {
        if (request.is_timed) gpu::Context::current().synchronize();
        return std::chrono::steady_clock::now();
    }();
    const std::uint64_t parameters_version = parameters_ ? parameters_->version() : 0;
    PackedArguments packed = request.is_prepared
                                 ? PackedArguments{*prepared_, passed, passed_named, nullptr}
                                 : pack(passed, passed_named);
    StreamUse use{config.stream, true, passed};
    for (const auto& item : passed_named) use.add(item.second);
    if (module_) module_->update_references(config.stream);
    PyGraph* const graph = PyGraph::capturing();
    const std::shared_ptr<ObservedLaunch> observer = std::exchange(observer_, nullptr);
    if (observer && (graph || (module_ && module_->has_references())))
        throw py::value_error(
            fmt::format("{}: nobody can look into {}", origin_->name(),
                        graph ? "a launch that a graph records" : "code with texture references"));
    if (graph) {
        graph->keep(kept_version());
        graph->keep(passed);
        graph->keep(passed_named);
        if (module_ && module_->has_references()) {
            graph->keep(module_->kept_for_graph());
            graph->wait_at_end();
        }
    }
    if (!request.stream && !place && is_strict_) note_unwatched_launch();
    const gpu::Kernel kernel = kernel_; // another thread may swap it meanwhile
    const std::shared_ptr<const void> version = version_;
    origin_->begin_launch();
    try {
        const gpu::Module* const code = observer ? &origin_->code() : nullptr;
        LaunchWatch* const watch = observer || graph ? nullptr : origin_->watch();
        const GilRelease release;
        if (observer) observer->launch(*code, config, request.elements, more, packed.pointers());
        else if (watch) watch->launch(config, more, packed.pointers());
        else gpu::launch_untyped(kernel, config, more, packed.pointers());
    } catch (const gpu::Error& error) {
        if (!origin_->takes_fault(error)) throw;
    }
    if (types_ && is_strict_) note_written(kernel, request, *types_, values, named);
    if (!request.is_prepared) plan_.learn(values.size(), named, packed, parameters_version);
    std::optional<double> seconds;
    if (request.is_timed) {
        gpu::Context::current().synchronize();
        seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
    copies.finish();
    return seconds;
}

bool PyKernel::launch_plain(LaunchRequest& request, const GivenValues& values) {
    if (observer_) [[unlikely]]
        return false;
    if (recording) [[unlikely]]
        settle_thread();
    const KernelStamp now = origin_->stamp();
    if (now != stamp_ || now.version == 0 || (request.is_prepared && prepared_shared_bytes_))
        return false;
    gpu::LaunchConfig& config = request.config;
    CUcontext context = nullptr;
    gpu::driver().cuCtxGetCurrent(&context);
    if (!context || config.block.total() > most_threads_ || PyGraph::capturing()) return false;
    if (place_ && origin_->watch()) [[unlikely]]
        return false;
    if (place_ && !request.stream) {
        if (place_->context.get() != context) return false;
        config.stream = place_->stream;
    } else {
        config.stream = stream_of(request.stream);
    }
    if (module_ && module_->has_references()) return false;

    PlainLaunch launch{context, config.stream, !place_ && !request.stream};
    ArgumentPlan::Block block;
    ArgumentPlan& plan = request.is_prepared ? prepared_plan_ : plan_;
    if (!plan.pack(values, parameters_, launch, block)) return false;
    config.stream = launch.stream();
    if (launch.is_legacy() && is_strict_) note_unwatched_launch();
    std::optional<StreamUse> use; // after the GIL is back, as it was made before it went
    if (!launch.blocks().empty()) use.emplace(config.stream, launch.blocks());
    if (place_) origin_->begin_launch();
    if (!launch.written().empty() && is_strict_)
        note_launch(kernel_, threads_of(request), launch.written(), true);
    try {
        if (config.block == last_block_ && !is_python_in_streams()) [[likely]] {
            kernel_.launch(config, block.pointers.data());
            return true;
        }
        last_block_ = config.block;
        const gpu::Kernel kernel = kernel_;
        const std::shared_ptr<const void> version = version_;
        const GilRelease release; // code may be loaded or compiled now
        kernel.launch(config, block.pointers.data());
    } catch (const gpu::Error& error) {
        if (!origin_->takes_fault(error)) throw;
    }
    return true;
}

std::shared_ptr<ThreadTracer> PyKernel::trace_next(const gpu::Dim3& block,
                                                   const gpu::Dim3& thread) {
    const KernelStamp now = origin_->stamp();
    if (!traced_ || now != traced_stamp_) {
        traced_ = traced(*origin_);
        traced_stamp_ = now;
    }
    auto tracer = std::make_shared<ThreadTracer>(traced_, block, thread);
    observe_next(tracer);
    return tracer;
}

void PyKernel::set_parameters(const py::args& args) {
    PackedArguments packed = pack(args);
    const auto& known = kernel_.parameters();
    for (std::size_t k = 0; k < known.size(); ++k)
        state_.set(known[k].offset_bytes, packed.pointers()[k], known[k].bytes);
}

void PyKernel::prepare(const py::object& types, std::size_t shared_bytes) {
    refresh();
    const py::list parsed = py::module_::import("lathe.cuda.argument_types").attr("parse")(types);
    Signature signature;
    signature.kernel = origin_->name();
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
                                             signature.kernel, known.size(),
                                             signature.parameters.size()));
        for (std::size_t k = 0; k < known.size(); ++k)
            if (known[k].bytes != signature.parameters[k].bytes)
                throw py::type_error(fmt::format(
                    "{}: parameter {} has {} bytes, the type given to prepare() {}",
                    signature.kernel, k, known[k].bytes, signature.parameters[k].bytes));
    }
    prepared_plan_ = ArgumentPlan{signature, false};
    prepared_ = std::make_shared<const Signature>(std::move(signature));
    prepared_shared_bytes_ = shared_bytes;
}

} // namespace lathe::bind
