// SPDX-License-Identifier: MIT
// Texture and surface references, as CUDA had them before objects: variables of a module (.texref,
// .surfref) that the host binds to arrays and memory. A variable holds the handle of an object made
// from the reference's settings, or 0.
#pragma once

#include "gpu/soft/drv/module.h"
#include "gpu/soft/drv/texture.h"

namespace lathe::soft {

/// A variable of a module that holds a handle; known to the run time while it lives.
class ReferenceVariable {
public:
    ReferenceVariable() = default;
    ReferenceVariable(std::shared_ptr<Module> module, std::string name, std::uint64_t* place);
    ~ReferenceVariable();
    ReferenceVariable(const ReferenceVariable&) = delete;
    ReferenceVariable& operator=(const ReferenceVariable&) = delete;

    void hold(std::uint64_t handle) {
        if (place_) *place_ = handle;
    }
    bool is(const Module& module, std::string_view name) const {
        return module_.get() == &module && name_ == name;
    }
    bool of(const Module& module) const { return module_.get() == &module; }

private:
    std::shared_ptr<Module> module_; ///< null: made by cuTexRefCreate, no kernel sees it
    std::string name_;
    std::uint64_t* place_ = nullptr;
};

struct TextureReference {
    const Context* context = nullptr;
    ReferenceVariable variable;
    std::mutex mutex; ///< of what follows
    CUDA_TEXTURE_DESC settings{};
    CUarray_format format = CU_AD_FORMAT_FLOAT; ///< of linear memory
    unsigned channels = 1;
    std::optional<CUDA_RESOURCE_DESC> bound;

    TextureReference();
    TextureReference(std::shared_ptr<Module> module, std::string name, std::uint64_t* place);
    /// Binds to a resource, checked by itself: settings that do not suit it may follow.
    void bind(const CUDA_RESOURCE_DESC& resource);
    /// Makes the object anew after a change. Where resource and settings contradict each other the
    /// reference counts as unbound. Nothing may run that reads it.
    void renew();

private:
    std::shared_ptr<TextureObject> object_;
};

struct SurfaceReference {
    const Context* context = nullptr;
    ReferenceVariable variable;
    std::mutex mutex; ///< of what follows
    std::shared_ptr<SurfaceObject> bound;

    SurfaceReference(std::shared_ptr<Module> module, std::string name, std::uint64_t* place)
        : variable{std::move(module), std::move(name), place} {}
    void bind(const CUDA_RESOURCE_DESC& resource);
};

/// The reference of a module's variable, the same for the same name. Fails with
/// CUDA_ERROR_NOT_FOUND where there is no variable of that kind.
TextureReference* texture_reference(const Context& context, const std::shared_ptr<Module>& module,
                                    std::string_view name);
SurfaceReference* surface_reference(const Context& context, const std::shared_ptr<Module>& module,
                                    std::string_view name);

/// Ends the references of a module.
void drop_references(const Module& module);

} // namespace lathe::soft
