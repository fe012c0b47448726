// SPDX-License-Identifier: MIT
#include "gpu/soft/drv/texture.h"

#include "gpu/soft/drv/memory.h"

#include <algorithm>

namespace lathe::soft {

namespace {

bool is_integer(Format f) { return f != Format::f16 && f != Format::f32; }

Image linear_image(CUdeviceptr p, CUarray_format format, unsigned channels) {
    bool known = false;
    for (CUarray_format f :
         {CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_UNSIGNED_INT32,
          CU_AD_FORMAT_SIGNED_INT8, CU_AD_FORMAT_SIGNED_INT16, CU_AD_FORMAT_SIGNED_INT32,
          CU_AD_FORMAT_HALF, CU_AD_FORMAT_FLOAT})
        known |= f == format;
    require(known, CUDA_ERROR_INVALID_VALUE, "texture format is not supported");
    require(channels == 1 || channels == 2 || channels == 4, CUDA_ERROR_INVALID_VALUE,
            "a texture has 1, 2 or 4 channels");
    Image image;
    image.data = reinterpret_cast<std::uint8_t*>(p);
    image.format = static_cast<Format>(format);
    image.channels = channels;
    return image;
}

Image image_of(const CUDA_RESOURCE_DESC& r, std::shared_ptr<Array>& array) {
    switch (r.resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        array = object<Array>(r.res.array.hArray);
        return array->image;
    case CU_RESOURCE_TYPE_LINEAR: {
        const auto& l = r.res.linear;
        Image image = linear_image(l.devPtr, l.format, l.numChannels);
        require(l.sizeInBytes >= image.texel_bytes(), CUDA_ERROR_INVALID_VALUE, "no texels");
        require_device_range(l.devPtr, l.sizeInBytes);
        require(l.sizeInBytes / image.texel_bytes() <= (1u << 28), CUDA_ERROR_INVALID_VALUE,
                "more than 2^28 texels");
        image.width = static_cast<std::uint32_t>(l.sizeInBytes / image.texel_bytes());
        return image;
    }
    case CU_RESOURCE_TYPE_PITCH2D: {
        const auto& p = r.res.pitch2D;
        Image image = linear_image(p.devPtr, p.format, p.numChannels);
        require(p.width > 0 && p.height > 0 && p.width <= 131072 && p.height <= 65536,
                CUDA_ERROR_INVALID_VALUE, "texture size is out of range");
        std::size_t row = p.width * image.texel_bytes();
        require(p.pitchInBytes >= row && p.pitchInBytes % 32 == 0, CUDA_ERROR_INVALID_VALUE,
                "pitch is no multiple of 32 or smaller than a row");
        require_device_range(p.devPtr, (p.height - 1) * p.pitchInBytes + row);
        image.width = static_cast<std::uint32_t>(p.width);
        image.height = static_cast<std::uint32_t>(p.height);
        image.pitch_bytes = p.pitchInBytes;
        image.slice_bytes = p.pitchInBytes * p.height;
        return image;
    }
    default:
        fail(CUDA_ERROR_NOT_SUPPORTED, "mipmapped arrays are not supported");
    }
}

} // namespace

std::shared_ptr<TextureObject> make_texture(const Context& context, const CUDA_RESOURCE_DESC& r,
                                            const CUDA_TEXTURE_DESC& d,
                                            const CUDA_RESOURCE_VIEW_DESC* view) {
    auto made = std::make_shared<TextureObject>();
    made->context = &context;
    made->resource = r;
    made->description = d;
    if (view) made->view = *view;
    Texture& t = made->texture;
    t.image = image_of(r, made->array);
    t.linear_memory = r.resType == CU_RESOURCE_TYPE_LINEAR;
    for (int a = 0; a < 3; ++a) {
        require(d.addressMode[a] <= CU_TR_ADDRESS_MODE_BORDER, CUDA_ERROR_INVALID_VALUE,
                "unknown address mode");
        t.address[a] = static_cast<Address>(d.addressMode[a]);
    }
    require(d.filterMode <= CU_TR_FILTER_MODE_LINEAR, CUDA_ERROR_INVALID_VALUE,
            "unknown filter mode");
    bool small = bytes_of(t.image.format) <= 2;
    t.normalized_float =
        is_integer(t.image.format) && small && !(d.flags & CU_TRSF_READ_AS_INTEGER);
    t.normalized_coords = d.flags & CU_TRSF_NORMALIZED_COORDINATES;
    t.srgb = (d.flags & CU_TRSF_SRGB) && t.image.format == Format::u8 && t.normalized_float;
    t.linear_filter = d.filterMode == CU_TR_FILTER_MODE_LINEAR && !t.linear_memory;
    require(!t.linear_filter || t.reads_float(), CUDA_ERROR_INVALID_VALUE,
            "linear filtering needs floats or normalised integers");
    t.cube = made->array && (made->array->descriptor.Flags & CUDA_ARRAY3D_CUBEMAP);
    std::copy_n(d.borderColor, 4, t.border);
    t.prepare();
    made->handle = add_texture(&t);
    require(made->handle != 0, CUDA_ERROR_OUT_OF_MEMORY, "too many texture objects");
    return made;
}

std::shared_ptr<SurfaceObject> make_surface(const Context& context, const CUDA_RESOURCE_DESC& r) {
    require(r.resType == CU_RESOURCE_TYPE_ARRAY, CUDA_ERROR_INVALID_VALUE,
            "a surface object needs an array");
    auto made = std::make_shared<SurfaceObject>();
    made->context = &context;
    made->resource = r;
    made->array = object<Array>(r.res.array.hArray);
    require(made->array->descriptor.Flags & CUDA_ARRAY3D_SURFACE_LDST, CUDA_ERROR_INVALID_VALUE,
            "the array was made without CUDA_ARRAY3D_SURFACE_LDST");
    made->surface.image = made->array->image;
    made->surface.written = &made->array->written;
    made->handle = add_surface(&made->surface);
    require(made->handle != 0, CUDA_ERROR_OUT_OF_MEMORY, "too many surface objects");
    return made;
}

} // namespace lathe::soft
