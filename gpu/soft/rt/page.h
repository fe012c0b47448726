// SPDX-License-Identifier: MIT
// The size of a page of memory, to which the run time aligns guards and mappings.
#pragma once

#include <cstddef>

namespace lathe::soft {

constexpr std::size_t kPage = 4096; ///< bytes; x86-64

} // namespace lathe::soft
