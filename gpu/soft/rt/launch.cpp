// SPDX-License-Identifier: MIT
#include "gpu/soft/rt/launch.h"

#include "gpu/soft/rt/float_mode.h"
#include "gpu/soft/rt/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <future>

namespace lathe::soft {

std::uint32_t Launch::shared_bytes() const {
    if (!dynamic_shared_bytes) return info->static_shared_bytes;
    return std::max(info->dynamic_shared_offset, info->static_shared_bytes) + dynamic_shared_bytes;
}

std::uint8_t* Launch::reserve_parameters() {
    const std::size_t bytes = info->parameter_bytes();
    params.assign(bytes / 8 + 3, 0);
    auto address = reinterpret_cast<std::uintptr_t>(params.data());
    params_offset = (16 - address % 16) % 16;
    return reinterpret_cast<std::uint8_t*>(params.data()) + params_offset;
}

void Launch::find_ranges() {
    std::uint8_t* const all = reinterpret_cast<std::uint8_t*>(params.data()) + params_offset;
    std::uint8_t* to = all + info->ranges_offset();
    for (const PointerSlot& slot : info->pointers) {
        std::uint64_t pointer = 0;
        std::memcpy(&pointer, all + slot.offset, sizeof pointer);
        const MemoryRange found = Registry::instance().range_of(pointer);
        ParameterRange range{found.begin, {}};
        for (std::uint32_t bits = 0; bits <= kMostAlignmentBits; ++bits)
            range.rooms[bits] = pointer & ((1u << bits) - 1) ? 0 : found.room;
        std::memcpy(to, &range, sizeof range);
        to += sizeof range;
    }
    has_ranges_.store(true, std::memory_order_release);
    has_ranges_.notify_all();
}

ParameterRange Launch::range(std::uint32_t slot) const {
    ParameterRange range;
    std::memcpy(&range, parameters() + info->ranges_offset() + slot * sizeof range, sizeof range);
    return range;
}

const KernelCode& Launch::checked_code() {
    std::call_once(asked_checked_, [this] {
        const NormalFloats normal; // which the thread takes over
        const Instruments instruments{first_code.counters != nullptr, first_code.watched};
        checked_code_ = std::async(std::launch::async, [&] {
                            return module->checked_code(info->name, block, instruments);
                        }).get();
    });
    return checked_code_;
}

std::uint64_t Launch::chunk(unsigned workers) const {
    std::uint64_t total = blocks();
    if (cooperative) return (total + workers - 1) / workers;
    return std::clamp<std::uint64_t>(total / (std::uint64_t{workers} * 16), 1, 256);
}

void Launch::cancel() {
    cancelled.store(true);
    std::lock_guard lock{mutex_};
    for (const auto& child : children_) child->cancel();
}

DeviceWork& Launch::device_work() {
    std::lock_guard lock{mutex_};
    if (!device_work_) device_work_ = std::make_unique<DeviceWork>();
    return *device_work_;
}

void Launch::adopt(const std::shared_ptr<Launch>& child) {
    child->deadline = deadline;
    child->limit = std::chrono::milliseconds{0};
    std::lock_guard lock{mutex_};
    children_.push_back(child);
    if (cancelled) child->cancel();
}

FaultReport Launch::overdue() const {
    FaultReport report;
    if (cancelled.load(std::memory_order_relaxed)) report.message = "launch cancelled";
    else if (deadline != std::chrono::steady_clock::time_point::max() &&
             std::chrono::steady_clock::now() > deadline)
        report.message = fmt::format("launch ran longer than {} ms, the limit that "
                                     "LATHE_SOFT_TIMEOUT_MS changes",
                                     limit.count());
    if (report.message.empty()) return report;
    report.code = CUDA_ERROR_LAUNCH_TIMEOUT;
    report.kernel = info->name;
    return report;
}

void Launch::stop(FaultReport report) {
    stopped.store(true, std::memory_order_release);
    std::lock_guard lock{mutex_};
    if (status_ != CUDA_SUCCESS) return;
    status_ = report.code;
    if (is_replay) report_ = std::move(report);
    else remember_fault(report);
}

FaultReport Launch::report() const {
    std::lock_guard lock{mutex_};
    return report_;
}

CUresult Launch::status() const {
    std::lock_guard lock{mutex_};
    return status_;
}

} // namespace lathe::soft
