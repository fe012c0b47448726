// SPDX-License-Identifier: MIT
// Corners and clefts get less light: how much of its surroundings each pixel sees, from the depths
// on the screen, after McGuire, Mara and Luebke, "Scalable Ambient Obscurance", 2012.
#pragma once

#include "engine/core/api.h"
#include "gl/framebuffer.h"
#include "gl/program.h"
#include "gl/vertex_array.h"

#include <glm/mat4x4.hpp>

#include <optional>

namespace lathe {

struct OcclusionStyle {
    float strength = 1;  ///< 0: none
    float radius = 0.2f; ///< world units: what is farther away takes no light
};

class LATHE_API OcclusionRenderer {
public:
    OcclusionRenderer() = default;
    /// Darkens what is in the bound framebuffer's viewport; `depth` is its depth. The same pixels
    /// always give the same picture. Keeps a picture of the largest viewport. Throws gl::Error
    /// where that cannot be made.
    void draw(const gl::Texture& depth, const OcclusionStyle& style, const glm::mat4& projection);

private:
    std::optional<gl::Program> find_, blur_;
    std::optional<gl::VertexArray> corners_;
    gl::Framebuffer found_; ///< light that is left, and the distance of the eye
};

} // namespace lathe
