// SPDX-License-Identifier: MIT
// CUDA arrays and mipmapped arrays.
#include "gpu/soft/api/entry.h"

#include "gpu/soft/drv/array.h"

using namespace lathe::soft;

namespace {

CUresult create(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR& d) {
    return in_context([&](Context& context) {
        require_pointer(array);
        *array = reinterpret_cast<CUarray>(Objects<Array>::instance().add(make_array(context, d)));
    });
}

} // namespace

extern "C" {

CUresult cuArray3DCreate(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* d) {
    if (!is_pointer(d)) return CUDA_ERROR_INVALID_VALUE;
    return create(array, *d);
}

CUresult cuArrayCreate(CUarray* array, const CUDA_ARRAY_DESCRIPTOR* d) {
    if (!is_pointer(d)) return CUDA_ERROR_INVALID_VALUE;
    CUDA_ARRAY3D_DESCRIPTOR full{};
    full.Width = d->Width;
    full.Height = d->Height;
    full.Format = d->Format;
    full.NumChannels = d->NumChannels;
    return create(array, full);
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR* d, CUarray handle) {
    return in_context([&](Context&) {
        require_pointer(d);
        *d = object<Array>(handle)->descriptor;
    });
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR* d, CUarray handle) {
    return in_context([&](Context&) {
        require_pointer(d);
        const auto& full = object<Array>(handle)->descriptor;
        *d = {.Width = full.Width,
              .Height = full.Height,
              .Format = full.Format,
              .NumChannels = full.NumChannels};
    });
}

CUresult cuArrayDestroy(CUarray handle) {
    return in_context([&](Context& context) {
        auto array = object<Array>(handle);
        require(!array->from_resource, CUDA_ERROR_ARRAY_IS_MAPPED,
                "the array belongs to a resource");
        require(!array->is_level, CUDA_ERROR_INVALID_HANDLE,
                "the array is a level of a mipmapped array");
        context.wait_idle();
        Objects<Array>::instance().remove(handle);
    });
}

// No array here is sparse, deferred or planar, which is what the next five ask of one.

CUresult cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS* requirements, CUarray handle,
                                      CUdevice) {
    return in_context([&](Context&) {
        require_pointer(requirements);
        object<Array>(handle);
        fail(CUDA_ERROR_INVALID_VALUE, "the array's memory is not deferred");
    });
}

CUresult cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES* properties, CUarray handle) {
    return in_context([&](Context&) {
        require_pointer(properties);
        object<Array>(handle);
        fail(CUDA_ERROR_INVALID_VALUE, "the array is not sparse");
    });
}

CUresult cuArrayGetPlane(CUarray* plane, CUarray handle, unsigned) {
    return in_context([&](Context&) {
        require_pointer(plane);
        object<Array>(handle);
        fail(CUDA_ERROR_INVALID_VALUE, "the array has no planes");
    });
}

CUresult cuMipmappedArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS* requirements,
                                               CUmipmappedArray handle, CUdevice) {
    return in_context([&](Context&) {
        require_pointer(requirements);
        object<MipmappedArray>(handle);
        fail(CUDA_ERROR_INVALID_VALUE, "the array's memory is not deferred");
    });
}

CUresult cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES* properties,
                                             CUmipmappedArray handle) {
    return in_context([&](Context&) {
        require_pointer(properties);
        object<MipmappedArray>(handle);
        fail(CUDA_ERROR_INVALID_VALUE, "the array is not sparse");
    });
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray* array, const CUDA_ARRAY3D_DESCRIPTOR* d,
                                unsigned levels) {
    return in_context([&](Context& context) {
        require_pointer(array);
        require_pointer(d);
        *array = reinterpret_cast<CUmipmappedArray>(
            Objects<MipmappedArray>::instance().add(make_mipmapped_array(context, *d, levels)));
    });
}

CUresult cuMipmappedArrayGetLevel(CUarray* array, CUmipmappedArray handle, unsigned level) {
    return in_context([&](Context&) {
        require_pointer(array);
        auto mipmapped = object<MipmappedArray>(handle);
        require(level < mipmapped->levels.size(), CUDA_ERROR_INVALID_VALUE,
                "the array has fewer levels");
        *array = reinterpret_cast<CUarray>(mipmapped->levels[level].get());
    });
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray handle) {
    return in_context([&](Context& context) {
        object<MipmappedArray>(handle);
        context.wait_idle();
        Objects<MipmappedArray>::instance().remove(handle);
    });
}

} // extern "C"
