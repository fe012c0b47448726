// SPDX-License-Identifier: MIT
// What is inspected: off, costs, costs and hazards, and which number stands beside each line. A
// button at the end of the kernels' tabs opens it; F9 goes from one to the next.
#pragma once

#include "engine/app/input.h"
#include "engine/live/inspector.h"
#include "engine/ui/cost_words.h"

#include <array>
#include <string>

namespace lathe {

class InspectMenu {
public:
    explicit InspectMenu(Inspector& inspector) : inspector_{inspector} {}

    /// True where the key is F9.
    bool handle(const KeyEvent& key);
    /// Inside the tab bar. Greyed, with the reason, where kernels cannot be watched.
    void draw_button();
    /// After the tab bar, in the same window: the menu where it is open.
    void draw_menu(CostColumn& column);

private:
    const std::string& problem();
    void set(Inspecting mode);

    Inspector& inspector_;
    bool opens_ = false;
    std::array<float, 2> place_{}; ///< of the menu, below the button
    bool has_looked_ = false;      ///< at the device
    std::string problem_;
};

} // namespace lathe
