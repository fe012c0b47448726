// SPDX-License-Identifier: MIT
// In which order blocks and warps run, where CUDA leaves it open: LATHE_SOFT_ORDER.
#pragma once

#include <cstdint>

namespace lathe::soft {

struct Order {
    enum class Kind : std::uint8_t {
        usual,
        record, ///< one worker; blocks and warps ascending, those that wait first in first out
        shuffle ///< at random: blocks, warps, and which warp that can go on does
    };
    Kind kind = Kind::usual;
    std::uint64_t seed = 0;

    /// What LATHE_SOFT_ORDER says now: record, shuffle or shuffle:SEED. Asked when a module is
    /// loaded, never by a launch: another thread may be changing the environment.
    static Order from_environment();
};

/// Random numbers from a seed (splitmix64).
class Random {
public:
    Random() = default;
    Random(std::uint64_t seed, std::uint64_t stream)
        : state_{seed * 0x9e3779b97f4a7c15ull ^ (stream + 1) * 0xd1342543de82ef95ull} {}
    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15ull;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ z >> 27) * 0x94d049bb133111ebull;
        return z ^ z >> 31;
    }
    std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>(next() % count); }

private:
    std::uint64_t state_ = 0;
};

/// Where the number `index` of 0 .. count - 1 comes to lie in an order by the seed.
std::uint64_t shuffled(std::uint64_t index, std::uint64_t count, std::uint64_t seed);

} // namespace lathe::soft
