// SPDX-License-Identifier: MIT
#include "engine/scene/axes.h"

#include "engine/scene/ticks.h"

#include <glm/common.hpp>
#include <glm/geometric.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace lathe {

namespace {

constexpr float kTickPixels = 50; // between ticks, at least
constexpr float kTickLength = 5, kTickGap = 3;
constexpr int kMostTicks = 8;

int ticks_for(float pixels) { return std::clamp(int(pixels / kTickPixels), 2, kMostTicks); }

glm::vec4 faint(glm::vec4 color, float part) {
    color.a *= part;
    return color;
}

TextStyle axis_letters(const AxesStyle& style, glm::vec2 anchor) {
    return {.size = style.size, .color = style.color, .anchor = anchor, .edge = {0, 0, 0, 0.6f}};
}

/// One axis of a range in round steps.
struct RoundRange {
    double low, high;
};
RoundRange round_range(double low, double high) {
    const double range = high - low;
    if (!(range > 0)) { // one value: something around it
        const double half = low != 0 ? std::abs(low) / 2 : 0.5;
        return {low - half, low + half};
    }
    const double step = round_up(range / 8);
    const double slack = std::max(1e-6, 1e-15 * std::max(std::abs(low), std::abs(high)) / step);
    return {std::floor(low / step + slack) * step, std::ceil(high / step - slack) * step};
}

/// An edge of a box along an axis.
struct Edge {
    glm::dvec3 begin, end;
    int near_sides; ///< of the two that meet there
};

class BoxAxes {
public:
    BoxAxes(Canvas& canvas, const AxesStyle& style, const Box& box, const glm::dvec3& eye,
            UpAxis up)
        : canvas_{canvas}, style_{style}, box_{box}, up_{up == UpAxis::y ? 1 : 2},
          middle_{canvas.project(box.middle()).value_or(canvas.pixels() / 2.0f)} {
        for (int axis = 0; axis < 3; ++axis) high_is_near_[axis] = eye[axis] > box.middle()[axis];
    }

    void draw() {
        for (int axis = 0; axis < 3; ++axis) draw_axis(axis);
    }

private:
    /// Of the side on one end of an axis.
    bool is_near(int axis, bool high) const { return high == high_is_near_[axis]; }
    double end_of(int axis, bool high) const { return high ? box_.high[axis] : box_.low[axis]; }

    void draw_axis(int axis) {
        const int one = (axis + 1) % 3, two = (axis + 2) % 3;
        const Edge* chosen = nullptr;
        std::array<Edge, 4> edges;
        float best = -std::numeric_limits<float>::max();
        for (int k = 0; k < 4; ++k) {
            const bool high_one = k & 1, high_two = k & 2;
            Edge& edge = edges[std::size_t(k)];
            edge.begin[one] = edge.end[one] = end_of(one, high_one);
            edge.begin[two] = edge.end[two] = end_of(two, high_two);
            edge.begin[axis] = box_.low[axis];
            edge.end[axis] = box_.high[axis];
            edge.near_sides = is_near(one, high_one) + is_near(two, high_two);
            if (edge.near_sides == 2) continue; // before what is drawn
            canvas_.space_stroke(edge.begin, edge.end, faint(style_.color, 0.5f));
            const auto begin = canvas_.project(edge.begin), end = canvas_.project(edge.end);
            if (!begin || !end || edge.near_sides != 1) continue;
            // At the outline: what stands left for the axis that points up, lowest for the others.
            const glm::vec2 at = 0.5f * (*begin + *end);
            const float score = axis == up_ ? -at.x : at.y;
            if (score <= best) continue;
            best = score;
            chosen = &edge;
        }
        const Ticks ticks = draw_ticks(axis, chosen);
        if (style_.grid) draw_grid(axis, ticks);
    }

    Ticks draw_ticks(int axis, const Edge* edge) {
        const double low = box_.low[axis], high = box_.high[axis];
        const auto begin = edge ? canvas_.project(edge->begin) : std::nullopt;
        const auto end = edge ? canvas_.project(edge->end) : std::nullopt;
        if (!begin || !end) return ticks_between(low, high, 4);
        const glm::vec2 along = *end - *begin;
        const float length = glm::length(along);
        Ticks ticks = ticks_between(low, high, ticks_for(length));
        if (length < 20) return ticks; // seen from its end
        glm::vec2 outward{along.y / length, -along.x / length};
        if (glm::dot(outward, 0.5f * (*begin + *end) - middle_) < 0) outward = -outward;
        // The letters' middle lies as far outwards as they are large in that direction.
        const glm::vec2 anchor = 0.5f - 0.5f * glm::clamp(outward * 1.4f, -1.0f, 1.0f);
        float widest = 0;
        for (const double value : ticks.values) {
            glm::dvec3 place = edge->begin;
            place[axis] = value;
            const auto at = canvas_.project(place);
            if (!at) continue;
            canvas_.screen_stroke(*at, *at + kTickLength * outward, faint(style_.color, 0.8f));
            const std::string label = ticks.label(value);
            canvas_.text(label, *at + (kTickLength + kTickGap) * outward,
                         axis_letters(style_, anchor));
            const glm::vec2 size = canvas_.extent(label, style_.size);
            widest = std::max(widest, std::abs(glm::dot(size, glm::abs(outward))));
        }
        const std::string& name = style_.labels[std::size_t(axis)];
        if (!name.empty())
            canvas_.text(name, 0.5f * (*begin + *end) + (kTickLength + 10 + widest) * outward,
                         axis_letters(style_, anchor));
        return ticks;
    }

    /// On the far sides, across the axis.
    void draw_grid(int axis, const Ticks& ticks) {
        const glm::vec4 ink = faint(style_.color, 0.16f);
        for (const int side : {(axis + 1) % 3, (axis + 2) % 3})
            for (const bool high : {false, true}) {
                if (is_near(side, high)) continue;
                const int across = 3 - axis - side;
                for (const double value : ticks.values) {
                    glm::dvec3 begin, end;
                    begin[axis] = end[axis] = value;
                    begin[side] = end[side] = end_of(side, high);
                    begin[across] = box_.low[across];
                    end[across] = box_.high[across];
                    canvas_.space_stroke(begin, end, ink);
                }
            }
    }

    Canvas& canvas_;
    const AxesStyle& style_;
    Box box_;
    int up_;
    glm::vec2 middle_; ///< of the box, on the screen
    glm::bvec3 high_is_near_{};
};

/// A straight axis on the screen, from values to pixels.
struct ScreenAxis {
    double low, high;     ///< values at its ends
    glm::vec2 begin, end; ///< pixels
    glm::vec2 outward;    ///< where the numbers stand
    float margin;         ///< at both ends, where numbers would be cut
    glm::vec2 name_place, name_anchor;
};

/// Returns the width of the widest number.
float draw_screen_axis(Canvas& canvas, const AxesStyle& style, const ScreenAxis& axis,
                       const std::string& name) {
    const glm::vec2 along = axis.end - axis.begin;
    const float length = glm::length(along);
    const Ticks ticks = ticks_between(axis.low, axis.high, ticks_for(length));
    const glm::vec2 anchor = 0.5f - 0.5f * axis.outward;
    canvas.screen_stroke(axis.begin, axis.end, faint(style.color, 0.5f));
    float widest = 0;
    float taken = -std::numeric_limits<float>::max(); // by numbers beside each other, pixels
    for (const double value : ticks.values) {
        const float part = float((value - axis.low) / (axis.high - axis.low));
        if (part * length < axis.margin || (1 - part) * length < axis.margin) continue;
        const glm::vec2 at = glm::floor(axis.begin + part * along) + 0.5f; // crisp
        canvas.screen_stroke(at, at + kTickLength * axis.outward, faint(style.color, 0.8f));
        const std::string label = ticks.label(value);
        const float width = canvas.extent(label, style.size).x;
        if (axis.outward.x == 0 && at.x - width / 2 < taken) continue;
        taken = at.x + width / 2 + kTickGap;
        canvas.text(label, at + (kTickLength + kTickGap) * axis.outward,
                    axis_letters(style, anchor));
        widest = std::max(widest, width);
    }
    if (!name.empty()) canvas.text(name, axis.name_place, axis_letters(style, axis.name_anchor));
    return widest;
}

/// A part of one axis of a picture: what the tile shows of it.
struct SeenPart {
    float low, high;              ///< pixels
    double low_value, high_value; ///< there, in elements
};
SeenPart seen_part(float origin, float extent, double elements, float tile) {
    const float low = std::max(origin, 0.0f), high = std::min(origin + extent, tile);
    const double per_pixel = elements / double(extent);
    return {low, high, double(low - origin) * per_pixel, double(high - origin) * per_pixel};
}

} // namespace

Box axes_box(const Box& around, const std::optional<Box>& before) {
    Box box;
    for (int axis = 0; axis < 3; ++axis) {
        const double low = around.low[axis], high = around.high[axis];
        const bool stays = before && before->low[axis] <= low && high <= before->high[axis] &&
                           high - low >= 0.5 * before->size()[axis];
        const RoundRange range =
            stays ? RoundRange{before->low[axis], before->high[axis]} : round_range(low, high);
        box.low[axis] = range.low;
        box.high[axis] = range.high;
    }
    return box;
}

void draw_axes_in_space(Canvas& canvas, const AxesStyle& style, const Box& box,
                        const glm::dvec3& eye, UpAxis up) {
    BoxAxes{canvas, style, box, eye, up}.draw();
    canvas.flush();
}

void draw_axes_of_plane(Canvas& canvas, const AxesStyle& style, const PanZoomCamera& camera) {
    const glm::vec2 size = canvas.pixels();
    const double half_height = double(camera.height) / 2,
                 half_width = half_height * double(size.x / size.y);
    const double x = camera.center.x, y = camera.center.y;
    const float row = kTickLength + kTickGap + 1.4f * style.size;
    // Within the tile: its lower and left side, the letters above and right of them.
    draw_screen_axis(canvas, style,
                     {x - half_width,
                      x + half_width,
                      {0, size.y - 0.5f},
                      {size.x, size.y - 0.5f},
                      {0, -1},
                      3 * style.size,
                      {size.x - kTickGap, size.y - row},
                      {1, 1}},
                     style.labels[0]);
    const float numbers = draw_screen_axis(canvas, style,
                                           {y - half_height,
                                            y + half_height,
                                            {0.5f, size.y},
                                            {0.5f, 0},
                                            {1, 0},
                                            3 * style.size,
                                            {kTickLength + kTickGap, kTickGap},
                                            {0, 0}},
                                           style.labels[1]);
    canvas.taken_left = kTickLength + kTickGap + numbers;
    canvas.taken_bottom = row;
    if (!style.labels[1].empty()) canvas.taken_top = kTickGap + 1.3f * style.size;
}

void draw_axes_of_picture(Canvas& canvas, const AxesStyle& style, const ImagePlacement& placed,
                          glm::vec2 size, bool y_up) {
    const glm::vec2 tile = canvas.pixels();
    const SeenPart x = seen_part(placed.origin.x, placed.size.x, double(size.x), tile.x);
    SeenPart y = seen_part(placed.origin.y, placed.size.y, double(size.y), tile.y);
    if (y_up) {
        y.low_value = double(size.y) - y.low_value;
        y.high_value = double(size.y) - y.high_value;
        std::swap(y.low, y.high);
        std::swap(y.low_value, y.high_value);
    }
    const float top = std::min(y.low, y.high), bottom = std::max(y.low, y.high) + 0.5f;
    const float left = x.low - 0.5f, row = kTickLength + kTickGap + 1.3f * style.size;
    draw_screen_axis(canvas, style,
                     {x.low_value,
                      x.high_value,
                      {x.low, bottom},
                      {x.high, bottom},
                      {0, 1},
                      0,
                      {(x.low + x.high) / 2, bottom + row},
                      {0.5f, 0}},
                     style.labels[0]);
    draw_screen_axis(canvas, style,
                     {y.low_value,
                      y.high_value,
                      {left, y.low},
                      {left, y.high},
                      {-1, 0},
                      0,
                      {left, top - kTickGap},
                      {0.5f, 1}},
                     style.labels[1]);
}

Room room_for_axes(Canvas& canvas, const AxesStyle& style, glm::vec2 size) {
    float widest = canvas.extent(style.labels[1], style.size).x / 2;
    const Ticks ticks = ticks_between(0, double(size.y), kMostTicks);
    for (const double value : ticks.values)
        widest = std::max(widest, canvas.extent(ticks.label(value), style.size).x);
    const float row = 1.3f * style.size, edge = kTickGap + 2;
    return {.left = kTickLength + kTickGap + widest + edge,
            .top = (style.labels[1].empty() ? 0.5f : 1.0f) * row + edge,
            .right = row, // half of the last number
            .bottom = kTickLength + kTickGap + (style.labels[0].empty() ? 1 : 2) * row + edge};
}

} // namespace lathe
