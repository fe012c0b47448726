// SPDX-License-Identifier: MIT
// A kernel as Python calls it, wherever it comes from: kernel[grid, block](a, n),
// kernel.over(shape)(a, n), kernel(a, n, block=(256, 1, 1), grid=(8, 1)).
#pragma once

#include "gpu/launch.h"
#include "gpu/launch_attributes.h"
#include "python/bind/cuda/stream.h"
#include "python/bind/kernel/argument_plan.h"
#include "python/bind/kernel/launch_shape.h"
#include "python/bind/kernel/observed_launch.h"
#include "python/bind/kernel/origin.h"
#include "python/bind/kernel/stateful_launch.h"
#include "python/bind/kernel/thread_tracer.h"

#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <string>

namespace lathe::bind {

/// How a launch runs, but for its values.
struct LaunchRequest {
    gpu::LaunchConfig config;
    gpu::Dim3 elements{0, 0, 0};      ///< of Kernel.over(); {0, 0, 0}: not said
    const PyStream* stream = nullptr; ///< the caller's; null: config.stream is found here
    bool is_prepared = false;         ///< values as prepare() was told
    bool is_timed = false;            ///< waits before and after
};

class PyKernel {
public:
    explicit PyKernel(std::unique_ptr<KernelOrigin> origin);

    KernelOrigin& origin() const { return *origin_; }
    std::string name() const { return origin_->name(); }
    /// Of the running version. Throws Error where there is none.
    const gpu::Kernel& kernel();
    /// An object that keeps its code loaded.
    py::object kept_version();
    /// Names and types of the parameters where the source says them, else their sizes.
    std::shared_ptr<const Signature> signature();
    /// Values checked and packed as a launch does.
    PackedArguments pack(const py::tuple& values, const py::dict& named = {});

    /// Asynchronous. Without a stream of the caller's: on the App's stream for live kernels and
    /// where an App's array or texture is among the values, else on the legacy default stream.
    /// Parameters without a value are those of the App of their name. Nothing is launched while a
    /// live kernel in a window has no version that compiles; the fault of a live kernel goes to its
    /// slot, which goes back to an older version. Throws TypeError or ValueError that names the
    /// parameter, gpu::Error where the driver refuses. Returns the seconds of one that is timed.
    std::optional<double> launch(LaunchRequest request, const py::tuple& values,
                                 const py::dict& named = {},
                                 const gpu::LaunchAttributes& more = {});
    /// The same where an ArgumentPlan can copy the values. False: launch() has to look at them, and
    /// nothing has happened.
    bool launch_plain(LaunchRequest& request, const GivenValues& values);

    /// `types`: struct characters ("PPf") or a sequence of data types. `shared_bytes`: dynamic
    /// shared memory of calls that name none.
    void prepare(const py::object& types, std::size_t shared_bytes);

    /// The next launch is made by what this returns, which follows one of its threads; that
    /// launch waits for the device. Compiles: throws CompileError, and Error where the source is
    /// not known.
    std::shared_ptr<ThreadTracer> trace_next(const gpu::Dim3& block, const gpu::Dim3& thread);
    /// The next launch is made by `observer`; null: as usual.
    void observe_next(std::shared_ptr<ObservedLaunch> observer) { observer_ = std::move(observer); }

    /// All parameters of state().
    void set_parameters(const py::args& args);
    StatefulLaunch& state() { return state_; }
    KnownShape& known_grid() { return known_grid_; }
    KnownShape& known_block() { return known_block_; }

private:
    void refresh();
    /// What launches with these values are checked against.
    std::shared_ptr<const Signature> signature_for(const py::tuple& values, const py::dict& named);
    void read_types();
    void make_plan();

    std::unique_ptr<KernelOrigin> origin_;
    LoadedModule* module_;     ///< the origin's
    ParameterSet* parameters_; ///< the origin's
    bool is_strict_;           ///< the origin

    // The version that was launched last.
    KernelStamp stamp_;
    gpu::Kernel kernel_;
    std::shared_ptr<const void> version_;
    std::optional<LaunchPlace> place_;
    std::size_t most_threads_ = 0; ///< of a block
    gpu::Dim3 last_block_{0, 0, 0};

    std::shared_ptr<const Signature> sizes_;
    std::shared_ptr<const Signature> types_; ///< null: not read, or the source does not say
    bool types_read_ = false;
    bool types_assumed_ = false; ///< of the version before, whose parameters have the same sizes
    ArgumentPlan plan_;

    std::shared_ptr<const Signature> prepared_;
    std::size_t prepared_shared_bytes_ = 0;
    ArgumentPlan prepared_plan_;

    KnownShape known_grid_, known_block_;
    StatefulLaunch state_;

    std::shared_ptr<ObservedLaunch> observer_; ///< of the next launch; mostly null
    std::shared_ptr<Traced> traced_;
    KernelStamp traced_stamp_; ///< of the version that it follows
};

} // namespace lathe::bind
