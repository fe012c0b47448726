// SPDX-License-Identifier: MIT
// CUDA arrays.
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
        context.wait_idle();
        Objects<Array>::instance().remove(handle);
    });
}

} // extern "C"
