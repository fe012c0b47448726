// SPDX-License-Identifier: MIT
#include "gpu/soft/drv/texture_reference.h"

#include <algorithm>

namespace lathe::soft {

ReferenceVariable::ReferenceVariable(std::shared_ptr<Module> module, std::string name,
                                     std::uint64_t* place)
    : module_{std::move(module)}, name_{std::move(name)}, place_{place} {
    add_reference(place_);
}

ReferenceVariable::~ReferenceVariable() {
    if (!place_) return;
    drop_reference(place_);
    *place_ = 0;
}

TextureReference::TextureReference() {
    std::fill_n(settings.addressMode, 3, CU_TR_ADDRESS_MODE_CLAMP);
    settings.maxAnisotropy = 1;
}

TextureReference::TextureReference(std::shared_ptr<Module> module, std::string name,
                                   std::uint64_t* place)
    : variable{std::move(module), std::move(name), place} {
    std::fill_n(settings.addressMode, 3, CU_TR_ADDRESS_MODE_CLAMP);
    settings.maxAnisotropy = 1;
}

void TextureReference::bind(const CUDA_RESOURCE_DESC& resource) {
    CUDA_TEXTURE_DESC plain{};
    plain.flags = CU_TRSF_NORMALIZED_COORDINATES;
    make_texture(*context, resource, plain, nullptr); // fails where the resource is none
    bound = resource;
    renew();
}

void TextureReference::renew() {
    variable.hold(0);
    object_.reset();
    if (!bound) return;
    CUDA_RESOURCE_DESC resource = *bound;
    if (resource.resType == CU_RESOURCE_TYPE_LINEAR) {
        resource.res.linear.format = format;
        resource.res.linear.numChannels = channels;
    }
    try {
        object_ = make_texture(*context, resource, settings, nullptr);
        variable.hold(object_->handle);
    } catch (const Failure&) {} // a kernel that reads it is told that it is not bound
}

void SurfaceReference::bind(const CUDA_RESOURCE_DESC& resource) {
    auto made = make_surface(*context, resource);
    variable.hold(made->handle);
    bound = std::move(made);
}

namespace {

template <class Reference>
Reference* reference(const Context& context, const std::shared_ptr<Module>& module,
                     std::string_view name, ptx::Type type) {
    for (const auto& known : Objects<Reference>::instance().all())
        if (known->variable.is(*module, name)) return known.get();
    const ptx::Variable* source = module->ptx().find_variable(name);
    if (!source || source->type != type) fail(CUDA_ERROR_NOT_FOUND, std::string{name});
    auto* place = static_cast<std::uint64_t*>(module->variable(name).address);
    if (!place) fail(CUDA_ERROR_NOT_FOUND, std::string{name});
    auto made = std::make_shared<Reference>(module, std::string{name}, place);
    made->context = &context;
    return Objects<Reference>::instance().add(std::move(made));
}

} // namespace

TextureReference* texture_reference(const Context& context, const std::shared_ptr<Module>& module,
                                    std::string_view name) {
    return reference<TextureReference>(context, module, name, ptx::Type::texref);
}

SurfaceReference* surface_reference(const Context& context, const std::shared_ptr<Module>& module,
                                    std::string_view name) {
    return reference<SurfaceReference>(context, module, name, ptx::Type::surfref);
}

void drop_references(const Module& module) {
    auto mine = [&](const auto& reference) { return reference.variable.of(module); };
    Objects<TextureReference>::instance().remove_if(mine);
    Objects<SurfaceReference>::instance().remove_if(mine);
}

} // namespace lathe::soft
