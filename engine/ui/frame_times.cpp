// SPDX-License-Identifier: MIT
#include "engine/ui/frame_times.h"

#include "engine/app/frame_loop.h"
#include "engine/ui/theme.h"

#include <fmt/format.h>
#include <imgui.h>
#include <implot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace lathe {

namespace {

struct Series {
    const char* name;
    double FrameSample::* member;
    unsigned rgb;
};
constexpr std::array kSeries{Series{"frame", &FrameSample::frame_ms, theme::kAccent},
                             Series{"sim", &FrameSample::sim_ms, theme::kGood},
                             Series{"draw", &FrameSample::draw_ms, theme::kWarning}};

using Summaries = std::array<FrameStats::Summary, kSeries.size()>;

void table(const FrameStats& stats, const Summaries& summaries) {
    const ImGuiTableFlags flags = ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_NoPadOuterX;
    if (!ImGui::BeginTable("times", 4, flags, {theme::px(210), 0})) return;
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch);
    for (int i = 0; i < 3; ++i)
        ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed, theme::px(44));
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    theme::text("ms", theme::kDim);
    for (const char* title : {"now", "p50", "p95"}) {
        ImGui::TableNextColumn();
        theme::text_at_right(title, theme::kDim);
    }
    for (std::size_t i = 0; i < kSeries.size(); ++i) {
        const Series& s = kSeries[i];
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        theme::dot(s.rgb);
        theme::text(s.name);
        for (const double ms : {stats.last().*s.member, summaries[i].p50, summaries[i].p95}) {
            ImGui::TableNextColumn();
            theme::text_at_right(fmt::format("{:.2f}", ms));
        }
    }
    ImGui::EndTable();
}

/// Returns the place among the samples that was clicked.
std::optional<std::size_t> plot(const std::vector<FrameSample>& samples, double top, ImVec2 size) {
    std::optional<std::size_t> clicked;
    theme::push_plot_style();
    const ImPlotFlags flags =
        ImPlotFlags_CanvasOnly | ImPlotFlags_NoFrame | ImPlotFlags_NoBoxSelect;
    if (ImPlot::BeginPlot("##times", size, flags)) {
        ImPlot::SetupAxes(nullptr, nullptr, ImPlotAxisFlags_NoDecorations | ImPlotAxisFlags_Lock,
                          ImPlotAxisFlags_NoTickMarks | ImPlotAxisFlags_Lock);
        ImPlot::SetupAxesLimits(0, double(FrameStats::kCapacity - 1), 0, top, ImPlotCond_Always);
        const double begin = double(FrameStats::kCapacity - samples.size());
        for (const Series& s : kSeries) {
            ImPlotSpec spec;
            spec.LineColor = theme::color(s.rgb);
            spec.LineWeight = theme::px(1.5f);
            spec.Stride = int(sizeof(FrameSample));
            if (!samples.empty())
                ImPlot::PlotLine(s.name, &(samples.data()->*s.member), int(samples.size()), 1,
                                 begin, spec);
        }
        if (ImPlot::IsPlotHovered() && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
            const double at = std::round(ImPlot::GetPlotMousePos().x - begin);
            if (at >= 0 && at < double(samples.size())) clicked = std::size_t(at);
        }
        ImPlot::EndPlot();
    }
    theme::pop_plot_style();
    return clicked;
}

} // namespace

std::optional<std::uint64_t> FrameTimes::draw(const FrameStats& stats, float height) {
    const auto samples = stats.samples();
    double highest = 1;
    for (const auto& s : samples) highest = std::max({highest, s.frame_ms, s.sim_ms, s.draw_ms});
    Summaries summaries;
    for (std::size_t i = 0; i < kSeries.size(); ++i)
        summaries[i] = stats.summary(kSeries[i].member);
    const double wanted = std::max(summaries[0].p95 * 1.4, 2.0);
    top_ += (std::min(wanted, highest * 1.2) - top_) * 0.05;
    table(stats, summaries);
    ImGui::SameLine();
    const ImVec2 free = ImGui::GetContentRegionAvail();
    if (free.x <= theme::px(60)) {
        ImGui::NewLine();
        return {};
    }
    const auto clicked = plot(samples, top_, {free.x, height});
    if (!clicked) return {};
    return stats.count() - samples.size() + *clicked;
}

} // namespace lathe
