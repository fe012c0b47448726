// SPDX-License-Identifier: MIT
// A kernel as Python calls it: kernel[grid, block, shared_bytes](arguments). Either a slot of an
// App that is edited while it runs, or a version that stays as it was compiled.
#pragma once

#include "engine/live/kernel_slot.h"
#include "engine/ui/studio.h"
#include "gpu/array/array.h"
#include "gpu/launch.h"
#include "python/bind/gpu/arguments.h"

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace lathe::bind {

/// One source, loaded in each context that a launch comes from.
class FixedKernels {
public:
    explicit FixedKernels(KernelSource source) : source_{std::move(source)} {}

    /// That of the calling thread's context; compiles and loads it the first time, without the GIL.
    /// Throws CompileError.
    std::shared_ptr<const LoadedKernels> here();

private:
    struct Loaded {
        gpu::Context context;
        std::shared_ptr<const LoadedKernels> kernels;
    };
    KernelSource source_;
    std::vector<Loaded> loaded_; ///< under the GIL
};

class PyKernel {
public:
    /// Live: the slot's running version at each launch.
    PyKernel(std::shared_ptr<Studio> studio, KernelSlot& slot, std::string entry);
    /// Compiled here, and once more in each other context that launches it; throws CompileError.
    PyKernel(KernelSource source, const std::shared_ptr<PyKernel>& sibling = nullptr);

    const std::string& entry() const { return entry_; }
    /// The entry, or the kernel that is taken for an empty one.
    std::string name() const;
    KernelSlot* slot() const { return slot_; }
    std::shared_ptr<Studio> studio() const { return studio_; }
    /// Names and types, read again where the running version changed.
    const Signature& signature();
    gpu::Kernel resolve();

    /// Asynchronous on the App's stream (without an App on the legacy default stream). A fault of a
    /// live kernel goes to its slot, which rolls back; False then. Nothing is launched, and False
    /// returned, while a live kernel of a windowed App has no version that compiles.
    bool launch(gpu::Dim3 grid, gpu::Dim3 block, std::size_t shared_bytes, const py::args& args,
                const py::kwargs& kwargs);

private:
    std::shared_ptr<const LoadedKernels> loaded() const;
    PackedArguments pack(const py::args& args, const py::kwargs& kwargs);
    void read_signature(const LoadedKernels& loaded, const gpu::Kernel& kernel);

    std::shared_ptr<Studio> studio_;
    KernelSlot* slot_ = nullptr;
    std::shared_ptr<FixedKernels> fixed_;
    std::string entry_;
    Signature signature_;
    std::shared_ptr<const LoadedKernels> signature_of_; ///< the version it was read from
    std::uint64_t parameters_version_ = 0;
};

/// Launches that belong to no App are waited for by nobody: throws their error, once they are done
/// or, with `wait`, after waiting for them.
void look_after_launches(bool wait);
/// Before the host copies an array: waits for the kernels that may write it, so that Ctrl+C ends
/// the wait. A copy alone would wait where no signal reaches.
void wait_for_kernels(const gpu::Array& array);

/// kernel[grid, block]: a launch whose arguments are still to come.
struct Launcher {
    std::shared_ptr<PyKernel> kernel;
    gpu::Dim3 grid, block;
    std::size_t shared_bytes = 0;
};

/// An int or a tuple of one to three ints, each at least 1.
gpu::Dim3 dim3_from(py::handle value, const char* what);

} // namespace lathe::bind
