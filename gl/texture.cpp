// SPDX-License-Identifier: MIT
#include "gl/texture.h"

#include "gl/context.h"
#include "gl/error.h"

#include <glad/gl.h>

#include <fmt/core.h>

#include <array>

namespace lathe::gl {
namespace {

struct FormatFacts {
    Format format;
    GLenum internal, external, type;
    int components;
    std::size_t bytes;
};

constexpr std::array<FormatFacts, 12> kFormats{{
    {Format::r8, GL_R8, GL_RED, GL_UNSIGNED_BYTE, 1, 1},
    {Format::rg8, GL_RG8, GL_RG, GL_UNSIGNED_BYTE, 2, 2},
    {Format::rgb8, GL_RGB8, GL_RGB, GL_UNSIGNED_BYTE, 3, 3},
    {Format::rgba8, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 4, 4},
    {Format::r16f, GL_R16F, GL_RED, GL_HALF_FLOAT, 1, 2},
    {Format::rgba16f, GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT, 4, 8},
    {Format::r32f, GL_R32F, GL_RED, GL_FLOAT, 1, 4},
    {Format::rg32f, GL_RG32F, GL_RG, GL_FLOAT, 2, 8},
    {Format::rgba32f, GL_RGBA32F, GL_RGBA, GL_FLOAT, 4, 16},
    {Format::r32i, GL_R32I, GL_RED_INTEGER, GL_INT, 1, 4},
    {Format::r32ui, GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, 1, 4},
    {Format::depth32f, GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, GL_FLOAT, 1, 4},
}};

constexpr const FormatFacts& facts(Format f) { return kFormats[std::size_t(f)]; }
static_assert(facts(Format::depth32f).format == Format::depth32f &&
              facts(Format::r32f).format == Format::r32f);

} // namespace

std::size_t texel_bytes(Format format) { return facts(format).bytes; }
int components_of(Format format) { return facts(format).components; }

Texture::Texture(int width, int height, Format format, Filter filter)
    : width_{width}, height_{height}, format_{format} {
    Context::require_current();
    GLint limit = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &limit);
    if (width <= 0 || height <= 0 || width > limit || height > limit)
        throw Error{fmt::format("texture size {} x {} is impossible: sides are 1 to {} here", width,
                                height, limit)};
    unsigned id = 0;
    glCreateTextures(GL_TEXTURE_2D, 1, &id);
    name_ = Object<Kind::texture>{name_here(id)};
    glTextureStorage2D(id, 1, facts(format).internal, width, height);
    glTextureParameteri(id, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTextureParameteri(id, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    set_filter(filter);
    glClearTexImage(id, 0, facts(format).external, facts(format).type, nullptr);
    check(fmt::format("glTextureStorage2D of {} x {}", width, height));
}

Texture Texture::wrap(unsigned id) {
    Texture t;
    t.name_ = Object<Kind::texture>::wrap(name_here(id));
    GLint internal = 0;
    glGetTextureLevelParameteriv(id, 0, GL_TEXTURE_WIDTH, &t.width_);
    glGetTextureLevelParameteriv(id, 0, GL_TEXTURE_HEIGHT, &t.height_);
    glGetTextureLevelParameteriv(id, 0, GL_TEXTURE_INTERNAL_FORMAT, &internal);
    check(fmt::format("wrapping GL texture {}", id));
    for (const FormatFacts& f : kFormats) {
        if (f.internal != GLenum(internal)) continue;
        t.format_ = f.format;
        return t;
    }
    throw Error{fmt::format("GL texture {} has internal format {:#x}, which Lathe does not know",
                            id, internal)};
}

std::size_t Texture::bytes() const {
    return std::size_t(width()) * std::size_t(height()) * facts(format_).bytes;
}

void Texture::upload(std::span<const std::byte> texels) {
    if (texels.size() != bytes())
        throw Error{fmt::format("texture {} x {} takes {} bytes, {} were given", width_, height_,
                                bytes(), texels.size())};
    glTextureSubImage2D(id(), 0, 0, 0, width_, height_, facts(format_).external,
                        facts(format_).type, texels.data());
    check("glTextureSubImage2D");
}

std::vector<std::byte> Texture::download() const {
    std::vector<std::byte> texels(bytes());
    glMemoryBarrier(GL_TEXTURE_UPDATE_BARRIER_BIT);
    glGetTextureImage(id(), 0, facts(format_).external, facts(format_).type, GLsizei(bytes()),
                      texels.data());
    check("glGetTextureImage");
    return texels;
}

void Texture::set_filter(Filter filter) {
    const GLint f = filter == Filter::linear ? GL_LINEAR : GL_NEAREST;
    glTextureParameteri(id(), GL_TEXTURE_MIN_FILTER, f);
    glTextureParameteri(id(), GL_TEXTURE_MAG_FILTER, f);
}

void Texture::bind(unsigned unit) const { glBindTextureUnit(unit, id()); }

} // namespace lathe::gl
