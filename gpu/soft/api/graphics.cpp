// SPDX-License-Identifier: MIT
// Graphics interoperability: register, map on a stream, unmap on a stream. Register, map and unmap
// are called with the GL context current on the calling thread, as CUDA asks for.
#include "gpu/soft/api/entry.h"

#include "gpu/soft/drv/graphics_gl.h"

#pragma GCC visibility push(default)
#include "gpu/soft/soft_api.h"
#pragma GCC visibility pop

using namespace lathe::soft;

namespace {

using Resources = Objects<GraphicsResource>;

std::shared_ptr<GraphicsResource> mapped(CUgraphicsResource handle) {
    auto resource = object<GraphicsResource>(handle);
    require(resource->mapped(), CUDA_ERROR_NOT_MAPPED);
    return resource;
}

std::vector<std::shared_ptr<GraphicsResource>> all_of(unsigned count, CUgraphicsResource* handles) {
    require(count > 0, CUDA_ERROR_INVALID_VALUE);
    require_pointer(handles);
    std::vector<std::shared_ptr<GraphicsResource>> resources;
    for (unsigned i = 0; i < count; ++i) resources.push_back(object<GraphicsResource>(handles[i]));
    return resources;
}

CUresult devices(unsigned* count, CUdevice* list, unsigned capacity, unsigned which) {
    return entry([&] {
        require_pointer(count);
        require(which >= 1 && which <= 3, CUDA_ERROR_INVALID_VALUE);
        current_gl();
        *count = 1;
        if (capacity) give(list, 0);
    });
}

} // namespace

extern "C" {

#pragma GCC visibility push(default)

// Declared here and not in cudaGL.h, which needs OpenGL's own header.
CUresult cuGLGetDevices_v2(unsigned* count, CUdevice* list, unsigned capacity, unsigned which) {
    return devices(count, list, capacity, which);
}
CUresult cuGLGetDevices(unsigned* count, CUdevice* list, unsigned capacity, unsigned which) {
    return devices(count, list, capacity, which);
}

// Any context can share with OpenGL: these ask for nothing more.
CUresult cuGLInit() {
    return entry([] {});
}
CUresult cuCtxCreate_v2(CUcontext* context, unsigned flags, CUdevice device);
CUresult cuGLCtxCreate_v2(CUcontext* context, unsigned flags, CUdevice device) {
    return cuCtxCreate_v2(context, flags, device);
}
CUresult cuGLCtxCreate(CUcontext* context, unsigned flags, CUdevice device) {
    return cuCtxCreate_v2(context, flags, device);
}

CUresult cuGraphicsGLRegisterBuffer(CUgraphicsResource* resource, unsigned buffer, unsigned flags) {
    return in_context([&](Context& context) {
        require_pointer(resource);
        require(flags <= 2, CUDA_ERROR_INVALID_VALUE, "unknown register flag");
        *resource = reinterpret_cast<CUgraphicsResource>(
            Resources::instance().add(GraphicsResource::of_buffer(context, buffer, flags)));
    });
}

CUresult cuGraphicsGLRegisterImage(CUgraphicsResource* resource, unsigned texture, unsigned target,
                                   unsigned flags) {
    return in_context([&](Context& context) {
        require_pointer(resource);
        require(flags <= 15, CUDA_ERROR_INVALID_VALUE, "unknown register flag");
        auto made = GraphicsResource::of_texture(context, texture, target, flags);
        Objects<Array>::instance().add(made->array());
        *resource = reinterpret_cast<CUgraphicsResource>(Resources::instance().add(made));
    });
}

#pragma GCC visibility pop

CUresult cuGraphicsUnregisterResource(CUgraphicsResource handle) {
    return in_context([&](Context& context) {
        auto resource = object<GraphicsResource>(handle);
        context.wait_idle();
        if (resource->mapped()) resource->unmap();
        Resources::instance().remove(handle);
    });
}

// What the stream does next comes after GL's commands so far: those are done on return.
CUresult cuGraphicsMapResources(unsigned count, CUgraphicsResource* handles, CUstream stream) {
    return in_context([&](Context& context) {
        context.stream(stream);
        auto resources = all_of(count, handles);
        for (const auto& resource : resources)
            require(!resource->mapped(), CUDA_ERROR_ALREADY_MAPPED);
        std::size_t done = 0;
        try {
            for (; done < resources.size(); ++done) resources[done]->map();
        } catch (...) {
            while (done > 0) resources[--done]->unmap();
            throw;
        }
    });
}

// What GL does next comes after the stream's commands so far, and after what those of a blocking
// stream come after: all that is waited for. A failed launch among them is told by the stream's
// next synchronising call.
CUresult cuGraphicsUnmapResources(unsigned count, CUgraphicsResource* handles, CUstream handle) {
    return in_context([&](Context& context) {
        auto stream = context.stream(handle);
        auto resources = all_of(count, handles);
        for (const auto& resource : resources) require(resource->mapped(), CUDA_ERROR_NOT_MAPPED);
        context.wait_turn(stream);
        for (const auto& resource : resources) resource->unmap();
    });
}

CUresult cuGraphicsResourceGetMappedPointer(CUdeviceptr* p, std::size_t* bytes,
                                            CUgraphicsResource handle) {
    return in_context([&](Context&) {
        auto resource = mapped(handle);
        require(resource->is_buffer(), CUDA_ERROR_NOT_MAPPED_AS_POINTER);
        give(p, resource->pointer());
        give(bytes, resource->bytes());
    });
}

CUresult cuGraphicsSubResourceGetMappedArray(CUarray* array, CUgraphicsResource handle,
                                             unsigned index, unsigned level) {
    return in_context([&](Context&) {
        require_pointer(array);
        auto resource = mapped(handle);
        require(!resource->is_buffer(), CUDA_ERROR_NOT_MAPPED_AS_ARRAY);
        require(index == 0 && level == 0, CUDA_ERROR_INVALID_VALUE, "index and level must be 0");
        *array = reinterpret_cast<CUarray>(resource->array().get());
    });
}

CUresult cuGraphicsResourceSetMapFlags(CUgraphicsResource handle, unsigned flags) {
    return in_context([&](Context&) {
        require(flags <= 2, CUDA_ERROR_INVALID_VALUE);
        auto resource = object<GraphicsResource>(handle);
        require(!resource->mapped(), CUDA_ERROR_ALREADY_MAPPED);
        resource->set_map_flags(flags);
    });
}

uint64_t latheSoftInteropBytesCopied(void) { return interop_bytes_copied(); }

} // extern "C"
