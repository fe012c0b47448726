// SPDX-License-Identifier: MIT
// A texture over a buffer: shaders fetch the elements of the buffer where they lie, by number.
#pragma once

#include "engine/core/api.h"
#include "gl/gl.h"
#include "gl/object.h"

#include <cstddef>

namespace lathe::gl {

class LATHE_API BufferTexture {
public:
    /// Binds the buffer to a texture unit, as texels of a sized internal format of GL (GL_R32F);
    /// `texels` is how many of them a shader may fetch. Nothing is copied. The GL texture is made
    /// on first use, in the current context. Throws gl::Error where this GL fetches fewer.
    /// glTextureBuffer, glBindTextureUnit.
    void bind(unsigned unit, const Buffer& buffer, unsigned format, std::size_t texels);

private:
    Object<Kind::texture> name_;
};

} // namespace lathe::gl
