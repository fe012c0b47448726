// SPDX-License-Identifier: MIT
#include "gpu/event.h"

#include "gpu/driver/check.h"
#include "gpu/poll.h"

#include <cstring>

namespace lathe::gpu {

void detail::EventTraits::destroy(Type event) noexcept {
    if (const ReleaseScope scope{event.context})
        log_failure("cuEventDestroy", driver().cuEventDestroy(event.value));
}

Event::Event(const EventConfig& config) {
    const Context context = Context::ensure_current();
    unsigned flags = CU_EVENT_DEFAULT;
    if (!config.timing) flags |= CU_EVENT_DISABLE_TIMING;
    if (config.blocking_wait) flags |= CU_EVENT_BLOCKING_SYNC;
    if (config.interprocess) flags |= CU_EVENT_INTERPROCESS;
    CUevent event = nullptr;
    CU_TRY(cuEventCreate(&event, flags), "flags {}", flags);
    handle_ = Handle<detail::EventTraits>{{event, context}};
}

Event Event::wrap(CUevent event) noexcept {
    Event e;
    e.handle_ = Handle<detail::EventTraits>::wrap({event, {}});
    return e;
}

Event Event::open(const IpcHandle& bytes) {
    const Context context = Context::ensure_current();
    CUipcEventHandle handle{};
    std::memcpy(&handle, bytes.data(), sizeof handle);
    CUevent event = nullptr;
    CU_TRY(cuIpcOpenEventHandle(&event, handle));
    Event e;
    e.handle_ = Handle<detail::EventTraits>{{event, context}};
    return e;
}

IpcHandle Event::ipc_handle() const {
    CUipcEventHandle handle{};
    CU_TRY(cuIpcGetEventHandle(&handle, get()));
    IpcHandle bytes;
    std::memcpy(bytes.data(), &handle, sizeof handle);
    return bytes;
}

void Event::record(StreamView stream) { CU_TRY(cuEventRecord(get(), stream.get())); }

void Event::synchronize() const { CU_TRY(cuEventSynchronize(get())); }

bool Event::done() const {
    const CUresult code = driver().cuEventQuery(get());
    if (code == CUDA_ERROR_NOT_READY) return false;
    if (code != CUDA_SUCCESS) throw Error{"cuEventQuery", code};
    return true;
}

bool Event::wait_for(std::chrono::nanoseconds time) const {
    return detail::poll_for(time,
                            [&] { return driver().cuEventQuery(get()) != CUDA_ERROR_NOT_READY; });
}

std::chrono::duration<float, std::milli> Event::elapsed_since(const Event& start) const {
    float milliseconds = 0;
    CU_TRY(cuEventElapsedTime(&milliseconds, start.get(), get()));
    return std::chrono::duration<float, std::milli>{milliseconds};
}

void put_in_order(StreamView earlier, StreamView later) {
    if (earlier == later) return;
    Event event{{.timing = false}};
    event.record(earlier);
    later.wait_event(event);
}

} // namespace lathe::gpu
