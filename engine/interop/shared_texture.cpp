// SPDX-License-Identifier: MIT
#include "engine/interop/shared_texture.h"

#include "engine/core/error.h"
#include "engine/interop/interop_counters.h"

#include <cstring>

namespace lathe {
namespace {

constexpr unsigned kTexture2D = 0x0DE1; // GL_TEXTURE_2D

struct ArrayFormat {
    CUarray_format format;
    unsigned channels;
};

ArrayFormat array_format(gl::Format format) {
    switch (format) {
    case gl::Format::r8: return {CU_AD_FORMAT_UNSIGNED_INT8, 1};
    case gl::Format::rg8: return {CU_AD_FORMAT_UNSIGNED_INT8, 2};
    case gl::Format::rgba8: return {CU_AD_FORMAT_UNSIGNED_INT8, 4};
    case gl::Format::r16f: return {CU_AD_FORMAT_HALF, 1};
    case gl::Format::rgba16f: return {CU_AD_FORMAT_HALF, 4};
    case gl::Format::r32f: return {CU_AD_FORMAT_FLOAT, 1};
    case gl::Format::rg32f: return {CU_AD_FORMAT_FLOAT, 2};
    case gl::Format::rgba32f: return {CU_AD_FORMAT_FLOAT, 4};
    case gl::Format::r32i: return {CU_AD_FORMAT_SIGNED_INT32, 1};
    case gl::Format::r32ui: return {CU_AD_FORMAT_UNSIGNED_INT32, 1};
    case gl::Format::rgb8:
    case gl::Format::depth32f: break;
    }
    throw Error{"a shared texture has one, two or four channels of colour: CUDA arrays know no "
                "others"};
}

} // namespace

SharedTexture::SharedTexture(int width, int height, gl::Format format, gl::Filter filter)
    : width_{width}, height_{height}, format_{format}, filter_{filter}, mode_{interop_mode()} {
    const ArrayFormat array = array_format(format);
    if (mode_ != InteropMode::device_only) texture_ = gl::Texture{width, height, format, filter};
    if (mode_ == InteropMode::zero_copy) {
        resource_ = gpu::GraphicsResource::image(texture_.id(), kTexture2D);
        return;
    }
    array_ = gpu::CudaArray{{.width = static_cast<std::size_t>(width),
                             .height = static_cast<std::size_t>(height),
                             .format = array.format,
                             .channels = array.channels}};
    std::memset(staging().data(), 0, bytes());
    array_.copy_from_host(staging().data());
}

std::size_t SharedTexture::bytes() const {
    return static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_) *
           gl::texel_bytes(format_);
}

gl::Texture& SharedTexture::texture() {
    if (mode_ == InteropMode::device_only)
        throw Error{"a shared texture made without a GL context has no GL texture"};
    return texture_;
}

const gl::Texture& SharedTexture::texture() const {
    return const_cast<SharedTexture*>(this)->texture();
}

void SharedTexture::begin(const gpu::GraphicsMapping& mapping, std::size_t index) {
    gpu::CudaArray array = mapping.array(index);
    if (array.get() != array_.get()) {
        surface_ = {};
        sampler_ = {};
    }
    array_ = std::move(array);
}

const gpu::SurfaceObject* SharedTexture::mapped_surface() {
    // Made once: destroying a surface object that a launch in flight still uses is not safe.
    if (!surface_) surface_ = gpu::SurfaceObject{array_};
    return &surface_;
}

const gpu::TextureObject* SharedTexture::mapped_texture() {
    const bool linear = filter_ == gl::Filter::linear;
    if (!sampler_)
        sampler_ = gpu::TextureObject{
            array_,
            {.filter = linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT,
             .read_as_integer = !linear}};
    return &sampler_;
}

gpu::PinnedBuffer& SharedTexture::staging() {
    if (!staging_) staging_ = gpu::PinnedBuffer{bytes()};
    return staging_;
}

void SharedTexture::begin_copy(gpu::StreamView stream) {
    if (mode_ == InteropMode::device_only || !gl_written_) return;
    const std::vector<std::byte> texels = texture_.download(); // waits for GL
    std::memcpy(staging().data(), texels.data(), texels.size());
    array_.copy_from_host(staging().data(), 0, stream);
    stream.synchronize(); // the staging memory is used again at the unmap
    detail::count_copied(bytes());
    gl_written_ = false;
}

void SharedTexture::end_copy(gpu::StreamView stream) {
    if (mode_ == InteropMode::device_only) return;
    array_.copy_to_host(staging().data(), 0, stream);
    stream.synchronize();
    texture_.upload(staging().span<std::byte>());
    detail::count_copied(bytes());
}

} // namespace lathe
