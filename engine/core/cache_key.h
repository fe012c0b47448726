// SPDX-License-Identifier: MIT
// The hash that cache entries are found by.
#pragma once

#include "engine/core/api.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace lathe {

/// A 128-bit hash of a sequence of texts and numbers; the sequence {"ab", "c"} differs from
/// {"a", "bc"}. Each step hashes, by XXH3-128, its bytes, and then what that gave together with
/// their count and with what came before. So two different sequences share a key by chance alone:
/// with a million entries in 1 of 10^26 caches. It does not withstand somebody who looks for two
/// texts of one key; whoever may write into a user's cache can replace the code there anyway.
class LATHE_API CacheKey {
public:
    CacheKey& add(std::string_view text);
    CacheKey& add(std::uint64_t number);
    std::string hex() const; ///< 32 digits

private:
    void join(const void* bytes, std::size_t size, std::uint64_t kind);
    std::array<std::uint64_t, 2> state_{};
};

} // namespace lathe
