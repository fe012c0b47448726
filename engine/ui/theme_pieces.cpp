// SPDX-License-Identifier: MIT
// The small pieces of theme.h that panels share.
#include "engine/ui/theme.h"

#include <implot.h>

#include <algorithm>
#include <cmath>

namespace lathe::theme {

namespace {

void draw_symbol(ImDrawList& draw, Symbol symbol, ImVec2 c, float r, ImU32 ink) {
    switch (symbol) {
    case Symbol::play:
        draw.AddTriangleFilled({c.x - r * 0.65f, c.y - r}, {c.x - r * 0.65f, c.y + r},
                               {c.x + r, c.y}, ink);
        break;
    case Symbol::pause:
        draw.AddRectFilled({c.x - r * 0.75f, c.y - r}, {c.x - r * 0.2f, c.y + r}, ink);
        draw.AddRectFilled({c.x + r * 0.2f, c.y - r}, {c.x + r * 0.75f, c.y + r}, ink);
        break;
    case Symbol::step:
        draw.AddTriangleFilled({c.x - r * 0.8f, c.y - r}, {c.x - r * 0.8f, c.y + r},
                               {c.x + r * 0.5f, c.y}, ink);
        draw.AddRectFilled({c.x + r * 0.55f, c.y - r}, {c.x + r * 0.9f, c.y + r}, ink);
        break;
    case Symbol::step_back:
        draw.AddTriangleFilled({c.x + r * 0.8f, c.y - r}, {c.x - r * 0.5f, c.y},
                               {c.x + r * 0.8f, c.y + r}, ink);
        draw.AddRectFilled({c.x - r * 0.9f, c.y - r}, {c.x - r * 0.55f, c.y + r}, ink);
        break;
    case Symbol::reset: {
        draw.PathArcTo(c, r, -0.9f, 4.1f, 24);
        draw.PathStroke(ink, r * 0.32f);
        const ImVec2 tip{c.x + r * std::cos(-0.9f), c.y + r * std::sin(-0.9f)};
        draw.AddTriangleFilled({tip.x - r * 0.85f, tip.y - r * 0.05f},
                               {tip.x + r * 0.35f, tip.y - r * 0.55f},
                               {tip.x + r * 0.3f, tip.y + r * 0.6f}, ink);
        break;
    }
    case Symbol::record: draw.AddCircleFilled(c, r * 0.8f, ink, 24); break;
    case Symbol::camera:
        outline(draw, {c.x - r, c.y - r * 0.6f}, {c.x + r, c.y + r * 0.8f}, ink, r * 0.2f,
                r * 0.22f);
        draw.AddCircle(c, r * 0.4f, ink, 16, r * 0.22f);
        draw.AddRectFilled({c.x - r * 0.4f, c.y - r * 0.95f}, {c.x + r * 0.4f, c.y - r * 0.55f},
                           ink);
        break;
    }
}

} // namespace

void tooltip(std::string_view text) {
    if (text.empty() || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2{px(8), px(6)});
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(px(420));
    ImGui::TextUnformatted(text.data(), text.data() + text.size());
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
    ImGui::PopStyleVar();
}

void text(std::string_view text, unsigned rgb) {
    ImGui::PushStyleColor(ImGuiCol_Text, color(rgb));
    ImGui::TextUnformatted(text.data(), text.data() + text.size());
    ImGui::PopStyleColor();
}

void text_at_right(std::string_view words, unsigned rgb) {
    const float width = ImGui::CalcTextSize(words.data(), words.data() + words.size()).x;
    const float free = ImGui::GetContentRegionAvail().x - width;
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(free, 0.0f));
    text(words, rgb);
}

void heading(std::string_view title) {
    ImGui::Dummy({0, px(2)});
    push_font(Font::small);
    text(title, kDim);
    pop_font();
}

bool symbol_button(const char* id, Symbol symbol, const char* tip, bool lit) {
    const float side = ImGui::GetFrameHeight();
    const ImVec2 corner = ImGui::GetCursorScreenPos(), size{side * 1.25f, side};
    if (lit) {
        ImGui::PushStyleColor(ImGuiCol_Button, color(kAccent, 0.30f));
        ImGui::PushStyleColor(ImGuiCol_ButtonHovered, color(kAccent, 0.45f));
    }
    const bool clicked = ImGui::Button(id, size);
    if (lit) ImGui::PopStyleColor(2);
    const float alpha = ImGui::GetStyle().Alpha;
    draw_symbol(
        *ImGui::GetWindowDrawList(), symbol,
        {std::floor(corner.x + size.x / 2) + 0.5f, std::floor(corner.y + size.y / 2) + 0.5f},
        std::round(side * 0.23f), packed(lit ? 0xffffff : kText, alpha));
    tooltip(tip);
    return clicked;
}

void outline(ImDrawList& draw, ImVec2 low, ImVec2 high, ImU32 ink, float rounding,
             float thickness) {
    draw.AddRect(low, high, ink, rounding, thickness);
}

void curve(ImDrawList& draw, ImVec2 low, ImVec2 high, ImU32 ink, float thickness,
           const std::function<double(double)>& y) {
    const int points = std::max(int(high.x - low.x), 8);
    for (int i = 0; i <= points; ++i) {
        const double x = double(i) / points;
        draw.PathLineTo(
            {low.x + (high.x - low.x) * float(x), high.y - (high.y - low.y) * float(y(x))});
    }
    draw.PathStroke(ink, thickness);
}

void box(ImDrawList& draw, ImVec2 low, ImVec2 high) {
    draw.AddRectFilled(low, high, packed(kPopup), px(5));
    outline(draw, low, high, packed(kFieldActive), px(5), 1);
}

void push_plot_style() {
    ImPlot::PushStyleVar(ImPlotStyleVar_PlotPadding, ImVec2{px(4), px(4)});
    ImPlot::PushStyleVar(ImPlotStyleVar_PlotBorderSize, 0.0f);
    ImPlot::PushStyleColor(ImPlotCol_PlotBg, color(kBackground));
    ImPlot::PushStyleColor(ImPlotCol_FrameBg, color(kPanel, 0));
    ImPlot::PushStyleColor(ImPlotCol_AxisGrid, color(kLine));
    ImPlot::PushStyleColor(ImPlotCol_AxisText, color(kDim));
}

void pop_plot_style() {
    ImPlot::PopStyleColor(4);
    ImPlot::PopStyleVar(2);
}

void dot(unsigned rgb) {
    const float h = ImGui::GetTextLineHeight();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::GetWindowDrawList()->AddCircleFilled({at.x + h * 0.35f, at.y + h * 0.55f}, h * 0.27f,
                                                packed(rgb), 16);
    ImGui::Dummy({h * 0.7f, h});
    ImGui::SameLine(0, px(5));
}

void line_plot(const std::string& id, std::span<const float> values, float height) {
    push_font(Font::small);
    push_plot_style();
    const ImPlotFlags flags = ImPlotFlags_CanvasOnly | ImPlotFlags_NoInputs;
    if (ImPlot::BeginPlot(id.c_str(), {-1, px(height)}, flags)) {
        ImPlot::SetupAxes(nullptr, nullptr, ImPlotAxisFlags_AutoFit | ImPlotAxisFlags_NoDecorations,
                          ImPlotAxisFlags_AutoFit | ImPlotAxisFlags_NoTickMarks);
        ImPlotSpec spec;
        spec.LineColor = color(kAccent);
        spec.LineWeight = px(1.5f);
        if (!values.empty())
            ImPlot::PlotLine("##line", values.data(), int(values.size()), 1, 0, spec);
        ImPlot::EndPlot();
    }
    pop_plot_style();
    pop_font();
}

bool begin_over_panels(const char* title, bool& is_open, ImVec2 size) {
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({screen.x / 2, screen.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
    ImGui::SetNextWindowSize(
        {std::min(px(size.x), screen.x - px(20)), std::min(px(size.y), screen.y - px(20))});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
    ImGui::PushStyleColor(ImGuiCol_WindowBg, color(kPopup));
    ImGui::PushStyleColor(ImGuiCol_Border, color(kFieldActive));
    constexpr int kFlags = ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoCollapse |
                           ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                           ImGuiWindowFlags_NoSavedSettings;
    return ImGui::Begin(title, &is_open, kFlags);
}

void end_over_panels() {
    ImGui::End();
    ImGui::PopStyleColor(2);
    ImGui::PopStyleVar();
}

} // namespace lathe::theme
