// SPDX-License-Identifier: MIT
// Streams and events that threads make; they live as long as the grid.
#include "gpu/soft/drv/device_runtime_call.h"

namespace lathe::soft::device_runtime {

namespace {

void stream_create(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    Parameters p{params};
    const auto to = p.take<std::uint64_t>();
    const bool fits = p.take<std::uint32_t>() == CU_STREAM_NON_BLOCKING; // no other one is allowed
    give(t, returns, fits ? write(to, launch_of(t).device_work().make_stream()) : invalid_value);
}

void stream_destroy(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    const auto handle = Parameters{params}.take<std::uint64_t>();
    const bool known = launch_of(t).device_work().knows_stream(handle);
    give(t, returns, known ? success : invalid_resource_handle); // its work goes on
}

void stream_wait_event(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    Parameters p{params};
    const auto stream = stream_of(t, p.take<std::uint64_t>());
    const auto event = p.take<std::uint64_t>();
    const bool done = stream && launch_of(t).device_work().wait(*stream, event);
    give(t, returns, done ? success : invalid_resource_handle);
}

void event_create(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    Parameters p{params};
    const auto to = p.take<std::uint64_t>();
    const bool fits = p.take<std::uint32_t>() == CU_EVENT_DISABLE_TIMING;
    give(t, returns, fits ? write(to, launch_of(t).device_work().make_event()) : invalid_value);
}

void event_record(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    Parameters p{params};
    const auto event = p.take<std::uint64_t>();
    const auto stream = stream_of(t, p.take<std::uint64_t>());
    const bool done = stream && launch_of(t).device_work().record(event, *stream);
    give(t, returns, done ? success : invalid_resource_handle);
}

void event_destroy(ThreadContext* t, const std::uint8_t*, std::uint8_t* returns) {
    give(t, returns, success); // who waits for it goes on waiting
}

} // namespace

std::span<const Entry> stream_functions() {
    static constexpr Entry functions[] = {
        {"StreamCreateWithFlags", stream_create},    {"StreamDestroy", stream_destroy},
        {"StreamWaitEvent", stream_wait_event},      {"StreamWaitEvent_ptsz", stream_wait_event},
        {"EventCreateWithFlags", event_create},      {"EventRecord", event_record},
        {"EventRecord_ptsz", event_record},          {"EventRecordWithFlags", event_record},
        {"EventRecordWithFlags_ptsz", event_record}, {"EventDestroy", event_destroy},
    };
    return functions;
}

} // namespace lathe::soft::device_runtime
