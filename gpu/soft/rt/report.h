// SPDX-License-Identifier: MIT
// What is known of a launch that went wrong, and the place where the last such report is kept.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <string>

namespace lathe::soft {

struct FaultReport {
    CUresult code = CUDA_SUCCESS;
    std::string kernel{};
    std::uint32_t block[3] = {0, 0, 0};
    std::uint32_t thread[3] = {0, 0, 0};
    std::string file{};     ///< empty where unknown (no -lineinfo)
    std::uint32_t line = 0; ///< 0 where unknown
    std::uint32_t column = 0;
    std::uintptr_t address = 0; ///< touched address of a memory fault, else 0
    std::string message{};      ///< what happened, without the place
};

/// "kernel: message, block (0, 0, 0), thread (1, 0, 0), file.cu:12".
std::string to_string(const FaultReport& report);

/// Keeps a copy as the last fault of the process and counts it. Thread-safe.
void remember_fault(const FaultReport& report);
/// The last fault; code is CUDA_SUCCESS where there was none.
FaultReport last_fault();
std::uint64_t fault_count();

} // namespace lathe::soft
