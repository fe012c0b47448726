// SPDX-License-Identifier: MIT
#include "gpu/jit_options.h"

#include "gpu/driver/check.h"

namespace lathe::gpu::detail {

namespace {

bool is_number(CUjit_option option) {
    switch (option) {
    case CU_JIT_WALL_TIME: // written by the driver
    case CU_JIT_INFO_LOG_BUFFER:
    case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
    case CU_JIT_ERROR_LOG_BUFFER:
    case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
    case CU_JIT_GLOBAL_SYMBOL_NAMES:
    case CU_JIT_GLOBAL_SYMBOL_ADDRESSES:
    case CU_JIT_GLOBAL_SYMBOL_COUNT:
    case CU_JIT_REFERENCED_KERNEL_NAMES:
    case CU_JIT_REFERENCED_KERNEL_COUNT:
    case CU_JIT_REFERENCED_VARIABLE_NAMES:
    case CU_JIT_REFERENCED_VARIABLE_COUNT: return false;
    default: return true;
    }
}

} // namespace

JitOptions::JitOptions(std::span<const JitOption> given, bool verbose) {
    add(CU_JIT_INFO_LOG_BUFFER, reinterpret_cast<std::uintptr_t>(info_.data()));
    add(CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, info_.size());
    add(CU_JIT_ERROR_LOG_BUFFER, reinterpret_cast<std::uintptr_t>(error_.data()));
    add(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, error_.size());
    if (verbose) add(CU_JIT_LOG_VERBOSE, 1);
    for (const JitOption& each : given) {
        if (!is_number(each.option))
            throw Error{"cuModuleLoadDataEx", CUDA_ERROR_INVALID_VALUE,
                        fmt::format("option {} is not a number: logs are given without it",
                                    static_cast<int>(each.option))};
        add(each.option, each.value);
    }
}

void JitOptions::add(CUjit_option name, std::uintptr_t value) {
    names_.push_back(name);
    values_.push_back(reinterpret_cast<void*>(value));
}

} // namespace lathe::gpu::detail
