// SPDX-License-Identifier: MIT
// The table of key_map.h in a window.
#include "engine/ui/key_map.h"
#include "engine/ui/theme.h"

#include <imgui.h>

#include <algorithm>
#include <cstddef>
#include <string>

namespace lathe {

namespace {

constexpr float kKeysWidth = 1120, kKeysHeight = 672; ///< before px(), at most

void draw_group(const KeyGroup& group, float keys_width) {
    ImGui::Dummy({0, theme::px(2)});
    theme::text(group.where, theme::kAccent);
    const std::string id{group.where};
    if (!ImGui::BeginTable(id.c_str(), 2)) return;
    ImGui::TableSetupColumn("keys", ImGuiTableColumnFlags_WidthFixed, keys_width);
    ImGui::TableSetupColumn("does", ImGuiTableColumnFlags_WidthStretch);
    for (const KeyRow& row : group.rows) {
        ImGui::TableNextRow();
        for (const std::string_view words : {row.keys, row.does}) {
            ImGui::TableNextColumn();
            ImGui::PushTextWrapPos(0);
            theme::text(words, words.data() == row.keys.data() ? theme::kText : theme::kDim);
            ImGui::PopTextWrapPos();
        }
    }
    ImGui::EndTable();
}

/// How many groups stand in the left of two columns, so that the longer one is as short as it can
/// be.
std::size_t groups_at_left() {
    const auto lines_of = [](std::span<const KeyGroup> groups) {
        std::size_t lines = 0;
        for (const KeyGroup& group : groups) lines += group.rows.size() + 2;
        return lines;
    };
    const auto groups = key_map();
    std::size_t best = 0, least = lines_of(groups);
    for (std::size_t left = 1; left < groups.size(); ++left) {
        const auto longer = std::max(lines_of(groups.first(left)), lines_of(groups.subspan(left)));
        if (longer < least) best = left, least = longer;
    }
    return best;
}

} // namespace

bool KeyMapPanel::handle(const KeyEvent& key) {
    if (!key.down || key.repeat || key.modifiers != 0) return false;
    if (key.key == Key::f1) {
        toggle();
        return true;
    }
    if (key.key != Key::escape || !is_open_) return false;
    is_open_ = false;
    return true;
}

void KeyMapPanel::draw() {
    if (!is_open_) return;
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    const ImVec2 size{std::min(theme::px(kKeysWidth), screen.x - theme::px(20)),
                      std::min(theme::px(kKeysHeight), screen.y - theme::px(20))};
    ImGui::SetNextWindowPos({screen.x / 2, screen.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
    ImGui::SetNextWindowSize(size);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
    ImGui::PushStyleColor(ImGuiCol_WindowBg, theme::color(theme::kPopup));
    ImGui::PushStyleColor(ImGuiCol_Border, theme::color(theme::kFieldActive));
    constexpr int kFlags = ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoCollapse |
                           ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                           ImGuiWindowFlags_NoSavedSettings;
    if (ImGui::Begin("Keys", &is_open_, kFlags)) {
        const auto groups = key_map();
        const std::size_t left = groups_at_left();
        theme::push_font(theme::Font::small);
        if (ImGui::BeginTable("columns", 2, ImGuiTableFlags_SizingStretchSame)) {
            ImGui::TableNextColumn();
            for (const KeyGroup& group : groups.first(left)) draw_group(group, theme::px(190));
            ImGui::TableNextColumn();
            for (const KeyGroup& group : groups.subspan(left)) draw_group(group, theme::px(190));
            ImGui::EndTable();
        }
        theme::pop_font();
    }
    ImGui::End();
    ImGui::PopStyleColor(2);
    ImGui::PopStyleVar();
}

} // namespace lathe
