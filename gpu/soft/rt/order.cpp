// SPDX-License-Identifier: MIT
#include "gpu/soft/rt/order.h"

#include "engine/core/log.h"

#include <bit>
#include <charconv>
#include <cstdlib>
#include <mutex>
#include <string_view>

namespace lathe::soft {

Order Order::from_environment() {
    const char* text = std::getenv("LATHE_SOFT_ORDER");
    if (!text) return {};
    std::string_view name{text};
    if (name == "record") return {Kind::record, 0};
    if (name == "shuffle") return {Kind::shuffle, 0};
    if (name.starts_with("shuffle:")) {
        name.remove_prefix(8);
        std::uint64_t seed = 0;
        const auto read = std::from_chars(name.data(), name.data() + name.size(), seed);
        if (read.ec == std::errc{} && read.ptr == name.data() + name.size())
            return {Kind::shuffle, seed};
    }
    static std::once_flag told;
    std::call_once(told, [&] {
        log::warning("LATHE_SOFT_ORDER is {}, known are record, shuffle and shuffle:SEED", text);
    });
    return {};
}

// A Feistel network permutes the numbers of an even count of bits; those that fall outside go
// through it again.
std::uint64_t shuffled(std::uint64_t index, std::uint64_t count, std::uint64_t seed) {
    const auto bits = static_cast<unsigned>(std::bit_width(count - 1));
    const unsigned half = (bits + 1) / 2;
    const std::uint64_t mask = (1ull << half) - 1;
    do {
        std::uint64_t left = index >> half, right = index & mask;
        for (std::uint64_t round = 0; round < 4; ++round) {
            const std::uint64_t mixed = Random{seed, right * 4 + round}.next() & mask;
            const std::uint64_t before = left;
            left = right;
            right = before ^ mixed;
        }
        index = left << half | right;
    } while (index >= count);
    return index;
}

} // namespace lathe::soft
