// SPDX-License-Identifier: MIT
#include "gpu/soft/drv/array.h"

#include "gpu/soft/drv/memory.h"

#include <cstring>

namespace lathe::soft {

bool known_format(CUarray_format f) {
    switch (f) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_HALF:
    case CU_AD_FORMAT_FLOAT:
        return true;
    default:
        return false;
    }
}

Array::~Array() {
    if (image.data) release(reinterpret_cast<std::uintptr_t>(image.data));
}

std::shared_ptr<Array> make_array(const Context& context, const CUDA_ARRAY3D_DESCRIPTOR& d) {
    constexpr unsigned known_flags = CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST |
                                     CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_TEXTURE_GATHER |
                                     CUDA_ARRAY3D_COLOR_ATTACHMENT;
    require(known_format(d.Format), CUDA_ERROR_INVALID_VALUE, "array format is not supported");
    require(d.NumChannels == 1 || d.NumChannels == 2 || d.NumChannels == 4,
            CUDA_ERROR_INVALID_VALUE, "an array has 1, 2 or 4 channels");
    require((d.Flags & ~known_flags) == 0, CUDA_ERROR_INVALID_VALUE, "unknown array flag");
    require(d.Width > 0 && d.Width <= 131072 && d.Height <= 65536 && d.Depth <= 16384,
            CUDA_ERROR_INVALID_VALUE, "array size is out of range");
    bool layered = d.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
    require(layered || !d.Depth || d.Height, CUDA_ERROR_INVALID_VALUE, "depth without height");
    require(!layered || d.Depth > 0, CUDA_ERROR_INVALID_VALUE, "a layered array needs layers");
    if (d.Flags & CUDA_ARRAY3D_CUBEMAP)
        require(d.Width == d.Height && d.Depth % 6 == 0, CUDA_ERROR_INVALID_VALUE,
                "a cube map is square and has six layers");

    auto array = std::make_shared<Array>();
    array->context = &context;
    array->descriptor = d;
    Image& image = array->image;
    image.format = static_cast<Format>(d.Format);
    image.channels = d.NumChannels;
    image.width = static_cast<std::uint32_t>(d.Width);
    image.height = static_cast<std::uint32_t>(d.Height);
    image.depth = layered ? 0 : static_cast<std::uint32_t>(d.Depth);
    image.layers = layered ? static_cast<std::uint32_t>(d.Depth) : 0;
    image.pitch_bytes = (d.Width * image.texel_bytes() + 63) / 64 * 64;
    image.slice_bytes = image.pitch_bytes * image.rows();
    image.data =
        static_cast<std::uint8_t*>(allocate(context, image.bytes(), Allocation::Kind::array));
    return array;
}

} // namespace lathe::soft
