// SPDX-License-Identifier: MIT
// Scalars to colours: tables of 256 colours in assets/colormaps.
#pragma once

#include "engine/core/api.h"
#include "gl/texture.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lathe {

/// The values that get a colormap's first and last colour.
struct ValueRange {
    float low = 0;
    float high = 1;

    /// What a difference to `low` is multiplied with to be 0 to 1; where both ends are the same,
    /// what lies above them is 1.
    float per_unit() const { return high == low ? 1e30f : 1 / (high - low); }
    bool operator==(const ValueRange&) const = default;
};

/// A range of values from the values themselves: so many percent of them lie below `low` and
/// `high`. 0 and 100 are the least and the greatest.
struct Percentiles {
    float low = 0;
    float high = 100;
    bool operator==(const Percentiles&) const = default;
};

struct Rgb8 {
    std::uint8_t r = 0, g = 0, b = 0;
    bool operator==(const Rgb8&) const = default;
};

/// Names with a table, sorted ("Blues", "cividis", …), define_colormap()'s included. Each has its
/// reverse, too, with "_r" behind the name.
LATHE_API std::vector<std::string> colormap_names();
LATHE_API bool is_colormap(std::string_view name);
/// Colours, red, green and blue of 0 to 1, at even distances, blended between them. The same name
/// again replaces them, also in what is drawn already. Throws lathe::Error for fewer than two, for
/// other numbers, and for the name of a table, an empty one, or one with "_r" at its end.
LATHE_API void define_colormap(std::string name, std::span<const std::array<float, 3>> colors);

class LATHE_API Colormap {
public:
    /// Loads a table, reversed for "_r". Throws lathe::Error for an unknown name, listing those
    /// there are.
    explicit Colormap(std::string_view name);

    const std::string& name() const { return name_; }
    const std::array<Rgb8, 256>& table() const { return table_; }
    /// The colour of t, clamped to 0…1: entry floor(t · 256), as the shaders take it.
    Rgb8 operator()(float t) const;
    /// A 256 × 1 RGBA8 texture of the current context, as long as that lives; made on first use.
    /// Any thread.
    const gl::Texture& texture() const;

    /// The table of that name, loaded once and kept. Throws as the constructor.
    static const Colormap& named(std::string_view name);

private:
    friend void define_colormap(std::string, std::span<const std::array<float, 3>>);
    using Loaded = std::map<std::string, std::unique_ptr<Colormap>, std::less<>>;
    static Loaded& loaded();

    std::string name_;
    std::array<Rgb8, 256> table_{};
    mutable std::map<std::uint32_t, gl::Texture> textures_; // by their context's serial
};

} // namespace lathe
