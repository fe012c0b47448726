// SPDX-License-Identifier: MIT
#include "engine/scene/keys.h"

#include "engine/scene/ticks.h"

#include <glm/common.hpp>

#include <algorithm>
#include <cmath>

namespace lathe {

namespace {

constexpr float kKeyMargin = 14, kKeyGap = 6; // pixels
constexpr float kBarWidth = 14, kBarTick = 4, kNumberGap = 3;
constexpr glm::vec4 kLetterEdge{0, 0, 0, 0.6f};

TextStyle letters(float size, const glm::vec4& color, glm::vec2 anchor) {
    return {.size = size, .color = color, .anchor = anchor, .edge = kLetterEdge};
}

/// A colour bar as it lies in a tile.
struct Bar {
    float height, width;
    double low, high;
    Ticks ticks;

    Bar(Canvas& canvas, const ColorbarStyle& style, ValueRange range) {
        const glm::vec2 tile = canvas.pixels();
        height = std::floor(std::min(std::max(0.6f * tile.y, 80.0f), tile.y - 50));
        low = double(range.low);
        high = double(range.high);
        const int most = std::clamp(int(height / (3 * style.size)), 2, 8);
        ticks = ticks_between(std::min(low, high), std::max(low, high), most);
        float widest = 0;
        for (const double value : ticks.values)
            widest = std::max(widest, canvas.extent(ticks.label(value), style.size).x);
        const float title = style.label.empty() ? 0 : canvas.extent(style.label, style.size).x;
        width = std::ceil(std::max(kBarWidth + kBarTick + kNumberGap + widest, title));
    }
};

} // namespace

float width_of_colorbar(Canvas& canvas, const ColorbarStyle& style, ValueRange range) {
    return Bar{canvas, style, range}.width + kKeyMargin;
}

void draw_colorbar(Canvas& canvas, const ColorbarStyle& style, const std::string& colormap,
                   ValueRange range) {
    const Bar bar{canvas, style, range};
    if (bar.height < 16) return;
    const glm::vec2 tile = canvas.pixels();
    const glm::vec2 corner{std::floor(tile.x - canvas.taken_right - kKeyMargin - bar.width),
                           std::floor((tile.y - bar.height) / 2)};
    canvas.taken_right += bar.width + kKeyMargin;
    canvas.ramp({corner, {kBarWidth, bar.height}}, colormap, true);
    for (const double value : bar.ticks.values) {
        const float part = float((value - bar.low) / (bar.high - bar.low));
        const float y = std::min(std::floor((1 - part) * bar.height), bar.height - 1);
        const glm::vec2 at{corner.x + kBarWidth, corner.y + y + 0.5f};
        canvas.screen_stroke(at, at + glm::vec2{kBarTick, 0}, style.color);
        canvas.text(bar.ticks.label(value), at + glm::vec2{kBarTick + kNumberGap, 0},
                    letters(style.size, style.color, {0, 0.5f}));
    }
    if (!style.label.empty())
        canvas.text(style.label, corner - glm::vec2{0, kKeyGap},
                    letters(style.size, style.color, {0, 1}));
}

void draw_legend(Canvas& canvas, const LegendStyle& style,
                 const std::vector<LegendEntry>& entries) {
    const float row = 1.5f * style.size, swatch = std::floor(0.75f * style.size);
    glm::vec2 corner{std::floor(canvas.taken_left + kKeyMargin),
                     std::floor(canvas.taken_top + kKeyMargin)};
    for (const LegendEntry& entry : entries) {
        const float width = 2 * swatch, middle = std::floor(corner.y + row / 2);
        const glm::vec2 low{corner.x, middle - std::floor(swatch / 2)};
        if (!entry.colormap.empty()) canvas.ramp({low, {width, swatch}}, entry.colormap, false);
        else
            canvas.screen_stroke({corner.x, low.y + swatch / 2},
                                 {corner.x + width, low.y + swatch / 2}, entry.color, swatch);
        canvas.text(entry.name, {corner.x + width + kKeyGap, middle},
                    letters(style.size, style.color, {0, 0.5f}));
        corner.y += row;
    }
}

void draw_scale_bar(Canvas& canvas, const ScaleBarStyle& style, double pixel) {
    const glm::vec2 tile = canvas.pixels();
    const double most = std::min(160.0, 0.4 * double(tile.x)) * pixel * style.per_unit;
    if (!(most > 0) || !std::isfinite(most)) return;
    const double length = round_down(most);
    const float width = float(length / (pixel * style.per_unit));
    const glm::vec2 begin{std::floor(canvas.taken_left + kKeyMargin),
                          std::floor(tile.y - canvas.taken_bottom - kKeyMargin) - 0.5f},
        end = begin + glm::vec2{width, 0};
    const glm::vec2 up{0, -5};
    canvas.screen_stroke(begin, end, style.color, 2);
    for (const glm::vec2 at : {begin, end}) canvas.screen_stroke(at, at + up, style.color, 2);
    std::string label = Ticks{length, {length}}.label(length);
    if (!style.unit.empty()) label += ' ' + style.unit;
    canvas.text(label, 0.5f * (begin + end) + up, letters(style.size, style.color, {0.5f, 1}));
}

} // namespace lathe
