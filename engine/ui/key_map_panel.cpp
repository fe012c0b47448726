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

constexpr ImVec2 kKeysSize{1120, 672};
constexpr float kTwoColumns = 800; ///< of the window, before px()

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
    if (theme::begin_over_panels("Keys", is_open_, kKeysSize)) {
        const auto groups = key_map();
        const bool is_narrow = ImGui::GetContentRegionAvail().x < theme::px(kTwoColumns);
        const std::size_t left = is_narrow ? groups.size() : groups_at_left();
        theme::push_font(theme::Font::small);
        if (ImGui::BeginTable("columns", is_narrow ? 1 : 2, ImGuiTableFlags_SizingStretchSame)) {
            ImGui::TableNextColumn();
            for (const KeyGroup& group : groups.first(left)) draw_group(group, theme::px(190));
            ImGui::TableNextColumn();
            for (const KeyGroup& group : groups.subspan(left)) draw_group(group, theme::px(190));
            ImGui::EndTable();
        }
        theme::pop_font();
    }
    theme::end_over_panels();
}

} // namespace lathe
