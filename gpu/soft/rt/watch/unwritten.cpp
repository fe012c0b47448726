// SPDX-License-Identifier: MIT
#include "gpu/soft/rt/watch/unwritten.h"

#include "gpu/soft/rt/arena.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>
#include <sys/mman.h>

namespace lathe::soft {

void UnwrittenBits::fill(std::uint64_t address, std::uint64_t bytes, bool set) const {
    if (address < first_ || address - first_ >= bytes_) return;
    std::uint64_t at = address - first_;
    const std::uint64_t end = at + std::min(bytes, bytes_ - at);
    const auto change = [&](std::uint64_t index, std::uint8_t mask) {
        std::atomic_ref byte{bits_[index]};
        if (set) byte.fetch_or(mask, std::memory_order_relaxed);
        else byte.fetch_and(static_cast<std::uint8_t>(~mask), std::memory_order_relaxed);
    };
    const auto mask = [](std::uint64_t from, std::uint64_t to) { // bits [from, to) of a byte
        return static_cast<std::uint8_t>(((1u << (to - from)) - 1) << from);
    };
    if (at / 8 == end / 8) return change(at / 8, mask(at % 8, end % 8));
    if (at % 8) {
        change(at / 8, mask(at % 8, 8));
        at = (at / 8 + 1) * 8;
    }
    std::memset(bits_ + at / 8, set ? 0xff : 0, end / 8 - at / 8);
    if (end % 8) change(end / 8, mask(0, end % 8));
}

DeviceUnwritten& DeviceUnwritten::instance() {
    static auto* const memory = new DeviceUnwritten;
    return *memory;
}

void DeviceUnwritten::start() {
    if (!region_) {
        const Arena& arena = Arena::instance();
        region_bytes_ = arena.reserved_bytes() / 8;
        void* p = mmap(nullptr, region_bytes_, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED) throw std::bad_alloc{};
        region_ = static_cast<std::uint8_t*>(p);
        bits_.begin(arena.first_address(), region_, arena.reserved_bytes());
    }
    on_.store(true, std::memory_order_relaxed);
}

void DeviceUnwritten::stop() {
    on_.store(false, std::memory_order_relaxed);
    forget();
}

void DeviceUnwritten::forget() {
    if (region_) madvise(region_, region_bytes_, MADV_DONTNEED); // zeros again
}

void DeviceUnwritten::allocated(std::uint64_t address, std::uint64_t bytes) const {
    if (is_on()) bits_.set_range(address, bytes);
}

void DeviceUnwritten::written(std::uint64_t address, std::uint64_t bytes) const {
    if (is_on()) bits_.clear_range(address, bytes);
}

} // namespace lathe::soft
