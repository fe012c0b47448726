// SPDX-License-Identifier: MIT
// Docking: the first arrangement for each size of window, layouts stretched to the window, and the
// places of a script's own panels. Without docking there is nothing to do.
#include "engine/ui/layout_sizes.h"

#include <imgui_internal.h>

namespace lathe {

namespace {

/// The node that a window is in, or will be once it is drawn; null where it floats.
ImGuiDockNode* node_of(const char* name) {
    const ImGuiID id = ImHashStr(name);
    ImGuiID dock = 0;
    if (const ImGuiWindow* window = ImGui::FindWindowByID(id)) dock = window->DockId;
    else if (const ImGuiWindowSettings* settings = ImGui::FindWindowSettingsByID(id))
        dock = settings->DockId;
    return dock ? ImGui::DockBuilderGetNode(dock) : nullptr;
}

void stretch(ImGuiDockNode* node, ImVec2 by) {
    if (!node) return;
    node->SizeRef = {node->SizeRef.x * by.x, node->SizeRef.y * by.y};
    for (ImGuiDockNode* child : node->ChildNodes) stretch(child, by);
}

/// Splits `rest`, of which `part` goes to the side `to`.
ImGuiID split(ImGuiID& rest, ImGuiDir to, float part) {
    ImGuiID cut = 0;
    ImGui::DockBuilderSplitNode(rest, to, part, &cut, &rest);
    return cut;
}

void dock(Place place, ImGuiID node) { ImGui::DockBuilderDockWindow(title_of(place), node); }

/// Of a place with several tabs that is new.
void show_first(Place place, ImGuiID at) {
    if (ImGuiDockNode* node = ImGui::DockBuilderGetNode(at))
        node->SelectedTabId = ImHashStr("#TAB", 0, ImHashStr(title_of(place)));
}

} // namespace

void Layout::place_docks() {
    dockspace_ = ImGui::GetID("lathe dockspace");
    const ImGuiDockNode* root = ImGui::DockBuilderGetNode(dockspace_);
    if (arrange_ || !root) {
        arrange_docks();
    } else {
        if (docked_size_.x <= 0) docked_size_ = root->Size; // as it was read
        if (docked_size_.x > 0 && docked_size_.y > 0)
            stretch(ImGui::DockBuilderGetNode(dockspace_),
                    {size_.x / docked_size_.x, size_.y / docked_size_.y});
    }
    arrange_ = false;
    docked_size_ = size_;
    if (!homeless_.empty()) dock_script_panel(homeless_.front()); // the others when sizes are known
    homeless_.clear();

    ImGui::SetNextWindowPos(origin_);
    ImGui::SetNextWindowSize(size_);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2{0, 0});
    ImGui::Begin("##dockspace", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNavFocus |
                     ImGuiWindowFlags_NoBackground);
    ImGui::PopStyleVar();
    ImGui::DockSpace(dockspace_, {0, 0},
                     ImGuiDockNodeFlags_NoWindowMenuButton |
                         (has_panels() ? 0 : ImGuiDockNodeFlags_KeepAliveOnly));
    ImGui::End();
}

void Layout::arrange_docks() {
    ImGui::DockBuilderRemoveNode(dockspace_);
    ImGui::DockBuilderAddNode(dockspace_, ImGuiDockNodeFlags_DockSpace);
    ImGui::DockBuilderSetNodeSize(dockspace_, size_);
    ImGuiID rest = dockspace_, kernels = 0;
    if (form_ != Form::standard) return arrange_large_docks();
    if (!guide_.empty() && arrangement_ != Arrangement::small) return arrange_guided_docks();
    const bool is_small = arrangement_ == Arrangement::small;
    const float column = is_small ? 0.48f * size_.x : column_width(size_.x);
    ImGuiID tabs = split(rest, ImGuiDir_Right, column / size_.x);
    if (!is_small) kernels = split(tabs, ImGuiDir_Up, kCodeShare);
    ImGuiID console = tabs;
    if (column >= theme::px(kTwoPlaces)) console = split(tabs, ImGuiDir_Right, 0.58f);
    dock(Place::parameters, tabs);
    if (is_small) dock(Place::kernels, tabs);
    dock(Place::console, console);
    dock(Place::things, tabs);
    for (const Place place :
         {Place::plots, Place::profiler, Place::thread, Place::values, Place::history})
        dock(place, console);
    show_first(Place::console, console);
    show_first(Place::parameters, tabs);
    finish_docks(rest, kernels);
}

/// The guide at the left, kernels at the right, and between them the picture above all others.
void Layout::arrange_guided_docks() {
    ImGuiID rest = dockspace_;
    const float left = guide_width(size_.x);
    const ImGuiID guide = split(rest, ImGuiDir_Left, left / size_.x);
    const ImGuiID kernels = split(rest, ImGuiDir_Right, 0.52f);
    const ImGuiID tabs = split(rest, ImGuiDir_Down, 0.26f);
    ImGui::DockBuilderDockWindow(guide_.c_str(), guide);
    dock(Place::console, tabs);
    dock(Place::parameters, tabs);
    for (const Place place : {Place::things, Place::plots, Place::profiler, Place::thread,
                              Place::values, Place::history})
        dock(place, tabs);
    finish_docks(rest, kernels);
    if (ImGuiDockNode* node = ImGui::DockBuilderGetNode(guide))
        node->SetLocalFlags(node->LocalFlags | int(ImGuiDockNodeFlags_NoTabBar));
}

/// The code over most of the width, or the picture over two thirds: the others are tabs.
void Layout::arrange_large_docks() {
    ImGuiID rest = dockspace_, kernels = 0;
    const bool is_code = form_ == Form::code;
    if (is_code) kernels = split(rest, ImGuiDir_Right, 0.62f);
    const ImGuiID tabs =
        is_code ? split(rest, ImGuiDir_Down, 0.45f) : split(rest, ImGuiDir_Right, 0.34f);
    if (!guide_.empty()) ImGui::DockBuilderDockWindow(guide_.c_str(), tabs);
    dock(Place::parameters, tabs);
    if (!is_code) dock(Place::kernels, tabs);
    for (const Place place : {Place::things, Place::plots, Place::profiler, Place::console,
                              Place::thread, Place::values, Place::history})
        dock(place, tabs);
    finish_docks(rest, kernels);
}

void Layout::finish_docks(unsigned rest, unsigned kernels) {
    dock(Place::view, rest);
    if (kernels) dock(Place::kernels, kernels);
    for (const ImGuiID plain : {rest, kernels}) // the picture and the kernels' own tabs suffice
        if (ImGuiDockNode* node = plain ? ImGui::DockBuilderGetNode(plain) : nullptr)
            node->SetLocalFlags(node->LocalFlags | int(ImGuiDockNodeFlags_NoTabBar));
    if (ImGuiDockNode* node = ImGui::DockBuilderGetNode(rest))
        node->SetLocalFlags(node->LocalFlags | int(ImGuiDockNodeFlags_CentralNode));
    homeless_ = scripts_;
    ImGui::DockBuilderFinish(dockspace_);
}

/// Docked here, or where the user has put it: floating.
bool Layout::has_place(const std::string& name) const {
    if (const ImGuiDockNode* node = node_of(name.c_str()))
        return ImGui::DockNodeGetRootNode(const_cast<ImGuiDockNode*>(node))->ID == dockspace_ ||
               node->IsFloatingNode();
    const ImGuiID id = ImHashStr(name.c_str());
    if (const ImGuiWindow* window = ImGui::FindWindowByID(id)) return window->DockId == 0;
    const ImGuiWindowSettings* settings = ImGui::FindWindowSettingsByID(id);
    return settings && settings->DockId == 0;
}

/// Half of the place of the script's last panel, or of the parameters; a tab where halves would be
/// too small.
void Layout::dock_script_panel(const std::string& name) {
    ImGuiDockNode* beside = node_of(title_of(Place::parameters));
    bool own = false; // a place of the script's
    for (const auto& other : scripts_)
        if (ImGuiDockNode* node = other == name ? nullptr : node_of(other.c_str()))
            beside = node, own = true;
    if (!beside) beside = ImGui::DockBuilderGetCentralNode(dockspace_);
    if (!beside) return;
    ImGuiID place = beside->ID;
    const ImVec2 room = beside->Size;
    const bool row = room.x > 1.5f * room.y && room.x >= theme::px(480);
    const bool halves = row || room.y >= theme::px(190);
    if (!own || halves) {
        ImGuiID rest = place;
        place = split(rest, row ? ImGuiDir_Right : ImGuiDir_Down, 0.5f);
    }
    ImGui::DockBuilderDockWindow(name.c_str(), place);
    ImGui::DockBuilderFinish(dockspace_);
}

} // namespace lathe
