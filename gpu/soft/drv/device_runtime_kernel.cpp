// SPDX-License-Identifier: MIT
// What threads ask of kernels.
#include "gpu/soft/drv/device_runtime_call.h"

#include "gpu/soft/drv/launch.h"
#include "gpu/soft/rt/float_mode.h"

#include <cstddef>
#include <future>
#include <utility>

namespace lathe::soft::device_runtime {

namespace {

void get_occupancy(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    const NormalFloats normal;
    Parameters p{params};
    const auto to = p.take<std::uint64_t>();
    const auto kernel = kernel_of(p.take<std::uint64_t>());
    const auto threads = p.take<std::int32_t>();
    const auto shared = p.take<std::uint64_t>();
    if (!kernel) return give(t, returns, invalid_device_function);
    Function* const function = kernel->module->function(kernel->name);
    give(t, returns,
         write(to, static_cast<std::int32_t>(resident_blocks(*function, threads, shared))));
}

/// cudaFuncAttributes. Before CUDA 11.8 it ended behind `carveout`.
struct Attributes {
    std::uint64_t shared_bytes, constant_bytes, local_bytes;
    std::int32_t max_threads, registers, ptx_version, binary_version, caches_global;
    std::int32_t max_dynamic_shared_bytes, carveout;
    std::int32_t of_clusters[6], reserved[16];
};

Attributes attributes_of(const DeviceKernel& kernel) {
    const Function& function = *kernel.module->function(kernel.name);
    const auto get = [&](CUfunction_attribute attribute) {
        return function_attribute(*function.info, function.settings, kernel.module->ptx(),
                                  attribute);
    };
    const auto bytes = [&](CUfunction_attribute attribute) {
        return static_cast<std::uint64_t>(get(attribute));
    };
    return {.shared_bytes = bytes(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES),
            .constant_bytes = bytes(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES),
            .local_bytes = bytes(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES),
            .max_threads = get(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
            .registers = get(CU_FUNC_ATTRIBUTE_NUM_REGS),
            .ptx_version = get(CU_FUNC_ATTRIBUTE_PTX_VERSION),
            .binary_version = get(CU_FUNC_ATTRIBUTE_BINARY_VERSION),
            .caches_global = get(CU_FUNC_ATTRIBUTE_CACHE_MODE_CA),
            .max_dynamic_shared_bytes = get(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES),
            .carveout = get(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT),
            .of_clusters = {}, // which the device has not
            .reserved = {}};
}

void get_attributes(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    const NormalFloats normal;
    Parameters p{params};
    const auto to = p.take<std::uint64_t>();
    const auto kernel = kernel_of(p.take<std::uint64_t>());
    if (!kernel) return give(t, returns, invalid_device_function);
    const ptx::Module& ptx = kernel->module->ptx();
    const bool is_old = std::pair{ptx.version_major, ptx.version_minor} < std::pair{7, 8};
    // Counting registers needs a larger stack than this one.
    const Attributes found =
        std::async(std::launch::async, [&] { return attributes_of(*kernel); }).get();
    const std::size_t bytes = is_old ? offsetof(Attributes, of_clusters) : sizeof found;
    const bool done = guarded_copy(reinterpret_cast<void*>(to), &found, bytes);
    give(t, returns, done ? success : invalid_value);
}

} // namespace

std::span<const Entry> kernel_functions() {
    static constexpr Entry functions[] = {
        {"FuncGetAttributes", get_attributes},
        {"OccupancyMaxActiveBlocksPerMultiprocessor", get_occupancy},
        {"OccupancyMaxActiveBlocksPerMultiprocessorWithFlags", get_occupancy},
    };
    return functions;
}

} // namespace lathe::soft::device_runtime
