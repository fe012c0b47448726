// SPDX-License-Identifier: MIT
// The hash that cache entries are found by.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace lathe {

/// A 128-bit hash of a sequence of texts; the sequence {"ab", "c"} differs from {"a", "bc"}.
class CacheKey {
public:
    CacheKey& add(std::string_view text);
    CacheKey& add(std::uint64_t number);
    std::string hex() const; ///< 32 digits

private:
    void mix(std::string_view bytes);
    std::array<std::uint64_t, 2> state_{0x6a09e667f3bcc908, 0xbb67ae8584caa73b};
};

} // namespace lathe
