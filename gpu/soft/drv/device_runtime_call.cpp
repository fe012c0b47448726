// SPDX-License-Identifier: MIT
#include "gpu/soft/drv/device_runtime_call.h"

#include "gpu/soft/drv/objects.h"

#include <map>
#include <mutex>

namespace lathe::soft::device_runtime {

namespace {

/// Errors that threads have not asked for yet, by the thread's number in its grid.
struct LastErrors {
    std::mutex mutex;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::int32_t> of; ///< by grid and thread
};
LastErrors& last_errors() {
    static auto* const errors = new LastErrors;
    return *errors;
}
std::uint64_t block_number(const ThreadContext* t) {
    return t->ctaid[0] +
           std::uint64_t{t->nctaid[0]} * (t->ctaid[1] + std::uint64_t{t->nctaid[1]} * t->ctaid[2]);
}
std::pair<std::uint64_t, std::uint64_t> key_of(const ThreadContext* t) {
    return {t->gridid, block_number(t) * kMaxThreads + t->linear_tid};
}

} // namespace

std::int32_t error_of(const ThreadContext* t, bool clears) {
    LastErrors& errors = last_errors();
    std::lock_guard lock{errors.mutex};
    const auto found = errors.of.find(key_of(t));
    if (found == errors.of.end()) return success;
    const std::int32_t error = found->second;
    if (clears) errors.of.erase(found);
    return error;
}

void give(ThreadContext* t, std::uint8_t* returns, std::int32_t error) {
    if (error != success) {
        LastErrors& errors = last_errors();
        std::lock_guard lock{errors.mutex};
        errors.of[key_of(t)] = error;
    }
    std::memcpy(returns, &error, sizeof error);
}

std::optional<DeviceWork::Stream> stream_of(ThreadContext* t, std::uint64_t handle) {
    using Kind = DeviceWork::Stream::Kind;
    if (handle <= 2) return DeviceWork::Stream{Kind::of_block, block_number(t)};
    if (handle == 3) return DeviceWork::Stream{Kind::tail};
    if (handle == 4) return DeviceWork::Stream{Kind::none};
    if (launch_of(t).device_work().knows_stream(handle))
        return DeviceWork::Stream{Kind::named, handle};
    return std::nullopt;
}

std::shared_ptr<DeviceKernel> kernel_of(std::uint64_t address) {
    return Objects<DeviceKernel>::instance().find(reinterpret_cast<const void*>(address));
}

} // namespace lathe::soft::device_runtime
