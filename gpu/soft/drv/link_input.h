// SPDX-License-Identifier: MIT
// What a linker is given beside PTX: fat binaries, objects of host code that hold device code, and
// archives of such objects.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lathe::soft {

struct LinkPart {
    std::string name; ///< "libscale.a(scale.o)"
    std::string ptx;
};

/// All PTX in a file's contents. Left out are objects without device code, and CUDA's device
/// runtime (libcudadevrt), whose functions the device has itself. Fails with
/// CUDA_ERROR_NO_BINARY_FOR_GPU where an object holds machine code of GPUs alone,
/// CUDA_ERROR_INVALID_IMAGE where the contents are damaged or nothing of this kind.
std::vector<LinkPart> link_parts(std::string_view bytes, const std::string& name);

} // namespace lathe::soft
