// SPDX-License-Identifier: MIT
// The panels of a Studio; shared by the studio*.cpp sources and seen by nobody else.
#pragma once

#include "engine/app/window.h"
#include "engine/live/kept_parameters.h"
#include "engine/live/session.h"
#include "engine/ui/console_panel.h"
#include "engine/ui/file_panel.h"
#include "engine/ui/history_panel.h"
#include "engine/ui/imgui_layer.h"
#include "engine/ui/kernel_editor.h"
#include "engine/ui/key_map.h"
#include "engine/ui/layout.h"
#include "engine/ui/line_panel.h"
#include "engine/ui/main_menu.h"
#include "engine/ui/parameter_panel.h"
#include "engine/ui/plots_panel.h"
#include "engine/ui/profiler_panel.h"
#include "engine/ui/run_control_panel.h"
#include "engine/ui/status_bar.h"
#include "engine/ui/step_replay.h"
#include "engine/ui/step_windows.h"
#include "engine/ui/studio.h"
#include "engine/ui/things_panel.h"
#include "engine/ui/thread_panel.h"
#include "engine/ui/time_line.h"
#include "engine/ui/view_panel.h"
#include "engine/ui/wait_hint.h"

#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lathe {

struct PanelOfScript {
    std::string title;
    std::function<void()> draw;
    std::function<void(const std::exception_ptr&)> on_failure;
};

struct Studio::Panels {
    explicit Panels(Studio& studio);
    ~Panels() { editor.autosave(true); }

    // -- members in the order they are made ----------------------------------------------------
    Studio& studio;
    std::unique_ptr<Session> session;
    KeptParameters kept_parameters;
    std::unique_ptr<ImGuiLayer> imgui; ///< null where the UI is off, as are the panels' places
    Layout layout;
    KernelEditor editor;
    ParameterPanel parameter_panel;
    ThingsPanel things_panel;
    ThreadPanel thread_panel;
    StepReplay step_replay;
    LinePanel line_panel;
    HistoryPanel history_panel;
    RunControlPanel run_control_panel;
    TimeLine time_line;
    ProfilerPanel profiler_panel{studio.profiler(), studio.inspector(),
                                 studio.config().file_name()};
    PlotsPanel plots_panel;
    ConsolePanel console;
    ViewPanel view;
    StatusBar status;
    KeyMapPanel key_map;
    MainMenu menu;
    FilePanel file_panel;
    ProgramHooks programs;
    double hint_until = 0; ///< the picture says how panels come back, by Dear ImGui's clock
    std::function<void()> after_frame; ///< asked for, and not done yet
    std::vector<PanelOfScript> panels;
    StepWindows step_windows;
    std::optional<ImGuiStacks> before_step; ///< in this frame of Dear ImGui
    bool has_step = false;                  ///< a step has drawn into it
    std::chrono::steady_clock::time_point panels_began = std::chrono::steady_clock::now();
    double step_seconds = 0;    ///< of a step that keeps its frame waiting
    std::string paused_because; ///< shown over the picture until it runs
    std::unique_ptr<WaitHint> wait_hint;
    std::string under_mouse;     ///< what lies there; empty: nothing
    double looked_at = 0;        ///< when that was found, by Dear ImGui's clock
    bool follows_picked = false; ///< the thread of what is under the mouse, in this frame

    // studio_panels.cpp
    /// All panels. Throws, after the last one, what the first of the program's that failed threw.
    void draw();
    bool is_between_widgets();
    /// The program's steps draw no more into this frame.
    void end_steps();
    std::exception_ptr draw_of_script();
    std::vector<StatusItem> status_left();
    std::vector<StatusItem> status_right();
    std::string picture_message();
    void say_what_is_under_the_mouse();
    void follow_under_the_mouse();
    /// False where no editor has the kernel.
    bool follow(const gpu::ThreadOfKernel& thread);
    void go_to_prompt();
    void watch_line_of_cursor();
    void follow_picked() { follows_picked = true; }
    void draw_thread(const std::vector<KernelSlot*>& slots);
    void draw_values(const std::vector<KernelSlot*>& slots);
    void draw_history();
    void draw_plots();
    void show_history() { layout.show_panel(Place::history); }

    // studio_menu.cpp
    bool handle(const KeyEvent& key);
    bool handle_own(const KeyEvent& key);
    void draw_menu();
    std::vector<MenuEntry> file_menu();
    std::vector<MenuEntry> edit_menu();
    std::vector<MenuEntry> view_menu();
    std::vector<MenuEntry> help_menu();
    void ask_what_to_open();
    void make_sketch();
    void open(const std::filesystem::path& file);
    void save_picture();
    void save_plot(const std::shared_ptr<Plot>& plot, std::string_view ending);
    bool can_record();
    void record();
    void do_what_was_asked();

    // studio_stage.cpp
    void show_picture_only();
    void show_presenter();
    void set_stage(Stage stage);
};

} // namespace lathe
