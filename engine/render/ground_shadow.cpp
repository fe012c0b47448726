// SPDX-License-Identifier: MIT
#include "engine/render/ground_shadow.h"

#include "engine/render/bound_target.h"
#include "engine/render/draw_state.h"
#include "engine/render/look.h"

#include <glm/common.hpp>
#include <glm/ext/matrix_clip_space.hpp>

#include <algorithm>

namespace lathe {

namespace {

constexpr int kBelow = 512, kShadow = 256; // pixels of a side
constexpr float kNearestGap = 1e-3f;       // of the box: the ground lies so much lower

} // namespace

void GroundShadow::draw(const Ground& ground, const glm::mat4& view, const glm::mat4& projection,
                        const std::function<void(const GroundLook&)>& draw) {
    if (!(ground.strength > 0)) return;
    const int up = ground.up_axis, side = up == 1 ? 2 : 1;
    const glm::vec3 extent = ground.high - ground.low;
    const float most = std::max({extent.x, extent.y, extent.z});
    if (!(most > 0)) return;
    const float height = std::max(extent[up], 1e-3f * most), gap = kNearestGap * most;
    const float level = ground.low[up] - gap;
    const glm::vec4 eye = Look{projection * view}.eye;
    if (eye.w != 0 ? eye[up] <= level : eye[up] <= 0) return;
    if (!soften_) {
        soften_.emplace("peel.vert", "ground_soften.frag");
        show_.emplace("ground.vert", "ground.frag");
        corners_.emplace();
        below_ = gl::Framebuffer{kBelow, kBelow, gl::Format::r8, true};
        shadow_ = gl::Framebuffer{kShadow, kShadow, gl::Format::r16f};
        shadow_.color().set_filter(gl::Filter::linear);
    }
    const BoundTarget target;
    const float margin = 3 * kSoftness * height + 0.04f * most;
    const glm::vec2 middle{(ground.low.x + ground.high.x) / 2,
                           (ground.low[side] + ground.high[side]) / 2};
    const float half = std::max(extent.x, extent[side]) / 2 + margin;

    // Right is x, and straight up is ahead: z or -y is above.
    const float above = up == 1 ? 1.0f : -1.0f;
    glm::mat4 from_below{0};
    from_below[0][0] = 1;
    from_below[side][1] = above;
    from_below[up][2] = -1;
    from_below[3] = {-middle.x, -above * middle.y, level, 1};
    below_.clear({0, 0, 0, 1});
    below_.bind();
    draw({from_below, glm::ortho(-half, half, -half, half, 0.0f, height + 2 * gap),
          glm::vec2{kBelow}});

    shadow_.bind();
    soften_->set("height", height + 2 * gap);
    soften_->set("pixels_a_unit", float(kBelow) / (2 * half));
    soften_->set("softness", kSoftness);
    below_.depth().bind(0);
    corners_->bind();
    {
        const DrawState state{Mix::none, false};
        soften_->use();
        glDrawArrays(GL_TRIANGLES, 0, 3);
    }
    target.bind();
    const glm::mat4 to_clip = projection * view;
    show_->set_matrix("to_clip", &to_clip[0][0]);
    show_->set("middle", middle.x, middle.y, level, 0.0f);
    show_->set("up_is_y", up == 1 ? 1 : 0);
    show_->set("half_side", half);
    show_->set("strength", ground.strength);
    shadow_.color().bind(0);
    const DrawState state{Mix::over, true, false};
    show_->use();
    corners_->bind();
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

} // namespace lathe
