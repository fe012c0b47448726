// SPDX-License-Identifier: MIT
// One thread of a live kernel's next launch, line by line, in a program that goes on: the code that
// writes its steps down is compiled beside the frames, and then launched once in the place of the
// kernel (gpu/inspect/thread_trace.h).
//
// All members are called from the thread that launches.
#pragma once

#include "engine/core/api.h"
#include "engine/live/launch_watch.h"
#include "gpu/inspect/trace_lines.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lathe {

struct WatchedThread {
    const KernelSlot* slot = nullptr;
    std::string kernel;        ///< as the source spells it
    gpu::Dim3 block{0, 0, 0};  ///< blockIdx
    gpu::Dim3 thread{0, 0, 0}; ///< threadIdx
};

class LATHE_API ThreadWatch final : public LaunchWatch {
public:
    enum class State {
        off,
        compiling,
        waiting, ///< for a launch of the kernel
        done,    ///< lines() are there
        failed,  ///< problem() says why
    };

    /// Kernels run in the primary context of `device`. The executor must outlive the watch, and
    /// must not be helped by the thread that launches.
    ThreadWatch(gpu::Device device, Executor compile_on);
    ~ThreadWatch() override;
    ThreadWatch(const ThreadWatch&) = delete;
    ThreadWatch& operator=(const ThreadWatch&) = delete;

    /// The first launch of the running version's kernel after the compile is followed. Another
    /// thread that was followed is forgotten.
    void follow(WatchedThread thread);
    void forget();

    State state();
    const std::string& problem() const { return problem_; }
    const WatchedThread& thread() const { return thread_; }
    /// Of the version that was followed.
    const std::string& text() const { return text_; }
    /// Its name, as lines() give it, perhaps behind a folder.
    const std::string& file() const { return file_; }
    /// Empty where the launch had no such thread.
    const std::vector<gpu::TraceLine>& lines() const { return lines_; }
    /// There were more than the memory for steps holds: these are the first.
    bool is_cut() const { return is_cut_; }
    /// Launches that were followed so far.
    std::uint64_t results() const { return results_; }

    bool is_armed() const override {
        return state_ == State::compiling || state_ == State::waiting;
    }
    bool wants(const KernelSlot& slot, std::string_view kernel) override;
    void launch(const gpu::LaunchConfig& config, const gpu::LaunchAttributes& more,
                void** arguments) override;

private:
    void compile();
    void fail(std::string problem);

    gpu::Device device_;
    Executor compile_on_;
    State state_ = State::off;
    WatchedThread thread_;
    std::shared_ptr<MadeBeside<gpu::TracedKernel>> compile_;
    std::string problem_, text_, file_;
    std::vector<gpu::TraceLine> lines_;
    bool is_cut_ = false;
    std::uint64_t results_ = 0;
};

} // namespace lathe
