// SPDX-License-Identifier: MIT
// Libraries: PTX that belongs to no context and becomes a module in each one that uses it.
#pragma once

#include "gpu/soft/drv/module.h"

namespace lathe::soft {

class Library;

/// A kernel of a library: what a CUkernel stands for. Launching it in a context takes that
/// context's function.
struct LibraryKernel {
    std::weak_ptr<Library> owner;
    const KernelInfo* info = nullptr; ///< as long as the library
    /// Fails with CUDA_ERROR_INVALID_HANDLE where the library is unloaded.
    std::shared_ptr<Library> library() const;
    /// What cuKernelSetAttribute set, for the functions of all contexts.
    FunctionSettings settings;
};

class Library : public std::enable_shared_from_this<Library> {
public:
    /// Parses the PTX. Fails with CUDA_ERROR_INVALID_PTX and the parser's words.
    static std::shared_ptr<Library> load(std::string_view ptx);
    /// The kernels' handles end with it; the modules it made live on in the hands of launches.
    Library() = default;
    ~Library();
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    /// The module in this context, loaded when first asked for.
    std::shared_ptr<Module> module(Context& context);
    /// The function of a kernel in this context, with the kernel's settings.
    std::shared_ptr<Function> function(Context& context, const LibraryKernel& kernel);
    const ptx::Module& ptx() const { return *ast_; }
    /// Modules that were made and are not gone with their context.
    std::vector<std::shared_ptr<Module>> modules();
    /// Sets an attribute for the kernel's functions that are and that will be.
    void set_attribute(LibraryKernel& kernel, CUfunction_attribute attribute, int value);

    /// Null where there is no such kernel.
    LibraryKernel* kernel(std::string_view name);
    const std::vector<std::shared_ptr<LibraryKernel>>& kernels() const { return kernels_; }

private:
    std::shared_ptr<const ptx::Module> ast_;
    std::shared_ptr<CompiledModule> code_; ///< for what is known of kernels without a context
    std::vector<std::shared_ptr<LibraryKernel>> kernels_;
    std::mutex mutex_;
    std::vector<std::weak_ptr<Module>> modules_;
};

/// The function of a CUfunction, or of a CUkernel given as one, in the current context.
std::shared_ptr<Function> function_of(Context& context, CUfunction handle);

} // namespace lathe::soft
