// SPDX-License-Identifier: MIT
#include "engine/render/layer.h"

#include "engine/core/error.h"
#include "engine/render/draw_state.h"
#include "gl/buffer.h"

#include <glad/gl.h>

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>

namespace lathe {

void LayerRenderer::draw(const LayerData& layer, bool is_solid, glm::vec2 framebuffer_size) {
    if (layer.size.x < 1 || layer.size.y < 1) return;
    if (!layer.colors || !layer.depths) throw Error{"a layer was drawn without buffers"};
    const std::size_t pixels = std::size_t(layer.size.x) * std::size_t(layer.size.y);
    const std::size_t there = std::min(layer.colors->bytes(), layer.depths->bytes());
    if (there < 4 * pixels)
        throw Error{fmt::format("a layer of {} x {} pixels needs {} bytes, a buffer has {}",
                                layer.size.x, layer.size.y, 4 * pixels, there)};
    if (!program_) program_.emplace("layer.vert", "layer.frag");
    if (!corners_) corners_.emplace();
    const glm::vec2 low = glm::vec2{layer.side * layer.corner} / framebuffer_size;
    const glm::vec2 high = glm::vec2{layer.side * (layer.corner + layer.size)} / framebuffer_size;
    gl::Program& p = *program_;
    p.set("rectangle", 2 * low.x - 1, 2 * low.y - 1, 2 * high.x - 1, 2 * high.y - 1);
    p.set("size", layer.size.x, layer.size.y);
    layer.colors->bind_texels(0, GL_RGBA8, pixels);
    layer.depths->bind_texels(1, GL_R32F, pixels);
    const DrawState state{is_solid ? Mix::none : Mix::over, true, is_solid};
    p.use();
    corners_->bind();
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

} // namespace lathe
