// SPDX-License-Identifier: MIT
// Texture and surface references. Kernels see a change from the next launch on, so each waits for
// what runs.
#include "gpu/soft/api/entry.h"

#include "gpu/soft/drv/library.h"
#include "gpu/soft/drv/texture_reference.h"

#include <algorithm>

using namespace lathe::soft;

namespace {

/// Runs f(reference) for a setter.
CUresult change(CUtexref handle, auto&& f) {
    return in_context([&](Context& context) {
        auto reference = object<TextureReference>(handle);
        context.wait_idle();
        std::lock_guard lock{reference->mutex};
        f(*reference);
        reference->renew();
    });
}

CUresult bind(CUtexref handle, const CUDA_RESOURCE_DESC& resource) {
    return change(handle, [&](TextureReference& reference) { reference.bind(resource); });
}

CUresult bind_rows(CUtexref handle, const CUDA_ARRAY_DESCRIPTOR* d, CUdeviceptr p,
                   std::size_t pitch) {
    if (!is_pointer(d)) return CUDA_ERROR_INVALID_VALUE;
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_PITCH2D;
    resource.res.pitch2D = {p, d->Format, d->NumChannels, d->Width, d->Height, pitch};
    return bind(handle, resource);
}

/// Runs f(reference) for a getter into `result`, which must not be null.
CUresult ask(CUtexref handle, const void* result, auto&& f) {
    return in_context([&](Context&) {
        require_pointer(result);
        auto reference = object<TextureReference>(handle);
        std::lock_guard lock{reference->mutex};
        f(*reference);
    });
}

const CUDA_RESOURCE_DESC& bound_to(const TextureReference& reference, CUresourcetype type) {
    require(reference.bound && reference.bound->resType == type, CUDA_ERROR_INVALID_VALUE,
            "the reference is not bound to such a resource");
    return *reference.bound;
}

void require_filter(CUfilter_mode mode) {
    require(static_cast<unsigned>(mode) <= CU_TR_FILTER_MODE_LINEAR, CUDA_ERROR_INVALID_VALUE,
            "unknown filter mode");
}

} // namespace

extern "C" {

CUresult cuModuleGetTexRef(CUtexref* reference, CUmodule handle, const char* name) {
    return in_context([&](Context& context) {
        require_pointer(reference);
        require_pointer(name);
        *reference =
            reinterpret_cast<CUtexref>(texture_reference(context, object<Module>(handle), name));
    });
}

CUresult cuModuleGetSurfRef(CUsurfref* reference, CUmodule handle, const char* name) {
    return in_context([&](Context& context) {
        require_pointer(reference);
        require_pointer(name);
        *reference =
            reinterpret_cast<CUsurfref>(surface_reference(context, object<Module>(handle), name));
    });
}

CUresult cuTexRefCreate(CUtexref* reference) {
    return in_context([&](Context& context) {
        require_pointer(reference);
        auto made = std::make_shared<TextureReference>();
        made->context = &context;
        *reference =
            reinterpret_cast<CUtexref>(Objects<TextureReference>::instance().add(std::move(made)));
    });
}

CUresult cuTexRefDestroy(CUtexref handle) {
    return in_context([&](Context& context) {
        object<TextureReference>(handle);
        context.wait_idle();
        Objects<TextureReference>::instance().remove(handle);
    });
}

CUresult cuParamSetTexRef(CUfunction handle, int unit, CUtexref reference) {
    return in_context([&](Context& context) {
        function_of(context, handle);
        object<TextureReference>(reference);
        require(unit == CU_PARAM_TR_DEFAULT, CUDA_ERROR_INVALID_VALUE,
                "the unit must be CU_PARAM_TR_DEFAULT");
    });
}

// --- what it reads

CUresult cuTexRefSetArray(CUtexref handle, CUarray array, unsigned flags) {
    if (flags != CU_TRSA_OVERRIDE_FORMAT) return CUDA_ERROR_INVALID_VALUE;
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    return bind(handle, resource);
}

CUresult cuTexRefSetMipmappedArray(CUtexref handle, CUmipmappedArray array, unsigned flags) {
    if (flags != CU_TRSA_OVERRIDE_FORMAT) return CUDA_ERROR_INVALID_VALUE;
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    resource.res.mipmap.hMipmappedArray = array;
    return bind(handle, resource);
}

CUresult cuTexRefSetAddress(std::size_t* offset, CUtexref handle, CUdeviceptr p,
                            std::size_t bytes) {
    const CUresult result = change(handle, [&](TextureReference& reference) {
        CUDA_RESOURCE_DESC resource{};
        resource.resType = CU_RESOURCE_TYPE_LINEAR;
        resource.res.linear = {p, reference.format, reference.channels, bytes};
        reference.bind(resource);
    });
    if (result == CUDA_SUCCESS && is_pointer(offset)) *offset = 0; // any address will do here
    return result;
}

CUresult cuTexRefSetAddress2D(CUtexref handle, const CUDA_ARRAY_DESCRIPTOR* d, CUdeviceptr p,
                              std::size_t pitch) {
    return bind_rows(handle, d, p, pitch);
}
__attribute__((visibility("default"))) CUresult cuTexRefSetAddress2D_v2(
    CUtexref handle, const CUDA_ARRAY_DESCRIPTOR* d, CUdeviceptr p, std::size_t pitch) {
    return bind_rows(handle, d, p, pitch);
}

CUresult cuTexRefGetArray(CUarray* array, CUtexref handle) {
    return ask(handle, array, [&](const TextureReference& r) {
        *array = bound_to(r, CU_RESOURCE_TYPE_ARRAY).res.array.hArray;
    });
}

CUresult cuTexRefGetMipmappedArray(CUmipmappedArray* array, CUtexref handle) {
    return ask(handle, array, [&](const TextureReference& r) {
        *array = bound_to(r, CU_RESOURCE_TYPE_MIPMAPPED_ARRAY).res.mipmap.hMipmappedArray;
    });
}

CUresult cuTexRefGetAddress(CUdeviceptr* p, CUtexref handle) {
    return ask(handle, p, [&](const TextureReference& r) {
        if (r.bound && r.bound->resType == CU_RESOURCE_TYPE_PITCH2D)
            *p = r.bound->res.pitch2D.devPtr;
        else *p = bound_to(r, CU_RESOURCE_TYPE_LINEAR).res.linear.devPtr;
    });
}

CUresult cuTexRefSetFormat(CUtexref handle, CUarray_format format, int channels) {
    return change(handle, [&](TextureReference& r) {
        texel_type(format, static_cast<unsigned>(channels));
        r.format = format;
        r.channels = static_cast<unsigned>(channels);
    });
}

CUresult cuTexRefGetFormat(CUarray_format* format, int* channels, CUtexref handle) {
    return in_context([&](Context&) {
        auto r = object<TextureReference>(handle);
        std::lock_guard lock{r->mutex};
        CUarray_format own_format = r->format;
        unsigned own_channels = r->channels;
        if (r->bound && r->bound->resType == CU_RESOURCE_TYPE_ARRAY) {
            const auto array = object<Array>(r->bound->res.array.hArray);
            own_format = array->descriptor.Format;
            own_channels = array->descriptor.NumChannels;
        } else if (r->bound && r->bound->resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY) {
            const auto array = object<MipmappedArray>(r->bound->res.mipmap.hMipmappedArray);
            own_format = array->descriptor.Format;
            own_channels = array->descriptor.NumChannels;
        } else if (r->bound && r->bound->resType == CU_RESOURCE_TYPE_PITCH2D) {
            own_format = r->bound->res.pitch2D.format;
            own_channels = r->bound->res.pitch2D.numChannels;
        }
        give(format, own_format);
        give(channels, static_cast<int>(own_channels));
    });
}

// --- how it reads

CUresult cuTexRefSetAddressMode(CUtexref handle, int axis, CUaddress_mode mode) {
    return change(handle, [&](TextureReference& r) {
        require(axis >= 0 && axis < 3 && static_cast<unsigned>(mode) <= CU_TR_ADDRESS_MODE_BORDER,
                CUDA_ERROR_INVALID_VALUE, "unknown axis or address mode");
        r.settings.addressMode[axis] = mode;
    });
}
CUresult cuTexRefGetAddressMode(CUaddress_mode* mode, CUtexref handle, int axis) {
    return ask(handle, mode, [&](const TextureReference& r) {
        require(axis >= 0 && axis < 3, CUDA_ERROR_INVALID_VALUE, "unknown axis");
        *mode = r.settings.addressMode[axis];
    });
}

CUresult cuTexRefSetFilterMode(CUtexref handle, CUfilter_mode mode) {
    return change(handle, [&](TextureReference& r) {
        require_filter(mode);
        r.settings.filterMode = mode;
    });
}
CUresult cuTexRefGetFilterMode(CUfilter_mode* mode, CUtexref handle) {
    return ask(handle, mode, [&](const TextureReference& r) { *mode = r.settings.filterMode; });
}

CUresult cuTexRefSetMipmapFilterMode(CUtexref handle, CUfilter_mode mode) {
    return change(handle, [&](TextureReference& r) {
        require_filter(mode);
        r.settings.mipmapFilterMode = mode;
    });
}
CUresult cuTexRefGetMipmapFilterMode(CUfilter_mode* mode, CUtexref handle) {
    return ask(handle, mode,
               [&](const TextureReference& r) { *mode = r.settings.mipmapFilterMode; });
}

CUresult cuTexRefSetMipmapLevelBias(CUtexref handle, float bias) {
    return change(handle, [&](TextureReference& r) { r.settings.mipmapLevelBias = bias; });
}
CUresult cuTexRefGetMipmapLevelBias(float* bias, CUtexref handle) {
    return ask(handle, bias,
               [&](const TextureReference& r) { *bias = r.settings.mipmapLevelBias; });
}

CUresult cuTexRefSetMipmapLevelClamp(CUtexref handle, float least, float greatest) {
    return change(handle, [&](TextureReference& r) {
        r.settings.minMipmapLevelClamp = least;
        r.settings.maxMipmapLevelClamp = greatest;
    });
}
CUresult cuTexRefGetMipmapLevelClamp(float* least, float* greatest, CUtexref handle) {
    return ask(handle, least, [&](const TextureReference& r) {
        require_pointer(greatest);
        *least = r.settings.minMipmapLevelClamp;
        *greatest = r.settings.maxMipmapLevelClamp;
    });
}

CUresult cuTexRefSetMaxAnisotropy(CUtexref handle, unsigned most) {
    return change(
        handle, [&](TextureReference& r) { r.settings.maxAnisotropy = std::clamp(most, 1u, 16u); });
}
CUresult cuTexRefGetMaxAnisotropy(int* most, CUtexref handle) {
    return ask(handle, most, [&](const TextureReference& r) {
        *most = static_cast<int>(r.settings.maxAnisotropy);
    });
}

CUresult cuTexRefSetBorderColor(CUtexref handle, float* color) {
    return change(handle, [&](TextureReference& r) {
        require_pointer(color);
        std::copy_n(color, 4, r.settings.borderColor);
    });
}
CUresult cuTexRefGetBorderColor(float* color, CUtexref handle) {
    return ask(handle, color,
               [&](const TextureReference& r) { std::copy_n(r.settings.borderColor, 4, color); });
}

CUresult cuTexRefSetFlags(CUtexref handle, unsigned flags) {
    return change(handle, [&](TextureReference& r) {
        constexpr unsigned known = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES |
                                   CU_TRSF_SRGB | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION |
                                   CU_TRSF_SEAMLESS_CUBEMAP;
        require((flags & ~known) == 0, CUDA_ERROR_INVALID_VALUE, "unknown texture flag");
        r.settings.flags = flags;
    });
}
CUresult cuTexRefGetFlags(unsigned* flags, CUtexref handle) {
    return ask(handle, flags, [&](const TextureReference& r) { *flags = r.settings.flags; });
}

// --- surfaces

CUresult cuSurfRefSetArray(CUsurfref handle, CUarray array, unsigned flags) {
    return in_context([&](Context& context) {
        auto reference = object<SurfaceReference>(handle);
        require(flags == 0, CUDA_ERROR_INVALID_VALUE, "flags must be 0");
        CUDA_RESOURCE_DESC resource{};
        resource.resType = CU_RESOURCE_TYPE_ARRAY;
        resource.res.array.hArray = array;
        context.wait_idle();
        std::lock_guard lock{reference->mutex};
        reference->bind(resource);
    });
}

CUresult cuSurfRefGetArray(CUarray* array, CUsurfref handle) {
    return in_context([&](Context&) {
        require_pointer(array);
        auto reference = object<SurfaceReference>(handle);
        std::lock_guard lock{reference->mutex};
        require(reference->bound != nullptr, CUDA_ERROR_INVALID_VALUE,
                "the reference is not bound");
        *array = reference->bound->resource.res.array.hArray;
    });
}

} // extern "C"
