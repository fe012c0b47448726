// SPDX-License-Identifier: MIT
#include "engine/render/text.h"

#include "engine/render/draw_state.h"
#include "engine/render/glyph_atlas.h"
#include "gl/texture.h"

#include <glad/gl.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <string>
#include <utility>

namespace lathe {

namespace {

constexpr float kLineHeight = 1.25f; // of the size

/// Sizes in quarters of a pixel, so that a changing size does not fill the atlas.
float whole_quarters(float size) { return std::clamp(std::round(4 * size) / 4, 4.0f, 256.0f); }

float width_of(GlyphAtlas& atlas, std::u32string_view line, float size) {
    float width = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        width += atlas.glyph(line[i], size).advance;
        if (i + 1 < line.size()) width += atlas.kerning(line[i], line[i + 1], size);
    }
    return width;
}

std::vector<std::u32string> lines_of(std::string_view text) {
    std::vector<std::u32string> lines{{}};
    for (const char32_t letter : code_points(text)) {
        if (letter == U'\n') lines.emplace_back();
        else lines.back() += letter;
    }
    return lines;
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
    const std::vector<std::u32string> lines = lines_of(text);
    float width = 0;
    for (const std::u32string& line : lines) width = std::max(width, width_of(atlas(), line, size));
    return {width, size * kLineHeight * float(lines.size())};
}

void TextRenderer::add(std::string_view text, glm::vec2 place, const TextStyle& style) {
    const float size = whole_quarters(style.size);
    const glm::vec2 whole = extent(text, size), corner = place - style.anchor * whole;
    const auto [ascent, descent] = atlas().ascent_and_descent(size);
    float base = corner.y + (size * kLineHeight + ascent - descent) / 2;
    for (const std::u32string& line : lines_of(text)) {
        float pen = corner.x + style.anchor.x * (whole.x - width_of(atlas(), line, size));
        for (std::size_t i = 0; i < line.size(); ++i) {
            const Glyph& glyph = atlas().glyph(line[i], size);
            if (glyph.size.x > 0)
                letters_.push_back({glm::round(glm::vec2{pen, base}) + glyph.offset,
                                    glyph.size,
                                    glyph.place,
                                    {},
                                    style.color,
                                    style.edge});
            pen += glyph.advance;
            if (i + 1 < line.size()) pen += atlas().kerning(line[i], line[i + 1], size);
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
