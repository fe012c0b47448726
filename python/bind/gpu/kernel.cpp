// SPDX-License-Identifier: MIT
#include "python/bind/gpu/kernel.h"

#include "engine/interop/frame_map.h"
#include "engine/live/build.h"
#include "gpu/compiler.h"
#include "gpu/context.h"
#include "gpu/driver/check.h"
#include "python/bind/array/gpu_array.h"
#include "python/bind/bind.h"
#include "python/bind/cuda/memory_pool.h"
#include "python/bind/gpu/signature.h"
#include "python/bind/interop/texture.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>
#include <chrono>
#include <limits>
#include <utility>

namespace lathe::bind {

gpu::Dim3 dim3_from(py::handle value, const char* what) {
    gpu::Dim3 out;
    const auto size = [&](py::handle item) {
        py::ssize_t n = 0;
        if (!PyIndex_Check(item.ptr()) || PyBool_Check(item.ptr()) ||
            ((n = PyNumber_AsSsize_t(item.ptr(), nullptr)) < 1) ||
            n > std::numeric_limits<int>::max()) {
            PyErr_Clear(); // of what is no integer after all
            throw py::value_error(
                fmt::format("{} must be one to three integers of at least 1, got {}", what,
                            py::repr(value).cast<std::string>()));
        }
        return unsigned(n);
    };
    if (!py::isinstance<py::tuple>(value) && !py::isinstance<py::list>(value)) {
        out.x = size(value);
        return out;
    }
    const auto items = py::reinterpret_borrow<py::sequence>(value);
    if (items.size() < 1 || items.size() > 3) (void)size(value);
    unsigned* axes[] = {&out.x, &out.y, &out.z};
    for (std::size_t i = 0; i < items.size(); ++i) *axes[i] = size(py::object(items[i]));
    return out;
}

PyKernel::PyKernel(std::shared_ptr<Studio> studio, KernelSlot& slot, std::string entry)
    : studio_{std::move(studio)}, slot_{&slot}, entry_{std::move(entry)} {}

std::shared_ptr<const LoadedKernels> FixedKernels::here() {
    const gpu::Context context = gpu::Context::ensure_current();
    for (const Loaded& each : loaded_)
        if (each.context == context) return each.kernels;
    KernelBuild build;
    {
        py::gil_scoped_release release;
        build = build_kernel(source_, Effort::full);
    }
    if (!build.loaded) {
        gpu::CompileResult failed;
        failed.log = build.log;
        failed.diagnostics = build.diagnostics;
        throw gpu::CompileError{failed};
    }
    std::erase_if(loaded_, [](const Loaded& each) { return !each.context.is_alive(); });
    loaded_.push_back({context, build.loaded});
    return build.loaded;
}

PyKernel::PyKernel(KernelSource source, const std::shared_ptr<PyKernel>& sibling)
    : entry_{source.entry} {
    fixed_ = sibling && sibling->fixed_ ? sibling->fixed_
                                        : std::make_shared<FixedKernels>(std::move(source));
    const auto version = fixed_->here();
    if (entry_.empty()) entry_ = version->first;
    (void)resolve();
}

std::shared_ptr<const LoadedKernels> PyKernel::loaded() const {
    return slot_ ? slot_->loaded() : fixed_->here();
}

gpu::Kernel PyKernel::resolve() {
    if (slot_) return entry_.empty() ? slot_->kernel() : slot_->kernel(entry_);
    const auto version = fixed_->here();
    const auto found = version->kernels.find(entry_);
    if (found == version->kernels.end()) {
        std::vector<std::string> names;
        for (const auto& [name, kernel] : version->kernels) names.push_back(name);
        throw Error{fmt::format("the source has no kernel '{}'; it has {}", entry_,
                                fmt::join(names, ", "))};
    }
    return found->second;
}

std::string PyKernel::name() const {
    if (!entry_.empty()) return entry_;
    const auto version = loaded();
    if (!version) return {};
    return version->source.entry.empty() ? version->first : version->source.entry;
}

void PyKernel::read_signature(const LoadedKernels& version, const gpu::Kernel& kernel) {
    const std::string entry = name();
    std::optional<Signature> read;
    {
        py::gil_scoped_release release;
        read = signature_from_source(version.source, entry);
    }
    if (read && fits(*read, kernel)) {
        signature_ = std::move(*read);
    } else {
        signature_ = signature_from_sizes(kernel);
        signature_.kernel = entry;
    }
}

const Signature& PyKernel::signature() {
    if (fixed_ && signature_of_) return signature_; // the same in all contexts
    const auto version = loaded();
    if (!version || version == signature_of_) return signature_;
    const gpu::Kernel kernel = resolve();
    // Most edits leave the parameters as they are. The frame then does not wait for a reading;
    // the slot says when its own, on another thread, found other names.
    const std::uint64_t seen = slot_ ? slot_->parameters_version() : 0;
    if (!slot_ || !signature_.named || seen != parameters_version_ || !fits(signature_, kernel)) {
        read_signature(*version, kernel);
        signature_of_ = version;
        parameters_version_ = seen;
    }
    return signature_;
}

PackedArguments PyKernel::pack(const py::args& args, const py::kwargs& kwargs) {
    ParameterSet* parameters = studio_ ? &studio_->parameters() : nullptr;
    const Signature& known = signature();
    if (fixed_ || signature_of_ == loaded()) return {known, args, kwargs, parameters};
    try {
        return {known, args, kwargs, parameters};
    } catch (const py::type_error&) { // perhaps what is known is no longer so
        signature_of_ = nullptr;
        signature_.named = false;
        return {signature(), args, kwargs, parameters};
    }
}

namespace {

std::atomic<bool> unwatched_launches{false};

/// Where a launch runs.
struct Place {
    gpu::Context context;
    gpu::StreamView stream;
};

/// With an App's array or texture among the arguments: on its stream, for which its frames wait.
std::optional<Place> place_of(const py::args& args, const py::kwargs& kwargs) {
    const auto of = [](py::handle value) -> std::optional<Place> {
        if (is_gpu_array(value.ptr())) {
            const gpu::Array& array = self_of(value.ptr()).array;
            if (array.graphics()) return Place{array.context(), array.graphics()->stream()};
        } else if (py::isinstance<Texture>(value)) {
            const FrameMap& map = value.cast<const Texture&>().map();
            return Place{map.cuda(), map.stream()};
        }
        return {};
    };
    for (const py::handle value : args)
        if (const auto found = of(value)) return found;
    for (const auto& [name, value] : kwargs)
        if (const auto found = of(value)) return found;
    return {};
}

} // namespace

void look_after_launches(bool wait) {
    if (!unwatched_launches.exchange(false)) return;
    const gpu::StreamView stream = gpu::StreamView::legacy();
    gpu::Context::ensure_current();
    if (!wait && !stream.wait_for(std::chrono::nanoseconds{0})) {
        unwatched_launches = true; // another time
        return;
    }
    stream.synchronize();
}

void wait_for_kernels(const gpu::Array& array) {
    gpu::Context::ensure_current();
    if (array.graphics()) return array.graphics()->wait();
    if (!unwatched_launches) return;
    const auto all = gpu::StreamView::legacy();
    while (!all.wait_for(std::chrono::milliseconds{50})) {
        try {
            raise_interrupt();
        } catch (...) {
            all.cancel();
            throw;
        }
    }
    all.synchronize();
}

bool PyKernel::launch(gpu::Dim3 grid, gpu::Dim3 block, std::size_t shared_bytes,
                      const py::args& args, const py::kwargs& kwargs) {
    const bool windowed = slot_ && !studio_->config().headless.value_or(false);
    if (windowed && !slot_->ready()) return false;
    std::optional<Place> place;
    if (studio_) place = Place{studio_->frame_map()->cuda(), studio_->stream()};
    else place = place_of(args, kwargs);
    std::optional<gpu::CurrentContext> where; // of the App's stream
    if (place) where.emplace(place->context);
    const gpu::Kernel kernel = resolve();
    PackedArguments packed = pack(args, kwargs);
    const gpu::LaunchConfig config{grid, block, shared_bytes,
                                   place ? place->stream : gpu::StreamView::legacy()};
    if (!place) unwatched_launches = true;
    StreamUse use{config.stream, true, args};
    for (const auto& item : kwargs) use.add(item.second);
    try {
        py::gil_scoped_release release;
        kernel.launch(config, packed.pointers());
    } catch (const gpu::Error& error) {
        if (slot_ && studio_->report_fault(error)) return false;
        throw;
    }
    return true;
}

namespace {

using KernelPointer = std::shared_ptr<PyKernel>;

Launcher launcher_of(const KernelPointer& kernel, const py::object& index) {
    if (!py::isinstance<py::tuple>(index) || py::len(index) < 2 || py::len(index) > 3)
        throw py::type_error(
            fmt::format("{0}[grid, block] or {0}[grid, block, shared_bytes], got {0}[{1}]",
                        kernel->entry(), py::repr(index).cast<std::string>()));
    const auto parts = index.cast<py::tuple>();
    return {kernel, dim3_from(parts[0], "grid"), dim3_from(parts[1], "block"),
            parts.size() == 3 ? parts[2].cast<std::size_t>() : 0};
}

// The launch that covers a shape in NumPy's order, rows before columns.
Launcher launcher_over(const KernelPointer& kernel, const py::object& shape,
                       const py::object& block, std::size_t shared_bytes) {
    py::tuple sizes = py::isinstance<py::tuple>(shape) || py::isinstance<py::list>(shape)
                          ? py::tuple(shape)
                          : py::make_tuple(shape);
    const auto elements =
        dim3_from(sizes[py::slice(py::none(), py::none(), py::int_(-1))], "shape");
    const gpu::Dim3 threads =
        block.is_none() ? gpu::usual_block(sizes.size()) : dim3_from(block, "block");
    return {kernel, gpu::blocks_for(elements, threads), threads, shared_bytes};
}

} // namespace

void bind_kernel(py::module_& m) {
    py::class_<Launcher>(m, "Launcher", "kernel[grid, block]: call it with the arguments.")
        .def(
            "__call__",
            [](const Launcher& l, const py::args& args, const py::kwargs& kwargs) {
                return l.kernel->launch(l.grid, l.block, l.shared_bytes, args, kwargs);
            },
            "Launches on the App's stream and returns at once. Parameters that are not given are\n"
            "taken from the sliders of their name. Raises TypeError or ValueError naming the\n"
            "parameter, LogicError where the driver refuses the launch.");

    py::class_<PyKernel, KernelPointer>(
        m, "Kernel",
        "A CUDA kernel: kernel[grid, block](a, b, n). Get one from App.kernel or lathe.kernel.")
        .def("__getitem__", &launcher_of, py::arg("index"),
             "[grid, block] or [grid, block, shared_bytes]; grid counts blocks, both are x, y, z.")
        .def("over", &launcher_over, py::arg("shape"), py::arg("block") = py::none(),
             py::arg("shared_bytes") = 0,
             "The launch with a thread for each element of `shape`, which is in NumPy's order:\n"
             "the last size runs along x. `block` is x, y, z; 256, (16, 16) or (8, 8, 4) unless "
             "given.")
        .def(
            "sibling",
            [](const KernelPointer& k, const std::string& name) {
                if (k->slot()) {
                    auto made = std::make_shared<PyKernel>(k->studio(), *k->slot(), name);
                    if (k->slot()->ready()) (void)made->resolve();
                    return made;
                }
                return [&] {
                    KernelSource source;
                    source.entry = name;
                    return std::make_shared<PyKernel>(std::move(source), k);
                }();
            },
            py::arg("name"), "Another kernel of the same source.")
        .def_property_readonly("name", &PyKernel::name,
                               "Of the function, as the source spells it; '' while none compiles.")
        .def_property_readonly(
            "parameters",
            [](PyKernel& k) {
                py::list out;
                for (const auto& p : k.signature().parameters)
                    out.append(py::make_tuple(p.name, p.type_name));
                return out;
            },
            "List of (name, type) as the source declares them.")
        .def_property_readonly(
            "registers", [](PyKernel& k) { return k.resolve().registers_per_thread(); },
            "Registers a thread uses.")
        .def_property_readonly("max_threads_per_block",
                               [](PyKernel& k) { return k.resolve().max_threads_per_block(); })
        .def_property_readonly(
            "slot", [](PyKernel& k) { return k.slot(); },
            py::return_value_policy::reference_internal, "The slot of a live kernel, else None.")
        .def("__repr__",
             [](PyKernel& k) { return fmt::format("<lathe.Kernel {}>", to_text(k.signature())); });

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
            KernelSource wanted;
            wanted.text = std::move(source);
            wanted.name = std::move(name);
            wanted.entry = std::move(entry);
            wanted.options = std::move(options);
            wanted.include_directories = std::move(include_directories);
            return std::make_shared<PyKernel>(std::move(wanted));
        },
        py::arg("source"), py::arg("entry") = "", py::arg("options") = std::vector<std::string>{},
        py::arg("name") = "kernel.cu",
        py::arg("include_directories") = std::vector<std::filesystem::path>{},
        "Compiles and loads; blocks. The first kernel unless `entry` names another.");
}

} // namespace lathe::bind
