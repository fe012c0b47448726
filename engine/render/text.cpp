// SPDX-License-Identifier: MIT
#include "engine/render/text.h"

#include "engine/render/draw_state.h"
#include "engine/render/glyph_atlas.h"
#include "gl/texture.h"

#include <glad/gl.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>

namespace lathe {

namespace {

constexpr float kLineHeight = 1.25f; // of the size

/// Sizes in quarters of a pixel, so that a changing size does not fill the atlas.
float whole_quarters(float size) { return std::clamp(std::round(4 * size) / 4, 4.0f, 256.0f); }

struct Line {
    std::u32string letters{};
    std::vector<float> pens{}; ///< where each begins
    float width = 0;
};

std::vector<Line> lines_of(GlyphAtlas& atlas, std::string_view text, float size) {
    std::vector<Line> lines(1);
    for (const char32_t letter : code_points(text)) {
        if (letter == U'\n') {
            lines.emplace_back();
            continue;
        }
        Line& line = lines.back();
        if (!line.letters.empty()) line.width += atlas.kerning(line.letters.back(), letter, size);
        line.letters += letter;
        line.pens.push_back(line.width);
        line.width += atlas.glyph(letter, size).advance;
    }
    return lines;
}

glm::vec2 extent_of(const std::vector<Line>& lines, float size) {
    float width = 0;
    for (const Line& line : lines) width = std::max(width, line.width);
    return {width, size * kLineHeight * float(lines.size())};
}

} // namespace

TextRenderer::TextRenderer() = default;
TextRenderer::~TextRenderer() = default;

GlyphAtlas& TextRenderer::atlas() {
    if (!atlas_) atlas_ = std::make_unique<GlyphAtlas>();
    return *atlas_;
}

glm::vec2 TextRenderer::extent(std::string_view text, float size) {
    size = whole_quarters(size);
    return extent_of(lines_of(atlas(), text, size), size);
}

float TextRenderer::base_line(float size) {
    size = whole_quarters(size);
    const auto [ascent, descent] = atlas().ascent_and_descent(size);
    return (size * kLineHeight + ascent - descent) / 2;
}

void TextRenderer::add(std::string_view text, glm::vec2 place, const TextStyle& style) {
    const float size = whole_quarters(style.size);
    const std::vector<Line> lines = lines_of(atlas(), text, size);
    const glm::vec2 whole = extent_of(lines, size), corner = place - style.anchor * whole;
    float base = corner.y + base_line(size);
    for (const Line& line : lines) {
        const float left = corner.x + style.anchor.x * (whole.x - line.width);
        for (std::size_t i = 0; i < line.letters.size(); ++i) {
            const Glyph& glyph = atlas().glyph(line.letters[i], size);
            if (glyph.size.x > 0)
                letters_.push_back({glm::round(glm::vec2{left + line.pens[i], base}) + glyph.offset,
                                    glyph.size,
                                    glyph.place,
                                    {},
                                    style.color,
                                    style.edge});
        }
        base += size * kLineHeight;
    }
}

void TextRenderer::draw(glm::vec2 framebuffer_size) {
    if (letters_.empty()) return;
    if (!program_) {
        program_ = gl::Program{"text.vert", "text.frag"};
        corners_.emplace();
    }
    const auto bytes = std::as_bytes(std::span{letters_});
    if (buffer_.bytes() < bytes.size()) buffer_ = gl::Buffer{std::bit_ceil(bytes.size())};
    buffer_.upload(bytes);
    buffer_.bind_texels(0, GL_RGBA32F, buffer_.bytes() / sizeof(glm::vec4));
    atlas().texture().bind(1);
    program_.set("framebuffer_size", framebuffer_size.x, framebuffer_size.y);
    program_.set("margin", float(GlyphAtlas::kMargin) / 2); // as far as the edge goes
    const DrawState state{Mix::over, false};
    program_.use();
    corners_->bind();
    for (const bool is_edge : {true, false}) { // no edge lies over a letter
        program_.set("is_edge", int(is_edge));
        glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, GLsizei(letters_.size()));
    }
    letters_.clear();
    if (atlas().is_full()) atlas().begin_anew();
}

} // namespace lathe
