// SPDX-License-Identifier: MIT
// Modules: PTX text, its variables in device memory, its kernels.
#pragma once

#include "gpu/ptx/ast.h"
#include "gpu/soft/drv/context.h"
#include "gpu/soft/jit/compiler.h"

#include <map>
#include <mutex>
#include <string_view>

namespace lathe::soft {

class Module;

/// What can be set for a function. Any thread may change it while others launch.
struct FunctionSettings {
    std::atomic<std::size_t> max_dynamic_shared{48u << 10};            ///< may be raised to 64 KiB
    std::atomic<int> carveout{-1};                                     ///< kept, without effect
    std::atomic<CUfunc_cache> cache_config{CU_FUNC_CACHE_PREFER_NONE}; ///< the same

    void assign(const FunctionSettings& other);
    /// Fails with CUDA_ERROR_INVALID_VALUE.
    void set(const KernelInfo& info, CUfunction_attribute attribute, int value);
    void set_cache_config(CUfunc_cache config); ///< the same
};

/// The value of an attribute of a kernel; fails with CUDA_ERROR_INVALID_VALUE.
int function_attribute(const KernelInfo& info, const FunctionSettings& settings,
                       const ptx::Module& module, CUfunction_attribute attribute);

/// A kernel: what a CUfunction stands for.
struct Function {
    const Context* context = nullptr;
    std::shared_ptr<Module> module;
    const KernelInfo* info = nullptr;
    /// The code for blocks of this size; compiled when first asked for. The last one is kept.
    KernelCode code(const std::uint32_t block[3], Instruments instruments);
    /// The same before a launch tells the size: as a kernel of this name was last launched.
    KernelCode code_ahead(Instruments instruments);
    /// The best code by now for blocks as it was last launched with, without instruments; empty
    /// where nothing has asked for code yet.
    KernelCode plain_code();
    FunctionSettings settings;
    /// What the launches of CUDA 3 and before keep here: cuFuncSetBlockShape, cuParamSet...
    struct {
        std::mutex mutex;
        unsigned block[3] = {1, 1, 1}, shared_bytes = 0;
        std::vector<std::uint8_t> params;
    } old_style;

private:
    KernelCode compile(const std::uint32_t block[3], Instruments instruments);

    std::mutex mutex_;
    KernelCode code_;
    std::uint32_t block_[3] = {0, 0, 0};
    Instruments instruments_;
};

/// Whether all kernels are compiled with their module: CUDA_MODULE_LOADING=EAGER at the first
/// cuInit.
bool loads_eagerly() noexcept;

struct DeviceKernel;

class Module : public std::enable_shared_from_this<Module> {
public:
    /// Fails with CUDA_ERROR_INVALID_PTX and the parser's words, which name the PTX line.
    static std::shared_ptr<const ptx::Module> parse(std::string_view ptx);
    /// Prepares PTX. Fails with CUDA_ERROR_INVALID_PTX and the compiler's words, which name the
    /// PTX line. Small modules are compiled at once, so that what cannot be compiled is told here;
    /// kernels of large ones on their first use.
    static std::shared_ptr<Module> load(const Context& context,
                                        std::shared_ptr<const ptx::Module> ptx);
    ~Module();
    /// Above 0: modules that this thread loads are compiled by vectors at once, unless large.
    static thread_local int wants_best_code;

    /// The function object of a kernel, the same for the same name; null where there is none.
    /// `is_new` says whether this call made it.
    Function* function(std::string_view name, bool* is_new = nullptr);
    std::vector<Function*> functions();

    struct Variable {
        void* address = nullptr;
        std::size_t bytes = 0;
    };
    /// A module-scope variable of global or constant memory; made and initialised when first
    /// asked for. Null address: there is none.
    Variable variable(std::string_view name);

    const std::shared_ptr<CompiledModule>& code() const { return code_; }
    KernelCode compile(const KernelInfo& kernel, const std::uint32_t block[3],
                       Instruments instruments);
    const ptx::Module& ptx() const { return *ast_; }

    const Context* context = nullptr;
    bool of_library = false;                       ///< unloaded with its library only
    const Order order = Order::from_environment(); ///< of all launches of its kernels

private:
    void* resolve(std::string_view symbol);
    DeviceKernel* device_kernel(std::string_view name);
    void initialise(const ptx::Variable& source, std::uint8_t* memory);

    std::shared_ptr<const ptx::Module> ast_;
    std::shared_ptr<CompiledModule> code_;
    /// Taken before the compiler's own lock; recursive, because compiling asks for symbols.
    std::recursive_mutex mutex_;
    std::map<std::string, Variable, std::less<>> variables_;
    std::map<std::string, Function*, std::less<>> functions_;
    std::map<std::string, std::shared_ptr<DeviceKernel>, std::less<>> device_kernels_;
};

/// Ends a module: waits for its context's work, then its handle and those of its functions are
/// invalid.
void unload(const std::shared_ptr<Module>& module);

} // namespace lathe::soft
