// SPDX-License-Identifier: MIT
#include "engine/render/glyph_atlas.h"

#include "engine/core/error.h"
#include "engine/core/resources.h"

#include <algorithm>
#include <string>

#define STB_TRUETYPE_IMPLEMENTATION
#define STBTT_STATIC
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb_truetype.h>
#pragma GCC diagnostic pop

namespace lathe {

namespace {

constexpr int kSide = 1024;

} // namespace

struct GlyphAtlas::Font {
    std::string file;
    stbtt_fontinfo info{};
    int ascent = 0, descent = 0;

    Font() : file{read_text(resource("assets/fonts/Inter-Medium.otf"))} {
        const auto* const bytes = reinterpret_cast<const unsigned char*>(file.data());
        if (!stbtt_InitFont(&info, bytes, stbtt_GetFontOffsetForIndex(bytes, 0)))
            throw Error{"the font Inter-Medium.otf is damaged"};
        int gap = 0;
        stbtt_GetFontVMetrics(&info, &ascent, &descent, &gap);
    }
    float scale(float size) const { return stbtt_ScaleForMappingEmToPixels(&info, size); }
};

GlyphAtlas::GlyphAtlas()
    : font_{std::make_unique<const Font>()}, texels_(std::size_t(kSide) * kSide) {}
GlyphAtlas::~GlyphAtlas() = default;

const Glyph& GlyphAtlas::glyph(char32_t letter, float size) {
    const auto [found, is_new] = glyphs_.try_emplace({letter, size});
    if (!is_new) return found->second;
    const int index = stbtt_FindGlyphIndex(&font_->info, int(letter));
    int advance = 0, bearing = 0;
    stbtt_GetGlyphHMetrics(&font_->info, index, &advance, &bearing);
    found->second.advance = float(advance) * font_->scale(size);
    place(found->second, index, size);
    return found->second;
}

void GlyphAtlas::place(Glyph& glyph, int index, float size) {
    const float scale = font_->scale(size);
    int left = 0, top = 0, right = 0, bottom = 0;
    stbtt_GetGlyphBitmapBox(&font_->info, index, scale, scale, &left, &top, &right, &bottom);
    const int width = right - left, height = bottom - top;
    if (width <= 0 || height <= 0) return;
    const int wide = width + 2 * kMargin, high = height + 2 * kMargin;
    if (x_ + wide > kSide) {
        x_ = 0;
        y_ += row_;
        row_ = 0;
    }
    if (x_ + wide > kSide || y_ + high > kSide) {
        is_full_ = true;
        return;
    }
    glyph.place = {x_ + kMargin, y_ + kMargin};
    glyph.size = {width, height};
    glyph.offset = {left, top};
    auto* const corner = reinterpret_cast<unsigned char*>(texels_.data()) +
                         std::size_t(y_ + kMargin) * kSide + std::size_t(x_ + kMargin);
    stbtt_MakeGlyphBitmap(&font_->info, corner, width, height, kSide, scale, scale, index);
    x_ += wide;
    row_ = std::max(row_, high);
    changed_ = true;
}

void GlyphAtlas::begin_anew() {
    glyphs_.clear();
    std::fill(texels_.begin(), texels_.end(), std::byte{});
    x_ = y_ = row_ = 0;
    is_full_ = false;
}

float GlyphAtlas::kerning(char32_t left, char32_t right, float size) const {
    return float(stbtt_GetCodepointKernAdvance(&font_->info, int(left), int(right))) *
           font_->scale(size);
}

std::pair<float, float> GlyphAtlas::ascent_and_descent(float size) const {
    const float scale = font_->scale(size);
    return {float(font_->ascent) * scale, -float(font_->descent) * scale};
}

const gl::Texture& GlyphAtlas::texture() {
    if (!texture_) texture_ = gl::Texture{kSide, kSide, gl::Format::r8};
    if (changed_) texture_.upload(texels_);
    changed_ = false;
    return texture_;
}

std::u32string code_points(std::string_view utf8) {
    std::u32string points;
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(utf8[at]); };
    for (std::size_t i = 0; i < utf8.size();) {
        const unsigned first = byte(i);
        const std::size_t more = first < 0x80           ? 0
                                 : (first >> 5) == 0x6  ? 1
                                 : (first >> 4) == 0xe  ? 2
                                 : (first >> 3) == 0x1e ? 3
                                                        : 4;
        char32_t point = more == 0 ? first : first & (0x3fu >> more);
        bool is_good = more < 4 && i + more < utf8.size();
        for (std::size_t k = 1; is_good && k <= more; ++k) {
            is_good = (byte(i + k) >> 6) == 2;
            point = (point << 6) | (byte(i + k) & 0x3fu);
        }
        points += is_good ? point : char32_t{0xfffd};
        i += is_good ? more + 1 : 1;
    }
    return points;
}

} // namespace lathe
