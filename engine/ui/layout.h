// SPDX-License-Identifier: MIT
// Where panels stand: run control on top, picture in the middle, kernels at the right, parameters
// at the left, timings and console below, status line at the foot. With docking the user may move
// all but the top and the foot; without it the same places are fixed.
#pragma once

#include <imgui.h>

namespace lathe {

enum class Place { view, kernels, parameters, timings, console };

class Layout {
public:
    /// Once a frame, before the panels. `arrange` puts every panel at its first place.
    void begin(bool arrange);

    /// Opens a panel's window; end_panel() is called whatever it returns.
    bool begin_panel(Place place);
    void end_panel();

    /// The fixed rows.
    void begin_toolbar();
    void begin_status_bar();
    void end_bar();

    /// For windows of the script: the next Begin() docks beside the parameters at first.
    static void place_script_panel();

private:
    void arrange_docks(unsigned dockspace, ImVec2 size);

    ImVec2 origin_{}; ///< of the part between the bars
    ImVec2 size_{};
    float toolbar_height_ = 0;
    float status_height_ = 0;
};

} // namespace lathe
