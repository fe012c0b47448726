// SPDX-License-Identifier: MIT
// Words in a picture: letters of the interface's font, with a dark edge that makes them readable
// over anything.
#pragma once

#include "engine/core/api.h"
#include "gl/buffer.h"
#include "gl/program.h"
#include "gl/vertex_array.h"

#include <glm/vec2.hpp>
#include <glm/vec4.hpp>

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace lathe {

class GlyphAtlas;

struct TextStyle {
    float size = 16; ///< of an em, pixels
    glm::vec4 color{0.93f, 0.94f, 0.96f, 1};
    /// Which point of the text lies at its place, in parts of its width and height from the top
    /// left; (0.5, 0.5) is the middle.
    glm::vec2 anchor{0.5f, 0.5f};
    glm::vec4 edge{0, 0, 0, 0.75f}; ///< around the letters; alpha 0: none
};

class LATHE_API TextRenderer {
public:
    TextRenderer();
    TextRenderer(const TextRenderer&) = delete;
    TextRenderer& operator=(const TextRenderer&) = delete;
    ~TextRenderer();

    /// Width and height, pixels. A line feed begins a line.
    glm::vec2 extent(std::string_view text, float size);
    /// Of the first line, pixels below the top of the extent.
    float base_line(float size);
    /// Kept until draw(). `place`: pixels of the framebuffer from the top left.
    void add(std::string_view text, glm::vec2 place, const TextStyle& style);
    /// Draws what was added over what is there.
    void draw(glm::vec2 framebuffer_size);

private:
    /// As text.vert reads it.
    struct Letter {
        glm::vec2 corner, size; ///< pixels, from the top left
        glm::vec2 texel, unused;
        glm::vec4 color, edge;
    };
    GlyphAtlas& atlas();

    std::unique_ptr<GlyphAtlas> atlas_;
    std::vector<Letter> letters_;
    gl::Buffer buffer_;
    gl::Program program_;
    std::optional<gl::VertexArray> corners_;
};

} // namespace lathe
