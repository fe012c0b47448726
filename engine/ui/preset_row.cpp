// SPDX-License-Identifier: MIT
#include "engine/ui/preset_row.h"

#include "engine/app/input.h"
#include "engine/core/log.h"
#include "engine/live/parameter_presets.h"
#include "engine/ui/theme.h"

#include <fmt/format.h>
#include <imgui.h>

#include <chrono>

namespace lathe {

namespace {

constexpr std::chrono::milliseconds kFade{500};

void save(ParameterPresets& presets, int number) {
    presets.save(number);
    log::info("app.save_preset({})", number);
}

void recall(ParameterPresets& presets, int number, std::chrono::milliseconds fade) {
    presets.recall(number, fade);
    const double seconds = std::chrono::duration<double>{fade}.count();
    log::info("app.recall_preset({}{})", number,
              seconds > 0 ? fmt::format(", fade={}", seconds) : std::string{});
}

void menu_of(ParameterPresets& presets, int number) {
    if (!ImGui::BeginPopupContextItem("preset")) return;
    const bool has = presets.has(number);
    theme::text(fmt::format("Preset {}", number), theme::kDim);
    if (ImGui::MenuItem("Save the present values", "Shift+click")) save(presets, number);
    if (ImGui::MenuItem("Recall at once", nullptr, false, has)) recall(presets, number, {});
    if (ImGui::MenuItem("Copy as code", nullptr, false, has))
        ImGui::SetClipboardText(presets.code(number).c_str());
    if (ImGui::MenuItem("Clear", nullptr, false, has)) presets.clear(number);
    ImGui::EndPopup();
}

} // namespace

void draw_presets(ParameterPresets& presets) {
    ImGui::Dummy({0, theme::px(4)});
    theme::push_font(theme::Font::small);
    theme::text("Presets", theme::kDim);
    const float gap = theme::px(3);
    const float width = (ImGui::GetContentRegionAvail().x - gap * (ParameterPresets::kCount - 1)) /
                        ParameterPresets::kCount;
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {gap, gap});
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, theme::px(3)});
    for (int number = 1; number <= ParameterPresets::kCount; ++number) {
        const bool has = presets.has(number);
        if (number > 1) ImGui::SameLine();
        ImGui::PushID(number);
        const auto ink = has ? theme::color(theme::kText) : theme::color(theme::kDim, 0.7f);
        ImGui::PushStyleColor(ImGuiCol_Text, ink);
        if (has) ImGui::PushStyleColor(ImGuiCol_Button, theme::color(theme::kAccent, 0.45f));
        const bool clicked = ImGui::Button(fmt::format("{}", number).c_str(), {width, 0});
        ImGui::PopStyleColor(has ? 2 : 1);
        if (clicked && (!has || ImGui::GetIO().KeyShift)) save(presets, number);
        else if (clicked) recall(presets, number, kFade);
        theme::tooltip(has ? fmt::format("{}\nClick or press {} to recall, with Shift to save",
                                         presets.code(number), number)
                           : fmt::format("Click or press Shift+{} to save all values", number));
        menu_of(presets, number);
        ImGui::PopID();
    }
    ImGui::PopStyleVar(2);
    theme::pop_font();
}

bool handle_preset_key(ParameterPresets& presets, const KeyEvent& key) {
    if (!key.down || key.repeat || key.key < Key::digit_1 || key.key > Key::digit_9) return false;
    const int number = int(key.key) - int(Key::digit_0);
    if (key.modifiers == kShift) save(presets, number);
    else if (key.modifiers == 0 && presets.has(number)) recall(presets, number, kFade);
    else return false;
    return true;
}

} // namespace lathe
