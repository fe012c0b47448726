// SPDX-License-Identifier: MIT
// The options of loading and linking PTX: where its messages go.
#pragma once

#include "gpu/soft/drv/cuda_abi.h"

#include <chrono>
#include <string_view>
#include <vector>

namespace lathe::soft {

/// Keeps the caller's arrays, into which sizes and times are written back. Options that speak of
/// GPU machine code (registers, optimisation, target) are taken and change nothing.
class JitOptions {
public:
    JitOptions() = default;
    /// Fails with CUDA_ERROR_INVALID_VALUE where an array is null or an option unknown.
    JitOptions(unsigned count, const CUjit_option* options, void** values);

    /// Text for the buffers, where given: what does not fit is cut, the sizes become what is used.
    void write_error(std::string_view text) const;
    void write_info(std::string_view text) const;
    bool verbose() const; ///< CU_JIT_LOG_VERBOSE
    /// CU_JIT_WALL_TIME, in milliseconds since then.
    void write_time(std::chrono::steady_clock::time_point start) const;

private:
    void** find(CUjit_option option) const;
    void write(CUjit_option buffer, CUjit_option size, std::string_view text) const;

    std::vector<CUjit_option> options_;
    std::vector<std::size_t> capacities_; ///< as given: calls write over the caller's
    void** values_ = nullptr;
};

} // namespace lathe::soft
