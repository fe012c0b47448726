// SPDX-License-Identifier: MIT
// Loaded code: a Module owns PTX or CUBIN that the driver has loaded, a Kernel names one entry of
// it together with what is known about its parameters.
#pragma once

#include "engine/core/api.h"
#include "engine/core/handle.h"
#include "gpu/context.h"
#include "gpu/gpu.h"
#include "gpu/memory.h"

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::gpu {

/// Place of one kernel parameter in the parameter block.
struct KernelParameter {
    std::size_t offset_bytes = 0;
    std::size_t bytes = 0;
    bool operator==(const KernelParameter&) const = default;
};

/// An entry of a module. A cheap copyable value; valid while its Module lives.
class LATHE_API Kernel {
public:
    Kernel() = default; ///< empty
    /// Borrows; `name` is used in messages. Asks the driver for the parameters.
    static Kernel wrap(CUfunction function, std::string name);

    CUfunction get() const noexcept { return function_; }
    explicit operator bool() const noexcept { return function_ != nullptr; }
    const std::string& name() const noexcept;

    /// False where the driver cannot say (before CUDA 12.4): then launches are not checked.
    bool parameters_known() const noexcept;
    /// In the order of the source; empty where they are not known.
    const std::vector<KernelParameter>& parameters() const noexcept;

    int attribute(CUfunction_attribute which) const;
    /// Such as CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES beyond the default 48 KiB.
    void set_attribute(CUfunction_attribute which, int value) const;
    int max_threads_per_block() const;
    std::size_t static_shared_bytes() const;
    int registers_per_thread() const;
    /// Loads now what the driver would load at the first launch. (cuFuncLoad, from CUDA 12.4 on)
    void load() const;
    /// Blocks of this size that one multiprocessor can run at once.
    int max_active_blocks(int threads_per_block, std::size_t shared_bytes = 0) const;

    /// Untyped launch: one pointer to each argument, as many as the kernel has parameters.
    /// Asynchronous on config.stream; the values are copied before it returns. (cuLaunchKernel)
    void launch(const LaunchConfig& config, void** arguments) const;

private:
    struct Info {
        std::string name;
        bool parameters_known = false;
        std::vector<KernelParameter> parameters;
    };

    CUfunction function_ = nullptr;
    std::shared_ptr<const Info> info_;
};

namespace detail {
struct LATHE_API ModuleTraits {
    using Type = InContext<CUmodule>;
    static constexpr Type null{};
    static void destroy(Type module) noexcept;
};
} // namespace detail

/// While it lives, modules that this thread loads get their best code at once, for a caller who has
/// something to run meanwhile. Else the software device begins with code that is compiled sooner.
class LATHE_API BestCodeScope {
public:
    BestCodeScope();
    ~BestCodeScope();
    BestCodeScope(const BestCodeScope&) = delete;
    BestCodeScope& operator=(const BestCodeScope&) = delete;
};

/// An option of the driver's compiler and linker with its value, an int or a float's bits.
struct JitOption {
    CUjit_option option{};
    std::uintptr_t value = 0;
};

/// What the driver's compiler and linker say.
struct JitLog {
    std::string info;
    std::string error;
};

class LATHE_API Module {
public:
    Module() = default; ///< empty
    /// Loads PTX text or a CUBIN into the current context. Synchronous; safe on any thread.
    /// Throws gpu::Error with the linker's or JIT's words. (cuModuleLoadDataEx)
    explicit Module(std::span<const std::byte> image);
    explicit Module(std::string_view ptx);
    /// The same with options, and with what was said in `log`, also where it throws. Options that
    /// are buffers are refused with gpu::Error.
    Module(std::span<const std::byte> image, std::span<const JitOption> options, JitLog& log);
    /// Throws CompileError where `result` is not ok.
    explicit Module(const CompileResult& result);
    static Module wrap(CUmodule module) noexcept;

    CUmodule get() const noexcept { return handle_.get().value; }
    explicit operator bool() const noexcept { return static_cast<bool>(handle_); }
    [[nodiscard]] CUmodule release() noexcept { return handle_.release().value; }

    /// The entry with this (lowered) name; throws gpu::Error, naming those that exist, where there
    /// is none.
    Kernel kernel(const std::string& name) const;
    std::optional<Kernel> find_kernel(const std::string& name) const;
    /// Names of all entries, in the module's order; empty where the driver cannot list them.
    std::vector<std::string> kernel_names() const;
    /// A __device__ or __constant__ variable. Throws gpu::Error where there is none.
    DeviceSpan<std::byte> global(const std::string& name) const;
    std::optional<DeviceSpan<std::byte>> find_global(const std::string& name) const;

private:
    void load(const std::string& image, std::span<const JitOption> options, JitLog& log);
    Handle<detail::ModuleTraits> handle_;
};

} // namespace lathe::gpu
