// SPDX-License-Identifier: MIT
// Copies and fills in the order of streams, and memory of the device heap.
#include "gpu/soft/drv/device_runtime_call.h"

#include "gpu/soft/rt/registry.h"

namespace lathe::soft::device_runtime {

namespace {

void copy(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    Parameters p{params};
    const auto to = p.take<std::uint64_t>(), from = p.take<std::uint64_t>();
    const auto bytes = p.take<std::uint64_t>();
    const auto kind = p.take<std::uint32_t>();
    const auto stream = stream_of(t, p.take<std::uint64_t>());
    const auto& known = Registry::instance();
    if (!stream) return give(t, returns, invalid_resource_handle);
    if (kind > 4) return give(t, returns, invalid_copy_direction);
    if (bytes && !(known.covers(to, bytes) && known.covers(from, bytes)))
        return give(t, returns, invalid_value);
    launch_of(t).device_work().add(*stream, {.action = [=] {
        return guarded_copy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes)
                   ? CUDA_SUCCESS
                   : CUDA_ERROR_ILLEGAL_ADDRESS;
    }});
    give(t, returns, success);
}

void fill(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    Parameters p{params};
    const auto to = p.take<std::uint64_t>();
    const auto value = p.take<std::uint32_t>();
    const auto bytes = p.take<std::uint64_t>();
    const auto stream = stream_of(t, p.take<std::uint64_t>());
    if (!stream) return give(t, returns, invalid_resource_handle);
    if (bytes && !Registry::instance().covers(to, bytes)) return give(t, returns, invalid_value);
    launch_of(t).device_work().add(*stream, {.action = [=] {
        return guarded_fill(reinterpret_cast<void*>(to), value, 1, bytes)
                   ? CUDA_SUCCESS
                   : CUDA_ERROR_ILLEGAL_ADDRESS;
    }});
    give(t, returns, success);
}

void allocate_memory(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    Parameters p{params};
    const auto to = p.take<std::uint64_t>();
    void* const made = lathe_rt_malloc(t, p.take<std::uint64_t>());
    give(t, returns, made ? write(to, made) : memory_allocation);
}

void free_memory(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    lathe_rt_free(t, reinterpret_cast<void*>(Parameters{params}.take<std::uint64_t>()));
    give(t, returns, success);
}

} // namespace

std::span<const Entry> memory_functions() {
    static constexpr Entry functions[] = {
        {"MemcpyAsync", copy},      {"MemcpyAsync_ptsz", copy},  {"MemsetAsync", fill},
        {"MemsetAsync_ptsz", fill}, {"Malloc", allocate_memory}, {"Free", free_memory},
    };
    return functions;
}

} // namespace lathe::soft::device_runtime
