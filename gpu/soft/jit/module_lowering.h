// SPDX-License-Identifier: MIT
// One LLVM module: a kernel (or one .func asked for by address) with every function it reaches.
#pragma once

#include "gpu/soft/jit/compiler.h"
#include "gpu/soft/jit/module_facts.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <map>
#include <memory>
#include <set>
#include <string>

namespace lathe::soft::jit {

class DebugInfo;
namespace warp {
struct ShapeOptions;
}

class ModuleLowering {
public:
    ModuleLowering(llvm::LLVMContext& llvm_context, const ptx::Module& ptx_module,
                   const ModuleFacts& module_facts, const CompiledModule::Resolve& resolve_symbol,
                   const llvm::DataLayout& layout,
                   const warp::ShapeOptions* warp_options = nullptr);
    ~ModuleLowering();

    /// Lowers a kernel: makes `entry.<name>` and, where it needs no fibers, `block.<name>`. With
    /// warp options it makes `warp.<name>` instead, and leaves `body` for warp::widen.
    void lower_kernel(const ptx::Function& kernel, const KernelFacts& kernel_facts);
    /// Lowers a .func as `func.<name>`, visible from outside.
    void lower_device_function(const ptx::Function& source);

    /// A variable or function of other code, whose address is only known when linking. Throws
    /// lathe::Error where nothing defines it.
    llvm::Constant* external(const std::string& name);
    /// The names given to external().
    const std::set<std::string>& externals() const { return externals_; }
    /// How an external is called in LLVM code: apart from our own functions.
    static std::string external_name(const std::string& name) { return "sym." + name; }

    /// The LLVM function of a .func; a body is lowered later where PTX has one. Null: unknown name.
    llvm::Function* device_function(const std::string& name);
    llvm::FunctionType* device_function_type();
    const SharedLayout& shared() const { return *shared_; }
    std::unique_ptr<llvm::Module> take() { return std::move(llvm); }

    llvm::LLVMContext& context;
    const ptx::Module& ptx;
    const ModuleFacts& facts;
    const CompiledModule::Resolve& resolve;
    const warp::ShapeOptions* warp; ///< null: one thread at a time
    bool watches = false;           ///< its code is watched
    bool is_quick = false;          ///< Effort::quick
    bool flushes = false;           ///< the kernel's KernelInfo::flushes
    /// With warp options: what will be widened, into what, and what calls that.
    llvm::Function *warp_body = nullptr, *warp_wide = nullptr, *warp_loop = nullptr;
    std::unique_ptr<llvm::Module> llvm;
    std::unique_ptr<DebugInfo> debug;

private:
    void lower_pending();
    llvm::Function* make(const std::string& name, llvm::FunctionType* type,
                         llvm::GlobalValue::LinkageTypes linkage);
    void make_entry(const KernelInfo& info, llvm::Function* body);
    void make_warp_function(const KernelFacts& kernel_facts);
    void make_block_loop(const KernelInfo& info, llvm::Function* body);

    std::map<std::string, llvm::Function*> functions_;
    std::set<std::string> externals_;
    std::vector<std::pair<const ptx::Function*, llvm::Function*>> pending_;
    const SharedLayout* shared_ = nullptr;
};

} // namespace lathe::soft::jit
