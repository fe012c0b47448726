// SPDX-License-Identifier: MIT
#include "gpu/stream.h"

#include "gpu/poll.h"

#include "engine/core/log.h"
#include "gpu/driver/check.h"
#include "gpu/driver/device_traits.h"
#include "gpu/event.h"
#include "gpu/graph.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

namespace lathe::gpu {

namespace {

std::atomic<bool> any_deferred{false};
std::mutex deferred_mutex;
std::map<CUstream, std::exception_ptr>& deferred() { // outlives static objects that hold streams
    static auto* map = new std::map<CUstream, std::exception_ptr>;
    return *map;
}

std::exception_ptr take_deferred(CUstream stream) noexcept {
    if (!any_deferred.load(std::memory_order_acquire)) return nullptr;
    std::lock_guard lock{deferred_mutex};
    const auto found = deferred().find(stream);
    if (found == deferred().end()) return nullptr;
    const std::exception_ptr failure = std::move(found->second);
    deferred().erase(found);
    any_deferred = !deferred().empty();
    return failure;
}

void check(const char* routine, int code) {
    if (code != CUDA_SUCCESS) throw Error{routine, static_cast<CUresult>(code)};
}

} // namespace

bool can_cancel() noexcept {
    const DriverApi* open = detail::open_driver.load(std::memory_order_acquire);
    return open && device_traits().cancel;
}

void detail::defer_error(StreamView stream, std::exception_ptr failure) noexcept {
    try {
        std::lock_guard lock{deferred_mutex};
        deferred().try_emplace(stream.get(), std::move(failure));
        any_deferred.store(true, std::memory_order_release);
    } catch (...) { log::error("a failure on a stream was lost: no memory to keep it"); }
}

void detail::StreamTraits::destroy(Type stream) noexcept {
    take_deferred(stream.value); // the handle may come again
    if (const ReleaseScope scope{stream.context})
        log_failure("cuStreamDestroy", driver().cuStreamDestroy(stream.value));
}

void StreamView::synchronize() const {
    CU_TRY(cuStreamSynchronize(stream_)); // where it throws, what is kept stays for the next one
    if (const std::exception_ptr earlier = take_deferred(stream_)) std::rethrow_exception(earlier);
}

bool StreamView::done() const {
    const CUresult code = driver().cuStreamQuery(stream_);
    if (code == CUDA_ERROR_NOT_READY) return false;
    if (code != CUDA_SUCCESS) throw Error{"cuStreamQuery", code};
    return true;
}

bool StreamView::wait_for(std::chrono::nanoseconds time) const {
    time = std::clamp<std::chrono::nanoseconds>(time, time.zero(), detail::kLongestPoll);
    if (const auto wait = device_traits().stream_wait) {
        const int code = wait(stream_, static_cast<std::uint64_t>(time.count()));
        if (code == CUDA_ERROR_NOT_READY) return false;
        check("latheSoftStreamWait", code);
        return true;
    }
    return detail::poll_for(
        time, [&] { return driver().cuStreamQuery(stream_) != CUDA_ERROR_NOT_READY; });
}

bool StreamView::cancel() const {
    const auto cancel = device_traits().cancel;
    if (cancel) check("latheSoftCancel", cancel(stream_));
    return cancel != nullptr;
}

bool StreamView::set_time_limit(std::chrono::milliseconds limit) const {
    const auto set = device_traits().set_time_limit;
    if (set)
        check("latheSoftSetTimeLimit",
              set(stream_, static_cast<std::uint64_t>(std::max<long long>(limit.count(), 0))));
    return set != nullptr;
}

void StreamView::wait_event(const Event& event) const {
    CU_TRY(cuStreamWaitEvent(stream_, event.get(), 0));
}

void StreamView::add_host_function(std::function<void()> function) const {
    if (const CUgraph graph = captured_graph()) { // which may call it more than once
        detail::HostFunction host{std::move(function)};
        host.give_to(graph);
        CU_TRY(cuLaunchHostFunc(stream_, host.call, host.data));
        return;
    }
    auto owned = std::make_unique<std::function<void()>>(std::move(function));
    const auto call = [](void* data) {
        const std::unique_ptr<std::function<void()>> f{static_cast<std::function<void()>*>(data)};
        try {
            (*f)();
        } catch (const std::exception& e) { // an exception must not enter the driver
            log::error("a host function of a stream threw: {}", e.what());
        } catch (...) { log::error("a host function of a stream threw"); }
    };
    CU_TRY(cuLaunchHostFunc(stream_, call, owned.get()));
    (void)owned.release(); // the call deletes it
}

CUgraph StreamView::captured_graph() const {
    CUstreamCaptureStatus status{};
    CU_TRY(cuStreamIsCapturing(stream_, &status));
    if (status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return nullptr;
    CUgraph graph = nullptr;
    CU_TRY(cuStreamGetCaptureInfo(stream_, &status, nullptr, &graph, nullptr, nullptr));
    return graph;
}

bool StreamView::is_capturing() const { return captured_graph() != nullptr; }

int StreamView::priority() const {
    int priority = 0;
    CU_TRY(cuStreamGetPriority(stream_, &priority));
    return priority;
}

unsigned StreamView::flags() const {
    unsigned flags = 0;
    CU_TRY(cuStreamGetFlags(stream_, &flags));
    return flags;
}

StreamPriorities stream_priorities() {
    Context::ensure_current();
    StreamPriorities range;
    CU_TRY(cuCtxGetStreamPriorityRange(&range.least, &range.greatest));
    return range;
}

Stream::Stream(const StreamConfig& config) {
    const Context context = Context::ensure_current();
    const StreamPriorities range = stream_priorities();
    const int priority = std::clamp(config.priority, range.greatest, range.least);
    const unsigned flags = config.non_blocking ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT;
    CUstream stream = nullptr;
    CU_TRY(cuStreamCreateWithPriority(&stream, flags, priority));
    handle_ = Handle<detail::StreamTraits>{{stream, context}};
}

Stream Stream::wrap(CUstream stream) noexcept {
    Stream s;
    s.handle_ = Handle<detail::StreamTraits>::wrap({stream, {}});
    return s;
}

void Stream::add_host_function(std::function<void()> function) const {
    view().add_host_function(std::move(function));
}

} // namespace lathe::gpu
