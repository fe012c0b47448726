// SPDX-License-Identifier: MIT
// One launch of a live kernel that is made with other code, which tells what the launch does: the
// code is compiled beside the frames, and the first launch after that is followed. thread_watch.h
// and warp_watch.h say what they want to know.
//
// All members are called from the thread that launches.
#pragma once

#include "engine/live/kernel_slot.h"
#include "engine/live/launch_watch.h"
#include "gpu/driver/check.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace lathe {

enum class FollowState {
    off,
    compiling,
    waiting, ///< for a launch of the kernel
    done,    ///< what the launch did is there
    failed,  ///< problem() says why
};

/// `Traced` is made of a request and a kernel's name, and has the kernel to be launched.
template <class Traced> class LaunchFollower : public LaunchWatch {
public:
    using State = FollowState;

    /// Kernels run in the primary context of `device`. The executor must outlive the follower, and
    /// must not be helped by the thread that launches.
    LaunchFollower(gpu::Device device, Executor compile_on)
        : device_{device}, compile_on_{std::move(compile_on)} {}
    LaunchFollower(const LaunchFollower&) = delete;
    LaunchFollower& operator=(const LaunchFollower&) = delete;

    /// After follow(): of the launches for which `is_time` is true the last one before settle() is
    /// followed, in the place of the first of all.
    void follow_while(std::function<bool()> is_time) { is_time_ = std::move(is_time); }
    /// What was followed stays. Where that is nothing yet, the next launch is.
    void settle() {
        is_time_ = {};
        if (state_ == State::done) compile_.reset();
    }

    void forget() {
        is_time_ = {};
        state_ = State::off;
        compile_.reset();
        problem_.clear();
        text_.clear();
        clear();
    }

    State state() {
        if (state_ != State::compiling || !compile_->is_done) return state_;
        if (!compile_->made) fail(std::move(compile_->problem));
        else state_ = State::waiting;
        return state_;
    }
    const std::string& problem() const { return problem_; }
    /// Of the version that was followed.
    const std::string& text() const { return text_; }
    /// Its name, as what the launch did gives it, perhaps behind a folder.
    const std::string& file() const { return file_; }
    /// Launches that were followed so far.
    std::uint64_t results() const { return results_; }

    bool is_armed() const override {
        return state_ == State::compiling || state_ == State::waiting ||
               (state_ == State::done && is_time_);
    }
    bool wants(const KernelSlot& slot, std::string_view kernel) override {
        if (&slot != slot_ || kernel != name_) return false;
        if (state() != State::waiting && !(state_ == State::done && is_time_)) return false;
        if (is_time_ && !is_time_()) return false;
        const auto running = slot.loaded();
        if (running && running->source.text == compile_->source.text) return true;
        compile(); // it was edited meanwhile
        return false;
    }
    void launch(const gpu::LaunchConfig& config, const gpu::LaunchAttributes& more,
                void** arguments) override {
        const auto running = slot_->loaded(); // kept loaded
        Traced& traced = *compile_->made;
        try {
            begin(traced, running->module, config);
            gpu::launch_untyped(traced.kernel(), config, more, arguments);
            finish(traced, running->module);
        } catch (const gpu::Error& error) {
            fail(error.what());
            throw;
        }
        text_ = compile_->source.text;
        file_ = compile_->source.name;
        ++results_;
        if (!is_time_) compile_.reset();
        state_ = State::done;
    }

protected:
    /// The first launch of the running version's kernel after the compile is followed. What was
    /// followed before is forgotten.
    void follow_kernel(const KernelSlot& slot, std::string kernel) {
        forget();
        slot_ = &slot;
        name_ = std::move(kernel);
        compile();
    }
    virtual void begin(Traced& traced, const gpu::Module& original,
                       const gpu::LaunchConfig& config) = 0;
    virtual void finish(Traced& traced, const gpu::Module& original) = 0;
    /// Forgets what a launch did.
    virtual void clear() = 0;

private:
    void compile() {
        const auto running = slot_->loaded();
        if (!running) return fail(slot_->name() + " has no version that runs");
        if (!running->kernels.contains(name_))
            return fail(slot_->name() + " has no kernel '" + name_ + "'");
        state_ = State::compiling;
        compile_ = make_beside<Traced>(device_, compile_on_, running->source,
                                       [kernel = name_](const KernelSource& source) {
                                           return Traced{request_of(source, kernel), kernel};
                                       });
    }
    void fail(std::string problem) {
        state_ = State::failed;
        compile_.reset();
        problem_ = std::move(problem);
    }

    gpu::Device device_;
    Executor compile_on_;
    State state_ = State::off;
    const KernelSlot* slot_ = nullptr;
    std::string name_;
    std::shared_ptr<MadeBeside<Traced>> compile_;
    std::function<bool()> is_time_; ///< of a launch
    std::string problem_, text_, file_;
    std::uint64_t results_ = 0;
};

} // namespace lathe
