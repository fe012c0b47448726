// SPDX-License-Identifier: MIT
// Attributes of functions.
#include "gpu/ptx/registers.h"
#include "gpu/soft/drv/device.h"
#include "gpu/soft/drv/module.h"
#include "gpu/soft/rt/block.h"

#include <algorithm>
#include <cstdlib>

namespace lathe::soft {

namespace {

int constant_bytes(const ptx::Module& module) {
    std::uint64_t bytes = 0;
    for (const ptx::Variable& variable : module.variables)
        if (variable.space == ptx::Space::constant) bytes += variable.size_bytes();
    return static_cast<int>(bytes);
}

/// 75 for "sm_75" or "sm_90a".
int architecture(const ptx::Module& module) {
    const std::size_t digits = module.target.find_first_of("0123456789");
    return digits == std::string::npos ? 0 : std::atoi(module.target.c_str() + digits);
}

/// As many as the kernel's PTX keeps values in at one time, within what a GPU's compiler would have
/// to keep to: 255, .maxnreg, and registers for each thread of the largest block.
int registers(const KernelInfo& info, const ptx::Module& module) {
    const ptx::Function* function = module.find_function(info.name);
    int of_device = 0;
    device_attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, of_device);
    const unsigned threads = info.max_threads ? info.max_threads : kMaxThreads;
    std::uint32_t most = std::min(255u, static_cast<std::uint32_t>(of_device) / threads);
    if (function && function->max_registers) most = std::min(most, function->max_registers);
    const std::uint32_t live = function ? ptx::live_registers(module, *function) : 0;
    return static_cast<int>(std::clamp(live, 1u, std::max(most, 1u))); // tools divide by it
}

} // namespace

void FunctionSettings::assign(const FunctionSettings& other) {
    max_dynamic_shared = other.max_dynamic_shared.load();
    carveout = other.carveout.load();
    cache_config = other.cache_config.load();
}

void FunctionSettings::set(const KernelInfo& info, CUfunction_attribute attribute, int value) {
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: {
        const std::size_t most =
            kMaxShared - std::min<std::size_t>(kMaxShared, info.static_shared_bytes);
        require(value >= 0 && static_cast<std::size_t>(value) <= most, CUDA_ERROR_INVALID_VALUE,
                "more shared memory than a block can have");
        max_dynamic_shared = static_cast<std::size_t>(value);
        break;
    }
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        require(value >= -1 && value <= 100, CUDA_ERROR_INVALID_VALUE,
                "the carveout is a percentage, or -1");
        carveout = value;
        break;
    default: fail(CUDA_ERROR_INVALID_VALUE, "attribute cannot be set");
    }
}

void FunctionSettings::set_cache_config(CUfunc_cache config) {
    require(config >= CU_FUNC_CACHE_PREFER_NONE && config <= CU_FUNC_CACHE_PREFER_EQUAL,
            CUDA_ERROR_INVALID_VALUE, "unknown cache configuration");
    cache_config = config;
}

int function_attribute(const KernelInfo& info, const FunctionSettings& settings,
                       const ptx::Module& module, CUfunction_attribute attribute) {
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        return static_cast<int>(info.max_threads ? info.max_threads : kMaxThreads);
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: return static_cast<int>(info.static_shared_bytes);
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: return constant_bytes(module);
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: return static_cast<int>(info.local_bytes);
    case CU_FUNC_ATTRIBUTE_NUM_REGS: return registers(info, module);
    case CU_FUNC_ATTRIBUTE_PTX_VERSION: return architecture(module);
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: return capability().major * 10 + capability().minor;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        return static_cast<int>(settings.max_dynamic_shared.load());
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: return settings.carveout.load();
    default: // caches and clusters, of which there are none
        require(attribute < CU_FUNC_ATTRIBUTE_MAX && attribute >= 0, CUDA_ERROR_INVALID_VALUE,
                "unknown function attribute");
        return 0;
    }
}

} // namespace lathe::soft
