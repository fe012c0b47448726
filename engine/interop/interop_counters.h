// SPDX-License-Identifier: MIT
// How the mappings of this folder report to interop_stats().
#pragma once

#include "engine/core/api.h"

#include <cstdint>

namespace lathe::detail {

LATHE_API void count_map() noexcept;
/// `bytes` crossed between device and host memory because GL and CUDA do not share storage.
LATHE_API void count_copied(std::uint64_t bytes) noexcept;

} // namespace lathe::detail
