// SPDX-License-Identifier: MIT
#include "engine/render/image_source.h"

#include "engine/core/error.h"
#include "gl/buffer.h"
#include "gl/program.h"
#include "gl/texture.h"

#include <glad/gl.h>

#include <fmt/core.h>

#include <cstddef>

namespace lathe {
namespace {

/// How GL reads one element, and 2, 3 or 4 at once (0: it cannot).
struct ElementFormat {
    const char* sampler;
    GLenum one, two, three, four;
};

ElementFormat format_of(DType dtype) {
    switch (dtype) {
    case DType::complex64:
    case DType::float32: return {"samplerBuffer", GL_R32F, GL_RG32F, GL_RGB32F, GL_RGBA32F};
    case DType::float16: return {"samplerBuffer", GL_R16F, GL_RG16F, 0, GL_RGBA16F};
    case DType::bool_:
    case DType::uint8: return {"usamplerBuffer", GL_R8UI, GL_RG8UI, 0, GL_RGBA8UI};
    case DType::int8: return {"isamplerBuffer", GL_R8I, GL_RG8I, 0, GL_RGBA8I};
    case DType::uint16: return {"usamplerBuffer", GL_R16UI, GL_RG16UI, 0, GL_RGBA16UI};
    case DType::int16: return {"isamplerBuffer", GL_R16I, GL_RG16I, 0, GL_RGBA16I};
    case DType::uint32: return {"usamplerBuffer", GL_R32UI, GL_RG32UI, GL_RGB32UI, GL_RGBA32UI};
    case DType::int32: return {"isamplerBuffer", GL_R32I, GL_RG32I, GL_RGB32I, GL_RGBA32I};
    default:
        throw Error{fmt::format("an image of {} cannot be shown: float16, float32, complex64, "
                                "bool and integers of up to 32 bits can",
                                name_of(dtype))};
    }
}

const char* sampler_of(gl::Format format) {
    return format == gl::Format::r32i    ? "isampler2D"
           : format == gl::Format::r32ui ? "usampler2D"
                                         : "sampler2D";
}

ImageSource bind_elements(const ImageBuffer& image, bool is_complex) {
    if (image.width < 1 || image.height < 1 || image.channels < 1 || image.channels > 4)
        throw Error{
            fmt::format("an image of shape ({}, {}, {}) cannot be shown: sides are positive "
                        "and channels 1 to 4",
                        image.height, image.width, image.channels)};
    const ElementFormat format = format_of(image.dtype);
    const std::size_t item = item_bytes(image.dtype);
    const std::size_t texel = item * std::size_t(image.channels);
    if (image.offset % item)
        throw Error{fmt::format("an image at offset {} does not suit elements of {} bytes",
                                image.offset, item)};
    const std::size_t needed =
        image.offset + texel * std::size_t(image.width) * std::size_t(image.height);
    if (needed > image.buffer->bytes())
        throw Error{fmt::format(
            "an image of shape ({}, {}, {}) {} needs {} bytes, the buffer has {}", image.height,
            image.width, image.channels, name_of(image.dtype), needed, image.buffer->bytes())};
    const GLenum all_channels = image.channels == 4   ? format.four
                                : image.channels == 3 ? format.three
                                : image.channels == 2 ? format.two
                                                      : format.one;
    // One fetch a pixel if the offset allows it, else one a channel.
    const bool vector = all_channels && image.offset % texel == 0;
    const std::size_t unit = vector ? texel : item;
    if (image.range) image.range->bind_texels(2, GL_R32F, 2);
    image.buffer->bind_texels(0, vector ? all_channels : format.one, needed / unit);
    return {.sampler = format.sampler,
            .width = image.width,
            .height = image.height,
            .channels = image.channels,
            .vector = vector,
            .first = int(image.offset / unit),
            .unless_given = {0, image.dtype == DType::uint8 ? 255.0f : 1.0f},
            .is_complex = is_complex,
            .has_range = image.range != nullptr};
}

} // namespace

ImageSource bind_image(const gl::Texture& texture) {
    texture.bind(0);
    return {.sampler = sampler_of(texture.format()),
            .width = texture.width(),
            .height = texture.height(),
            .channels = gl::components_of(texture.format()),
            .from_texture = true};
}

ImageSource bind_image(const ImageBuffer& image) {
    if (!image.buffer) throw Error{"an image was drawn without a buffer"};
    if (image.dtype != DType::complex64) return bind_elements(image, false);
    if (image.channels != 1)
        throw Error{
            fmt::format("an image of complex numbers has one channel, got {}", image.channels)};
    ImageBuffer pairs = image; // of floats
    pairs.dtype = DType::float32;
    pairs.channels = 2;
    return bind_elements(pairs, true);
}

void add_defines(const ImageSource& source, std::vector<std::string>& defines) {
    defines.push_back(fmt::format("SAMPLER {}", source.sampler));
    defines.push_back(fmt::format("CHANNELS {}", source.channels));
}

void set_image_source(const ImageSource& source, gl::Program& program) {
    program.set("picture", source.width, source.height);
    program.set("first", source.first);
}

} // namespace lathe
