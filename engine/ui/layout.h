// SPDX-License-Identifier: MIT
// Where panels stand. The picture has the left side and more than half of the window; kernels stand
// at the right, and below them the others: as tabs of one place, in a wide window of two. A small
// window has all of them as tabs. The user may move all but the top and the foot, and the layout
// follows the window's size in proportion.
#pragma once

#include "engine/core/zone.h"

#include <imgui.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lathe {

class ImGuiLayer;

enum class Place {
    view,
    kernels,
    parameters,
    things,
    profiler,
    console,
    thread,
    values,
    history,
    plots
};
constexpr std::size_t kPlaces = 10;

/// How panels stand until the user moves them. Each has a layout file of its own, so that a small
/// window does not spoil what was arranged in a large one.
enum class Arrangement { wide, medium, small };
/// Which of the panels is large.
enum class Form { standard, code, picture };

/// For a window of so many pixels at scale 1.
Arrangement arrangement_for(float width, float height);

/// What the window shows.
enum class Stage {
    panels,
    picture,   ///< it fills the window
    presenter, ///< the same, and the kernels' text lies over it
};

class Layout {
public:
    /// Layouts are kept in `folder`; empty: they are not kept. It lives as long as the ImGuiLayer
    /// whose frames it has. The script's panel of the title `guide`, if any, stands at the left of
    /// the picture over the whole height, for texts; the parameters then stand below.
    explicit Layout(std::filesystem::path folder = {}, std::string guide = {});
    Layout(const Layout&) = delete;
    Layout& operator=(const Layout&) = delete;

    /// Between frames: takes the arrangement, and its file, that suits the window's pixels.
    void fit(ImGuiLayer& imgui, int width, int height);

    /// Once a frame, before anything else of it is drawn.
    void begin();

    /// Opens a panel's window; end_panel() is called whatever it returns.
    bool begin_panel(Place place);
    void end_panel();
    /// The panel's tab comes to the front, and has the keyboard; a hidden one is there again.
    void show_panel(Place place);
    /// The same for a call between frames: it takes effect once the panel has its place.
    void bring_to_front(Place place);
    /// A hidden panel leaves its room to its neighbours. The picture is always there.
    void set_shown(Place place, bool is_shown) { hidden_[std::size_t(place)] = !is_shown; }
    bool is_shown(Place place) const { return !hidden_[std::size_t(place)]; }
    /// The title is red: there is something to see.
    void set_alarm(Place place, bool is_on) { alarms_[std::size_t(place)] = is_on; }
    /// All panels go to the places of this form, whatever the user has moved or hidden.
    void arrange(Form form);

    /// Without panels their places are kept.
    void set_stage(Stage stage) { stage_ = stage; }
    Stage stage() const { return stage_; }
    bool has_panels() const { return stage_ == Stage::panels; }

    float below_toolbar = 0; ///< pixels that the toolbar has below its row

    /// The fixed rows. The upper one begins so many pixels from the left.
    void begin_toolbar(float left = 0);
    void begin_status_bar();
    void end_bar();

    /// What a frame is to be cleared with before its panels are drawn.
    static ImVec4 background();

    /// For a window of the script, before its Begin(name): finds a place for it below or beside
    /// the parameters the first time. False in the few frames which that needs; it is not drawn,
    /// then.
    static bool place_script_panel(const std::string& name);

private:
    bool begin_on_stage(Place place);
    void place_docks();
    bool has_place(const std::string& name) const;
    void arrange_docks();
    void arrange_guided_docks();
    void arrange_large_docks();
    void finish_docks(unsigned picture, unsigned kernels);
    void dock_script_panel(const std::string& name);

    std::filesystem::path folder_;
    std::string guide_; ///< name of its window
    Arrangement arrangement_ = Arrangement::wide;
    bool chosen_ = false;               ///< fit() was called
    bool arrange_ = true;               ///< no layout was read: every panel goes to its first place
    std::vector<std::string> scripts_;  ///< windows of the script that this run has seen
    std::vector<std::string> homeless_; ///< those of the last frame that have no place yet
    unsigned dockspace_ = 0;
    ImVec2 docked_size_{}; ///< that the sizes of the dock nodes add up to
    ImVec2 origin_{};      ///< of the part between the bars
    ImVec2 size_{};
    Form form_ = Form::standard;
    std::array<bool, kPlaces> docked_{}; ///< in the last frame, by Place
    std::array<bool, kPlaces> begun_{};  ///< before, by Place
    std::array<bool, kPlaces> hidden_{}; ///< by Place
    std::array<bool, kPlaces> alarms_{}; ///< by Place
    Stage stage_ = Stage::panels;
    bool is_begun_ = false; ///< a panel's window
    std::optional<Zone> panel_zone_;
    int to_front_ = -1; ///< a Place that comes to the front with its next Begin
    float toolbar_height_ = 0;
    float status_height_ = 0;
};

} // namespace lathe
