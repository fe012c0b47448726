// SPDX-License-Identifier: MIT
// Memory that nothing has written yet: a bit for each byte, set where it is given out, cleared by
// stores, copies and fills.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lathe::soft {

/// The bits of a range of addresses. Changes are safe beside other threads.
class UnwrittenBits {
public:
    /// Of `bytes` bytes from `first` on, 64 in a word.
    void begin(std::uint64_t first, std::uint64_t* bits, std::uint64_t bytes) {
        first_ = first;
        bits_ = bits;
        bytes_ = bytes;
    }
    bool holds(std::uint64_t address) const { return address - first_ < bytes_; }
    /// Whether any of these bytes is not written. All of them are in the range.
    bool any(std::uint64_t address, std::uint64_t bytes) const {
        bool found = false;
        each_word(address, bytes, [&](std::atomic_ref<std::uint64_t> word, std::uint64_t mask) {
            found |= (word.load(std::memory_order_relaxed) & mask) != 0;
        });
        return found;
    }
    /// They are written.
    void clear(std::uint64_t address, std::uint64_t bytes) const {
        each_word(address, bytes, [](std::atomic_ref<std::uint64_t> word, std::uint64_t mask) {
            if (word.load(std::memory_order_relaxed) & mask)
                word.fetch_and(~mask, std::memory_order_relaxed);
        });
    }
    /// They are not. Of both, the part that is in the range.
    void set_range(std::uint64_t address, std::uint64_t bytes) const;
    void clear_range(std::uint64_t address, std::uint64_t bytes) const;

private:
    /// f(word, mask) for each word that has some of the bits.
    template <class F> void each_word(std::uint64_t address, std::uint64_t bytes, F f) const {
        std::uint64_t at = address - first_;
        for (const std::uint64_t end = at + bytes; at < end; at = (at / 64 + 1) * 64) {
            std::uint64_t mask = ~0ull << at % 64;
            if (at / 64 == end / 64) mask &= ~(~0ull << end % 64);
            f(std::atomic_ref{bits_[at / 64]}, mask);
        }
    }
    std::uint64_t within(std::uint64_t address, std::uint64_t bytes) const;
    std::uint64_t first_ = 0, bytes_ = 0;
    std::uint64_t* bits_ = nullptr;
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
    std::uint64_t* region_ = nullptr;
    std::size_t region_bytes_ = 0;
};

} // namespace lathe::soft
