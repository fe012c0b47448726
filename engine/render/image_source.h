// SPDX-License-Identifier: MIT
// A picture as shaders read it (elements.glsl); private to engine/render.
#pragma once

#include "engine/render/colormap.h"
#include "engine/render/image.h"

#include <string>
#include <vector>

namespace lathe {

/// What a program is compiled for and where its elements begin.
struct ImageSource {
    const char* sampler; ///< a literal
    int width = 0, height = 0, channels = 1;
    bool vector = false;
    int first = 0;
    ValueRange unless_given{};
    bool is_complex = false;
    bool has_range = false; ///< found by the device, bound
    bool from_texture = false;
};

/// Binds it to unit 0, and its range to unit 2. Throws lathe::Error as ImageRenderer::draw().
ImageSource bind_image(const gl::Texture& texture);
ImageSource bind_image(const ImageBuffer& image);
/// SAMPLER and CHANNELS; the caller defines VECTOR and FROM_TEXTURE.
void add_defines(const ImageSource& source, std::vector<std::string>& defines);
void set_image_source(const ImageSource& source, gl::Program& program);

} // namespace lathe
