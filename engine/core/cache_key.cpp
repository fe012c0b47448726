// SPDX-License-Identifier: MIT
#include "engine/core/cache_key.h"

#include <fmt/core.h>

#define XXH_INLINE_ALL // a header alone: nothing is linked
#include <xxhash.h>

#include <cstddef>

namespace lathe {

void CacheKey::join(const void* bytes, std::size_t size, std::uint64_t kind) {
    const XXH128_hash_t own = XXH3_128bits(bytes, size);
    const std::array<std::uint64_t, 6> all{state_[0], state_[1], own.low64, own.high64, size, kind};
    const XXH128_hash_t joined = XXH3_128bits(all.data(), sizeof all);
    state_ = {joined.low64, joined.high64};
}

CacheKey& CacheKey::add(std::string_view text) {
    join(text.data(), text.size(), 0);
    return *this;
}

CacheKey& CacheKey::add(std::uint64_t number) {
    join(&number, sizeof number, 1);
    return *this;
}

std::string CacheKey::hex() const { return fmt::format("{:016x}{:016x}", state_[1], state_[0]); }

} // namespace lathe
