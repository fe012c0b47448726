// SPDX-License-Identifier: MIT
// The loop of an App, a step of the simulation at a time:
//
//   while (loop.next()) simulate(loop.step());
//
// A frame is shown, a step is simulated. The run control decides how many steps a frame has: none
// while it is paused, when the last drawing is shown again.
#pragma once

#include "engine/app/movie.h"
#include "engine/core/api.h"
#include "engine/core/zone.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lathe {

class App;
struct AppConfig;

/// One step of the simulation.
struct Step {
    std::uint64_t index = 0; ///< since the start or the last reset, from 0
    float time = 0;          ///< simulated seconds: the sum of `dt` over the steps before
    float dt = 0;            ///< seconds; see RunControl::fixed_dt
};

/// Where a run stands between two steps.
struct StepClock {
    Step step;                      ///< the last one
    double time = 0, dt = 1.0 / 60; ///< of that, unrounded
    bool has_stepped = false;       ///< since the start or the last reset

    std::uint64_t next() const noexcept { return has_stepped ? step.index + 1 : 0; }
};

class LATHE_API StepLoop {
public:
    enum class State { between_frames, in_frame, over };

    /// The App may still be under way of being made; `headless` is its window's.
    StepLoop(App& app, const AppConfig& config, bool headless);

    /// Ends the step before, shows frames as long as there is no step to do, and begins the next
    /// one. False: the run is over, as the window is closed or its frames are done. The next call
    /// begins another run, unless the window is closed. What a hook throws passes through; so does,
    /// without a window, every other error.
    bool next();
    enum class Turn {
        step,  ///< there is one to do
        frame, ///< a frame has been shown, and the next one has not begun
        rest,  ///< nothing was done: as nothing happens, the last frame stays
        over,
    };
    /// The same for a program with other things to do: it does not wait while the window rests, but
    /// says so, nor does it show one frame after another.
    Turn turn();
    const Step& step() const noexcept { return clock_.step; }
    bool has_stepped() const noexcept { return clock_.has_stepped; }
    double time() const noexcept { return clock_.time; } ///< the step's, unrounded
    double dt() const noexcept { return clock_.dt; }
    const StepClock& clock() const noexcept { return clock_; }
    /// Steps up to the one that the run control wants to see are still to come.
    bool is_catching_up() const noexcept { return wanted_step_.has_value(); }
    /// Calls on_start now, unless the simulation has started.
    void start_simulation();
    /// The run goes on as if that step had been the last one. Arrays are the caller's business; the
    /// history begins anew.
    void resume(const StepClock& clock);
    /// The next run ends after so many frames; without a number after frame_limit. Shows the frame
    /// that is open.
    void start(std::optional<std::uint64_t> frames = {});
    /// The step failed: what it drew is dropped, `words` go to the console, and there are no steps
    /// until a kernel is edited or the simulation is reset.
    void fail(const std::string& words);
    /// The same with the words of an error. Without a window it is thrown again.
    void fail(const std::exception_ptr& error);
    /// The console gets the words; steps go on.
    void tell(const std::string& words);
    /// What the console says of an error; see Hooks.
    std::string words_of(const std::exception_ptr& error) const;
    /// Shows the frame that is open now, for a picture of it. Its other steps come in the next.
    void show_now();
    /// The window closes; the run ends with the frame that is open.
    void close();
    /// Ends the run in the middle of it, as Ctrl+C wants it: the frame is shown, and files are
    /// written.
    void interrupt();
    /// Shows frames without steps until `has_changed` says so, a kernel is edited or the simulation
    /// is reset: then true. False: the run is over.
    bool wait_for_change(const std::function<bool()>& has_changed);
    /// Leaves the last picture, the plots and the movie in AppConfig::out; nothing where no frame
    /// was shown since the last time. A run that ends does so, but not one of start(frames). What
    /// cannot be written is told to the log, and counts as unwritten().
    void write_results();

    /// Calls what the program does on events, at the beginning of a frame. What that throws goes
    /// to the console, and the run goes on; without a window it passes through next().
    void handle_events();

    /// There are steps again after fail().
    void forget_failure() { broken_at_.reset(); }

    State state() const noexcept { return state_; }
    /// Shown since the App was opened.
    std::uint64_t frames() const noexcept { return frames_; }
    /// Of the frames of this run, the newest 4096 at most: milliseconds, without recording.
    const std::vector<float>& frame_milliseconds() const noexcept { return frame_ms_; }
    /// Element of the picture under the mouse in the frame shown last, (column, row).
    std::optional<std::array<int, 2>> element_under_mouse() const { return element_; }
    Movie& movie() noexcept { return movie_; }
    /// Files that write_results() has left.
    const std::vector<std::filesystem::path>& written() const noexcept { return written_; }
    /// How many could not be written, movies that ended early among them.
    int unwritten() const noexcept { return unwritten_ + movie_.failures(); }

    /// Steps do something. False: the window rests where nothing else happens.
    bool simulates = true;
    /// Frames that a run has. Unset: it ends with the window.
    std::optional<std::uint64_t> frame_limit;

    /// What a program adds. They may throw.
    struct Hooks {
        std::function<void()> before_frame{}; ///< between frames
        std::function<bool()> is_needed{};    ///< while the window rests: a frame is wanted
        std::function<void()> after_frame{};  ///< a frame has been shown
        std::function<void()> on_start{};     ///< before the first step, and after each reset
        /// What the console says of an error, what() by default; it may throw it again.
        std::function<std::string(const std::exception_ptr&)> words_of{};
    };
    Hooks hooks;

private:
    std::optional<std::uint64_t> limit() const;
    Turn advance(bool is_waiting);
    bool has_steps();
    bool rests();
    bool begin_frame(bool is_waiting);
    bool wants_step();
    bool begin_step();
    void travel();
    bool keep_history();
    void end_frame();
    void finish();
    bool stays_open();
    void report(const std::exception_ptr& error);
    void rewind();
    void call_on_start();
    void record();
    void require_kernels() const;
    bool is_broken();
    std::vector<std::uint64_t> generations() const;
    template <class Call> void guard(const Call& call);

    App& app_;
    State state_ = State::between_frames;
    StepClock clock_;
    double frame_dt_ = 0;
    bool started_ = false;
    bool closed_ = false;
    int steps_left_ = 0, carried_ = 0;
    std::optional<std::uint64_t> wanted_step_; ///< on the way to it
    /// Versions of the kernels when a step failed.
    std::optional<std::vector<std::uint64_t>> broken_at_;
    std::optional<std::uint64_t> frames_of_start_;
    std::exception_ptr event_failure_; ///< of this frame, without a window
    std::optional<Zone> in_step_;
    std::uint64_t frames_ = 0, run_frames_ = 0, written_at_ = 0;
    std::vector<float> frame_ms_;
    std::chrono::steady_clock::time_point frame_began_{};
    std::optional<std::array<int, 2>> element_;
    Movie movie_;
    std::vector<std::filesystem::path> written_;
    int unwritten_ = 0;
};

} // namespace lathe
