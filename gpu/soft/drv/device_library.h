// SPDX-License-Identifier: MIT
// Functions that libcudadevrt defines for programs of older or other compilers, as PTX.
#pragma once

#include <string_view>

namespace lathe::soft {

/// Whether device_library_ptx() defines it.
bool is_in_device_library(std::string_view name);
/// A module with cudaCGGetIntrinsicHandle and cudaCGSynchronize: the barrier of a cooperative grid.
std::string_view device_library_ptx();

} // namespace lathe::soft
