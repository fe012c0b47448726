// SPDX-License-Identifier: MIT
#include "engine/app/step_loop.h"

#include "engine/app/app.h"
#include "engine/app/console.h"
#include "engine/app/event_handlers.h"
#include "engine/app/frame_loop.h"
#include "engine/app/history.h"
#include "engine/app/profiler.h"
#include "engine/app/run_control.h"
#include "engine/app/window.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "engine/live/parameter_bindings.h"
#include "engine/live/parameter_set.h"
#include "engine/plots/plots.h"
#include "engine/render/screenshot.h"
#include "gpu/driver/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

namespace lathe {

namespace {

constexpr std::uint64_t kFramesWithoutAWindow = 300;
constexpr double kStepWithoutAWindow = 1.0 / 60, kLongestStep = 0.1; // seconds
constexpr std::size_t kKeptTimes = 4096;
/// On the way to a step a window shows those between, so often.
constexpr std::chrono::milliseconds kTravelFrame{40};
/// Until the layout of panels stands, a movie has no frames.
constexpr std::uint64_t kUnsettledFrames = 3;

std::string what_of(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const std::exception& e) { return e.what(); }
}

/// For the plots.
Plots::OfTimeline branch_of(const History& history) {
    if (!history.is_on()) return {};
    const Branch& branch = history.timeline().current();
    return RunBranches::OfTimeline{branch.number, branch.parent, branch.fork};
}

} // namespace

StepLoop::StepLoop(App& app, const AppConfig& config, bool headless)
    : frame_limit{config.frames}, app_{app} {
    if (!frame_limit && headless) frame_limit = kFramesWithoutAWindow;
    if (config.out.empty()) return;
    if (std::int64_t{config.width} * config.height <= kLargestMovie)
        movie_.begin(config.out / (config.file_name() + ".mp4"));
    else
        std::fputs(fmt::format("{}x{} is too large for a movie (7680x4320 at most): only the "
                               "picture is written\n",
                               config.width, config.height)
                       .c_str(),
                   stderr);
}

template <class Call> void StepLoop::guard(const Call& call) {
    try {
        call();
    } catch (...) { fail(std::current_exception()); }
}

std::optional<std::uint64_t> StepLoop::limit() const {
    const auto& most = app_.config().frames;
    if (!frames_of_start_) return frame_limit;
    return most ? std::min(*frames_of_start_, *most) : frames_of_start_;
}

void StepLoop::start(std::optional<std::uint64_t> frames) {
    if (state_ == State::in_frame) show_now();
    state_ = State::between_frames;
    frames_of_start_ = frames;
    run_frames_ = 0;
    frame_ms_.clear();
}

bool StepLoop::next() {
    Turn turn = Turn::frame;
    while (turn == Turn::frame) turn = advance(true);
    return turn == Turn::step;
}

StepLoop::Turn StepLoop::turn() { return advance(false); }

StepLoop::Turn StepLoop::advance(bool is_waiting) {
    in_step_.reset();
    if (state_ == State::over && !closed_) start();
    while (state_ != State::over) {
        if (state_ == State::in_frame) {
            if (wants_step() && begin_step()) return Turn::step;
            end_frame();
            return Turn::frame;
        }
        if (!is_waiting && rests()) return Turn::rest;
        const auto most = limit();
        if (closed_ || (most && run_frames_ >= *most) || !begin_frame(is_waiting)) finish();
    }
    return Turn::over;
}

bool StepLoop::has_steps() { return simulates && !is_broken() && !wanted_step_; }

bool StepLoop::rests() {
    if (limit() || movie_.wanted() || closed_) return false;
    return !(hooks.is_needed && hooks.is_needed()) && app_.rests(has_steps());
}

bool StepLoop::begin_frame(bool is_waiting) {
    if (is_waiting && !limit() && !movie_.wanted())
        app_.rest(has_steps(), [this] { return hooks.is_needed && hooks.is_needed(); });
    if (hooks.before_frame) hooks.before_frame();
    if (state_ == State::over) return false; // the hook has run the program to its end
    frame_began_ = std::chrono::steady_clock::now();
    if (!app_.begin_frame()) {
        if (stays_open()) return begin_frame(is_waiting);
        closed_ = true;
        return false;
    }
    state_ = State::in_frame;
    if (event_failure_) std::rethrow_exception(std::exchange(event_failure_, {}));
    const RunControl& control = app_.run_control();
    if (control.reset() && (started_ || broken_at_)) rewind();
    if (control.travel()) travel();
    if (!started_ && !is_broken()) call_on_start();
    steps_left_ = has_steps() ? control.steps() + carried_ : 0;
    carried_ = 0;
    frame_dt_ = control.fixed_dt.value_or(
        app_.window().headless() ? kStepWithoutAWindow
                                 : std::min(app_.loop().delta_seconds(), kLongestStep));
    return true;
}

void StepLoop::handle_events() {
    InputState& input = app_.window().input();
    const auto taken = app_.events().handle(input.program_events(),
                                            [this](const std::exception_ptr& e) { report(e); });
    input.mouse_captured |= taken.mouse;
    for (const DropEvent& drop : taken.left) app_.take_drop(drop);
}

/// The user has closed the window, and a function of the program keeps it.
bool StepLoop::stays_open() {
    Window& window = app_.window();
    if (!window.should_close()) return false;
    if (!app_.events().keeps_open([this](const std::exception_ptr& e) { report(e); })) return false;
    window.keep_open();
    return true;
}

/// Of an event: steps go on.
void StepLoop::report(const std::exception_ptr& error) {
    if (!app_.window().headless()) tell(words_of(error));
    else if (!event_failure_) event_failure_ = error;
}

/// On the way to a step that the run control wants to see, all of them in one frame unless that
/// takes long.
bool StepLoop::wants_step() {
    if (!wanted_step_) return steps_left_ > 0;
    if (is_broken() || clock_.next() > *wanted_step_) {
        wanted_step_.reset();
        return false;
    }
    const auto took = std::chrono::steady_clock::now() - frame_began_;
    return app_.window().headless() || took < kTravelFrame || clock_.next() == *wanted_step_;
}

bool StepLoop::begin_step() {
    if (steps_left_ > 0) --steps_left_;
    if (!keep_history()) return false;
    const double dt = app_.history().length_of_next(clock_).value_or(frame_dt_);
    app_.history().note_step(clock_, dt);
    if (std::exchange(clock_.has_stepped, true)) {
        ++clock_.step.index;
        clock_.time += clock_.dt;
    }
    app_.begin_step(); // sliders follow the time
    clock_.dt = dt;
    clock_.step.time = float(clock_.time);
    clock_.step.dt = float(dt);
    app_.plots().begin_step(clock_.step.index, clock_.time, branch_of(app_.history()));
    in_step_.emplace("step");
    return true;
}

/// False where the work before the step has failed.
bool StepLoop::keep_history() {
    try {
        const Zone zone{"history"};
        app_.history().before_step(clock_);
        return true;
    } catch (const gpu::Error& error) {
        if (!app_.report_fault(error)) fail(std::current_exception());
    } catch (...) { fail(std::current_exception()); }
    return false;
}

void StepLoop::travel() {
    const RunControl::Travel& wish = *app_.run_control().travel();
    const std::uint64_t from = wish.step.value_or(clock_.step.index);
    const std::uint64_t to = from - std::min(from, wish.back);
    broken_at_.reset();
    guard([&] {
        History& history = app_.history();
        app_.plots().go_elsewhere();
        if (wish.branch) history.choose(*wish.branch);
        if (const auto clock = history.go_back(to, clock_)) {
            clock_ = *clock;
            app_.bindings().follow_time(clock_.time);
        } else if (clock_.has_stepped && clock_.step.index > to) {
            if (!history.is_on())
                log::info("to go back the run starts over: {}",
                          history.ended_by().empty() ? "it has no history (an option of App)"
                                                     : history.ended_by());
            rewind();
        }
        wanted_step_ = to;
    });
}

void StepLoop::end_frame() {
    in_step_.reset();
    state_ = State::between_frames;
    app_.set_time(clock_.time);
    guard([&] { app_.end_frame(); });
    element_ = app_.element_under_mouse();
    if (app_.window().headless()) require_kernels(); // a window waits until the kernel is mended
    if (frames_ == 0) app_.parameters().check_assignments(); // all sliders are declared by now
    ++frames_;
    ++run_frames_;
    if (frame_ms_.size() >= kKeptTimes)
        frame_ms_.erase(frame_ms_.begin(), frame_ms_.begin() + 1024);
    const auto took = std::chrono::steady_clock::now() - frame_began_;
    frame_ms_.push_back(std::chrono::duration<float, std::milli>(took).count());
    record();
    if (hooks.after_frame) guard(hooks.after_frame);
}

void StepLoop::record() {
    std::uint64_t settled = app_.has_panels() ? kUnsettledFrames + 1 : 1;
    if (const auto most = limit()) // a short run shows its last frame at least
        settled = std::min(settled, std::max<std::uint64_t>(*most, 1));
    if (frames_ >= settled) movie_.add(app_.picture());
}

void StepLoop::finish() {
    state_ = State::over;
    if (!frames_of_start_) {
        write_results();
        app_.synchronize(); // where frames overlap nobody has waited for the last one
    }
    frames_of_start_.reset();
}

void StepLoop::write_results() {
    const AppConfig& config = app_.config();
    if (frames_ == written_at_) return;
    written_at_ = frames_;
    const auto write = [&](const std::string& name, const auto& save) {
        const auto file = config.out / name;
        try {
            save(file);
            written_.push_back(file);
        } catch (const std::exception& error) { // a full disk is no fault of the program
            ++unwritten_;
            log::error("{}", error.what());
        }
    };
    if (!config.out.empty()) {
        write(config.file_name() + ".png", [&](const std::filesystem::path& file) {
            save_png(file, app_.screenshot(app_.has_panels()));
        });
        for (const auto& plot : app_.plots().all())
            for (const char* ending : {".csv", ".png"}) {
                std::string name = config.file_name() + "-" + plot->name() + ending;
                std::ranges::replace(name, '/', '_');
                write(name, [&](const auto& file) { app_.save_plot(*plot, file); });
            }
    }
    if (!config.profile.empty()) {
        try {
            app_.profiler().finish();
            save_chrome_trace(app_.profiler().frames(), config.profile);
            written_.push_back(config.profile);
        } catch (const std::exception& error) {
            ++unwritten_;
            log::error("{}", error.what());
        }
    }
    if (const auto file = movie_.finish()) written_.push_back(*file);
}

void StepLoop::show_now() {
    if (state_ != State::in_frame) return;
    carried_ = std::exchange(steps_left_, 0);
    end_frame();
}

void StepLoop::close() {
    app_.window().close();
    closed_ = true;
}

void StepLoop::interrupt() {
    if (state_ == State::over) return write_results();
    if (state_ == State::in_frame) end_frame();
    frames_of_start_.reset();
    finish();
}

void StepLoop::rewind() {
    app_.restore_arrays();
    clock_ = {};
    app_.bindings().follow_time(clock_.time);
    app_.history().begin();
    app_.plots().begin(0, branch_of(app_.history()));
    started_ = false;
    broken_at_.reset();
    wanted_step_.reset();
}

void StepLoop::start_simulation() {
    if (!started_) call_on_start();
}

void StepLoop::resume(const StepClock& clock) {
    clock_ = clock;
    app_.bindings().follow_time(clock_.time);
    app_.history().begin(clock_.next());
    app_.plots().begin(clock_.next(), branch_of(app_.history()));
    broken_at_.reset();
    wanted_step_.reset();
    steps_left_ = carried_ = 0;
}

void StepLoop::call_on_start() {
    guard([&] {
        if (hooks.on_start) hooks.on_start();
        started_ = true; // where it throws the next frame calls it again
    });
}

void StepLoop::fail(const std::exception_ptr& error) {
    if (app_.window().headless()) std::rethrow_exception(error);
    fail(words_of(error));
}

void StepLoop::fail(const std::string& words) {
    app_.drop_step();
    steps_left_ = 0;
    wanted_step_.reset();
    tell(words);
    broken_at_ = generations();
}

std::string StepLoop::words_of(const std::exception_ptr& error) const {
    return hooks.words_of ? hooks.words_of(error) : what_of(error);
}

void StepLoop::tell(const std::string& words) {
    app_.console().write(Console::Source::script, log::Level::error, words);
}

bool StepLoop::is_broken() {
    if (broken_at_ && *broken_at_ != generations()) broken_at_.reset();
    return broken_at_.has_value();
}

std::vector<std::uint64_t> StepLoop::generations() const {
    std::vector<std::uint64_t> found;
    for (const KernelSlot* slot : app_.kernels()) found.push_back(slot->generation());
    return found;
}

/// Throws the fault of a kernel that has no older version to go on with.
void StepLoop::require_kernels() const {
    for (const KernelSlot* slot : app_.kernels())
        if (slot->state() == SlotState::faulted && !slot->ready())
            throw Error{fmt::format("{}\ncorrect {} and run it again: no version of it has run "
                                    "without a fault",
                                    to_string(slot->diagnostics().back()), slot->name())};
}

bool StepLoop::wait_for_change(const std::function<bool()>& has_changed) {
    if (state_ == State::in_frame) end_frame();
    broken_at_ = generations(); // a fault of the last frame is no repair
    while (state_ != State::over) {
        const bool reset = state_ == State::in_frame && app_.run_control().reset();
        if (state_ == State::in_frame) end_frame();
        if (reset) rewind();
        bool changed = has_changed();
        if (!limit()) app_.rest(false, [&] { return changed = changed || has_changed(); });
        if (reset || changed || !is_broken()) return true;
        if (!app_.begin_frame()) {
            closed_ = true;
            finish();
            return false;
        }
        state_ = State::in_frame;
    }
    return false;
}

} // namespace lathe
