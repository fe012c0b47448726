// SPDX-License-Identifier: MIT
// The bars, the panels' windows and which layout file is used; where panels dock is in
// layout_docks.cpp.
#include "engine/ui/layout.h"

#include "engine/ui/imgui_layer.h"
#include "engine/ui/layout_sizes.h"
#include "engine/ui/theme.h"
#include "engine/ui/ui_state.h"

#include <algorithm>
#include <utility>

namespace lathe {

namespace {

const char* file_name_of(Arrangement arrangement) {
    switch (arrangement) { // the number grows when the first arrangement changes
    case Arrangement::wide: return "studio-8-wide.ini";
    case Arrangement::medium: return "studio-8-medium.ini";
    case Arrangement::small: break;
    }
    return "studio-8-small.ini";
}

} // namespace

Arrangement arrangement_for(float width, float height) {
    if (width < 760 || height < 500) return Arrangement::small;
    return width < 1150 ? Arrangement::medium : Arrangement::wide;
}

Layout::Layout(std::filesystem::path folder, std::string guide)
    : folder_{std::move(folder)}, guide_{guide.empty() ? guide : script_window_name(guide)} {}

void Layout::fit(ImGuiLayer& imgui, int width, int height) {
    const float scale = imgui.scale();
    const Arrangement wanted = arrangement_for(float(width) / scale, float(height) / scale);
    if (chosen_ && wanted == arrangement_) return;
    chosen_ = true;
    arrangement_ = wanted;
    docked_size_ = {};
    const std::string file = (guide_.empty() ? "" : "guided-") + std::string{file_name_of(wanted)};
    arrange_ = !imgui.use_layout(folder_.empty() ? folder_ : folder_ / file);
}

void Layout::begin() {
    ui_state().layout = this;
    const ImGuiViewport* viewport = ImGui::GetMainViewport();
    toolbar_height_ = ImGui::GetFrameHeight() + theme::px(12) + below_toolbar;
    status_height_ = ImGui::GetTextLineHeight() + theme::px(8);
    origin_ = {viewport->Pos.x, viewport->Pos.y + toolbar_height_};
    size_ = {std::max(viewport->Size.x, 1.0f),
             std::max(viewport->Size.y - toolbar_height_ - status_height_, 1.0f)};
    place_docks();
}

bool Layout::begin_panel(Place place) {
    panel_zone_.emplace(title_of(place));
    if (!has_panels()) return begin_on_stage(place);
    if (!is_shown(place)) return false;
    is_begun_ = true;
    // At first its place among the tabs, and which of them is seen, are not known yet.
    if (std::exchange(begun_[std::size_t(place)], true) && to_front_ == int(place)) {
        ImGui::SetNextWindowFocus();
        to_front_ = -1;
    }
    ImGuiWindowFlags flags = ImGuiWindowFlags_NoCollapse;
    const bool bare = place == Place::view || place == Place::kernels;
    if (bare) flags |= ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
    if (bare) ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2{0, 0});
    // The frame is cleared with the background: what stands on it draws no pixel of its own.
    bool& docked = docked_[std::size_t(place)];
    ImGui::PushStyleColor(ImGuiCol_WindowBg, bare ? theme::color(theme::kBackground, docked ? 0 : 1)
                                                  : theme::color(theme::kPanel));
    const bool is_alarmed = alarms_[std::size_t(place)];
    ImGui::PushStyleColor(ImGuiCol_Text, theme::color(is_alarmed ? theme::kError : theme::kText));
    const bool open = ImGui::Begin(title_of(place), nullptr, flags);
    docked = ImGui::IsWindowDocked();
    ImGui::PopStyleColor(2);
    if (bare) ImGui::PopStyleVar();
    return open;
}

/// The picture over the whole window; a text leaves its right side and its foot free, where
/// messages stand.
bool Layout::begin_on_stage(Place place) {
    const bool is_text = place == Place::kernels && stage_ == Stage::presenter;
    if (place != Place::view && !is_text) return false;
    is_begun_ = true;
    const ImGuiViewport* viewport = ImGui::GetMainViewport();
    const ImVec2 all = viewport->Size;
    const float margin = is_text ? theme::px(24) : 0, foot = is_text ? theme::px(60) : 0;
    ImGui::SetNextWindowPos({viewport->Pos.x + margin, viewport->Pos.y + margin});
    ImGui::SetNextWindowSize({is_text ? 0.72f * all.x : all.x, all.y - margin - foot});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2{0, is_text ? theme::px(10) : 0});
    ImGui::PushStyleColor(ImGuiCol_WindowBg, theme::color(theme::kBackground, 0.8f));
    const bool open = ImGui::Begin(
        is_text ? "##text on stage" : "##picture on stage", nullptr,
        ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
            ImGuiWindowFlags_NoDocking |
            (is_text ? 0 : ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoBackground));
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    return open;
}

void Layout::end_panel() {
    if (std::exchange(is_begun_, false)) ImGui::End();
    panel_zone_.reset();
}

void Layout::show_panel(Place place) {
    if (is_shown(place)) return ImGui::SetWindowFocus(title_of(place));
    bring_to_front(place);
}

void Layout::bring_to_front(Place place) {
    set_shown(place, true);
    to_front_ = int(place);
}

void Layout::arrange(Form form) {
    form_ = form;
    arrange_ = true;
    hidden_ = {};
}

ImVec4 Layout::background() { return theme::color(theme::kBackground); }

void Layout::begin_toolbar(float left) {
    const ImGuiViewport* viewport = ImGui::GetMainViewport();
    ImGui::SetNextWindowPos({viewport->Pos.x + left, viewport->Pos.y});
    ImGui::SetNextWindowSize({std::max(viewport->Size.x - left, 1.0f), toolbar_height_});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2{theme::px(10), theme::px(6)});
    ImGui::PushStyleColor(ImGuiCol_WindowBg, theme::color(theme::kBackground, 0));
    ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                             ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNavFocus;
    flags |= ImGuiWindowFlags_NoDocking;
    ImGui::Begin("##toolbar", nullptr, flags);
}

void Layout::begin_status_bar() {
    const ImGuiViewport* viewport = ImGui::GetMainViewport();
    ImGui::SetNextWindowPos({viewport->Pos.x, viewport->Pos.y + viewport->Size.y - status_height_});
    ImGui::SetNextWindowSize({viewport->Size.x, status_height_});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2{theme::px(10), theme::px(4)});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2{1, 1});
    ImGui::PushStyleColor(ImGuiCol_WindowBg, theme::color(theme::kBackground, 0));
    ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                             ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNavFocus;
    flags |= ImGuiWindowFlags_NoDocking;
    ImGui::Begin("##status", nullptr, flags);
    ImGui::PopStyleVar();
}

void Layout::end_bar() {
    ImGui::End();
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
}

bool Layout::place_script_panel(const std::string& name) {
    Layout* const layout = ui_state().layout;
    if (!layout) return true;
    if (!layout->has_panels()) return false;
    auto& seen = layout->scripts_;
    if (std::find(seen.begin(), seen.end(), name) == seen.end()) seen.push_back(name);
    if (layout->has_place(name)) return true;
    layout->homeless_.push_back(name);
    return false;
}

} // namespace lathe
