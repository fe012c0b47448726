// SPDX-License-Identifier: MIT
// What belongs to one window's interface and is reached from functions without arguments, as those
// of Dear ImGui are: its fonts, its layout, the script's open panels. An ImGuiLayer owns it.
#pragma once

#include "engine/ui/imgui_stacks.h"

#include <array>
#include <vector>

struct ImFont;

namespace lathe {

class Layout;

enum class Look { dark, light };

struct UiState {
    Look look = Look::dark;
    float scale = 1; ///< pixels of the theme's unit
    std::array<ImFont*, 4> fonts{};
    Layout* layout = nullptr; ///< since its first frame

    struct OpenPanel {
        bool is_visible; ///< not behind a tab
        ImGuiStacks stacks;
    };
    std::vector<OpenPanel> panels; ///< of the script, innermost last
    int frame = -1;                ///< in which they were opened
    bool same_line = false;
    /// The frame takes no widgets of the script now: a step has drawn them.
    bool is_resting = false;
};

/// A panel that has no place is drawn there: its items do nothing, and nobody sees them.
constexpr const char* kUnseenWindow = "##unseen";

/// Of the current context of Dear ImGui; without one a state that nobody else has.
UiState& ui_state();

} // namespace lathe
