// SPDX-License-Identifier: MIT
// What the processor runs of a kernel: of the software device what LLVM made for the host, of a GPU
// SASS, which the toolkit's nvdisasm prints.
#pragma once

#include "engine/core/api.h"
#include "gpu/inspect/code_row.h"
#include "gpu/module.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace lathe::gpu {

struct MachineCode {
    std::vector<CodeRow> rows;
    std::string problem;       ///< in words, why there are none; empty where there are
    std::uint32_t threads = 0; ///< side by side in the code; 0 where that is not known
};

/// The driver can say what code a kernel has: that of the software device can.
LATHE_API bool can_read_machine_code();

/// Which code the kernel's last launch had: another number once another is there, as after a launch
/// with other blocks; 0 where there is none. Needs can_read_machine_code().
LATHE_API std::uint64_t machine_code_id(const Kernel& kernel);

/// The code of the kernel's last launch, without what counts and watches. It may be compiled for
/// that, and takes milliseconds; safe on any thread while the module lives. Needs
/// can_read_machine_code(). Throws lathe::Error where the kernel is unknown.
LATHE_API MachineCode machine_code(const Kernel& kernel);

/// nvdisasm on PATH, else where the toolkit or its wheel has it; empty where there is none.
LATHE_API std::filesystem::path find_nvdisasm();

/// SASS of a CUBIN, of all its kernels. Runs nvdisasm, which takes a tenth of a second; a problem
/// where there is none or it refuses.
LATHE_API MachineCode sass_of(std::span<const std::byte> cubin);

} // namespace lathe::gpu
