// SPDX-License-Identifier: MIT
// Texels: memory to channels and back, for every format.
#pragma once

#include "gpu/soft/rt/image.h"

#include <cstdint>

namespace lathe::soft {

using FetchFloat = void (*)(const std::uint8_t* texel, float out[4]);

/// How texels become floats: floating formats as they are, integers as [0, 1] or [-1, 1]. Absent
/// channels are 0. `srgb` makes the first three channels linear.
FetchFloat fetch_as_floats(Format format, unsigned channels, bool srgb);

/// The channels as 32-bit words: integers extended, floats as bits (of their own width).
void fetch_words(const Image& image, const std::uint8_t* texel, std::uint32_t out[4]);

/// Writes 32-bit words as texels: floats (bits of f32) for floating and normalised formats, else
/// integers, brought into the range of the format. Channels from `count` on stay as they are.
void store_words(const Image& image, std::uint8_t* texel, const std::uint32_t* words,
                 unsigned count);

} // namespace lathe::soft
