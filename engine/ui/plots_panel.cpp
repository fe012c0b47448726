// SPDX-License-Identifier: MIT
#include "engine/ui/plots_panel.h"

#include "engine/app/history.h"
#include "engine/app/run_control.h"
#include "engine/app/step_loop.h"
#include "engine/core/log.h"
#include "engine/plots/plot_sheet.h"
#include "engine/plots/plots.h"
#include "engine/ui/plot_drawing.h"
#include "engine/ui/theme.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <implot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace lathe {

namespace {

using theme::px;

constexpr float kLeastWidth = 210, kLeastHeight = 115; // of a plot, before px()

void paint(const PlotCells& cells, gl::Texture& texture) {
    const ImageData picture = picture_of(cells);
    if (texture.width() != picture.width || texture.height() != picture.height)
        texture = gl::Texture{picture.width, picture.height, gl::Format::rgba8};
    texture.upload(picture.bytes);
}

} // namespace

bool PlotsPanel::is_new(const Plots& plots) {
    constexpr int kUntilDocked = 3;
    return !plots.all().empty() && frames_ <= kUntilDocked && frames_++ == kUntilDocked;
}

void PlotsPanel::draw(const Plots& plots, const History& history, const StepLoop& loop,
                      RunControl& control) {
    history_ = &history;
    loop_ = &loop;
    control_ = &control;
    std::erase_if(seen_, [](const auto& each) { return each.second.plot.expired(); });
    theme::push_font(theme::Font::small);
    const auto& all = plots.all();
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const ImVec2 gap = ImGui::GetStyle().ItemSpacing;
    const auto count = int(all.size());
    const int columns = std::clamp(int(room.x / px(kLeastWidth)), 1, std::max(count, 1));
    const int rows = (count + columns - 1) / columns;
    const ImVec2 size{
        (room.x - gap.x * float(columns - 1)) / float(columns),
        std::max((room.y - gap.y * float(rows - 1)) / float(std::max(rows, 1)), px(kLeastHeight))};
    for (int i = 0; i < count; ++i) {
        const auto& plot = all[std::size_t(i)];
        if (i % columns > 0) ImGui::SameLine();
        Seen& seen = seen_[plot->name()];
        if (seen.plot.lock() != plot) seen = Seen{.plot = plot};
        ImGui::PushID(plot->name().c_str());
        if (ImGui::BeginChild("plot", size, ImGuiChildFlags_None,
                              ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse))
            draw_plot(plot, seen, size);
        ImGui::EndChild();
        ImGui::PopID();
    }
    theme::pop_font();
}

/// The name, the curves with their last values, and a menu.
void PlotsPanel::draw_heading(const std::shared_ptr<Plot>& plot, const PlotShape& shape) {
    const float button = ImGui::GetTextLineHeight();
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float right = corner.x + ImGui::GetContentRegionAvail().x - button;
    ImGui::PushClipRect(corner, {right - px(4), corner.y + 2 * button}, true);
    theme::text(shape.title);
    if (const auto* log = dynamic_cast<const ValueLog*>(plot.get()))
        draw_legend(*log, right - ImGui::GetItemRectMax().x);
    if (!shape.note.empty()) {
        ImGui::SameLine(0, px(10));
        theme::text(shape.note, theme::kDim);
    }
    ImGui::PopClipRect();
    ImGui::SameLine();
    ImGui::SetCursorScreenPos({right, corner.y});
    if (ImGui::InvisibleButton("more", {button, button})) ImGui::OpenPopup("save");
    const ImVec2 low = ImGui::GetItemRectMin();
    for (int dot = 0; dot < 3; ++dot)
        ImGui::GetWindowDrawList()->AddCircleFilled(
            {low.x + button * (0.2f + 0.3f * float(dot)), low.y + button * 0.55f}, px(1.5f),
            theme::packed(ImGui::IsItemHovered() ? theme::kText : theme::kDim));
    theme::tooltip("Save this plot");
    if (!ImGui::BeginPopup("save")) return;
    constexpr std::pair<const char*, const char*> kFiles[] = {{"Save its numbers (CSV)", ".csv"},
                                                              {"Save a picture (PNG)", ".png"},
                                                              {"Save a drawing (SVG)", ".svg"}};
    for (const auto& [title, ending] : kFiles)
        if (ImGui::MenuItem(title) && save) save(plot, ending);
    ImGui::EndPopup();
}

/// In a narrow plot without the values.
void PlotsPanel::draw_legend(const ValueLog& log, float width) {
    const auto values = log.present();
    const bool has_names = log.curves().size() > 1;
    std::vector<std::string> numbers;
    for (const double value : values) numbers.push_back(fmt::format("{:.4g}", value));
    const std::string all =
        fmt::format("{}{}{}", has_names ? fmt::format("{}", fmt::join(log.curves(), "")) : "",
                    fmt::join(numbers, ""), log.config().unit);
    const float gaps = px(has_names ? 40 : 20) * float(log.curves().size());
    if (ImGui::CalcTextSize(all.c_str()).x + gaps > width) numbers.clear();
    for (std::size_t column = 0; column < log.curves().size(); ++column) {
        ImGui::SameLine(0, px(10));
        if (has_names) {
            theme::dot(plot_ink(column));
            theme::text(log.curves()[column]);
            ImGui::SameLine(0, px(5));
        }
        theme::text(numbers.empty() ? "" : numbers[column], theme::kDim);
    }
    ImGui::SameLine(0, px(5));
    theme::text(log.config().unit, theme::kDim);
}

void PlotsPanel::draw_axes(const PlotShape& shape, Seen& seen, float height) {
    const int fit = seen.follows ? int(ImPlotAxisFlags_AutoFit) : 0;
    const int y_fit = shape.y.is_logarithmic ? 0 : fit;
    const bool has_labels = height > px(170);
    const auto label = [&](const PlotAxis& axis) {
        return has_labels && !axis.label.empty() ? axis.label.c_str() : nullptr;
    };
    const bool is_upside_down = shape.cells && shape.cells->bottom > shape.cells->top;
    const bool is_mirrored = shape.cells && shape.cells->left > shape.cells->right;
    ImPlot::SetupAxes(label(shape.x), label(shape.y),
                      fit | (is_mirrored ? int(ImPlotAxisFlags_Invert) : 0),
                      y_fit | (is_upside_down ? int(ImPlotAxisFlags_Invert) : 0));
    if (shape.y.is_logarithmic) set_up_logarithmic(shape, seen.follows);
    ImPlot::SetupFinish();
    const ImPlotRect limits = ImPlot::GetPlotLimits();
    seen.window = {.columns = std::size_t(std::max(ImPlot::GetPlotSize().x, 16.0f))};
    if (!seen.follows) seen.window.low = limits.X.Min, seen.window.high = limits.X.Max;
}

void PlotsPanel::draw_cells(const std::shared_ptr<const PlotCells>& shown, Seen& seen) {
    const PlotCells& cells = *shown;
    if (std::exchange(seen.painted, shown) != shown) paint(cells, seen.texture);
    const auto [low, high] = std::minmax(cells.bottom, cells.top);
    const auto [left, right] = std::minmax(cells.left, cells.right);
    const float u = left == cells.left ? 0.0f : 1.0f, v = high == cells.top ? 0.0f : 1.0f;
    ImPlot::PlotImage("##cells", ImTextureID(seen.texture.id()), {left, low}, {right, high}, {u, v},
                      {1 - u, 1 - v});
}

void PlotsPanel::draw_plot(const std::shared_ptr<Plot>& plot, Seen& seen, ImVec2 size) {
    const PlotShape shape = plot->shape(seen.window);
    draw_heading(plot, shape);
    ImVec2 room{size.x, ImGui::GetContentRegionAvail().y};
    if (shape.cells) room.x -= px(60);
    const ImGuiIO& io = ImGui::GetIO();
    const bool is_moved = (io.MouseWheel != 0 && io.KeyCtrl) ||
                          ImGui::IsMouseDragging(ImGuiMouseButton_Left) ||
                          ImGui::IsMouseDragging(ImGuiMouseButton_Right);
    if (seen.is_hovered && is_moved) seen.follows = false;
    if (seen.is_hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) seen.follows = true;
    theme::push_plot_style();
    ImPlotInputMap& input = ImPlot::GetInputMap(); // the wheel alone moves the panel
    const ImPlotInputMap before = input;
    input.ZoomMod = ImGuiMod_Ctrl;
    input.OverrideMod = ImGuiMod_None;
    const ImVec2 margin{shape.has_room ? 0.04f : 0.0f, shape.curves.empty() ? 0.0f : 0.07f};
    ImPlot::PushStyleVar(ImPlotStyleVar_FitPadding, margin);
    int flags =
        ImPlotFlags_NoTitle | ImPlotFlags_NoMenus | ImPlotFlags_NoMouseText | ImPlotFlags_NoLegend;
    if (shape.is_equal) flags |= ImPlotFlags_Equal;
    if (ImPlot::BeginPlot("##plot", room, flags)) {
        draw_axes(shape, seen, room.y);
        if (shape.cells) draw_cells(shape.cells, seen);
        draw_lines(shape);
        seen.is_hovered = ImPlot::IsPlotHovered();
        if (seen.is_hovered) draw_number_under_mouse(shape);
        if (const auto* log = dynamic_cast<const ValueLog*>(plot.get()); log && seen.is_hovered) {
            draw_values_under_mouse(*log);
            const ImVec2 drag = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, 0);
            if (ImGui::IsMouseReleased(ImGuiMouseButton_Left) &&
                std::hypot(drag.x, drag.y) < io.MouseDragThreshold)
                go_to(*log, ImPlot::GetPlotMousePos().x);
        }
        ImPlot::EndPlot();
    }
    input = before;
    ImPlot::PopStyleVar();
    theme::pop_plot_style();
    if (shape.cells) draw_scale(*shape.cells, room.y);
}

void PlotsPanel::draw_values_under_mouse(const ValueLog& log) {
    const RowSpan found = nearest(log.on_way(), log.config().by_step, ImPlot::GetPlotMousePos().x);
    if (!found.rows) return;
    std::string words = fmt::format("step {}, {:.4g} s", found.rows->steps[found.begin],
                                    found.rows->times[found.begin]);
    for (std::size_t column = 0; column < log.curves().size(); ++column)
        words += fmt::format("\n{} {:.6g}", log.curves()[column],
                             found.rows->value(found.begin, column));
    if (history_->is_on()) words += "\nA click goes there";
    ImGui::SetTooltip("%s", words.c_str());
}

/// The history knows that step's state, or one from which it is done again.
void PlotsPanel::go_to(const ValueLog& log, double x) {
    const RowSpan found = nearest(log.on_way(), log.config().by_step, x);
    if (!found.rows || !history_->is_on() || loop_->is_catching_up()) return;
    const std::uint64_t step = found.rows->steps[found.begin];
    control_->paused = true;
    control_->request_go_to(step);
    lathe::log::info("app.run_control.go_to({})", step);
}

} // namespace lathe
