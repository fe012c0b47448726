// SPDX-License-Identifier: MIT
#include "engine/ui/plot_drawing.h"

#include "engine/render/colormap.h"
#include "engine/scene/ticks.h"
#include "engine/ui/theme.h"

#include <fmt/format.h>
#include <imgui.h>
#include <implot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace lathe {

namespace {

void draw_curve(const PlotCurve& curve) {
    ImPlotSpec spec;
    spec.LineColor = theme::color(plot_ink(curve.color), curve.is_dim ? 0.35f : 1);
    spec.LineWeight = theme::px(1.5f);
    const auto count = int(curve.x.size());
    if (curve.is_dots) {
        const bool are_many = count > 200; // small, of few triangles
        spec.Marker = are_many ? ImPlotMarker_Square : ImPlotMarker_Circle;
        spec.MarkerSize = theme::px(are_many ? 1 : 3);
        spec.MarkerFillColor = spec.LineColor;
        spec.MarkerLineColor = are_many ? ImVec4{0, 0, 0, 0} : spec.LineColor;
        ImPlot::PlotScatter("##curve", curve.x.data(), curve.y.data(), count, spec);
    } else {
        ImPlot::PlotLine("##curve", curve.x.data(), curve.y.data(), count, spec);
    }
}

void draw_bars(const PlotBars& bars) {
    if (bars.heights.empty()) return;
    std::vector<double> middles;
    for (std::size_t bin = 0; bin < bars.heights.size(); ++bin)
        middles.push_back(0.5 * (bars.edges[bin] + bars.edges[bin + 1]));
    ImPlotSpec spec;
    spec.LineColor = {0, 0, 0, 0};
    spec.FillColor = theme::color(theme::kAccent, 0.85f);
    ImPlot::PlotBars("##bars", middles.data(), bars.heights.data(), int(middles.size()),
                     0.92 * (bars.edges[1] - bars.edges[0]), spec);
}

void draw_mark(double x) {
    ImPlotSpec spec;
    spec.LineColor = theme::color(theme::kText, 0.8f);
    spec.LineWeight = theme::px(1);
    spec.Flags = ImPlotItemFlags_NoLegend | ImPlotItemFlags_NoFit;
    ImPlot::PlotInfLines("##mark", &x, 1, spec);
}

} // namespace

unsigned plot_ink(std::size_t color) {
    constexpr std::array kInks{theme::kAccent, theme::kWarning, theme::kGood,
                               theme::kError,  theme::kHazard,  theme::kCostly};
    return kInks[color % kInks.size()];
}

void draw_lines(const PlotShape& shape) {
    if (shape.bars) draw_bars(*shape.bars);
    for (std::size_t i = 0; i < shape.curves.size(); ++i) {
        ImGui::PushID(int(i));
        draw_curve(shape.curves[i]);
        ImGui::PopID();
    }
    if (shape.mark) draw_mark(*shape.mark);
}

void draw_scale(const PlotCells& cells, float height) {
    const std::string high = fmt::format("{:.4g}", cells.high),
                      low = fmt::format("{:.4g}", cells.low);
    ImGui::SameLine(0, theme::px(4));
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    ImDrawList& draw = *ImGui::GetWindowDrawList();
    const Colormap& colors = Colormap::named(cells.colormap);
    const float line = ImGui::GetTextLineHeight(), top = corner.y + line,
                part = (height - 3 * line) / 64;
    for (int i = 0; i < 64; ++i) {
        const Rgb8 c = colors(1 - (float(i) + 0.5f) / 64);
        draw.AddRectFilled({corner.x, top + part * float(i)},
                           {corner.x + theme::px(12), top + part * float(i + 1) + 1},
                           IM_COL32(c.r, c.g, c.b, 255));
    }
    draw.AddText(corner, theme::packed(theme::kDim), high.c_str());
    draw.AddText({corner.x, corner.y + height - 2 * line + theme::px(2)},
                 theme::packed(theme::kDim), low.c_str());
    ImGui::Dummy({theme::px(52), height});
}

void draw_number_under_mouse(const PlotShape& shape) {
    const ImPlotPoint at = ImPlot::GetPlotMousePos();
    if (shape.bars) {
        const auto& edges = shape.bars->edges;
        const auto above = std::ranges::upper_bound(edges, at.x);
        if (above == edges.begin() || above == edges.end()) return;
        const double height = shape.bars->heights[std::size_t(above - edges.begin()) - 1];
        const auto words = fmt::format("{:.5g} to {:.5g}: {}", *(above - 1), *above, height);
        ImGui::SetTooltip("%s", words.c_str());
    }
    if (!shape.cells) return;
    const PlotCells& cells = *shape.cells;
    const double across = (at.x - cells.left) / (cells.right - cells.left),
                 down = (at.y - cells.top) / (cells.bottom - cells.top);
    if (across < 0 || across >= 1 || down <= 0 || down >= 1) return;
    const auto column = std::size_t(across * double(cells.columns)),
               row = std::size_t((cells.y_up ? 1 - down : down) * double(cells.rows));
    const double value = cells.values[row * cells.columns + column];
    ImGui::SetTooltip("%s", fmt::format("{:.5g}, {:.5g}: {:.6g}", at.x, at.y, value).c_str());
}

void set_up_logarithmic(const PlotShape& shape, bool fits) {
    ImPlot::SetupAxisScale(ImAxis_Y1, ImPlotScale_Log10);
    double low = std::numeric_limits<double>::infinity(), high = 0;
    const auto include = [&](double y) {
        if (y > 0 && std::isfinite(y)) low = std::min(low, y), high = std::max(high, y);
    };
    for (const PlotCurve& curve : shape.curves) std::ranges::for_each(curve.y, include);
    if (shape.bars) {
        include(0.5);
        std::ranges::for_each(shape.bars->heights, include);
    }
    if (low > high) low = 1, high = 10;
    if (fits) {
        const double room = std::max(std::pow(high / low, 0.07), 1.01);
        ImPlot::SetupAxisLimits(ImAxis_Y1, low / room, high * room, ImPlotCond_Always);
    }
    if (high >= 10 * low) return;
    const Ticks ticks = ticks_between(low, high, 3);
    std::vector<std::string> words;
    std::vector<const char*> labels;
    for (const double value : ticks.values) words.push_back(ticks.label(value));
    for (const std::string& label : words) labels.push_back(label.c_str());
    ImPlot::SetupAxisTicks(ImAxis_Y1, ticks.values.data(), int(labels.size()), labels.data());
}

} // namespace lathe
