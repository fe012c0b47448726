// SPDX-License-Identifier: MIT
// Numbers of a buffer that shaders fetch; private to engine/render.
#pragma once

#include <cstddef>

namespace lathe {

namespace gl {
class Buffer;
}

struct Numbers {
    const gl::Buffer& buffer;
    std::size_t offset; ///< bytes to the first
    std::size_t count;
    std::size_t bytes = 4; ///< of each

    int first() const { return int(offset / bytes); }
    /// As texels of a format of GL. Throws lathe::Error where the buffer is too small or the offset
    /// is no multiple of `bytes`, and gl::Error where this GL fetches fewer.
    void bind(unsigned unit, unsigned format, const char* what) const;
};

} // namespace lathe
