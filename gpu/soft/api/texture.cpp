// SPDX-License-Identifier: MIT
// Texture and surface objects.
#include "gpu/soft/api/entry.h"

#include "gpu/soft/drv/texture.h"

using namespace lathe::soft;

namespace {

// Objects are kept under their handles, which are numbers and not addresses.
const void* key(unsigned long long handle) { return reinterpret_cast<const void*>(handle); }

template <class T> std::shared_ptr<T> find(unsigned long long handle) {
    auto found = Objects<T>::instance().find(key(handle));
    if (!found) fail(CUDA_ERROR_INVALID_VALUE, "no such object");
    return found;
}

template <class T> CUresult destroy(unsigned long long handle) {
    return in_context([&](Context& context) {
        find<T>(handle);
        context.wait_idle();
        Objects<T>::instance().remove(key(handle));
    });
}

} // namespace

extern "C" {

CUresult cuTexObjectCreate(CUtexObject* texture, const CUDA_RESOURCE_DESC* resource,
                           const CUDA_TEXTURE_DESC* description,
                           const CUDA_RESOURCE_VIEW_DESC* view) {
    return in_context([&](Context& context) {
        require_pointer(texture);
        require_pointer(resource);
        require_pointer(description);
        auto made = make_texture(context, *resource, *description, view);
        *texture = made->handle;
        Objects<TextureObject>::instance().add_as(key(made->handle), made);
    });
}

CUresult cuTexObjectDestroy(CUtexObject texture) { return destroy<TextureObject>(texture); }

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC* resource, CUtexObject texture) {
    return in_context([&](Context&) {
        require_pointer(resource);
        *resource = find<TextureObject>(texture)->resource;
    });
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC* description, CUtexObject texture) {
    return in_context([&](Context&) {
        require_pointer(description);
        *description = find<TextureObject>(texture)->description;
    });
}

CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC* view, CUtexObject texture) {
    return in_context([&](Context&) {
        require_pointer(view);
        auto found = find<TextureObject>(texture);
        require(found->view.has_value(), CUDA_ERROR_INVALID_VALUE, "made without a view");
        *view = *found->view;
    });
}

CUresult cuSurfObjectCreate(CUsurfObject* surface, const CUDA_RESOURCE_DESC* resource) {
    return in_context([&](Context& context) {
        require_pointer(surface);
        require_pointer(resource);
        auto made = make_surface(context, *resource);
        *surface = made->handle;
        Objects<SurfaceObject>::instance().add_as(key(made->handle), made);
    });
}

CUresult cuSurfObjectDestroy(CUsurfObject surface) { return destroy<SurfaceObject>(surface); }

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC* resource, CUsurfObject surface) {
    return in_context([&](Context&) {
        require_pointer(resource);
        *resource = find<SurfaceObject>(surface)->resource;
    });
}

} // extern "C"
