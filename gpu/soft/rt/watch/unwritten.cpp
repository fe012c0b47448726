// SPDX-License-Identifier: MIT
#include "gpu/soft/rt/watch/unwritten.h"

#include "gpu/soft/rt/arena.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <sys/mman.h>

namespace lathe::soft {

std::uint64_t UnwrittenBits::within(std::uint64_t address, std::uint64_t bytes) const {
    return holds(address) ? std::min(bytes, first_ + bytes_ - address) : 0;
}

void UnwrittenBits::set_range(std::uint64_t address, std::uint64_t bytes) const {
    each_word(address, within(address, bytes),
              [](std::atomic_ref<std::uint64_t> word, std::uint64_t mask) {
                  word.fetch_or(mask, std::memory_order_relaxed);
              });
}

void UnwrittenBits::clear_range(std::uint64_t address, std::uint64_t bytes) const {
    clear(address, within(address, bytes));
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
        region_ = static_cast<std::uint64_t*>(p);
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
