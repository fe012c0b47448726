// SPDX-License-Identifier: MIT
#include "gpu/soft/drv/library.h"

#include "engine/core/error.h"

#include <algorithm>

namespace lathe::soft {

std::shared_ptr<Library> LibraryKernel::library() const {
    auto found = owner.lock();
    if (!found) fail(CUDA_ERROR_INVALID_HANDLE, "the library is unloaded");
    return found;
}

std::shared_ptr<Library> Library::load(std::string_view text) {
    auto library = std::make_shared<Library>();
    library->ast_ = Module::parse(text);
    try {
        library->code_ = CompiledModule::create(library->ast_,
                                                [](std::string_view) -> void* { return nullptr; });
    } catch (const lathe::Error& e) { fail(CUDA_ERROR_INVALID_PTX, e.what()); }
    for (const KernelInfo& info : library->code_->kernels()) {
        auto made = std::make_shared<LibraryKernel>();
        made->owner = library;
        made->info = &info;
        Objects<LibraryKernel>::instance().add(made);
        library->kernels_.push_back(std::move(made));
    }
    return library;
}

Library::~Library() {
    for (const auto& kernel : kernels_) Objects<LibraryKernel>::instance().remove(kernel.get());
}

std::vector<std::shared_ptr<Module>> Library::modules() {
    std::lock_guard lock{mutex_};
    std::vector<std::shared_ptr<Module>> alive;
    for (const auto& weak : modules_)
        if (auto module = weak.lock(); module && Objects<Module>::instance().find(module.get()))
            alive.push_back(std::move(module));
    return alive;
}

std::shared_ptr<Module> Library::module(Context& context) {
    for (auto& module : modules())
        if (module->context == &context) return module;
    auto made = Module::load(context, ast_);
    made->of_library = true;
    std::lock_guard lock{mutex_};
    std::erase_if(modules_, [](const auto& weak) { return weak.expired(); });
    Objects<Module>::instance().add(made);
    modules_.push_back(made);
    return made;
}

std::shared_ptr<Function> Library::function(Context& context, const LibraryKernel& kernel) {
    bool is_new = false;
    Function* found = module(context)->function(kernel.info->name, &is_new);
    auto function = object<Function>(found);
    if (is_new) function->settings.assign(kernel.settings);
    return function;
}

void Library::set_attribute(LibraryKernel& kernel, CUfunction_attribute attribute, int value) {
    kernel.settings.set(*kernel.info, attribute, value);
    for (const auto& module : modules())
        if (Function* f = module->function(kernel.info->name))
            f->settings.set(*kernel.info, attribute, value);
}

LibraryKernel* Library::kernel(std::string_view name) {
    for (const auto& kernel : kernels_)
        if (kernel->info->name == name) return kernel.get();
    return nullptr;
}

std::shared_ptr<Function> function_of(Context& context, CUfunction handle) {
    if (auto found = Objects<Function>::instance().find(handle)) return found;
    const auto kernel = object<LibraryKernel>(handle);
    return kernel->library()->function(context, *kernel);
}

} // namespace lathe::soft
