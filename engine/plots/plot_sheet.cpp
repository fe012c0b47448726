// SPDX-License-Identifier: MIT
#include "engine/plots/plot_sheet.h"

#include "engine/render/colormap.h"
#include "engine/scene/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace lathe {

namespace {

constexpr glm::vec4 kInk{0.13f, 0.15f, 0.19f, 1}, kQuiet{0.38f, 0.41f, 0.47f, 1},
    kGrid{0.88f, 0.89f, 0.91f, 1}, kFrame{0.62f, 0.65f, 0.70f, 1};
constexpr std::array kPalette{glm::vec4{0.12f, 0.44f, 0.70f, 1}, glm::vec4{0.80f, 0.48f, 0.02f, 1},
                              glm::vec4{0.16f, 0.56f, 0.34f, 1}, glm::vec4{0.79f, 0.21f, 0.25f, 1},
                              glm::vec4{0.48f, 0.31f, 0.79f, 1}, glm::vec4{0.55f, 0.36f, 0.22f, 1}};
constexpr float kTitleSize = 19, kTextSize = 14, kNoteSize = 12;
/// Of a letter, in parts of its size: fonts differ.
constexpr float kLetterWidth = 0.58f;
constexpr std::size_t kSharpTexels = 384;

float width_of(std::string_view text) {
    const auto letters = std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
    return kLetterWidth * kTextSize * float(letters);
}

/// Of an axis: numbers, and where they are on the sheet.
class Scale {
public:
    explicit Scale(const PlotAxis& axis) : is_logarithmic_{axis.is_logarithmic} {}

    void include(double value) {
        if (!std::isfinite(value) || (is_logarithmic_ && value <= 0)) return;
        low_ = std::min(low_, value);
        high_ = std::max(high_, value);
    }
    /// Numbers are known: what is empty becomes a range.
    void settle(double margin) {
        if (low_ > high_) low_ = is_logarithmic_ ? 1 : 0, high_ = is_logarithmic_ ? 10 : 1;
        if (is_logarithmic_) low_ = std::log10(low_), high_ = std::log10(high_);
        if (low_ == high_) {
            const double half = low_ == 0 ? 0.5 : 0.05 * std::abs(low_);
            low_ -= half, high_ += half;
        }
        const double more = margin * (high_ - low_);
        low_ -= more, high_ += more;
    }
    void set_pixels(float at_low, float at_high) { at_low_ = at_low, at_high_ = at_high; }
    void turn() { std::swap(at_low_, at_high_); }

    double range() const { return high_ - low_; }
    float operator()(double value) const {
        const double at = is_logarithmic_ ? std::log10(value) : value;
        return at_low_ + float((at - low_) / (high_ - low_)) * (at_high_ - at_low_);
    }

    struct Tick {
        float pixel;
        std::string label;
    };
    std::vector<Tick> ticks(int most) const {
        std::vector<Tick> found;
        const auto put = [&](double at, std::string label) {
            found.push_back({at_low_ + float((at - low_) / (high_ - low_)) * (at_high_ - at_low_),
                             std::move(label)});
        };
        if (is_logarithmic_ && high_ - low_ >= 1) {
            const auto every = std::max(std::ceil((high_ - low_) / most), 1.0);
            for (double at = std::ceil(low_); at <= high_; at += every)
                put(at, fmt::format("{:g}", std::pow(10, at)));
            return found;
        }
        const auto number = [&](double at) { return is_logarithmic_ ? std::pow(10, at) : at; };
        const Ticks round = ticks_between(number(low_), number(high_), most);
        for (const double value : round.values)
            put(is_logarithmic_ ? std::log10(value) : value, round.label(value));
        return found;
    }

private:
    bool is_logarithmic_;
    double low_ = std::numeric_limits<double>::infinity(), high_ = -low_;
    float at_low_ = 0, at_high_ = 1;
};

/// Draws one plot.
class Sheet {
public:
    Sheet(const PlotShape& shape, glm::vec2 size, PlotPen& pen)
        : shape_{shape}, size_{size}, pen_{pen}, x_{shape.x}, y_{shape.y} {}

    void draw() {
        find_ranges();
        place_axes();
        if (shape_.cells) draw_cells(*shape_.cells);
        else draw_grid();
        if (shape_.bars) draw_bars(*shape_.bars);
        for (const PlotCurve& curve : shape_.curves) draw_curve(curve);
        if (shape_.mark) draw_stroke({x_(*shape_.mark), low_.y}, {x_(*shape_.mark), high_.y}, kInk);
        draw_frame();
        draw_words();
        draw_legend();
    }

private:
    void find_ranges() {
        for (const PlotCurve& curve : shape_.curves) {
            for (std::size_t i = 0; i < curve.x.size(); ++i) {
                if (std::isnan(curve.x[i]) || std::isnan(curve.y[i])) continue;
                x_.include(curve.x[i]);
                y_.include(curve.y[i]);
            }
        }
        if (shape_.bars) {
            for (const double edge : shape_.bars->edges) x_.include(edge);
            for (const double height : shape_.bars->heights) y_.include(height);
            y_.include(shape_.y.is_logarithmic ? 0.5 : 0);
        }
        if (shape_.cells) {
            for (const double side : {shape_.cells->left, shape_.cells->right}) x_.include(side);
            for (const double side : {shape_.cells->bottom, shape_.cells->top}) y_.include(side);
        }
        const bool is_tight = shape_.cells || shape_.bars;
        x_.settle(shape_.has_room ? 0.03 : 0);
        y_.settle(is_tight ? 0 : 0.05);
    }

    void place_axes() {
        float right = 24;
        for (const PlotCurve& curve : shape_.curves)
            if (has_legend()) right = std::max(right, 56 + width_of(curve.label));
        if (shape_.cells) right = 100;
        y_.set_pixels(1, 0);
        float left = 24;
        for (const Scale::Tick& tick : y_.ticks(y_ticks())) // labels at the left
            left = std::max(left, 20 + width_of(tick.label));
        low_ = {left, shape_.y.label.empty() ? 48 : 66};
        high_ = {size_.x - right, size_.y - (shape_.x.label.empty() ? 40 : 62)};
        high_ = {std::max(high_.x, low_.x + 16), std::max(high_.y, low_.y + 16)};
        if (shape_.is_equal) {
            const glm::vec2 room = high_ - low_;
            const auto scale = std::min(room.x / float(x_.range()), room.y / float(y_.range()));
            const glm::vec2 used = scale * glm::vec2{x_.range(), y_.range()};
            low_ = low_ + 0.5f * (room - used);
            high_ = low_ + used;
        }
        x_.set_pixels(low_.x, high_.x);
        y_.set_pixels(high_.y, low_.y);
        if (shape_.cells && shape_.cells->bottom > shape_.cells->top) y_.turn();
        if (shape_.cells && shape_.cells->left > shape_.cells->right) x_.turn();
    }
    int x_ticks() const { return std::max(int((high_.x - low_.x) / 90), 2); }
    int y_ticks() const { return std::max(int((size_.y - 110) / 55), 2); }

    void draw_stroke(glm::vec2 begin, glm::vec2 end, const glm::vec4& color, float width = 1) {
        const std::array points{begin, end};
        pen_.line(points, color, width);
    }
    void draw_grid() {
        for (const Scale::Tick& tick : y_.ticks(y_ticks()))
            draw_stroke({low_.x, tick.pixel}, {high_.x, tick.pixel}, kGrid);
        if (shape_.bars) return;
        for (const Scale::Tick& tick : x_.ticks(x_ticks()))
            draw_stroke({tick.pixel, low_.y}, {tick.pixel, high_.y}, kGrid);
    }
    void draw_frame() {
        draw_stroke({low_.x, high_.y}, high_, kFrame);
        draw_stroke(low_, {low_.x, high_.y}, kFrame);
        for (const Scale::Tick& tick : x_.ticks(x_ticks())) {
            draw_stroke({tick.pixel, high_.y}, {tick.pixel, high_.y + 5}, kFrame);
            pen_.text(tick.label, {tick.pixel, high_.y + 20}, TextSide::middle, kTextSize, kQuiet);
        }
        for (const Scale::Tick& tick : y_.ticks(y_ticks())) {
            draw_stroke({low_.x - 5, tick.pixel}, {low_.x, tick.pixel}, kFrame);
            pen_.text(tick.label, {low_.x - 9, tick.pixel + 5}, TextSide::end, kTextSize, kQuiet);
        }
    }
    void draw_words() {
        pen_.text(shape_.title, {low_.x, 30}, TextSide::start, kTitleSize, kInk);
        pen_.text(shape_.y.label, {low_.x, low_.y - 12}, TextSide::start, kTextSize, kQuiet);
        pen_.text(shape_.x.label, {0.5f * (low_.x + high_.x), high_.y + 44}, TextSide::middle,
                  kTextSize, kQuiet);
        pen_.text(shape_.note, {size_.x - 16, 28}, TextSide::end, kNoteSize, kQuiet);
    }

    static glm::vec4 color_of(const PlotCurve& curve) {
        glm::vec4 color = kPalette[curve.color % kPalette.size()];
        if (curve.is_dim) color.a = 0.35f;
        return color;
    }
    void draw_curve(const PlotCurve& curve) {
        std::vector<glm::vec2> points;
        const auto finish = [&] {
            const float dot = points.size() > 200 ? 2.0f : points.size() > 1 ? 5.0f : 8.0f;
            if (curve.is_dots) pen_.dots(points, color_of(curve), dot);
            else if (points.size() > 1) pen_.line(points, color_of(curve), 1.7f);
            else if (!points.empty()) pen_.dots(points, color_of(curve), 3); // between gaps
            points.clear();
        };
        for (std::size_t i = 0; i < curve.x.size(); ++i) {
            const bool is_there = std::isfinite(curve.x[i]) && std::isfinite(curve.y[i]);
            if (is_there) points.emplace_back(x_(curve.x[i]), y_(curve.y[i]));
            else if (!curve.is_dots) finish();
        }
        finish();
    }
    void draw_bars(const PlotBars& bars) {
        for (std::size_t bin = 0; bin < bars.heights.size(); ++bin) {
            if (bars.heights[bin] <= 0) continue;
            const float left = x_(bars.edges[bin]), right = x_(bars.edges[bin + 1]),
                        top = y_(bars.heights[bin]), gap = right - left > 4 ? 1.0f : 0.0f;
            pen_.fill({left, top}, {right - left - gap, high_.y - top}, kPalette[0]);
        }
    }
    void draw_cells(const PlotCells& cells) {
        pen_.picture(picture_of(cells), low_, high_ - low_);
        constexpr int kParts = 128;
        const float left = high_.x + 18, height = (high_.y - low_.y) / kParts;
        const Colormap& map = Colormap::named(cells.colormap);
        for (int part = 0; part < kParts; ++part) {
            const Rgb8 c = map((float(part) + 0.5f) / kParts);
            const glm::vec4 color{float(c.r) / 255, float(c.g) / 255, float(c.b) / 255, 1};
            const float top = high_.y - height * float(part + 1);
            pen_.fill({left, top}, {14, height + (part > 0 ? 0.5f : 0.0f)}, color);
        }
        PlotAxis axis;
        Scale colors{axis};
        colors.include(cells.low);
        colors.include(cells.high);
        colors.settle(0);
        colors.set_pixels(high_.y, low_.y);
        for (const Scale::Tick& tick : colors.ticks(y_ticks()))
            pen_.text(tick.label, {left + 20, tick.pixel + 5}, TextSide::start, kTextSize, kQuiet);
        pen_.text(cells.label, {left, low_.y - 12}, TextSide::start, kTextSize, kQuiet);
    }

    bool has_legend() const {
        return std::ranges::count_if(shape_.curves,
                                     [](const PlotCurve& c) { return !c.label.empty(); }) > 1;
    }
    void draw_legend() {
        if (!has_legend()) return;
        float y = low_.y + 12;
        for (const PlotCurve& curve : shape_.curves) {
            if (curve.label.empty()) continue;
            const float left = high_.x + 14;
            draw_stroke({left, y - 5}, {left + 18, y - 5}, color_of(curve), 3);
            pen_.text(curve.label, {left + 25, y}, TextSide::start, kTextSize, kInk);
            y += 22;
        }
    }

    const PlotShape& shape_;
    glm::vec2 size_;
    PlotPen& pen_;
    Scale x_, y_;
    glm::vec2 low_{0, 0}, high_{1, 1}; ///< of the axes: top left, bottom right
};

} // namespace

void draw_on_sheet(const PlotShape& shape, glm::vec2 size, PlotPen& pen) {
    Sheet{shape, size, pen}.draw();
}

ImageData picture_of(const PlotCells& cells) {
    if (cells.values.empty()) return {};
    const std::size_t texels =
        std::max<std::size_t>(kSharpTexels / std::max(cells.rows, cells.columns), 1);
    ImageData made{int(cells.columns * texels), int(cells.rows * texels), 4, {}};
    made.bytes.reserve(std::size_t(made.width) * std::size_t(made.height) * 4);
    const Colormap& map = Colormap::named(cells.colormap);
    for (int y = 0; y < made.height; ++y) {
        std::size_t row = std::size_t(y) / texels;
        if (cells.y_up) row = cells.rows - 1 - row;
        for (int x = 0; x < made.width; ++x) {
            const double value = cells.values[row * cells.columns + std::size_t(x) / texels];
            Rgb8 c{255, 0, 255};
            if (!std::isnan(value)) c = map(float((value - cells.low) / (cells.high - cells.low)));
            for (const std::uint8_t part : {c.r, c.g, c.b, std::uint8_t(255)})
                made.bytes.push_back(std::byte(part));
        }
    }
    return made;
}

} // namespace lathe
