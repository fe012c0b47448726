// SPDX-License-Identifier: MIT
// The PTX in what programs load: PTX text itself, or fat binaries that hold PTX beside machine
// code.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lathe::soft {

/// The PTX of an image whose size nobody tells, as cuModuleLoadData takes it. Fails with
/// CUDA_ERROR_INVALID_IMAGE where it cannot be read, CUDA_ERROR_NO_BINARY_FOR_GPU where it holds
/// machine code only.
std::string ptx_of_image(const void* image);

/// The same for `bytes` bytes; text may or may not end with a zero.
std::string ptx_of_image(const void* image, std::size_t bytes);

/// The same for a file's contents; CUDA_ERROR_FILE_NOT_FOUND where it cannot be read.
std::string ptx_of_file(const char* path);

/// Whether an image begins as ELF files do.
bool is_elf(std::string_view image);

} // namespace lathe::soft
