// SPDX-License-Identifier: MIT
// The program's plots (engine/plots/plots.h), side by side as the room allows. A click on a log
// goes to that step.
#pragma once

#include "engine/plots/plot_shape.h"
#include "gl/texture.h"

#include <imgui.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace lathe {

class History;
class Plot;
class Plots;
class RunControl;
class StepLoop;
class ValueLog;

class PlotsPanel {
public:
    /// Inside the panel's window.
    void draw(const Plots& plots, const History& history, const StepLoop& loop,
              RunControl& control);
    /// True once, soon after there is a plot: the window is new, and has its place in the layout.
    bool is_new(const Plots& plots);

    /// The user wants a file of a plot; `ending`: ".csv", ".png" or ".svg".
    std::function<void(const std::shared_ptr<Plot>&, std::string_view ending)> save;

private:
    struct Seen {
        std::weak_ptr<Plot> plot;
        bool follows = true; ///< its limits are those of the numbers, until the user moves them
        bool is_hovered = false;
        PlotWindow window{};
        gl::Texture texture{}; ///< of cells
        std::shared_ptr<const PlotCells> painted{};
    };

    void draw_plot(const std::shared_ptr<Plot>& plot, Seen& seen, ImVec2 size);
    void draw_heading(const std::shared_ptr<Plot>& plot, const PlotShape& shape);
    void draw_legend(const ValueLog& log, float width);
    void draw_axes(const PlotShape& shape, Seen& seen, float height);
    void draw_cells(const std::shared_ptr<const PlotCells>& cells, Seen& seen);
    void draw_values_under_mouse(const ValueLog& log);
    void go_to(const ValueLog& log, double x);

    std::map<std::string, Seen> seen_;
    int frames_ = 0;                   ///< that had plots; it counts a few
    const History* history_ = nullptr; ///< of the frame that is drawn
    const StepLoop* loop_ = nullptr;
    RunControl* control_ = nullptr;
};

} // namespace lathe
