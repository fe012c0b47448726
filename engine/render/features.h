// SPDX-License-Identifier: MIT
// Programs of one shader for many uses: bits choose what is defined; private to engine/render.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace lathe {

/// `names[k]` for each bit k of `features`; null for bits that the shader does not know.
inline std::vector<std::string> defines_of(unsigned features, std::span<const char* const> names) {
    std::vector<std::string> defines;
    for (std::size_t bit = 0; bit < names.size(); ++bit)
        if ((features >> bit & 1) && names[bit]) defines.emplace_back(names[bit]);
    return defines;
}

} // namespace lathe
