// SPDX-License-Identifier: MIT
// What a Studio adds to an App's frame. Its panels are in studio_panels.cpp.
#include "engine/ui/studio.h"

#include "engine/app/console.h"
#include "engine/app/frame_loop.h"
#include "engine/app/history.h"
#include "engine/app/run_control.h"
#include "engine/core/log.h"
#include "engine/core/resources.h"
#include "engine/live/parameter_presets.h"
#include "engine/ui/imgui_idle.h"
#include "engine/ui/studio_panels.h"
#include "engine/ui/theme.h"
#include "engine/ui/value_writer.h"
#include "engine/ui/widgets.h"

#include <exception>
#include <utility>

namespace lathe {

namespace {

bool wants_panels(Studio& studio) {
    return studio.config().ui.value_or(!studio.window().headless());
}

std::unique_ptr<Session> open_session(Studio& studio) {
    const AppConfig& config = studio.config();
    if (!wants_panels(studio) || !config.restore) return nullptr;
    return std::make_unique<Session>(config.session.empty() ? config.title : config.session,
                                     cache_directory());
}

std::filesystem::path layout_folder(const AppConfig& config) {
    if (!config.restore) return {};
    const auto folder = cache_directory() / "layout";
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    return folder;
}

} // namespace

Studio::Panels::Panels(Studio& s)
    : studio{s}, session{open_session(s)}, kept_parameters{s.parameters(), s.bindings()},
      layout{layout_folder(s.config()), s.config().guide}, editor{session.get(), s.inspector()},
      parameter_panel{s.parameters(), &s.presets(), &s.bindings()},
      thread_panel{s.thread_watch(), s.warp_watch()},
      step_replay{s.steps(), s.run_control(), s.history(), s.thread_watch()},
      line_panel{s.line_watch()}, history_panel{session.get()}, run_control_panel{s.run_control()},
      console{s.console()} {
    const bool has_panels = wants_panels(s);
    s.console().set_echo(!has_panels || s.window().headless());
    if (has_panels) {
        imgui =
            std::make_unique<ImGuiLayer>(s.window(), s.config().light ? Look::light : Look::dark);
        imgui->shortcuts = [this](const KeyEvent& key) { return handle(key); };
    }
    plots_panel.save = [this](const auto& plot, std::string_view ending) {
        save_plot(plot, ending);
    };
    run_control_panel.record = [this] { record(); };
    profiler_panel.roofline().measure = [this] { after_frame = [] { gpu::device_peaks(); }; };
    profiler_panel.memory = [this] { return memory_use(studio); };
    line_panel.follow = [this](const gpu::ThreadOfKernel& thread) { follow(thread); };
    editor.stops_of = [this](const KernelSlot& slot) {
        std::vector<LineMark> stops;
        for (const ThreadMarks::Mark& mark : thread_panel.marks().all())
            if (mark.slot == &slot)
                stops.push_back({mark.line, theme::kCostly,
                                 "Thread stops here" +
                                     (mark.condition.empty() ? "" : " if " + mark.condition)});
        return stops;
    };
    editor.number_menu = [this](const KernelSlot& slot, int line) {
        thread_panel.marks().draw_menu(slot, line);
    };
    editor.code_pane().read = code_reader(s.device());
    parameter_panel.write_values = [this] {
        write_values(studio.parameters(), &studio.bindings(), editor, studio.kernels());
    };
    if (session) s.presets().keep_in(session->directory() / "presets");
    if (session && !s.window().headless()) { // runs without a window are the same each time
        kept_parameters.keep_in(session->directory() / "sliders", s.config().fresh);
        editor.keeps_folds = true;
    }
    if (session && session->crashed_last_time()) {
        s.run_control().request_step(); // one step, so that there is a picture
        paused_because = "Paused: the last run did not end by itself. Space goes on.";
        log::warning("the last run did not end by itself: starting paused (Space to play)");
    }
}

Studio::Studio(AppConfig config) : App{std::move(config)}, p_{std::make_unique<Panels>(*this)} {}

Studio::~Studio() { end(); }

Viewport Studio::viewport() const { return p_->imgui ? p_->view.viewport() : App::viewport(); }

std::array<int, 2> Studio::scene_place() const {
    if (!p_->imgui || p_->view.size().x <= 0) return App::scene_place();
    return {p_->view.size().x, p_->view.size().y};
}

bool Studio::has_panels() const { return p_->imgui != nullptr; }

void Studio::begin_panels() {
    Panels& p = *p_;
    if (!run_control().paused) p.paused_because.clear();
    imgui_idle::renew();
    if (!p.imgui) return App::begin_panels();
    InputState& input = window().input();
    input.keyboard_captured = p.imgui->wants_text();
    p.layout.fit(*p.imgui, window().width(), window().height());
    const auto now = std::chrono::steady_clock::now();
    p.imgui->begin_frame(std::chrono::duration<double>(now - p.panels_began).count());
    p.panels_began = now;
    // A drag is of where it began, which the mouse may have left in this very frame.
    const bool is_drag = input.any_button_down() || input.any_button_pressed();
    const glm::vec2 place = is_drag ? input.drag_start() : input.mouse();
    input.mouse_captured = !input.mouse_is_known() || !p.view.has_mouse(place);
    p.layout.below_toolbar = history().is_on() ? TimeLine::height() : 0;
    p.layout.begin();
    p.imgui->rest(false);
    p.has_step = false;
    p.before_step.emplace();
    p.step_windows.begin_frame();
}

void Studio::refresh_panels(double seconds) {
    Panels& p = *p_;
    p.step_seconds = seconds;
    if (seconds == 0) return;
    if (!p.is_between_widgets()) return window().poll_extra_events();
    std::exception_ptr failure; // of a panel: the frame goes on with panels
    try {
        show_scene();
    } catch (...) { failure = std::current_exception(); }
    window().present();
    window().poll_extra_events();
    begin_panels();
    p.imgui->rest(true); // the step may have opened what is closed now
    if (failure) std::rethrow_exception(failure);
}

/// The first step of a frame draws its widgets.
void Studio::enter_step() {
    if (p_->imgui) p_->imgui->rest(std::exchange(p_->has_step, true));
}

/// The step has no window, plot or table open but its panels, which may end early.
bool Studio::Panels::is_between_widgets() {
    imgui->make_current();
    const UiState& state = ui_state();
    return state.is_resting ||
           (state.panels.empty() ? *before_step : state.panels.back().stacks).are_restored();
}

void Studio::Panels::end_steps() {
    imgui->rest(false); // another studio may have begun a frame since
    widgets::close_open_panels();
    before_step->restore(false);
    if (has_step) step_windows.take();
    else if (layout.has_panels()) step_windows.draw(studio.run_control().paused);
}

void Studio::show_scene() {
    Panels& p = *p_;
    if (!p.imgui) return App::show_scene();
    p.end_steps();
    std::exception_ptr failure; // of a panel: the frame of Dear ImGui ends in any case
    try {
        p.draw();
    } catch (...) { failure = std::current_exception(); }
    const ImVec4 behind = Layout::background();
    window().screen().clear({behind.x, behind.y, behind.z, 1});
    p.imgui->end_frame(window().screen());
    p.do_what_was_asked();
    p.editor.autosave();
    p.kept_parameters.save();
    if (failure) std::rethrow_exception(failure);
}

void Studio::on_new_slot(KernelSlot& slot) { p_->editor.add(slot, true); }

void Studio::on_end_of_session() {
    p_->editor.autosave(true);
    p_->kept_parameters.save(true);
    if (p_->session) p_->session->end();
}

void Studio::show_wait(const std::string& why) {
    if (!p_->wait_hint) p_->wait_hint = std::make_unique<WaitHint>(window());
    p_->wait_hint->show(why);
}

void Studio::hide_wait() { p_->wait_hint.reset(); }

ImGuiLayer* Studio::imgui() { return p_->imgui.get(); }
Session* Studio::session() { return p_->session.get(); }

} // namespace lathe
