// SPDX-License-Identifier: MIT
// Kernels, as PyCUDA's driver module calls them.
#pragma once

#include "gpu/launch_attributes.h"
#include "python/bind/cuda/argument_plan.h"
#include "python/bind/cuda/module.h"
#include "python/bind/cuda/stateful_launch.h"
#include "python/bind/cuda/stream.h"
#include "python/bind/gpu/arguments.h"

#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <span>
#include <string>

namespace lathe::bind {

/// The last tuple that was read as a grid or block: loops give the same one each time.
struct KnownShape {
    py::object tuple;
    gpu::Dim3 shape;
};

/// One kernel of a module: called with block=, grid=, stream=, shared=.
class PyFunction {
public:
    PyFunction(std::shared_ptr<LoadedModule> module, const std::string& name);

    const std::string& name() const { return name_; }
    const gpu::Kernel& kernel() const { return kernel_; }
    std::shared_ptr<LoadedModule> module() const { return module_; }
    /// Launches with values checked against the kernel's parameters; None, or seconds of the host's
    /// clock with `time_kernel`.
    py::object call(const py::args& args, const py::object& block, const py::object& grid,
                    const PyStream* stream, std::size_t shared, bool time_kernel,
                    bool cooperative = false, const py::object& cluster = py::none(),
                    const gpu::LaunchAttributes& more = {});
    /// `types`: struct characters ("PPf") or a sequence of data types. `shared_bytes`: dynamic
    /// shared memory of calls that name none.
    void prepare(const py::object& types, std::size_t shared_bytes);
    void prepared_call(const py::object& grid, const py::object& block, gpu::StreamView stream,
                       const py::args& args, std::size_t shared_bytes);
    /// Launches values that an ArgumentPlan can copy. False where call() or prepared_call() must
    /// look at them: then nothing has happened.
    bool launch_plain(bool prepared, const gpu::LaunchConfig& config,
                      std::span<PyObject* const> values);
    /// All parameters of state().
    void set_parameters(const py::args& args);
    KnownShape& known_grid() { return known_grid_; }
    KnownShape& known_block() { return known_block_; }
    StatefulLaunch& state() { return state_; }
    const StatefulLaunch& state() const { return state_; }
    /// The values checked and packed as a call does.
    PackedArguments pack(const py::tuple& values);

private:
    const Signature& signature_for(const py::tuple& values);
    void launch(const gpu::LaunchConfig& config, const Signature& signature,
                const py::tuple& values, const gpu::LaunchAttributes& more = {}) const;

    std::shared_ptr<LoadedModule> module_;
    std::string name_;
    gpu::Kernel kernel_;
    Signature sizes_;
    std::optional<Signature> typed_;
    bool types_asked_ = false;
    std::optional<Signature> prepared_;
    std::size_t prepared_shared_bytes_ = 0;
    ArgumentPlan plan_, prepared_plan_;
    std::size_t most_threads_; ///< of a block
    gpu::Dim3 last_block_{0, 0, 0};
    KnownShape known_grid_, known_block_;
    StatefulLaunch state_;
};

} // namespace lathe::bind
