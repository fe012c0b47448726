// SPDX-License-Identifier: MIT
#include "gpu/launch_attribute_list.h"

#include "gpu/driver/check.h"

#include <fmt/format.h>

namespace lathe::gpu {
namespace {

void check(const char* name, int value, int least, int most) {
    if (value < least || value > most)
        throw Error{"cuLaunchKernelEx", CUDA_ERROR_INVALID_VALUE,
                    fmt::format("{} must be {} to {}, got {}", name, least, most, value)};
}

} // namespace

LaunchAttributeList::LaunchAttributeList(const LaunchConfig& config,
                                         const LaunchAttributes& wanted) {
    if (config.cooperative) add(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, "cooperative").cooperative = 1;
    if (config.cluster) {
        auto& dimension = add(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, "cluster").clusterDim;
        dimension.x = config.cluster->x;
        dimension.y = config.cluster->y;
        dimension.z = config.cluster->z;
    }
    if (wanted.priority) add(CU_LAUNCH_ATTRIBUTE_PRIORITY, "priority").priority = *wanted.priority;
    if (wanted.programmatic_stream_serialization)
        add(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
            "programmatic_stream_serialization")
            .programmaticStreamSerializationAllowed = 1;
    if (const auto domain = wanted.mem_sync_domain) {
        check("mem_sync_domain", *domain, 0, 1);
        add(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, "mem_sync_domain").memSyncDomain =
            static_cast<CUlaunchMemSyncDomain>(*domain);
    }
    if (const auto percent = wanted.preferred_shared_memory_carveout) {
        check("preferred_shared_memory_carveout", *percent, -1, 100);
        if (*percent >= 0) // drivers do not take CU_SHAREDMEM_CARVEOUT_DEFAULT here
            add(CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                "preferred_shared_memory_carveout")
                .sharedMemCarveout = static_cast<unsigned>(*percent);
    }
    if (const auto& window = wanted.access_policy_window) {
        if (!(window->hitRatio >= 0 && window->hitRatio <= 1))
            throw Error{"cuLaunchKernelEx", CUDA_ERROR_INVALID_VALUE,
                        fmt::format("access_policy_window: hit_ratio must be 0 to 1, got {}",
                                    window->hitRatio)};
        add(CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, "access_policy_window").accessPolicyWindow =
            *window;
    }
}

CUlaunchConfig LaunchAttributeList::launch(const LaunchConfig& config, CUstream stream) {
    const Dim3 &g = config.grid, &b = config.block;
    return {g.x,    g.y,          g.z,   b.x, b.y, b.z, static_cast<unsigned>(config.shared_bytes),
            stream, list_.data(), count_};
}

CUlaunchAttributeValue& LaunchAttributeList::add(CUlaunchAttributeID id, const char* name) {
    CUlaunchAttribute& attribute = list_.at(count_++);
    attribute.id = id;
    names_ += (names_.empty() ? "" : ", ") + std::string{name};
    return attribute.value;
}

} // namespace lathe::gpu
