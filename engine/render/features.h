// SPDX-License-Identifier: MIT
// Programs of one shader for many uses: bits choose what is defined; private to engine/render.
#pragma once

#include "gl/program.h"

#include <cstddef>
#include <map>
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

/// Of two shaders with these features: compiled once, kept in `programs`.
inline gl::Program& program_of(std::map<unsigned, gl::Program>& programs, unsigned features,
                               const char* vertex, const char* fragment,
                               std::span<const char* const> names) {
    auto it = programs.find(features);
    if (it == programs.end())
        it = programs.emplace(features, gl::Program{vertex, fragment, defines_of(features, names)})
                 .first;
    return it->second;
}

/// For contours.glsl.
template <class Style> void set_contours(const Style& style, gl::Program& program) {
    program.set("contour_spacing", style.contours);
    program.set("contour_width", style.contour_width);
    const auto& ink = style.contour_color;
    program.set("contour_color", ink.r, ink.g, ink.b, ink.a);
}

} // namespace lathe
