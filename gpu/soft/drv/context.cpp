// SPDX-License-Identifier: MIT
#include "gpu/soft/drv/context.h"

#include "gpu/soft/drv/capture.h"
#include "gpu/soft/drv/cleanup.h"
#include "gpu/soft/jit/background.h"
#include "gpu/soft/rt/printf.h"

#include <algorithm>
#include <utility>

namespace lathe::soft {

namespace {
std::uint64_t next_id() {
    static std::atomic<std::uint64_t> id{1};
    return id.fetch_add(1);
}
} // namespace

void fail(CUresult code, std::string text) { throw Failure{code, std::move(text)}; }

std::string& last_error_text() {
    static thread_local std::string text;
    return text;
}

Context::Context(unsigned context_flags, bool is_primary)
    : primary{is_primary}, id{next_id()}, flags{context_flags} {
    limits[CU_LIMIT_STACK_SIZE] = 1024;
    limits[CU_LIMIT_PRINTF_FIFO_SIZE] = std::size_t{1} << 20;
    limits[CU_LIMIT_MALLOC_HEAP_SIZE] = std::size_t{8} << 20;
    limits[CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH] = 2;
    limits[CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048;
    limits[CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64;
    limits[CU_LIMIT_PERSISTING_L2_CACHE_SIZE] = 0;
    legacy_ = std::make_shared<Stream>();
    legacy_->context = this;
    legacy_->legacy = true;
    legacy_->id = next_id();
}

Context::~Context() = default;

void Context::destroy() {
    cancel(nullptr);
    wait_idle();
    flush_printf();
    release_objects_of(*this);
    std::lock_guard lock{order_};
    for (const auto& stream : streams_) abandon_capture(*stream);
    streams_.clear();
    per_thread_.clear();
}

std::shared_ptr<Stream> Context::stream(CUstream handle) {
    if (handle == nullptr && PerThreadDefaultStream::active()) handle = CU_STREAM_PER_THREAD;
    if (handle == nullptr || handle == CU_STREAM_LEGACY) return legacy_;
    if (handle == CU_STREAM_PER_THREAD) {
        std::unique_lock lock{order_};
        auto& own = per_thread_[std::this_thread::get_id()];
        if (own) return own;
        lock.unlock();
        auto made = create_stream(CU_STREAM_DEFAULT, 0);
        lock.lock();
        per_thread_[std::this_thread::get_id()] = made;
        return made;
    }
    auto found = object<Stream>(handle);
    require(found->context == this, CUDA_ERROR_INVALID_HANDLE, "stream of another context");
    return found;
}

std::shared_ptr<Stream> Context::create_stream(unsigned stream_flags, int priority) {
    auto made = std::make_shared<Stream>();
    made->context = this;
    made->flags = stream_flags;
    made->priority = std::clamp(priority, kGreatestPriority, kLeastPriority);
    made->id = next_id();
    std::lock_guard lock{order_};
    forget_ended_streams();
    streams_.push_back(made);
    return made;
}

void Context::destroy_stream(const std::shared_ptr<Stream>& stream) {
    std::lock_guard lock{order_};
    stream->destroyed = true; // forgotten once its last command is done
}

void Context::forget_ended_streams() {
    std::erase_if(streams_,
                  [](const auto& s) { return s->destroyed && (!s->last || s->last->done()); });
}

// What a new command of this stream comes after, by the rules of the legacy default stream.
std::vector<CommandPtr> Context::predecessors(Stream& stream) {
    std::vector<CommandPtr> before;
    auto add = [&](const Stream& other) {
        if (other.last && !other.last->done()) before.push_back(other.last);
    };
    forget_ended_streams();
    add(stream);
    if (stream.legacy) {
        for (const auto& other : streams_)
            if (other->blocking()) add(*other);
    } else if (stream.blocking()) {
        add(*legacy_);
    }
    return before;
}

void Context::track_grid(const std::shared_ptr<Stream>& stream, const CommandPtr& command) {
    if (!command->launch()) return;
    std::erase_if(grids_, [](const auto& entry) { return entry.second->done(); });
    grids_.emplace_back(stream, command);
}

void Context::submit(const std::shared_ptr<Stream>& stream, const CommandPtr& command,
                     const CommandPtr& also_after) {
    refuse_capture(*stream);
    std::lock_guard lock{order_};
    auto before = predecessors(*stream);
    if (also_after) before.push_back(also_after);
    stream->last = command;
    command->set_priority(stream->priority);
    track_grid(stream, command);
    Executor::instance().submit(command, before, [stream](CUresult result) {
        CUresult none = CUDA_SUCCESS;
        if (result != CUDA_SUCCESS) stream->error.compare_exchange_strong(none, result);
    });
}

// The stream's next place, for work of the calling thread; null where something is before it.
CommandPtr Context::place_now(Stream& stream) {
    std::lock_guard lock{order_};
    if (!predecessors(stream).empty()) return nullptr;
    return stream.last = std::make_shared<Command>();
}

namespace {
CUresult run_in(const CommandPtr& place, const std::function<CUresult()>& action) {
    CUresult result = CUDA_ERROR_UNKNOWN;
    try {
        result = action();
    } catch (...) {
        Executor::instance().end(place, result);
        throw;
    }
    Executor::instance().end(place, result);
    return result;
}
} // namespace

bool Context::run_now(const std::shared_ptr<Stream>& stream,
                      const std::function<CUresult()>& action) {
    refuse_capture(*stream);
    const CommandPtr place = place_now(*stream);
    if (!place) return false;
    if (CUresult result = run_in(place, action); result != CUDA_SUCCESS) fail(result);
    return true;
}

void Context::run(const std::shared_ptr<Stream>& stream, bool may_run_now,
                  std::function<CUresult()> action) {
    if (may_run_now && run_now(stream, action)) return;
    submit(stream, std::make_shared<Command>(Command::Kind::action, std::move(action)));
}

void Context::run_and_wait(const std::shared_ptr<Stream>& stream,
                           std::function<CUresult()> action) {
    refuse_capture(*stream);
    CUresult result;
    if (const CommandPtr place = place_now(*stream)) {
        result = run_in(place, action);
    } else {
        auto command = std::make_shared<Command>(Command::Kind::action, std::move(action));
        submit(stream, command);
        Executor::instance().wait(command);
        result = command->result();
    }
    flush_printf();
    CUresult earlier = take_errors(*stream);
    if (earlier != CUDA_SUCCESS) fail(earlier);
    if (result != CUDA_SUCCESS) fail(result);
}

bool Context::idle(const Stream& stream) {
    std::lock_guard lock{order_};
    return predecessors(const_cast<Stream&>(stream)).empty();
}

// Errors that a wait on this stream has to tell: the legacy stream waits for the blocking ones.
CUresult Context::take_errors(Stream& stream) {
    CUresult error = stream.take_error();
    if (!stream.legacy) return error;
    std::lock_guard lock{order_};
    for (const auto& other : streams_)
        if (other->blocking() && error == CUDA_SUCCESS) error = other->take_error();
    return error;
}

// What a wait on this stream waits for: the legacy stream stands for the blocking ones, too.
std::vector<CommandPtr> Context::pending(Stream& stream) {
    std::lock_guard lock{order_};
    return stream.legacy ? predecessors(stream) : std::vector<CommandPtr>{stream.last};
}

void Context::wait(const std::shared_ptr<Stream>& stream) {
    for (const CommandPtr& command : pending(*stream)) Executor::instance().wait(command);
    flush_printf();
}

void Context::wait_turn(const std::shared_ptr<Stream>& stream) {
    std::vector<CommandPtr> before;
    {
        std::lock_guard lock{order_};
        before = predecessors(*stream);
    }
    for (const CommandPtr& command : before) Executor::instance().wait(command);
    flush_printf();
}

bool Context::wait_until(const std::shared_ptr<Stream>& stream, Command::Clock::time_point end) {
    for (const CommandPtr& command : pending(*stream))
        if (!Executor::instance().wait_until(command, end)) return false;
    return true;
}

CUresult Context::synchronize(const std::shared_ptr<Stream>& stream) {
    refuse_capture(*stream);
    wait(stream);
    return take_errors(*stream);
}

std::vector<CommandPtr> Context::last_ones() {
    std::vector<CommandPtr> last;
    if (legacy_->last) last.push_back(legacy_->last);
    for (const auto& stream : streams_)
        if (stream->last) last.push_back(stream->last);
    return last;
}

void Context::wait_idle() {
    std::vector<CommandPtr> pending;
    {
        std::lock_guard lock{order_};
        pending = last_ones();
    }
    for (const CommandPtr& command : pending) Executor::instance().wait(command);
}

void Context::run_idle(const std::function<void()>& f) {
    while (true) {
        wait_idle();
        std::lock_guard lock{order_};
        const auto last = last_ones();
        if (std::all_of(last.begin(), last.end(), [](const auto& c) { return c->done(); }))
            return f();
    }
}

CUresult Context::synchronize() {
    refuse_captures_of(*this);
    wait_idle();
    flush_printf();
    CUresult error = legacy_->take_error();
    std::lock_guard lock{order_};
    for (const auto& stream : streams_) {
        CUresult other = stream->take_error();
        if (error == CUDA_SUCCESS) error = other;
    }
    return error;
}

void Context::cancel(Stream* stream) {
    std::lock_guard lock{order_};
    if (stream) {
        ++stream->cancels;
    } else {
        ++legacy_->cancels;
        for (const auto& each : streams_) ++each->cancels;
    }
    for (const auto& [owner, command] : grids_) {
        if (command->done()) continue;
        if (stream && owner.lock().get() != stream) continue;
        command->launch()->cancel();
    }
}

// --- current contexts ----------------------------------------------------------------------------

std::vector<std::shared_ptr<Context>>& context_stack() {
    static thread_local std::vector<std::shared_ptr<Context>> stack = [] {
        jit::Background::end_with_this_thread();
        return std::vector<std::shared_ptr<Context>>{};
    }();
    return stack;
}

bool& PerThreadDefaultStream::active() {
    static thread_local bool on = false;
    return on;
}

std::shared_ptr<Context> current_context() {
    auto& stack = context_stack();
    if (stack.empty() || !stack.back()) return nullptr;
    return Objects<Context>::instance().find(stack.back().get());
}

PrimaryContext& PrimaryContext::instance() {
    static PrimaryContext* primary = new PrimaryContext;
    return *primary;
}

std::shared_ptr<Context> PrimaryContext::retain() {
    std::lock_guard lock{mutex_};
    if (!context_) {
        context_ = std::make_shared<Context>(flags_, true);
        Objects<Context>::instance().add(context_);
    }
    ++count_;
    return context_;
}

void PrimaryContext::release() {
    std::unique_lock lock{mutex_};
    require(count_ > 0, CUDA_ERROR_INVALID_CONTEXT, "the primary context is not retained");
    if (--count_ > 0) return;
    auto context = std::exchange(context_, nullptr);
    lock.unlock();
    context->destroy();
    Objects<Context>::instance().remove(context.get());
}

void PrimaryContext::reset() {
    std::unique_lock lock{mutex_};
    if (!context_) return;
    // Those who retained it hold its handle: the object stays, what was made in it goes.
    auto context = context_;
    lock.unlock();
    context->destroy();
}

void PrimaryContext::set_flags(unsigned flags) {
    std::lock_guard lock{mutex_};
    flags_ = flags;
    if (context_) context_->flags = flags;
}

unsigned PrimaryContext::flags() {
    std::lock_guard lock{mutex_};
    return flags_;
}

bool PrimaryContext::active() {
    std::lock_guard lock{mutex_};
    return context_ != nullptr;
}

} // namespace lathe::soft
