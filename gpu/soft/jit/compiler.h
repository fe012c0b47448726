// SPDX-License-Identifier: MIT
// PTX tree to machine code, in two modes: one thread at a time (the scalar mode, the oracle of the
// other), and warps, threads side by side in vectors. LLVM is not seen above this folder.
#pragma once

#include "gpu/ptx/ast.h"
#include "gpu/soft/rt/code.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::soft {

/// How kernels are to be run.
struct ExecutionMode {
    bool by_warps = false;   ///< kernels that cannot fall back to single threads
    std::uint32_t width = 0; ///< lanes of a warp function, 8, 16 or 32; 0: what suits
    /// The best code from the first launch on. Else single threads run, by code that is compiled in
    /// a fraction of the time, until the best is there.
    bool at_once = true;
    /// Every access is compared with what it may touch. Else pages without access around
    /// allocations have to do.
    bool exact_checks = true;
    /// LATHE_SOFT_MODE=scalar|warp, LATHE_SOFT_WIDTH=8|16|32 and LATHE_SOFT_CHECKS=exact|pages;
    /// by warps, not at once and exact unless told; at once where a mode is, or LATHE_SOFT_ORDER.
    static ExecutionMode from_environment();
};

/// A loaded module's code. Kernels are compiled when first asked for; thread-safe.
class CompiledModule : public ModuleCode {
public:
    /// Resolves a module-scope variable or external function (a DeviceFunction) to its address;
    /// null: unknown. Asked while a kernel is compiled, for what that kernel uses; the addresses
    /// stay in its code.
    using Resolve = std::function<void*(std::string_view symbol)>;

    /// `module` is kept. Throws lathe::Error naming PTX line and instruction where something
    /// cannot be lowered (also later, from entry()).
    static std::shared_ptr<CompiledModule>
    create(std::shared_ptr<const ptx::Module> module, Resolve resolve,
           ExecutionMode mode = ExecutionMode::from_environment());

    /// The kernels of the module, in PTX order.
    virtual const std::vector<KernelInfo>& kernels() const = 0;
    /// The code that the mode asks for, for blocks of this size; compiles it on first use. Where
    /// the mode is not at_once, quickly made code of single threads that names the better one to
    /// come.
    /// Code that counts or is watched comes by warps of 32 threads where it can, at once, whatever
    /// the mode is.
    virtual KernelCode code(std::string_view kernel, const std::uint32_t block[3],
                            Instruments instruments = {}) = 0;
    /// Address of a .func, for the initialisers of variables that hold function pointers and for
    /// the externs of other modules; null where the module does not define it.
    virtual DeviceFunction device_function(std::string_view name) = 0;
    /// All functions that were compiled together with the one at `pc`; empty where that is not code
    /// of this module. Takes a millisecond for some hundred rows.
    virtual std::vector<CodeRow> listing(std::uintptr_t pc) const = 0;
};

} // namespace lathe::soft
