// SPDX-License-Identifier: MIT
// Two passes: one looks at a few places around each pixel, turned by a pattern of 4 × 4 pixels, the
// other takes the mean over such a pattern.
#include "engine/render/occlusion.h"

#include "engine/render/bound_target.h"
#include "engine/render/draw_state.h"

#include <glm/matrix.hpp>

#include <algorithm>

namespace lathe {

void OcclusionRenderer::draw(const gl::Texture& depth, const OcclusionStyle& style,
                             const glm::mat4& projection) {
    const BoundTarget target;
    const glm::ivec2 size = target.size();
    if (size.x < 1 || size.y < 1 || !(style.strength > 0) || !(style.radius > 0)) return;
    if (!find_) {
        find_.emplace("peel.vert", "occlusion.frag");
        blur_.emplace("peel.vert", "occlusion_blur.frag");
        corners_.emplace();
    }
    if (found_.width() < size.x || found_.height() < size.y)
        found_ = gl::Framebuffer{std::max(found_.width(), size.x),
                                 std::max(found_.height(), size.y), gl::Format::rg32f};
    const glm::mat4 from_clip = glm::inverse(glm::dmat4{projection});
    found_.bind();
    glViewport(0, 0, size.x, size.y);
    find_->set_matrix("projection", &projection[0][0]);
    find_->set_matrix("from_clip", &from_clip[0][0]);
    find_->set("corner", target.corner().x, target.corner().y);
    find_->set("size", size.x, size.y);
    find_->set("radius", style.radius);
    find_->set("strength", style.strength);
    depth.bind(0);
    corners_->bind();
    {
        const DrawState state{Mix::none, false};
        find_->use();
        glDrawArrays(GL_TRIANGLES, 0, 3);
    }
    target.bind();
    blur_->set("corner", target.corner().x, target.corner().y);
    blur_->set("size", size.x, size.y);
    blur_->set("radius", style.radius);
    found_.color().bind(0);
    const DrawState state{Mix::times, false};
    blur_->use();
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

} // namespace lathe
