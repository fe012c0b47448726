// SPDX-License-Identifier: MIT
#include "engine/ui/flame_view.h"

#include "engine/ui/theme.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>

namespace lathe {

namespace {

using theme::px;

constexpr std::array<unsigned, kLaneNames.size()> kLaneColors{theme::kAccent, theme::kGood,
                                                              theme::kCostly};
constexpr unsigned kWorkers = theme::kHazard;
constexpr float kRow = 17, kLaneGap = 6, kLabels = 54, kAxis = 16; // before px()
constexpr double kNearest = 1e-4;                                  // of the frame

double milliseconds(std::chrono::nanoseconds time) { return double(time.count()) * 1e-6; }

std::string words_of(std::chrono::nanoseconds time) {
    const double ms = milliseconds(time);
    return ms < 0.1 ? fmt::format("{:.1f} µs", ms * 1e3) : fmt::format("{:.3g} ms", ms);
}

/// The lane's colour; names differ in how light it is.
ImU32 color_of(unsigned lane, std::string_view name, bool is_hovered) {
    const auto shade = float(std::hash<std::string_view>{}(name) % 7) / 6;
    ImVec4 color = theme::color(lane);
    const float by = is_hovered ? 1.15f : 0.72f + 0.28f * shade;
    for (float* part : {&color.x, &color.y, &color.z}) *part = std::min(*part * by, 1.0f);
    return ImGui::GetColorU32(color);
}

/// 1, 2 or 5 times a power of ten.
double round_step(double least) {
    const double power = std::pow(10, std::floor(std::log10(least)));
    for (const double times : {1.0, 2.0, 5.0})
        if (times * power >= least) return times * power;
    return 10 * power;
}

/// The end of the frame, or of the device's work for it.
std::chrono::nanoseconds whole_time(const ProfiledFrame& frame) {
    auto end = frame.begin + frame.time;
    for (const ProfiledZone& zone : frame.zones) end = std::max(end, zone.begin + zone.time);
    for (const ProfiledBlocks& each : frame.blocks) end = std::max(end, each.begin + each.time);
    return std::max(end - frame.begin, std::chrono::nanoseconds{1});
}

std::array<int, kLaneNames.size()> rows_of(const ProfiledFrame& frame) {
    std::array<int, kLaneNames.size()> rows{};
    for (const ProfiledZone& zone : frame.zones) {
        int& most = rows[std::size_t(zone.lane)];
        most = std::max(most, zone.depth + 1);
    }
    return rows;
}

int workers_of(const ProfiledFrame& frame) {
    unsigned count = 0;
    for (const ProfiledBlocks& each : frame.blocks) count = std::max(count, each.worker + 1);
    return int(count);
}

} // namespace

void FlameView::steer(float left, float width) {
    if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
        from_ = 0;
        to_ = 1;
        return;
    }
    const double shown = to_ - from_;
    if (const float wheel = ImGui::GetIO().MouseWheel; wheel != 0 && ImGui::IsItemHovered()) {
        const double at =
            from_ + shown * double(std::clamp((ImGui::GetMousePos().x - left) / width, 0.f, 1.f));
        const double by = std::clamp(std::pow(0.8, double(wheel)), kNearest / shown, 1 / shown);
        from_ = at - (at - from_) * by;
        to_ = from_ + shown * by;
    }
    if (ImGui::IsItemActive()) {
        const double by = double(ImGui::GetIO().MouseDelta.x / width) * shown;
        from_ -= by;
        to_ -= by;
    }
    const double inside = std::max(0.0, -from_) - std::max(0.0, to_ - 1);
    from_ += inside;
    to_ += inside;
}

void FlameView::draw(const ProfiledFrame& frame, ImVec2 size) {
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const float left = low.x + px(kLabels), width = std::max(size.x - px(kLabels), px(40));
    const auto rows = rows_of(frame);
    float height = px(kAxis);
    const int workers = workers_of(frame);
    for (const int lane : rows) height += lane > 0 ? float(lane) * px(kRow) + px(kLaneGap) : 0;
    height += float(workers) * px(kRow);
    ImGui::InvisibleButton("##flame", {width + px(kLabels), std::max(height, size.y)});
    ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY); // the panel does not scroll
    const bool is_hovered = ImGui::IsItemHovered();
    steer(left, width);

    const double whole = milliseconds(whole_time(frame));
    const auto x_of = [&](double ms) {
        return left + width * float((ms / whole - from_) / (to_ - from_));
    };
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const float bottom = low.y + height;
    const double step = round_step(whole * (to_ - from_) * double(px(90) / width));
    for (double ms = std::ceil(from_ * whole / step) * step; ms <= to_ * whole; ms += step) {
        const float x = std::round(x_of(ms));
        draw.AddLine({x, low.y + px(kAxis) - px(3)}, {x, bottom}, theme::packed(theme::kLine));
        draw.AddText({x + px(3), low.y}, theme::packed(theme::kDim),
                     fmt::format("{:.4g} ms", ms).c_str());
    }

    std::array<float, kLaneNames.size()> tops{};
    float y = low.y + px(kAxis);
    for (std::size_t lane = 0; lane < rows.size(); ++lane) {
        if (rows[lane] == 0) continue;
        tops[lane] = y;
        draw.AddText({low.x, y}, theme::packed(kLaneColors[lane]), kLaneNames[lane].data());
        y += float(rows[lane]) * px(kRow) + px(kLaneGap);
    }
    const float workers_top = y;
    for (int worker = 0; worker < workers; ++worker, y += px(kRow))
        draw.AddText({low.x, y}, theme::packed(kWorkers), fmt::format("cpu {}", worker).c_str());
    const ImVec2 mouse = ImGui::GetMousePos();
    draw.PushClipRect({left, low.y}, {left + width, low.y + std::max(height, size.y)}, true);
    /// True where the mouse is on it.
    const auto draw_bar = [&](float top, std::chrono::nanoseconds begins,
                              std::chrono::nanoseconds time, unsigned lane, std::string_view name,
                              const auto& words) {
        const float from = x_of(milliseconds(begins - frame.begin));
        const float to = std::max(x_of(milliseconds(begins + time - frame.begin)), from + 1);
        if (to < left || from > left + width) return false;
        const ImVec2 corner{from, top}, opposite{to, top + px(kRow) - 1};
        const bool is_under =
            is_hovered && mouse.x >= from && mouse.x < to && mouse.y >= top && mouse.y < opposite.y;
        const float inset = to - from > 3 ? 1.0f : 0.0f; // from the next one
        draw.AddRectFilled(corner, {to - inset, opposite.y}, color_of(lane, name, is_under), px(1));
        const float begin = std::max(from, left) + px(3);
        if (to - begin < px(14)) return is_under;
        draw.PushClipRect(corner, {to - px(2), opposite.y}, true);
        const std::string text = fmt::format("{}  {}", words(), words_of(time));
        draw.AddText({begin, top + px(1)}, theme::packed(theme::kBackground), text.c_str());
        draw.PopClipRect();
        return is_under;
    };
    const auto explain = [&](std::string_view name, std::chrono::nanoseconds begins,
                             std::chrono::nanoseconds time) {
        ImGui::SetTooltip("%.*s\n%s, %s from the frame's begin, %.1f %% of it", int(name.size()),
                          name.data(), words_of(time).c_str(),
                          words_of(begins - frame.begin).c_str(),
                          100 * milliseconds(time) / milliseconds(frame.time));
    };
    for (const ProfiledZone& zone : frame.zones) {
        const float top = tops[std::size_t(zone.lane)] + float(zone.depth) * px(kRow);
        if (draw_bar(top, zone.begin, zone.time, kLaneColors[std::size_t(zone.lane)], zone.name,
                     [&] { return zone.name; }))
            explain(zone.name, zone.begin, zone.time);
    }
    for (const ProfiledBlocks& each : frame.blocks)
        if (draw_bar(workers_top + float(each.worker) * px(kRow), each.begin, each.time, kWorkers,
                     each.kernel, [&] { return name_of(each); }))
            explain(fmt::format("blocks of {}", name_of(each)), each.begin, each.time);
    draw.PopClipRect();
}

} // namespace lathe
