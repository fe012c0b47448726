// SPDX-License-Identifier: MIT
#include "engine/core/guarded_memory.h"

#include "engine/core/error.h"

#include <fmt/core.h>

#include <utility>

#include <sys/mman.h>
#include <unistd.h>

namespace lathe {

namespace {

constexpr std::size_t kGuardBytes = std::size_t{1} << 30;

std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

} // namespace

GuardedMemory::GuardedMemory(std::size_t bytes) : bytes_{bytes} {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t open = rounded_up(bytes, page);
    reserved_bytes_ = kGuardBytes + open + kGuardBytes;
    void* p = mmap(nullptr, reserved_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    if (p == MAP_FAILED)
        throw Error{fmt::format("no address space for a buffer of {} bytes", bytes)};
    std::byte* first = static_cast<std::byte*>(p) + kGuardBytes;
    if (mprotect(first, open, PROT_READ | PROT_WRITE) != 0) {
        munmap(p, reserved_bytes_);
        throw Error{fmt::format("out of memory: a buffer of {} bytes", bytes)};
    }
    reservation_ = p;
    data_ = first + (open - rounded_up(bytes, kAlignment));
}

GuardedMemory::GuardedMemory(GuardedMemory&& other) noexcept
    : data_{std::exchange(other.data_, nullptr)}, bytes_{std::exchange(other.bytes_, 0)},
      reservation_{std::exchange(other.reservation_, nullptr)},
      reserved_bytes_{std::exchange(other.reserved_bytes_, 0)} {}

GuardedMemory& GuardedMemory::operator=(GuardedMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(reservation_, other.reservation_);
    std::swap(reserved_bytes_, other.reserved_bytes_);
    return *this;
}

GuardedMemory::~GuardedMemory() {
    if (reservation_) munmap(reservation_, reserved_bytes_);
}

} // namespace lathe
