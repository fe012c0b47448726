// SPDX-License-Identifier: MIT
#include "engine/scene/scene_kernel.h"

#include "engine/core/error.h"

#include <fmt/format.h>

#include <utility>

namespace lathe {

namespace {

constexpr std::pair<std::string_view, std::string_view> kSources[] = {
#include "engine/scene/kernels.inc"
};

std::string_view source_of(std::string_view file) {
    for (const auto& [name, text] : kSources)
        if (name == file) return text;
    throw Error{fmt::format("no kernel file {} is part of the scene", file)};
}

} // namespace

const gpu::ArrayKernel& scene_kernel(std::string_view file, const std::string& entry,
                                     unsigned threads, std::string_view prelude) {
    return gpu::array_kernel(
        fmt::format("scene {} {} {}", file, entry, prelude), entry,
        [&] {
            return fmt::format("{}{}\n#line 1 \"{}\"\n{}", prelude, source_of("common.cuh"), file,
                               source_of(file));
        },
        threads);
}

} // namespace lathe
