// SPDX-License-Identifier: MIT
// Bits by number, of which whole runs are set, cleared and found.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lathe::soft {

class BitRuns {
public:
    /// All clear; `count` is a multiple of 4096.
    explicit BitRuns(std::size_t count) : words_(count / 64), full_(count / 4096) {}

    void set(std::size_t first, std::size_t count) {
        each_word(first, count, [this](std::size_t word, std::uint64_t mask) {
            words_[word] |= mask;
            if (!~words_[word]) full_[word / 64] |= std::uint64_t{1} << word % 64;
        });
    }
    void clear(std::size_t first, std::size_t count) {
        each_word(first, count, [this](std::size_t word, std::uint64_t mask) {
            words_[word] &= ~mask;
            full_[word / 64] &= ~(std::uint64_t{1} << word % 64);
        });
    }
    bool any(std::size_t first, std::size_t count) const {
        std::uint64_t found = 0;
        each_word(first, count,
                  [&](std::size_t word, std::uint64_t mask) { found |= words_[word] & mask; });
        return found != 0;
    }
    bool operator[](std::size_t bit) const { return words_[bit / 64] >> bit % 64 & 1; }

    /// Of the run of set bits that this one belongs to: its first bit, and the one behind its last.
    std::size_t run_begin(std::size_t bit) const {
        const std::size_t word = bit / 64;
        if (const std::size_t found = behind_gap(words_[word], bit % 64 + 1))
            return word * 64 + found;
        std::size_t first = word; // words from here on are full
        for (std::size_t at = word; at > 0 && first == at;) {
            const std::size_t group = (at - 1) / 64;
            first = group * 64 + behind_gap(full_[group], (at - 1) % 64 + 1);
            at = group * 64;
        }
        return first == 0 ? 0 : first * 64 - 64 + behind_gap(words_[first - 1], 64);
    }
    std::size_t run_end(std::size_t bit) const {
        const std::size_t word = bit / 64;
        if (const std::size_t found = gap(words_[word], bit % 64); found < 64)
            return word * 64 + found;
        std::size_t end = word + 1; // words before it are full
        while (end < words_.size()) {
            const std::size_t found = gap(full_[end / 64], end % 64);
            end = end / 64 * 64 + found;
            if (found < 64) break;
        }
        return end < words_.size() ? end * 64 + gap(words_[end], 0) : words_.size() * 64;
    }

private:
    /// The first clear bit from `from` on; 64: none.
    static std::size_t gap(std::uint64_t word, std::size_t from) {
        return static_cast<std::size_t>(std::countr_zero(~word & ~std::uint64_t{0} << from));
    }
    /// The bit behind the last clear one of the lowest `count` (1 to 64); 0: none is clear.
    static std::size_t behind_gap(std::uint64_t word, std::size_t count) {
        return 64 - static_cast<std::size_t>(
                        std::countl_zero(~word & ~std::uint64_t{0} >> (64 - count)));
    }
    template <class F> static void each_word(std::size_t first, std::size_t count, F f) {
        const std::size_t end = first + count;
        for (std::size_t at = first; at < end;) {
            const std::size_t next = std::min(end, (at / 64 + 1) * 64);
            f(at / 64, ~std::uint64_t{0} >> (64 - (next - at)) << at % 64);
            at = next;
        }
    }

    std::vector<std::uint64_t> words_;
    std::vector<std::uint64_t> full_; ///< a bit for each word: all of its are set
};

} // namespace lathe::soft
