// SPDX-License-Identifier: MIT
// Modules and functions, as PyCUDA's driver module has them.
#pragma once

#include "engine/live/kernel_build.h"
#include "gpu/launch.h"
#include "python/bind/cuda/stream.h"
#include "python/bind/gpu/arguments.h"

#include <pybind11/pybind11.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace lathe::bind {

/// Loaded code, and the source where it was compiled here: types of parameters and instances of
/// templates are looked up in it when they are asked for.
class LoadedModule {
public:
    explicit LoadedModule(gpu::Module module) : module_{std::move(module)} {}
    explicit LoadedModule(KernelSource source);

    /// Also "scale<float>" where the source is known: compiled for it once more.
    gpu::Kernel kernel(const std::string& name);
    gpu::DeviceSpan<std::byte> global(const std::string& name) const { return module_.global(name); }
    std::optional<Signature> signature(const std::string& name) const;

private:
    gpu::Module module_;
    std::optional<KernelSource> source_;
    std::map<std::string, gpu::Module> instances_; ///< of templates, by name
};

/// One kernel of a module: called with block=, grid=, stream=, shared=.
class PyFunction {
public:
    PyFunction(std::shared_ptr<LoadedModule> module, const std::string& name);

    const std::string& name() const { return name_; }
    const gpu::Kernel& kernel() const { return kernel_; }
    /// Launches with values checked against the kernel's parameters; None, or seconds of the host's
    /// clock with `time_kernel`.
    py::object call(const py::args& args, const py::object& block, const py::object& grid,
                    const PyStream* stream, std::size_t shared, bool time_kernel);
    /// `types`: struct characters ("PPf") or a sequence of data types.
    void prepare(const py::object& types);
    void prepared_call(const py::object& grid, const py::object& block, gpu::StreamView stream,
                       const py::args& args, std::size_t shared_bytes);

private:
    const Signature& signature_for(const py::tuple& values);
    void launch(const gpu::LaunchConfig& config, const Signature& signature,
                const py::tuple& values) const;

    std::shared_ptr<LoadedModule> module_;
    std::string name_;
    gpu::Kernel kernel_;
    Signature sizes_;
    std::optional<Signature> typed_;
    bool types_asked_ = false;
    std::optional<Signature> prepared_;
};

} // namespace lathe::bind
