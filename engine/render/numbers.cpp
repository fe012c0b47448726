// SPDX-License-Identifier: MIT
#include "engine/render/numbers.h"

#include "engine/core/error.h"
#include "gl/buffer.h"

#include <fmt/core.h>

namespace lathe {

void Numbers::bind(unsigned unit, unsigned format, const char* what) const {
    if (offset % bytes)
        throw Error{fmt::format("{} begin at {} bytes, no multiple of {}", what, offset, bytes)};
    const std::size_t end = offset + count * bytes;
    if (end > buffer.bytes())
        throw Error{fmt::format("{} need {} bytes, the buffer has {}", what, end, buffer.bytes())};
    buffer.bind_texels(unit, format, end / bytes);
}

} // namespace lathe
