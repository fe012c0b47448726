// SPDX-License-Identifier: MIT
// LZ4 blocks, as fat binaries of CUDA 12 hold their PTX.
#pragma once

#include <string>
#include <string_view>

namespace lathe::soft {

/// Expands one block; `to` has the size of the result. False where the block is damaged or its
/// result has another size.
bool lz4_expand(std::string_view block, std::string& to);

} // namespace lathe::soft
