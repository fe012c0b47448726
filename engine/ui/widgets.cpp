// SPDX-License-Identifier: MIT
#include "engine/ui/widgets.h"

#include "engine/ui/layout_sizes.h"
#include "engine/ui/markdown.h"
#include "engine/ui/theme.h"
#include "engine/ui/ui_state.h"

#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>
#include <implot.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace lathe::widgets {

namespace {

/// False for the idle context, which has no state.
bool in_frame() {
    const ImGuiContext* context = ImGui::GetCurrentContext();
    return context && context->WithinFrameScope && context->IO.UserData && !ui_state().is_resting;
}

/// Within a frame: what is open in it.
UiState& current() {
    UiState& state = ui_state();
    if (state.frame == ImGui::GetFrameCount()) return state;
    state.panels.clear();
    state.frame = ImGui::GetFrameCount();
    state.same_line = false;
    return state;
}

void open_unseen() {
    ImGui::SetNextWindowSize({1, 1});
    ImGui::Begin(kUnseenWindow, nullptr,
                 ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoDocking |
                     ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoDecoration |
                     ImGuiWindowFlags_NoFocusOnAppearing);
    ImGuiWindow* const window = ImGui::GetCurrentWindow();
    window->Hidden = window->SkipItems = true;
}

void open_panel(std::string_view title) {
    const std::string name = script_window_name(title);
    bool is_visible = false;
    if (Layout::place_script_panel(name)) is_visible = ImGui::Begin(name.c_str());
    else open_unseen();
    current().panels.push_back({is_visible, {}});
}

void close_down_to(std::size_t depth, bool quietly) {
    if (!in_frame()) return;
    UiState& open = current();
    for (; open.panels.size() > depth; open.panels.pop_back())
        open.panels.back().stacks.end_window(quietly);
    open.same_line = false;
}

/// True where the next widget is drawn; opens the default panel where none is open.
bool ready() {
    if (!in_frame()) return false;
    UiState& open = current();
    if (open.panels.empty()) open_panel("Script");
    if (!open.panels.back().is_visible) return false;
    if (std::exchange(open.same_line, false)) ImGui::SameLine();
    return true;
}

/// A label at the left and the widget over the rest of the row, as in the parameter panel.
std::string labelled(std::string_view label) {
    const auto shown = label.substr(0, label.find("##"));
    if (!shown.empty()) {
        ImGui::AlignTextToFramePadding();
        theme::text(shown);
        ImGui::SameLine(std::max(ImGui::GetCursorStartPos().x + theme::px(100),
                                 ImGui::CalcTextSize(shown.data(), shown.data() + shown.size()).x +
                                     ImGui::GetCursorStartPos().x + theme::px(8)));
    }
    ImGui::SetNextItemWidth(-1);
    return "##" + std::string{label};
}

} // namespace

void close_open_panels() { close_down_to(0, false); }

bool begin(std::string_view title) {
    if (!in_frame()) return false;
    open_panel(title);
    return current().panels.back().is_visible;
}

void end(bool failed) {
    if (!in_frame()) return;
    if (const std::size_t depth = current().panels.size()) close_down_to(depth - 1, failed);
}

Panel::Panel(std::string_view title)
    : outside_{in_frame() ? current().panels.size() : 0}, errors_{std::uncaught_exceptions()} {
    begin(title);
}

Panel::~Panel() { close_down_to(outside_, std::uncaught_exceptions() > errors_); }

void text(std::string_view t) {
    if (ready()) theme::text(t);
}

void hint(std::string_view t) {
    if (!ready()) return;
    ImGui::PushTextWrapPos(0);
    theme::text(t, theme::kDim);
    ImGui::PopTextWrapPos();
}

void markdown(std::string_view t) {
    if (ready()) draw_markdown(t);
}

void separator(std::string_view title) {
    if (!ready()) return;
    if (title.empty()) ImGui::Separator();
    else theme::heading(title);
}

void scroll_to_top() {
    if (ready()) ImGui::SetScrollY(0);
}

void same_line() {
    if (in_frame()) current().same_line = true;
}

bool button(std::string_view label) { return ready() && ImGui::Button(std::string{label}.c_str()); }

bool checkbox(std::string_view label, bool& value) {
    return ready() && ImGui::Checkbox(std::string{label}.c_str(), &value);
}

bool slider_float(std::string_view label, float& value, float min, float max, const char* format,
                  bool log) {
    return ready() && ImGui::SliderFloat(labelled(label).c_str(), &value, min, max, format,
                                         log ? ImGuiSliderFlags_Logarithmic : 0);
}

bool slider_int(std::string_view label, int& value, int min, int max) {
    return ready() && ImGui::SliderInt(labelled(label).c_str(), &value, min, max);
}

bool drag_float(std::string_view label, float& value, float speed) {
    return ready() && ImGui::DragFloat(labelled(label).c_str(), &value, speed, 0, 0, "%.4g");
}

bool input_text(std::string_view label, std::string& value) {
    return ready() && ImGui::InputText(labelled(label).c_str(), &value);
}

bool combo(std::string_view label, int& index, const std::vector<std::string>& items) {
    if (!ready()) return false;
    const bool known = index >= 0 && std::size_t(index) < items.size();
    const std::string id = labelled(label);
    bool changed = false;
    if (!ImGui::BeginCombo(id.c_str(), known ? items[std::size_t(index)].c_str() : ""))
        return false;
    for (std::size_t i = 0; i < items.size(); ++i)
        if (ImGui::Selectable(items[i].c_str(), int(i) == index) && int(i) != index) {
            index = int(i);
            changed = true;
        }
    ImGui::EndCombo();
    return changed;
}

bool color(std::string_view label, std::array<float, 4>& rgba) {
    return ready() &&
           ImGui::ColorEdit4(labelled(label).c_str(), rgba.data(),
                             ImGuiColorEditFlags_Float | ImGuiColorEditFlags_AlphaPreviewHalf);
}

void plot_line(std::string_view label, std::span<const float> values, float height) {
    if (!ready()) return;
    const std::string id = "##" + std::string{label};
    if (const auto shown = label.substr(0, label.find("##")); !shown.empty())
        theme::text(shown, theme::kDim);
    theme::line_plot(id, values, height);
}

void progress(float fraction, std::string_view t) {
    if (!ready()) return;
    const std::string overlay{t};
    ImGui::ProgressBar(std::clamp(fraction, 0.0f, 1.0f), {-1, 0},
                       overlay.empty() ? nullptr : overlay.c_str());
}

} // namespace lathe::widgets
