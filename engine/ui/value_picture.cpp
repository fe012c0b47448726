// SPDX-License-Identifier: MIT
#include "engine/ui/value_picture.h"

#include "engine/ui/theme.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace lathe {

namespace {

constexpr int kMostPixels = 1024; ///< of a side
/// Dear ImGui blends between texels: few threads get several each, so that their edges are sharp.
constexpr int kSharpTexels = 384;

/// Columns and rows: those of the launch, slices of a box below each other; threads in one row are
/// folded to something like a square.
std::pair<int, int> sides_of(const gpu::Dim3& threads) {
    const auto rows = std::size_t{threads.y} * threads.z;
    if (rows > 1) return {int(threads.x), int(rows)};
    int columns = 1;
    while (std::size_t(columns) * std::size_t(columns) < threads.x) columns *= 2;
    return {std::min(columns, int(threads.x)), int((threads.x + columns - 1) / columns)};
}

} // namespace

void ValuePicture::take(const LinePicture& of) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const double value : of.shown)
        if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
    range_ = low <= high ? ValueRange{float(low), float(high)} : ValueRange{0, 0};
    came_ = std::size_t(std::ranges::count_if(of.visits, [](auto times) { return times > 0; }));
    threads_ = of.shown.size();
    std::tie(columns_, rows_) = sides_of(of.threads);
    const int longest = std::max(columns_, rows_);
    step_ = (longest + kMostPixels - 1) / kMostPixels;
    texels_ = std::max(kSharpTexels / longest, 1);
    paint(of);
}

void ValuePicture::paint(const LinePicture& of) {
    const int width = (columns_ + step_ - 1) / step_ * texels_;
    const int height = (rows_ + step_ - 1) / step_ * texels_;
    std::vector<std::uint32_t> texels(std::size_t(width) * std::size_t(height));
    const auto fill = [&](int column, int row, std::uint32_t color) {
        const int x = column / step_ * texels_, y = row / step_ * texels_;
        for (int line = y; line < y + texels_; ++line)
            std::fill_n(texels.begin() + (std::ptrdiff_t{line} * width + x), texels_, color);
    };
    for (int row = 0; row < rows_; row += step_)
        for (int column = 0; column < columns_; column += step_)
            if (const auto number = number_at(column, row); number < threads_)
                fill(column, row, color_of(of, number));
    for (const std::size_t number : of.marked) // none is left out
        fill(int(number % std::size_t(columns_)), int(number / std::size_t(columns_)),
             theme::packed(theme::kError));
    if (texture_.width() != width || texture_.height() != height)
        texture_ = gl::Texture{width, height, gl::Format::rgba8};
    texture_.upload(std::as_bytes(std::span{texels}));
}

std::size_t ValuePicture::number_at(int column, int row) const {
    return std::size_t(row) * std::size_t(columns_) + std::size_t(column);
}

unsigned ValuePicture::color_of(const LinePicture& of, std::size_t number) const {
    if (of.visits[number] == 0) return 0;
    const double value = of.shown[number];
    if (std::isnan(value)) return theme::packed(theme::kHazard);
    const Rgb8 c = colormap()(float((value - double(range_.low)) * double(range_.per_unit())));
    return IM_COL32(c.r, c.g, c.b, 255);
}

std::optional<std::size_t> ValuePicture::draw(ImVec2 room) const {
    const float scale = std::min(room.x / float(columns_), room.y / float(rows_));
    const ImVec2 size{std::max(float(columns_) * scale, 1.0f),
                      std::max(float(rows_) * scale, 1.0f)};
    const ImVec2 low = ImGui::GetCursorScreenPos(), high{low.x + size.x, low.y + size.y};
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    draw.AddRectFilled(low, high, theme::packed(theme::kField));
    draw.AddImage(ImTextureID(texture_.id()), low, high);
    ImGui::InvisibleButton("values", size);
    if (!ImGui::IsItemHovered()) return {};
    const ImVec2 mouse = ImGui::GetMousePos();
    const int x = std::clamp(int((mouse.x - low.x) / scale), 0, columns_ - 1);
    const int y = std::clamp(int((mouse.y - low.y) / scale), 0, rows_ - 1);
    const auto number = number_at(x, y);
    if (number >= threads_) return {};
    const ImVec2 corner{low.x + float(x) * scale, low.y + float(y) * scale};
    theme::outline(draw, {corner.x - 1, corner.y - 1}, {corner.x + scale + 1, corner.y + scale + 1},
                   theme::packed(theme::kText), 0, 1);
    return number;
}

} // namespace lathe
