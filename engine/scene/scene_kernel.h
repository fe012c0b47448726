// SPDX-License-Identifier: MIT
// The kernels in engine/scene/kernels; private to this folder.
#pragma once

#include "engine/render/polylines.h"
#include "gpu/array/kernel_cache.h"

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace lathe {

/// `entry` of `file` with `prelude` and common.cuh before it: compiled once for a device and a
/// prelude, loaded once for the current context. Throws gpu::Error.
const gpu::ArrayKernel& scene_kernel(std::string_view file, const std::string& entry,
                                     unsigned threads = 128, std::string_view prelude = {});

/// struct Lines of kernels/common.cuh.
struct SegmentsOf {
    std::int64_t points_a_line, segments_a_line;
    int components, step;
};

inline SegmentsOf segments_of(const Polylines& lines, int components) {
    return {std::int64_t(lines.points_a_line), std::int64_t(lines.segments_a_line()), components,
            lines.step()};
}

/// The inverse of ordered() in kernels/common.cuh.
inline float from_ordered(std::uint32_t code) {
    return std::bit_cast<float>(code & 0x80000000u ? code ^ 0x80000000u : ~code);
}

} // namespace lathe
