// SPDX-License-Identifier: MIT
#include "engine/live/thread_watch.h"

#include "engine/core/error.h"
#include "engine/live/build.h"
#include "engine/live/kernel_slot.h"
#include "gpu/context.h"
#include "gpu/driver/check.h"

#include <fmt/format.h>

#include <atomic>
#include <exception>
#include <optional>
#include <utility>

namespace lathe {

/// Shared with the task; what stands before `is_done` is read once that is true.
struct ThreadWatch::Compile {
    KernelSource source;
    std::optional<gpu::TracedKernel> kernel;
    std::string problem;
    std::atomic<bool> is_done = false;
};

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
    compile_ = std::make_shared<Compile>();
    compile_->source = running->source;
    compile_on_([device = device_, kernel = thread_.kernel, into = compile_] {
        try {
            const gpu::CurrentContext here{gpu::Context::primary(device)};
            into->kernel.emplace(request_of(into->source, kernel), kernel);
        } catch (const std::exception& error) { into->problem = error.what(); }
        into->is_done = true;
    });
}

ThreadWatch::State ThreadWatch::state() {
    if (state_ != State::compiling || !compile_->is_done) return state_;
    if (!compile_->kernel) fail(std::move(compile_->problem));
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
    gpu::TracedKernel& traced = *compile_->kernel;
    try {
        traced.begin(thread_.block, thread_.thread, running->module);
        if (more.any()) gpu::launch_with(traced.kernel(), config, more, arguments);
        else traced.kernel().launch(config, arguments);
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
