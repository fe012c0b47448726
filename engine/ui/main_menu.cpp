// SPDX-License-Identifier: MIT
#include "engine/ui/main_menu.h"

#include "engine/ui/theme.h"

#include <fmt/format.h>

namespace lathe {

namespace {

constexpr float kNarrow = 900; ///< of the window, before px()

using Press = std::function<void(const KeyEvent&)>;

void draw_entries(const Menu& menu, const Press& press) {
    for (const MenuEntry& entry : menu.entries()) {
        if (entry.title.empty()) {
            ImGui::Separator();
            continue;
        }
        const bool has_key = entry.key.key != Key::unknown;
        const std::string keys = entry.keys.empty() && has_key ? key_text(entry.key) : entry.keys;
        if (!ImGui::MenuItem(entry.title.c_str(), keys.c_str(), entry.is_on, entry.works)) continue;
        if (has_key) press(entry.key);
        else entry.act();
    }
}

void draw_menus(std::span<const Menu> menus, const Press& press) {
    for (const Menu& menu : menus) {
        if (!ImGui::BeginMenu(menu.title)) continue;
        draw_entries(menu, press);
        ImGui::EndMenu();
    }
}

} // namespace

std::string key_text(const KeyEvent& key) {
    std::string text;
    if (key.modifiers & kControl) text += "Ctrl+";
    if (key.modifiers & kAlt) text += "Alt+";
    if (key.modifiers & kShift) text += "Shift+";
    if (key.key >= Key::f1 && key.key <= Key::f12)
        return text + fmt::format("F{}", 1 + int(key.key) - int(Key::f1));
    return text + char(key.key);
}

void MainMenu::draw(std::span<const Menu> menus, const Press& press) {
    const ImGuiViewport* viewport = ImGui::GetMainViewport();
    const float left = theme::px(4);
    ImGui::SetNextWindowPos({viewport->Pos.x + left, viewport->Pos.y + theme::px(6)});
    const float width = width_ > left ? width_ - left : theme::px(80); // no more: buttons follow
    ImGui::SetNextWindowSize({width, ImGui::GetFrameHeight()});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2{0, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2{1, 1});
    ImGui::PushStyleColor(ImGuiCol_WindowBg, theme::color(theme::kBackground, 0));
    ImGui::PushStyleColor(ImGuiCol_MenuBarBg, theme::color(theme::kBackground, 0));
    ImGui::Begin("##menu", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoDocking |
                     ImGuiWindowFlags_MenuBar);
    ImGui::PopStyleColor(2);
    ImGui::PopStyleVar(2); // popups have their own
    if (ImGui::BeginMenuBar()) {
        if (viewport->Size.x >= theme::px(kNarrow)) {
            draw_menus(menus, press);
        } else if (ImGui::BeginMenu("Menu")) {
            draw_menus(menus, press);
            ImGui::EndMenu();
        }
        width_ = ImGui::GetCursorScreenPos().x - viewport->Pos.x;
        ImGui::EndMenuBar();
    }
    ImGui::End();
}

} // namespace lathe
