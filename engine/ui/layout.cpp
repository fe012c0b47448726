// SPDX-License-Identifier: MIT
#include "engine/ui/layout.h"

#include "engine/ui/theme.h"

#if LATHE_HAVE_DOCKING
#include <imgui_internal.h>
#endif

#include <algorithm>
#include <array>

namespace lathe {

namespace {

constexpr std::array kTitles{"Picture", "Kernels", "Parameters", "Timings", "Console"};
const char* title_of(Place place) { return kTitles[std::size_t(place)]; }

#if LATHE_HAVE_DOCKING
/// Where script panels dock; 0 until the layout is arranged.
unsigned g_script_dock = 0;
#endif

// Sizes of the first arrangement, pixels at scale 1: the picture gets what the others leave.
float kernels_width(float width) {
    return std::clamp(width * 0.37f, theme::px(320), theme::px(760));
}
float parameters_width(float width) {
    return std::clamp(width * 0.17f, theme::px(200), theme::px(300));
}
float below_height(float height) {
    return std::clamp(height * 0.28f, theme::px(190), theme::px(280));
}
float timings_width(float width) {
    return std::clamp(width * 0.33f, theme::px(240), theme::px(420));
}

} // namespace

void Layout::begin(bool arrange) {
    const ImGuiViewport* viewport = ImGui::GetMainViewport();
    toolbar_height_ = ImGui::GetFrameHeight() + theme::px(12);
    status_height_ = ImGui::GetTextLineHeight() + theme::px(8);
    origin_ = {viewport->Pos.x, viewport->Pos.y + toolbar_height_};
    size_ = {viewport->Size.x, viewport->Size.y - toolbar_height_ - status_height_};
#if LATHE_HAVE_DOCKING
    const ImGuiID dockspace = ImGui::GetID("lathe dockspace");
    if (arrange || !ImGui::DockBuilderGetNode(dockspace)) arrange_docks(dockspace, size_);
    ImGui::SetNextWindowPos(origin_);
    ImGui::SetNextWindowSize(size_);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2{0, 0});
    ImGui::Begin("##dockspace", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNavFocus |
                     ImGuiWindowFlags_NoBackground);
    ImGui::PopStyleVar();
    ImGui::DockSpace(dockspace, {0, 0}, ImGuiDockNodeFlags_NoWindowMenuButton);
    ImGui::End();
#else
    (void)arrange;
#endif
}

void Layout::arrange_docks(unsigned dockspace, ImVec2 size) {
#if LATHE_HAVE_DOCKING
    ImGui::DockBuilderRemoveNode(dockspace);
    ImGui::DockBuilderAddNode(dockspace, ImGuiDockNodeFlags_DockSpace);
    ImGui::DockBuilderSetNodeSize(dockspace, size);
    ImGuiID rest = dockspace, kernels = 0, below = 0, parameters = 0, timings = 0, script = 0;
    const float right = kernels_width(size.x), left_of_it = size.x - right;
    ImGui::DockBuilderSplitNode(rest, ImGuiDir_Right, right / size.x, &kernels, &rest);
    ImGui::DockBuilderSplitNode(rest, ImGuiDir_Down, below_height(size.y) / size.y, &below, &rest);
    ImGui::DockBuilderSplitNode(rest, ImGuiDir_Left, parameters_width(size.x) / left_of_it,
                                &parameters, &rest);
    ImGui::DockBuilderSplitNode(below, ImGuiDir_Left, timings_width(left_of_it) / left_of_it,
                                &timings, &below);
    // Takes no room until a script opens a panel.
    ImGui::DockBuilderSplitNode(parameters, ImGuiDir_Down, 0.45f, &script, &parameters);
    g_script_dock = script;
    ImGui::DockBuilderDockWindow(title_of(Place::view), rest);
    ImGui::DockBuilderDockWindow(title_of(Place::kernels), kernels);
    ImGui::DockBuilderDockWindow(title_of(Place::parameters), parameters);
    ImGui::DockBuilderDockWindow(title_of(Place::timings), timings);
    ImGui::DockBuilderDockWindow(title_of(Place::console), below);
    for (const ImGuiID plain : {rest, kernels}) // the picture and the kernels' own tabs suffice
        if (ImGuiDockNode* node = ImGui::DockBuilderGetNode(plain))
            node->SetLocalFlags(node->LocalFlags | int(ImGuiDockNodeFlags_NoTabBar));
    if (ImGuiDockNode* node = ImGui::DockBuilderGetNode(rest))
        node->SetLocalFlags(node->LocalFlags | int(ImGuiDockNodeFlags_CentralNode));
    ImGui::DockBuilderFinish(dockspace);
#else
    (void)dockspace;
    (void)size;
#endif
}

bool Layout::begin_panel(Place place) {
    ImGuiWindowFlags flags = ImGuiWindowFlags_NoCollapse;
    const bool bare = place == Place::view || place == Place::kernels;
    if (bare) flags |= ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
#if !LATHE_HAVE_DOCKING
    const float right = kernels_width(size_.x), left = size_.x - right, gap = theme::px(2);
    const float above = size_.y - below_height(size_.y);
    const float names = parameters_width(size_.x), times = timings_width(left);
    ImVec2 at{}, extent{};
    switch (place) {
    case Place::view:
        at = {names, 0}, extent = {left - names - gap, above - gap};
        break;
    case Place::kernels:
        at = {left, 0}, extent = {right, size_.y};
        break;
    case Place::parameters:
        at = {0, 0}, extent = {names - gap, above - gap};
        break;
    case Place::timings:
        at = {0, above}, extent = {times - gap, size_.y - above};
        break;
    case Place::console:
        at = {times, above}, extent = {left - times - gap, size_.y - above};
        break;
    }
    ImGui::SetNextWindowPos({origin_.x + at.x, origin_.y + at.y});
    ImGui::SetNextWindowSize(extent);
    flags |= ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize |
             ImGuiWindowFlags_NoBringToFrontOnFocus;
    if (bare) flags |= ImGuiWindowFlags_NoTitleBar;
#endif
    if (bare) ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2{0, 0});
    ImGui::PushStyleColor(ImGuiCol_WindowBg,
                          theme::color(bare ? theme::kBackground : theme::kPanel));
    const bool open = ImGui::Begin(title_of(place), nullptr, flags);
    ImGui::PopStyleColor();
    if (bare) ImGui::PopStyleVar();
#if LATHE_HAVE_DOCKING
    if (place == Place::parameters && !g_script_dock) g_script_dock = ImGui::GetWindowDockID();
#endif
    return open;
}

void Layout::end_panel() { ImGui::End(); }

void Layout::begin_toolbar() {
    const ImGuiViewport* viewport = ImGui::GetMainViewport();
    ImGui::SetNextWindowPos(viewport->Pos);
    ImGui::SetNextWindowSize({viewport->Size.x, toolbar_height_});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2{theme::px(10), theme::px(6)});
    ImGui::PushStyleColor(ImGuiCol_WindowBg, theme::color(theme::kBackground));
    ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                             ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNavFocus;
#if LATHE_HAVE_DOCKING
    flags |= ImGuiWindowFlags_NoDocking;
#endif
    ImGui::Begin("##toolbar", nullptr, flags);
}

void Layout::begin_status_bar() {
    const ImGuiViewport* viewport = ImGui::GetMainViewport();
    ImGui::SetNextWindowPos({viewport->Pos.x, viewport->Pos.y + viewport->Size.y - status_height_});
    ImGui::SetNextWindowSize({viewport->Size.x, status_height_});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2{theme::px(10), theme::px(4)});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2{1, 1});
    ImGui::PushStyleColor(ImGuiCol_WindowBg, theme::color(theme::kBackground));
    ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                             ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNavFocus;
#if LATHE_HAVE_DOCKING
    flags |= ImGuiWindowFlags_NoDocking;
#endif
    ImGui::Begin("##status", nullptr, flags);
    ImGui::PopStyleVar();
}

void Layout::end_bar() {
    ImGui::End();
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
}

void Layout::place_script_panel() {
#if LATHE_HAVE_DOCKING
    if (g_script_dock) ImGui::SetNextWindowDockID(g_script_dock, ImGuiCond_FirstUseEver);
#else
    ImGui::SetNextWindowPos({theme::px(16), theme::px(220)}, ImGuiCond_FirstUseEver);
#endif
}

} // namespace lathe
