// SPDX-License-Identifier: MIT
// A two-dimensional GL texture with immutable storage and one level; a colormap is one of height 1.
#pragma once

#include "engine/core/api.h"
#include "gl/object.h"

#include <cstddef>
#include <span>
#include <vector>

namespace lathe::gl {

enum class Format {
    r8,
    rg8,
    rgb8,
    rgba8,
    r16f,
    rgba16f,
    r32f,
    rg32f,
    rgba32f,
    r32i,
    r32ui,
    depth32f
};

/// Bytes of one texel as uploaded and downloaded, rows packed.
LATHE_API std::size_t texel_bytes(Format format);
/// Components of one texel.
LATHE_API int components_of(Format format);

enum class Filter { nearest, linear };

class LATHE_API Texture {
public:
    Texture() = default;
    /// Allocates width × height texels, zeroed; clamped to its edge. glTextureStorage2D.
    /// Throws gl::Error where a size is not positive or larger than GL allows.
    Texture(int width, int height, Format format, Filter filter = Filter::nearest);
    /// Borrows a 2D texture of the current context; size and format are asked from GL.
    /// Throws gl::Error where its format is none of Format.
    static Texture wrap(unsigned id);

    unsigned id() const noexcept { return name_.get().id; }
    int width() const noexcept { return name_ ? width_ : 0; }
    int height() const noexcept { return name_ ? height_ : 0; }
    Format format() const noexcept { return format_; }
    std::size_t bytes() const;
    explicit operator bool() const noexcept { return bool(name_); }

    /// Replaces all texels; rows packed, first row at v = 0. Throws gl::Error where the size
    /// differs.
    void upload(std::span<const std::byte> texels);
    /// All texels, rows packed; waits for GL.
    std::vector<std::byte> download() const;
    void set_filter(Filter filter);
    /// Binds to a texture unit.
    void bind(unsigned unit) const;

    [[nodiscard]] unsigned release() noexcept { return name_.release().id; }

private:
    Object<Kind::texture> name_;
    int width_ = 0;
    int height_ = 0;
    Format format_ = Format::rgba8;
};

} // namespace lathe::gl
