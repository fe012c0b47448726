// SPDX-License-Identifier: MIT
#include "engine/core/cache_key.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

namespace lathe {

namespace {

// The halves of a 128-bit product, folded: one round of the hash.
std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
    const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

} // namespace

void CacheKey::mix(std::string_view bytes) {
    auto& [a, b] = state_;
    while (!bytes.empty()) {
        std::uint64_t word = 0;
        const std::size_t n = std::min<std::size_t>(bytes.size(), sizeof word);
        std::memcpy(&word, bytes.data(), n);
        bytes.remove_prefix(n);
        a = fold(a ^ word, 0x9e3779b97f4a7c15) + b;
        b = fold(b ^ word, 0xc2b2ae3d27d4eb4f) ^ (a << 1 | a >> 63);
    }
}

CacheKey& CacheKey::add(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    mix(text);
    return *this;
}

CacheKey& CacheKey::add(std::uint64_t number) {
    mix({reinterpret_cast<const char*>(&number), sizeof number});
    return *this;
}

std::string CacheKey::hex() const {
    CacheKey finish = *this;
    finish.add(0x5bd1e9955bd1e995)
        .add(0x2545f4914f6cdd1d); // spreads the last word over both halves
    return fmt::format("{:016x}{:016x}", finish.state_[0], finish.state_[1]);
}

} // namespace lathe
