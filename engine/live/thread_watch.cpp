// SPDX-License-Identifier: MIT
#include "engine/live/thread_watch.h"

#include "engine/core/error.h"
#include "engine/live/build.h"
#include "engine/live/kernel_slot.h"
#include "gpu/driver/check.h"

#include <fmt/format.h>

#include <utility>

namespace lathe {

ThreadWatch::ThreadWatch(gpu::Device device, Executor compile_on)
    : device_{device}, compile_on_{std::move(compile_on)} {}
ThreadWatch::~ThreadWatch() = default;

void ThreadWatch::follow(WatchedThread thread) {
    forget();
    thread_ = std::move(thread);
    compile();
}

void ThreadWatch::forget() {
    state_ = State::off;
    compile_.reset();
    problem_.clear();
    text_.clear();
    lines_.clear();
    is_cut_ = false;
}

void ThreadWatch::fail(std::string problem) {
    state_ = State::failed;
    compile_.reset();
    problem_ = std::move(problem);
}

void ThreadWatch::compile() {
    const auto running = thread_.slot->loaded();
    if (!running) return fail(fmt::format("{} has no version that runs", thread_.slot->name()));
    if (!running->kernels.contains(thread_.kernel))
        return fail(fmt::format("{} has no kernel '{}'", thread_.slot->name(), thread_.kernel));
    state_ = State::compiling;
    compile_ = make_beside<gpu::TracedKernel>(
        device_, compile_on_, running->source,
        [kernel = thread_.kernel](const KernelSource& source) {
            return gpu::TracedKernel{request_of(source, kernel), kernel};
        });
}

ThreadWatch::State ThreadWatch::state() {
    if (state_ != State::compiling || !compile_->is_done) return state_;
    if (!compile_->made) fail(std::move(compile_->problem));
    else state_ = State::waiting;
    return state_;
}

bool ThreadWatch::wants(const KernelSlot& slot, std::string_view kernel) {
    if (&slot != thread_.slot || kernel != thread_.kernel || state() != State::waiting)
        return false;
    const auto running = slot.loaded();
    if (running && running->source.text == compile_->source.text) return true;
    compile(); // it was edited meanwhile
    return false;
}

void ThreadWatch::launch(const gpu::LaunchConfig& config, const gpu::LaunchAttributes& more,
                         void** arguments) {
    const auto running = thread_.slot->loaded(); // kept loaded
    gpu::TracedKernel& traced = *compile_->made;
    try {
        traced.begin(thread_.block, thread_.thread, running->module);
        gpu::launch_untyped(traced.kernel(), config, more, arguments);
        gpu::ThreadTrace trace = traced.finish(running->module);
        is_cut_ = trace.is_cut;
        lines_ = gpu::lines_of(std::move(trace));
    } catch (const gpu::Error& error) {
        fail(error.what());
        throw;
    }
    text_ = compile_->source.text;
    file_ = compile_->source.name;
    ++results_;
    compile_.reset();
    state_ = State::done;
}

} // namespace lathe
