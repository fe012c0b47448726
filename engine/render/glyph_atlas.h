// SPDX-License-Identifier: MIT
// Letters of the interface's font (Inter), rasterised in the sizes that are asked for, in one
// texture.
#pragma once

#include "engine/core/api.h"
#include "gl/texture.h"

#include <glm/vec2.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace lathe {

/// A letter in the atlas. Pixels; y goes down.
struct Glyph {
    glm::vec2 place{0, 0};  ///< in the atlas
    glm::vec2 size{0, 0};   ///< 0: nothing to see
    glm::vec2 offset{0, 0}; ///< from the pen on the base line to the top left corner
    float advance = 0;      ///< of the pen
};

class LATHE_API GlyphAtlas {
public:
    /// Empty texels around each letter.
    static constexpr int kMargin = 4;

    /// Throws lathe::Error where the font's file is missing or damaged.
    GlyphAtlas();
    GlyphAtlas(const GlyphAtlas&) = delete;
    GlyphAtlas& operator=(const GlyphAtlas&) = delete;
    ~GlyphAtlas();

    /// Of a size in pixels (an em). A letter that the font lacks is its mark for those; one without
    /// room in the atlas has no size.
    const Glyph& glyph(char32_t letter, float size);
    /// Between two letters, added to the first one's advance.
    float kerning(char32_t left, char32_t right, float size) const;
    /// Of a size: above the base line, and below it, positive.
    std::pair<float, float> ascent_and_descent(float size) const;
    /// Letters found no room. begin_anew() makes room, and all have to be asked for again.
    bool is_full() const { return is_full_; }
    void begin_anew();
    /// One channel, coverage; of the current context, brought up to date.
    const gl::Texture& texture();

private:
    struct Font;
    void place(Glyph& glyph, int index, float size);

    std::unique_ptr<const Font> font_;
    std::map<std::pair<char32_t, float>, Glyph> glyphs_;
    std::vector<std::byte> texels_;
    int x_ = 0, y_ = 0, row_ = 0; ///< where the next letter goes, and the row's height
    bool is_full_ = false, changed_ = true;
    gl::Texture texture_;
};

/// UTF-8 to code points; what is no UTF-8 becomes U+FFFD.
LATHE_API std::u32string code_points(std::string_view utf8);

} // namespace lathe
