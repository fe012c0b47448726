// SPDX-License-Identifier: MIT
// What threads ask of the device, and of their errors.
#include "gpu/soft/drv/device_runtime_call.h"

#include "gpu/soft/drv/device.h"
#include "gpu/soft/rt/arena.h"
#include "gpu/soft/rt/float_mode.h"
#include "gpu/soft/rt/registry.h"

#include <map>
#include <mutex>

namespace lathe::soft::device_runtime {

namespace {

void get_last_error(ThreadContext* t, const std::uint8_t*, std::uint8_t* returns) {
    const std::int32_t error = error_of(t, true);
    std::memcpy(returns, &error, sizeof error);
}

void peek_at_last_error(ThreadContext* t, const std::uint8_t*, std::uint8_t* returns) {
    const std::int32_t error = error_of(t, false);
    std::memcpy(returns, &error, sizeof error);
}

/// A text in memory that kernels may read; it stays.
const char* readable(const char* text) {
    static auto* const mutex = new std::mutex;
    static auto* const known = new std::map<std::string, const char*>;
    std::lock_guard lock{*mutex};
    auto& place = (*known)[text];
    if (place) return place;
    const std::size_t bytes = std::strlen(text) + 1;
    auto* const made = static_cast<char*>(Arena::instance().allocate(bytes));
    if (!made) return nullptr;
    std::memcpy(made, text, bytes);
    Registry::instance().add({.begin = reinterpret_cast<std::uintptr_t>(made),
                              .bytes = bytes,
                              .kind = Allocation::Kind::launch});
    return place = made;
}

template <CUresult (*text_of)(CUresult, const char**)>
void error_text(ThreadContext*, const std::uint8_t* params, std::uint8_t* returns) {
    const NormalFloats normal;
    const char* text = nullptr;
    const auto error = static_cast<CUresult>(Parameters{params}.take<std::int32_t>());
    if (text_of(error, &text) != CUDA_SUCCESS || !text) text = "unrecognized error code";
    const char* const place = readable(text);
    std::memcpy(returns, &place, sizeof place);
}

void get_device(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    give(t, returns, write(Parameters{params}.take<std::uint64_t>(), std::int32_t{0}));
}

void get_device_count(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    give(t, returns, write(Parameters{params}.take<std::uint64_t>(), std::int32_t{1}));
}

void get_version(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    give(t, returns,
         write(Parameters{params}.take<std::uint64_t>(), std::int32_t{driver_version()}));
}

void get_attribute(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    Parameters p{params};
    const auto to = p.take<std::uint64_t>();
    const auto attribute = static_cast<CUdevice_attribute>(p.take<std::int32_t>());
    std::int32_t value = 0;
    const bool known = p.take<std::int32_t>() == 0 && device_attribute(attribute, value);
    give(t, returns, known ? write(to, value) : invalid_value);
}

void get_limit(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    Parameters p{params};
    const auto to = p.take<std::uint64_t>();
    const auto limit = static_cast<CUlimit>(p.take<std::int32_t>());
    const auto context = Objects<Context>::instance().all();
    if (context.empty() || !context.front()->limits.contains(limit))
        return give(t, returns, invalid_value);
    give(t, returns, write(to, std::uint64_t{context.front()->limits.at(limit)}));
}

template <auto Context::* member>
void get_setting(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    const auto to = Parameters{params}.take<std::uint64_t>();
    const auto context = Objects<Context>::instance().all();
    if (context.empty()) return give(t, returns, invalid_value);
    give(t, returns, write(to, static_cast<std::int32_t>((*context.front().*member).load())));
}

} // namespace

std::span<const Entry> query_functions() {
    static constexpr Entry functions[] = {
        {"GetLastError", get_last_error},
        {"PeekAtLastError", peek_at_last_error},
        {"GetErrorString", error_text<cuGetErrorString>},
        {"GetErrorName", error_text<cuGetErrorName>},
        {"GetDevice", get_device},
        {"GetDeviceCount", get_device_count},
        {"RuntimeGetVersion", get_version},
        {"DeviceGetAttribute", get_attribute},
        {"DeviceGetLimit", get_limit},
        {"DeviceGetCacheConfig", get_setting<&Context::cache_config>},
        {"DeviceGetSharedMemConfig", get_setting<&Context::shared_config>},
    };
    return functions;
}

} // namespace lathe::soft::device_runtime
