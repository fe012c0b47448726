// SPDX-License-Identifier: MIT
// A line of a live kernel, in a program that goes on: what an expression is there for every thread,
// and which threads meet a condition. Launches of the kernel are made with code that tells it
// (gpu/inspect/line_values.h), which is compiled beside the frames.
//
// All members are called from the thread that launches.
#pragma once

#include "engine/core/api.h"
#include "engine/live/launch_watch.h"
#include "gpu/inspect/line_expression.h"
#include "gpu/inspect/line_values.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lathe {

struct WatchedLine {
    const KernelSlot* slot = nullptr;
    int line = 0;            ///< of the slot's text, from 1
    std::string shown{};     ///< an expression of variables after it; empty: how often it came
    std::string mark{};      ///< a condition that threads are to meet; empty: none
    bool stops = false;      ///< each launch is looked at, and on_mark called
    std::string kernel{};    ///< empty: that in which the line stands, else the slot's own
    std::uint32_t visit = 0; ///< of a line that comes several times, from 1; 0: the last
    bool operator==(const WatchedLine&) const = default;
};

/// Of a launch, in the order of a picture.
struct LinePicture {
    gpu::Dim3 threads{0, 0, 0}; ///< width, height, depth of the launch
    gpu::Dim3 block{0, 0, 0};
    std::vector<double> shown;         ///< of each thread; NaN where it has no value
    std::vector<std::uint32_t> visits; ///< how often the thread came to the line
    std::vector<std::size_t> marked;   ///< threads that meet the condition, in their order

    /// blockIdx and threadIdx of a thread.
    LATHE_API std::pair<gpu::Dim3, gpu::Dim3> thread_at(std::size_t number) const;
};

class LATHE_API LineWatch final : public LaunchWatch {
public:
    enum class State {
        off,
        compiling,
        watching, ///< picture() is that of the last launch, once there was one
        failed,   ///< problem() says why
    };

    /// Kernels run in the primary context of `device`. The executor must outlive the watch, and
    /// must not be helped by the thread that launches.
    LineWatch(gpu::Device device, Executor compile_on);
    ~LineWatch() override;
    LineWatch(const LineWatch&) = delete;
    LineWatch& operator=(const LineWatch&) = delete;

    /// Until forget(), or another line. Compiles anew when the kernel is edited; the line moves
    /// with its text. Without `stops` launches are looked at for no more than half of the time.
    void watch(WatchedLine line);
    void forget();

    State state();
    bool is_on() const { return state_ != State::off && state_ != State::failed; }
    /// Of the line, or of an expression: the rest goes on without that.
    const std::string& problem() const { return problem_; }
    /// Its number is of the text that runs.
    const WatchedLine& line() const { return line_; }
    /// The line's number in the slot's present text; 0 where it was changed since, or is off.
    int line_now();
    /// Whose launches are looked at; empty before that is known.
    const std::string& kernel() const { return kernel_; }
    /// Variables that have a value after the line, those of inner blocks first.
    const std::vector<ptx::ParameterType>& known() const { return known_; }
    const LinePicture& picture() const { return picture_; }
    /// Launches that were looked at so far.
    std::uint64_t results() const { return results_; }

    /// A launch had marked threads, where the line `stops`. No other one is looked at before
    /// begin_step().
    std::function<void()> on_mark;
    void begin_step() { is_stopped_ = false; }

    bool is_armed() const override {
        return !is_stopped_ && (state_ == State::compiling || state_ == State::watching);
    }
    bool wants(const KernelSlot& slot, std::string_view kernel) override;
    void launch(const gpu::LaunchConfig& config, const gpu::LaunchAttributes& more,
                void** arguments) override;

private:
    struct Code;
    using Clock = std::chrono::steady_clock;
    void compile();
    void fail(std::string problem);
    void take(const gpu::LineValues& values);

    gpu::Device device_;
    Executor compile_on_;
    State state_ = State::off;
    WatchedLine line_;
    std::shared_ptr<MadeBeside<std::shared_ptr<Code>>> compile_;
    std::string text_;                         ///< in which `line_` counts
    std::pair<std::uint64_t, int> line_now_{}; ///< of a version of the slot's text
    std::string problem_, kernel_;
    std::vector<ptx::ParameterType> known_;
    LinePicture picture_;
    std::uint64_t results_ = 0;
    bool is_stopped_ = false;
    Clock::time_point next_{}; ///< no launch is looked at before
};

} // namespace lathe
