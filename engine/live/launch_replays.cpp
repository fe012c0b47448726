// SPDX-License-Identifier: MIT
#include "engine/live/launch_replays.h"

#include "engine/live/build.h"
#include "engine/live/kernel_slot.h"

#include <fmt/format.h>

#include <exception>

namespace lathe {

namespace {

constexpr std::chrono::seconds kRest{1};

} // namespace

struct LaunchReplays::Job {
    struct Replay {
        std::string where; ///< "step.cu: step", for problems
        Kernel kernel;
        gpu::LaunchCopy copy;
        std::uint64_t launches = 0;
    };
    std::vector<Replay> replays;
    ReplayedFrame frame;
    std::atomic<bool> is_cancelled = false, is_done = false;

    void run(gpu::Device device) {
        const auto began = std::chrono::steady_clock::now();
        for (Replay& each : replays) {
            if (is_cancelled) break;
            try {
                {
                    const gpu::CurrentContext here{gpu::Context::primary(device)};
                    each.copy.fetch();
                }
                take(each.kernel->made->replay(each.copy, frame.is_searched), each.launches);
            } catch (const std::exception& error) {
                frame.problems.push_back(fmt::format("{}: {}", each.where, error.what()));
            }
        }
        replays.clear();
        frame.took = std::chrono::steady_clock::now() - began;
        is_done = true;
    }

private:
    void take(const gpu::LaunchReplay& replay, std::uint64_t launches) {
        for (gpu::LineCounts row : replay.counts) {
            gpu::add_counts(row, gpu::LineCounts{row}, launches - 1);
            frame.counts.push_back(std::move(row));
        }
        for (const gpu::HazardFinding& finding : replay.findings) frame.findings.push_back(finding);
    }
};

LaunchReplays::~LaunchReplays() {
    if (!job_) return;
    job_->is_cancelled = true;
    if (!job_->is_done) gpu::ReplayKernel::cancel();
}

void LaunchReplays::begin_frame(bool searches) {
    is_copying_ = true;
    searches_ = searches;
    launched_.clear();
}

bool LaunchReplays::end_frame() {
    is_copying_ = false;
    bool is_compiling = std::exchange(waits_for_rest_, false);
    auto job = std::make_shared<Job>();
    job->frame.is_searched = searches_;
    for (auto& [key, launched] : launched_) {
        if (!launched.kernel) continue;
        if (!launched.copy) {
            is_compiling = true;
            continue;
        }
        job->frame.texts[key.first] = launched.kernel->source.text;
        job->replays.push_back({fmt::format("{}: {}", key.first->name(), key.second),
                                std::move(launched.kernel), std::move(*launched.copy),
                                launched.launches});
    }
    launched_.clear();
    if (job->replays.empty()) return is_compiling;
    job_ = std::move(job);
    worker_.run([job = job_, device = device_] { job->run(device); });
    return true;
}

std::optional<ReplayedFrame> LaunchReplays::take() {
    std::optional<ReplayedFrame> frame;
    if (job_ && job_->is_done) frame = std::move(std::exchange(job_, nullptr)->frame);
    if (!frame && !problems_.empty()) frame.emplace();
    if (frame)
        for (std::string& problem : std::exchange(problems_, {}))
            frame->problems.push_back(std::move(problem));
    return frame;
}

LaunchReplays::Kernel LaunchReplays::compiled(const Key& key) {
    const auto running = key.first->loaded();
    const auto now = std::chrono::steady_clock::now();
    const auto [at, is_first] = compiled_.try_emplace(key);
    Compiled& known = at->second;
    if (is_first || known.version.lock() != running) known = {running, now, nullptr};
    if (known.kernel) return known.kernel;
    if (key.first->is_quick() || (!is_first && now - known.since < kRest)) return nullptr;
    known.kernel = make_beside<gpu::ReplayKernel>(
        device_, worker_.executor(), running->source,
        [kernel = key.second](const KernelSource& source) {
            return gpu::ReplayKernel{request_of(source, kernel), kernel};
        });
    return known.kernel;
}

void LaunchReplays::give_up(const Key& key, const std::string& problem) {
    problems_.push_back(fmt::format("{}: {}: {}", key.first->name(), key.second, problem));
    launched_[key].kernel = nullptr;
}

bool LaunchReplays::wants(const KernelSlot& slot, std::string_view kernel) {
    if (!is_copying_ || job_ || !slot.ready()) return false;
    Key key{&slot, kernel};
    const auto [at, is_first] = launched_.try_emplace(key);
    Launched& launched = at->second;
    if (is_first) {
        launched.kernel = compiled(key);
        waits_for_rest_ |= !launched.kernel;
    }
    if (launched.kernel && launched.kernel->is_done && !launched.copy) {
        if (launched.kernel->made) {
            next_ = std::move(key);
            return true;
        }
        give_up(key, launched.kernel->problem);
    }
    ++launched.launches;
    return false;
}

void LaunchReplays::launch(const gpu::LaunchConfig& config, const gpu::LaunchAttributes& more,
                           void** arguments) {
    Launched& launched = launched_[next_];
    const auto running = next_.first->loaded(); // kept loaded
    const gpu::Kernel& kernel = next_.first->kernel(next_.second);
    ++launched.launches;
    try {
        if (!copy_on_) copy_on_ = std::make_shared<const gpu::Stream>(gpu::StreamConfig{});
        launched.copy.emplace(running->module, kernel, config, arguments,
                              launched.kernel->made->variables(), copy_on_, kMostBytes);
    } catch (const Error& error) { give_up(next_, error.what()); }
    gpu::launch_untyped(kernel, config, more, arguments);
}

} // namespace lathe
