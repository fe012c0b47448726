// SPDX-License-Identifier: MIT
#include "engine/ui/inspect_menu.h"

#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/ui/theme.h"

#include <imgui.h>

#include <utility>

namespace lathe {

namespace {

constexpr const char* kMenu = "inspect menu";

const char* title_of(Inspecting mode) {
    switch (mode) {
    case Inspecting::off: return "Off";
    case Inspecting::costs: return "Costs";
    case Inspecting::hazards: break;
    }
    return "Costs and hazards";
}

const char* label_of(Inspecting mode) {
    switch (mode) {
    case Inspecting::off: return "Inspect###inspect";
    case Inspecting::costs: return "Inspect: costs###inspect";
    case Inspecting::hazards: break;
    }
    return "Inspect: hazards###inspect";
}

} // namespace

const std::string& InspectMenu::problem() {
    if (!std::exchange(has_looked_, true)) problem_ = Inspector::problem();
    return problem_;
}

void InspectMenu::set(Inspecting mode) {
    try {
        inspector_.set_mode(mode);
    } catch (const Error& error) { log::error("{}", error.what()); }
}

bool InspectMenu::handle(const KeyEvent& key) {
    if (!key.down || key.repeat || key.key != Key::f9 || key.modifiers) return false;
    if (!problem().empty()) log::warning("{}", problem());
    else set(Inspecting((int(inspector_.mode()) + 1) % 3));
    return true;
}

void InspectMenu::draw_button() {
    const bool works = problem().empty();
    const Inspecting mode = inspector_.mode();
    ImGui::BeginDisabled(!works);
    if (mode != Inspecting::off)
        ImGui::PushStyleColor(
            ImGuiCol_Text,
            theme::color(mode == Inspecting::costs ? theme::kAccent : theme::kHazard));
    const int flags = ImGuiTabItemFlags_Trailing | ImGuiTabItemFlags_NoTooltip;
    opens_ = ImGui::TabItemButton(label_of(mode), flags);
    if (mode != Inspecting::off) ImGui::PopStyleColor();
    ImGui::EndDisabled();
    place_ = {ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y};
    theme::tooltip(works ? "What each line costs, and hazards, while the kernels run (F9)"
                         : problem());
}

void InspectMenu::draw_menu(CostColumn& column) {
    if (opens_) ImGui::OpenPopup(kMenu);
    ImGui::SetNextWindowPos({place_[0], place_[1]}, ImGuiCond_Appearing);
    if (!ImGui::BeginPopup(kMenu)) return;
    for (const Inspecting mode : {Inspecting::off, Inspecting::costs, Inspecting::hazards})
        if (ImGui::MenuItem(title_of(mode), nullptr, inspector_.mode() == mode)) set(mode);
    ImGui::Separator();
    theme::text("Beside each line", theme::kDim);
    for (int k = 0; k < kCostColumns; ++k) {
        const auto each = CostColumn(k);
        if (ImGui::MenuItem(name_of(each).data(), nullptr, column == each)) column = each;
    }
    ImGui::EndPopup();
}

} // namespace lathe
