// SPDX-License-Identifier: MIT
// Each text has a ticket; a task or a result whose ticket is not the wanted one is dropped.
#include "engine/live/compile_job.h"

#include "engine/core/log.h"

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <utility>

namespace lathe {

struct CompileJob::Shared {
    std::mutex mutex;
    std::condition_variable arrived;
    std::uint64_t wanted = 0;
    // Of the wanted ticket:
    std::optional<KernelBuild> build;
    std::optional<std::vector<Parameter>> parameters;
    bool reflecting = false;

    bool is_wanted(std::uint64_t ticket) {
        std::lock_guard lock{mutex};
        return wanted == ticket;
    }
    bool complete() const { return build && (!reflecting || !build->loaded); }
};

CompileJob::CompileJob() : shared_{std::make_shared<Shared>()} {}
CompileJob::~CompileJob() { drop(); }

void CompileJob::drop() {
    std::lock_guard lock{shared_->mutex};
    ++shared_->wanted;
    shared_->build.reset();
    shared_->parameters.reset();
    shared_->reflecting = false;
}

void CompileJob::build(const Executor& on, const BuildKernel& build, const KernelSource& source,
                       Effort effort) {
    on([s = shared_, ticket = shared_->wanted, source, effort, build] {
        if (!s->is_wanted(ticket)) return;
        KernelBuild result;
        const FileWatch::Time began = FileWatch::file_time();
        try {
            result = build(source, effort);
        } catch (const std::exception& e) {
            result.diagnostics = {{source.name, 0, 0, Diagnostic::Severity::error, e.what()}};
            result.log = e.what();
        }
        result.began = began;
        std::lock_guard lock{s->mutex};
        if (s->wanted != ticket) return;
        s->build = std::move(result);
        s->arrived.notify_all();
    });
}

void CompileJob::reflect(const Executor& on, const ReflectKernel& reflect,
                         const KernelSource& source) {
    {
        std::lock_guard lock{shared_->mutex};
        shared_->reflecting = true;
    }
    on([s = shared_, ticket = shared_->wanted, source, reflect] {
        if (!s->is_wanted(ticket)) return;
        std::optional<std::vector<Parameter>> result;
        try {
            result = reflect(source);
        } catch (const std::exception& e) {
            log::debug("{}: parameters could not be read: {}", source.name, e.what());
        }
        std::lock_guard lock{s->mutex};
        if (s->wanted != ticket) return;
        s->parameters = std::move(result);
        s->reflecting = false;
        s->arrived.notify_all();
    });
}

std::optional<CompileJob::Result> CompileJob::take() {
    std::lock_guard lock{shared_->mutex};
    if (!shared_->complete()) return {};
    Result result{std::move(*shared_->build), std::move(shared_->parameters)};
    shared_->build.reset();
    shared_->parameters.reset();
    return result;
}

void CompileJob::wait() {
    std::unique_lock lock{shared_->mutex};
    shared_->arrived.wait(lock, [this] { return shared_->complete(); });
}

bool CompileJob::wait_for(std::chrono::nanoseconds most) {
    std::unique_lock lock{shared_->mutex};
    return shared_->arrived.wait_for(lock, most, [this] { return shared_->complete(); });
}

} // namespace lathe
