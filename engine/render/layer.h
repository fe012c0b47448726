// SPDX-License-Identifier: MIT
// A picture with depth that a kernel has made, put among what OpenGL draws.
#pragma once

#include "engine/core/api.h"
#include "gl/program.h"
#include "gl/vertex_array.h"

#include <glm/vec2.hpp>

#include <optional>

namespace lathe {

namespace gl {
class Buffer;
}

/// Pixels of a rectangle, row by row from its bottom. Buffers are borrowed until the draw call
/// returns.
struct LayerData {
    const gl::Buffer* colors = nullptr; ///< premultiplied, four bytes a pixel
    const gl::Buffer* depths = nullptr; ///< a float32 a pixel, as OpenGL's depth buffer has it
    glm::ivec2 corner{0, 0};            ///< from the framebuffer's bottom left, in its own pixels
    glm::ivec2 size{0, 0};
    int side = 1; ///< of one of its pixels, in the framebuffer's
};

class LATHE_API LayerRenderer {
public:
    LayerRenderer() = default;

    /// Draws into the bound framebuffer of `framebuffer_size`, over what is there and behind what
    /// is nearer. What is solid hides what is drawn later behind it. Throws lathe::Error where a
    /// buffer is too small.
    void draw(const LayerData& layer, bool is_solid, glm::vec2 framebuffer_size);

private:
    std::optional<gl::Program> program_;
    std::optional<gl::VertexArray> corners_;
};

} // namespace lathe
