// SPDX-License-Identifier: MIT
// What belongs to one window's interface and is reached from functions without arguments, as those
// of Dear ImGui are: its fonts, its layout, the script's open panels. An ImGuiLayer owns it.
#pragma once

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

    /// Of the script: no: there is no window yet; hidden: behind a tab.
    enum class Shown { no, hidden, visible };
    std::vector<Shown> panels; ///< those that are open, innermost last
    int frame = -1;            ///< in which they were opened
    bool same_line = false;
};

/// Of the current context of Dear ImGui; without one a state that nobody else has.
UiState& ui_state();

} // namespace lathe
