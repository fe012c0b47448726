// SPDX-License-Identifier: MIT
// How a GPU serves an access of a warp, as the CUDA C++ Programming and Best Practices Guides say:
// global memory in sectors of 32 bytes, shared memory by 32 banks of 4 bytes. The software device
// counts so, and the inspector shows accesses so.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace lathe {

constexpr unsigned kWarpLanes = 32, kSectorBytes = 32, kBanks = 32;

/// Calls f(lane) for each bit.
template <class F> void for_lanes(std::uint32_t mask, F&& f) {
    for (; mask; mask &= mask - 1) f(static_cast<unsigned>(std::countr_zero(mask)));
}

/// A set of at most 64 numbers.
class Distinct {
public:
    /// How often a value came, this time included.
    unsigned add(std::uint64_t value) {
        auto at = static_cast<unsigned>((value * 0x9e3779b97f4a7c15ull) >> 57);
        while (times_[at] && values_[at] != value) at = (at + 1) % kSize;
        values_[at] = value;
        count_ += times_[at] == 0;
        return ++times_[at];
    }
    unsigned count() const { return count_; }

private:
    static constexpr unsigned kSize = 128; // twice what 32 lanes of two sectors each have
    std::uint64_t values_[kSize];
    std::uint8_t times_[kSize] = {};
    unsigned count_ = 0;
};

/// Sectors that the lanes of a mask touch with `size` bytes each.
inline unsigned sectors_of(const std::uint64_t* addresses, std::uint32_t mask, unsigned size) {
    std::uint64_t low = ~0ull, high = 0;
    for_lanes(mask, [&](unsigned k) {
        low = std::min(low, addresses[k] / kSectorBytes);
        high = std::max(high, (addresses[k] + size - 1) / kSectorBytes);
    });
    if (high - low < 64) {
        std::uint64_t seen = 0;
        for_lanes(mask, [&](unsigned k) {
            seen |= 1ull << (addresses[k] / kSectorBytes - low);
            seen |= 1ull << ((addresses[k] + size - 1) / kSectorBytes - low);
        });
        return static_cast<unsigned>(std::popcount(seen));
    }
    Distinct sectors;
    for_lanes(mask, [&](unsigned k) {
        const std::uint64_t first = addresses[k] / kSectorBytes;
        sectors.add(first);
        if ((addresses[k] + size - 1) / kSectorBytes != first) sectors.add(first + 1);
    });
    return sectors.count();
}

/// Lanes that shared memory serves together: 8 bytes a lane are served by half warps, 16 by
/// quarters.
inline unsigned lanes_together(unsigned size) { return size <= 4 ? 32 : size <= 8 ? 16 : 8; }

/// The most different words that one bank has to serve, for any lanes that are served together.
inline unsigned bank_degree(const std::uint64_t* addresses, std::uint32_t mask, unsigned size) {
    const unsigned lanes = lanes_together(size);
    unsigned most = 0;
    for (unsigned first = 0; first < kWarpLanes; first += lanes) {
        const std::uint32_t part = mask & (lanes == 32 ? ~0u : ((1u << lanes) - 1) << first);
        if (!part) continue;
        std::uint64_t words[kBanks];
        std::uint8_t degree[kBanks] = {};
        bool conflicts = false;
        const auto each_word = [&](auto&& f) {
            for_lanes(part, [&](unsigned k) {
                for (std::uint64_t word = addresses[k] / 4; word <= (addresses[k] + size - 1) / 4;
                     ++word)
                    f(word);
            });
        };
        each_word([&](std::uint64_t word) {
            const auto bank = static_cast<unsigned>(word % kBanks);
            if (!degree[bank]) {
                words[bank] = word;
                degree[bank] = 1;
            }
            conflicts |= words[bank] != word;
        });
        if (conflicts) {
            Distinct all;
            std::fill_n(degree, kBanks, std::uint8_t{0});
            each_word([&](std::uint64_t word) {
                if (all.add(word) == 1) ++degree[word % kBanks];
            });
        }
        most = std::max<unsigned>(most, *std::max_element(degree, degree + kBanks));
    }
    return most;
}

/// Lanes of the address that most of them share.
inline unsigned most_at_one_address(const std::uint64_t* addresses, std::uint32_t mask) {
    unsigned most = 0;
    std::uint64_t low = ~0ull, high = 0;
    for_lanes(mask, [&](unsigned k) {
        low = std::min(low, addresses[k]);
        high = std::max(high, addresses[k]);
    });
    constexpr std::uint64_t kNear = 1024; // the bins of a histogram
    if (high - low < kNear) {
        std::uint8_t times[kNear] = {};
        for_lanes(mask, [&](unsigned k) {
            most = std::max<unsigned>(most, ++times[addresses[k] - low]);
        });
        return most;
    }
    Distinct all;
    for_lanes(mask, [&](unsigned k) { most = std::max(most, all.add(addresses[k])); });
    return most;
}

} // namespace lathe
