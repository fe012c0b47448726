// SPDX-License-Identifier: MIT
// Blended surfaces in the right order, pixel by pixel, whatever the order of their triangles and
// things: depth peeling (Everitt, "Interactive Order-Independent Transparency", 2001). Each pass
// draws all of them and keeps what is nearest behind the pass before.
#pragma once

#include "engine/core/api.h"
#include "gl/framebuffer.h"
#include "gl/object.h"
#include "gl/program.h"
#include "gl/vertex_array.h"

#include <glm/vec2.hpp>

#include <array>
#include <functional>
#include <optional>

namespace lathe {

/// What a surface's shader has to look at in a pass (mesh.frag).
struct PeelPass {
    const gl::Texture& solid;  ///< depths of all that is solid
    const gl::Texture& nearer; ///< of the pass before
    glm::ivec2 corner;         ///< of the viewport in `solid`
};

class LATHE_API Peeler {
public:
    /// The nearest ones are drawn; what lies behind so many is left out.
    static constexpr int kMostLayers = 8;

    Peeler() = default;
    /// Puts what `draw` draws, which leaves out what the pass says, over the bound framebuffer in
    /// its viewport, behind what is nearer by `solid`, the depth of that framebuffer. Once a pass
    /// finds nothing the rest are skipped by the GPU itself. Keeps pictures of the largest
    /// viewport. Throws gl::Error where those cannot be made, and what `draw` throws.
    void draw(const gl::Texture& solid, const std::function<void(const PeelPass&)>& draw);

private:
    void put(const gl::Texture& layer, glm::ivec2 corner);

    std::array<gl::Framebuffer, 2> layers_;
    gl::Framebuffer sum_;
    std::array<gl::Object<gl::Kind::query>, kMostLayers> seen_; ///< whether a pass found anything
    std::optional<gl::Program> program_;
    std::optional<gl::VertexArray> corners_;
};

} // namespace lathe
