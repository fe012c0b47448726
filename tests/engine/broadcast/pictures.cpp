// SPDX-License-Identifier: MIT
#include "tests/engine/broadcast/pictures.h"

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_JPEG
#include <stb_image.h>

namespace lathe::test {

Decoded::Decoded(std::string_view jpeg) {
    int channels = 0;
    unsigned char* const texels =
        stbi_load_from_memory(reinterpret_cast<const unsigned char*>(jpeg.data()), int(jpeg.size()),
                              &width, &height, &channels, 3);
    if (!texels) return;
    rgb.assign(texels, texels + std::size_t(width) * std::size_t(height) * 3);
    stbi_image_free(texels);
}

} // namespace lathe::test
