// SPDX-License-Identifier: MIT
#include "gl/buffer_texture.h"

#include "gl/buffer.h"
#include "gl/context.h"
#include "gl/error.h"

#include <glad/gl.h>

#include <fmt/core.h>

namespace lathe::gl {

void BufferTexture::bind(unsigned unit, const Buffer& buffer, unsigned format, std::size_t texels) {
    GLint most = 0;
    glGetIntegerv(GL_MAX_TEXTURE_BUFFER_SIZE, &most);
    if (texels > std::size_t(most))
        throw Error{fmt::format("{} elements are too many for this GL, which reads {} of a buffer",
                                texels, most)};
    if (!name_) {
        Name name = name_here(0);
        glCreateTextures(GL_TEXTURE_BUFFER, 1, &name.id);
        name_ = Object<Kind::texture>{name};
    }
    glTextureBuffer(name_.get().id, format, buffer.id());
    glBindTextureUnit(unit, name_.get().id);
}

} // namespace lathe::gl
