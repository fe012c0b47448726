// SPDX-License-Identifier: MIT
// Memory that nothing has written yet: a bit for each byte, set where it is given out, cleared by
// stores, copies and fills.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lathe::soft {

/// The bits of a range of addresses. Clearing is safe beside other threads.
class UnwrittenBits {
public:
    void begin(std::uint64_t first, std::uint8_t* bits, std::uint64_t bytes) {
        first_ = first;
        bits_ = bits;
        bytes_ = bytes;
    }
    bool holds(std::uint64_t address) const { return address - first_ < bytes_; }
    /// Whether any of up to 8 bytes, which are aligned to their number, is not written.
    bool any(std::uint64_t address, std::uint32_t bytes) const {
        const std::uint64_t at = address - first_;
        const auto mask = static_cast<std::uint8_t>(((1u << bytes) - 1) << at % 8);
        return (std::atomic_ref{bits_[at / 8]}.load(std::memory_order_relaxed) & mask) != 0;
    }
    void clear(std::uint64_t address, std::uint32_t bytes) const {
        const std::uint64_t at = address - first_;
        const auto mask = static_cast<std::uint8_t>(((1u << bytes) - 1) << at % 8);
        std::atomic_ref byte{bits_[at / 8]};
        if (byte.load(std::memory_order_relaxed) & mask)
            byte.fetch_and(static_cast<std::uint8_t>(~mask), std::memory_order_relaxed);
    }
    void set_range(std::uint64_t address, std::uint64_t bytes) const { fill(address, bytes, true); }
    void clear_range(std::uint64_t address, std::uint64_t bytes) const {
        fill(address, bytes, false);
    }

private:
    void fill(std::uint64_t address, std::uint64_t bytes, bool set) const;
    std::uint64_t first_ = 0, bytes_ = 0;
    std::uint8_t* bits_ = nullptr;
};

/// Those of device memory. Memory from before start() counts as written.
class DeviceUnwritten {
public:
    static DeviceUnwritten& instance();

    bool is_on() const { return on_.load(std::memory_order_relaxed); }
    void start();
    void stop();
    /// All memory that there is counts as written: somebody wrote whom we have not seen.
    void forget();
    /// It was given out. Nothing where it is off, or it is no device memory.
    void allocated(std::uint64_t address, std::uint64_t bytes) const;
    /// It was freed, or written by somebody else than a watched kernel.
    void written(std::uint64_t address, std::uint64_t bytes) const;

    const UnwrittenBits& bits() const { return bits_; }

private:
    std::atomic<bool> on_{false};
    UnwrittenBits bits_;
    std::uint8_t* region_ = nullptr;
    std::size_t region_bytes_ = 0;
};

} // namespace lathe::soft
