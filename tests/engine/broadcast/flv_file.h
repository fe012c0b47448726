// SPDX-License-Identifier: MIT
// FLV files as the ffmpeg program writes them, made by hand.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::test {

inline std::string big_endian(std::size_t value, int bytes) {
    std::string text;
    for (int k = bytes; k-- > 0;) text += char(value >> (8 * k) & 0xff);
    return text;
}

inline std::string flv_head() { return std::string{"FLV\1\1\0\0\0\x09\0\0\0\0", 13}; }

inline std::string flv_tag(int kind, const std::string& body) {
    return char(kind) + big_endian(body.size(), 3) + std::string(7, '\0') + body +
           big_endian(body.size() + 11, 4);
}

/// Parameter sets "\x67set" and "\x68pic".
inline std::string flv_parameters() {
    return flv_tag(9,
                   std::string{"\x17\0\0\0\0\1\x42\xc0\x1f\xff\xe1\0\4\x67set\1\0\4\x68pic", 25});
}

inline std::string flv_picture(bool is_key, const std::vector<std::string>& slices) {
    std::string body = (is_key ? "\x17\1" : "\x27\1") + std::string(3, '\0');
    for (const std::string& slice : slices) body += big_endian(slice.size(), 4) + slice;
    return flv_tag(9, body);
}

} // namespace lathe::test
