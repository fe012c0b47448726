// SPDX-License-Identifier: MIT
#include "engine/ui/roofline_view.h"

#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/ui/plot_drawing.h"
#include "engine/ui/theme.h"

#include <fmt/format.h>
#include <imgui.h>
#include <implot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace lathe {

namespace {

using gpu::DevicePeaks;
using gpu::KernelRate;
using theme::px;

constexpr double kEvery = 0.5;   ///< seconds for which numbers stand still, to be read
constexpr float kBesideOf = 560; ///< a panel this wide, before px(), has the table beside the plot

/// Of an axis by powers.
struct Range {
    double low = HUGE_VAL, high = 0;
    void include(double value) {
        if (value > 0 && std::isfinite(value))
            low = std::min(low, value), high = std::max(high, value);
    }
};

bool is_drawn(const KernelRate& rate) {
    return rate.flops > 0 && rate.bytes > 0 && rate.seconds > 0;
}

void set_up_axes(const std::vector<KernelRate>& rates, const DevicePeaks& peaks) {
    constexpr double kMargin = 3;
    Range x, y;
    x.include(peaks.flops / peaks.bandwidth * kMargin * kMargin);
    x.include(peaks.flops / peaks.cache_bandwidth / kMargin);
    y.include(peaks.flops * kMargin / 1e9);
    for (const KernelRate& rate : rates) {
        if (!is_drawn(rate)) continue;
        x.include(rate.intensity() / kMargin);
        x.include(rate.intensity() * kMargin);
        y.include(rate.flops_per_second() / kMargin / kMargin / 1e9);
    }
    y.include(x.low * peaks.bandwidth / 1e9);
    constexpr ImPlotAxisFlags kFlags = ImPlotAxisFlags_Lock | ImPlotAxisFlags_NoHighlight;
    ImPlot::SetupAxes(nullptr, nullptr, kFlags, kFlags);
    ImPlot::SetupAxisScale(ImAxis_X1, ImPlotScale_Log10);
    ImPlot::SetupAxisScale(ImAxis_Y1, ImPlotScale_Log10);
    ImPlot::SetupAxesLimits(x.low, x.high, y.low, y.high, ImPlotCond_Always);
}

void draw_line(const char* id, std::array<double, 2> x, std::array<double, 2> y, unsigned ink,
               float weight) {
    ImPlotSpec spec;
    spec.LineColor = theme::color(ink, 0.8f);
    spec.LineWeight = px(weight);
    ImPlot::PlotLine(id, x.data(), y.data(), 2, spec);
}

/// In the middle of a place, moved by pixels.
void draw_words(const std::string& words, double x, double y, ImVec2 offset, unsigned ink) {
    ImPlot::PushStyleColor(ImPlotCol_InlayText, theme::color(ink));
    ImPlot::PlotText(words.c_str(), x, y, offset);
    ImPlot::PopStyleColor();
}

/// Those of memory and of the cache up to the arithmetic's, and the arithmetic's from there on.
void draw_roofs(const DevicePeaks& peaks, bool has_doubles) {
    const ImPlotRect limits = ImPlot::GetPlotLimits();
    const double left = limits.X.Min, right = limits.X.Max, top = peaks.flops / 1e9;
    const double steepest = std::max(peaks.bandwidth, peaks.cache_bandwidth) / 1e9;
    enum class Side { above, below };
    const auto slope = [&](const char* name, double bandwidth, float weight, Side side) {
        const double ridge = std::min(top / bandwidth, right);
        draw_line(name, {left, ridge}, {left * bandwidth, ridge * bandwidth}, theme::kDim, weight);
        const double x = left * std::pow(ridge / left, side == Side::above ? 0.8 : 0.5);
        const std::string words = fmt::format("{} {:.3g} GB/s", name, bandwidth);
        const float away = ImGui::CalcTextSize(words.c_str()).x / 2 + px(10);
        draw_words(words, x, x * bandwidth, {side == Side::above ? -away : away, 0}, theme::kDim);
    };
    const auto flat = [&](const char* name, double flops) {
        draw_line(name, {std::min(flops / steepest, right), right}, {flops, flops}, theme::kDim, 2);
        const std::string words = fmt::format("{} {:.3g} Gflop/s", name, flops);
        const float half = ImGui::CalcTextSize(words.c_str()).x / 2;
        draw_words(words, right, flops, {-half - px(4), -px(9)}, theme::kDim);
    };
    slope("memory", peaks.bandwidth / 1e9, 2, Side::below);
    slope("cache", peaks.cache_bandwidth / 1e9, 1, Side::above);
    flat("float32", top);
    if (has_doubles) flat("float64", peaks.double_flops / 1e9);
    draw_words("Gflop/s", left, limits.Y.Max, {px(26), px(9)}, theme::kDim);
    draw_words("flop/byte", right, limits.Y.Min, {-px(30), -px(9)}, theme::kDim);
}

void draw_points(const std::vector<KernelRate>& rates, const DevicePeaks& peaks) {
    for (std::size_t i = 0; i < rates.size(); ++i) {
        const KernelRate& rate = rates[i];
        if (!is_drawn(rate)) continue;
        const double x = rate.intensity(), y = rate.flops_per_second() / 1e9;
        const double roof = rate.roof(peaks) / 1e9;
        ImGui::PushID(int(i));
        if (y < roof) draw_line("##way", {x, x}, {y, roof}, plot_ink(i), 1);
        ImPlotSpec spec;
        spec.Marker = ImPlotMarker_Circle;
        spec.MarkerSize = px(5);
        spec.MarkerFillColor = spec.MarkerLineColor = theme::color(plot_ink(i));
        ImPlot::PlotScatter("##kernel", &x, &y, 1, spec);
        draw_words(rate.kernel, x, y, {0, px(13)}, plot_ink(i));
        ImGui::PopID();
    }
}

} // namespace

bool RooflineView::can_inspect() {
    if (!std::exchange(has_looked_, true)) problem_ = Inspector::rates_problem();
    return problem_.empty();
}

void RooflineView::want(bool is_wanted) {
    if (std::exchange(is_wanted_, is_wanted) == is_wanted) return;
    if (is_wanted) inspector_.want_rates();
    else inspector_.unwant_rates();
}

void RooflineView::draw(bool is_seen) {
    want(is_seen);
    if (!is_seen) return;
    if (frames_to_measure_ > 0 && --frames_to_measure_ == 0 && measure) measure();
    if (!can_inspect()) return ImGui::TextWrapped("%s", problem_.c_str());
    if (inspector_.mode() == Inspecting::off || !gpu::known_device_peaks())
        return draw_invitation();
    const double now = ImGui::GetTime();
    if (now - looked_at_ >= kEvery || now < looked_at_ || shown_.empty()) {
        looked_at_ = now;
        shown_ = inspector_.rates();
        std::erase_if(shown_, [](const KernelRate& r) { return r.flops <= 0 && r.bytes <= 0; });
        std::ranges::stable_sort(shown_, std::greater{}, &KernelRate::seconds);
    }
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const bool is_wide = room.x >= px(kBesideOf);
    const float table = ImGui::GetTextLineHeightWithSpacing() * float(shown_.size() + 2);
    const float below = std::clamp(room.y - table, room.y * 0.6f, std::max(room.y, 1.0f));
    draw_plot(shown_, is_wide ? room.x * 0.55f : room.x, is_wide ? room.y : below);
    if (is_wide) ImGui::SameLine();
    draw_table(shown_);
}

void RooflineView::draw_invitation() {
    ImGui::TextWrapped("How fast each kernel computes, beside what this device can do. It counts "
                       "what kernels do, and first measures the device, which takes two seconds.");
    if (frames_to_measure_ > 0) return theme::text("Measuring the device …", theme::kAccent);
    if (!ImGui::Button("Measure")) return;
    try {
        if (inspector_.mode() == Inspecting::off) inspector_.set_mode(Inspecting::costs);
        if (!gpu::known_device_peaks()) frames_to_measure_ = 2;
    } catch (const Error& error) { log::error("{}", error.what()); }
}

void RooflineView::draw_plot(const std::vector<KernelRate>& rates, float width,
                             float height) const {
    const DevicePeaks& peaks = *gpu::known_device_peaks();
    theme::push_plot_style();
    const ImPlotFlags flags = ImPlotFlags_CanvasOnly | ImPlotFlags_NoBoxSelect;
    if (ImPlot::BeginPlot("##roofline", {width, height}, flags)) {
        set_up_axes(rates, peaks);
        ImPlot::SetupFinish();
        draw_roofs(peaks, std::ranges::any_of(rates, &KernelRate::is_double));
        draw_points(rates, peaks);
        ImPlot::EndPlot();
    }
    theme::pop_plot_style();
}

void RooflineView::draw_table(const std::vector<KernelRate>& rates) const {
    const DevicePeaks& peaks = *gpu::known_device_peaks();
    if (rates.empty()) return theme::text("no launch was counted yet", theme::kDim);
    constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_ScrollY |
                                       ImGuiTableFlags_ScrollX | ImGuiTableFlags_NoPadOuterX;
    if (!ImGui::BeginTable("rates", 6, kFlags)) return;
    ImGui::TableSetupScrollFreeze(1, 1);
    ImGui::TableNextRow();
    for (const char* title :
         {"kernel", "flop/byte", "Gflop/s", "GB/s", "of its roof", "bound by"}) {
        ImGui::TableNextColumn();
        theme::text(title, theme::kDim);
    }
    for (std::size_t i = 0; i < rates.size(); ++i) {
        const KernelRate& rate = rates[i];
        const auto number = [](bool is_known, auto format, double value) {
            ImGui::TableNextColumn();
            if (is_known) theme::text_at_right(fmt::format(fmt::runtime(format), value));
        };
        const bool is_timed = rate.seconds > 0;
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        theme::text(rate.kernel, plot_ink(i));
        number(rate.bytes > 0, "{:.3g}", rate.intensity());
        number(is_timed && rate.flops > 0, "{:.2f}", rate.flops_per_second() / 1e9);
        number(is_timed && rate.bytes > 0, "{:.2f}", rate.bytes_per_second() / 1e9);
        number(is_timed, "{:.0f} %", 100 * rate.share(peaks));
        ImGui::TableNextColumn();
        theme::text(rate.is_bound_by_memory(peaks) ? "memory" : "arithmetic");
    }
    ImGui::EndTable();
}

} // namespace lathe
