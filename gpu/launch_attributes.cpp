// SPDX-License-Identifier: MIT
#include "gpu/launch_attributes.h"

#include "engine/core/source_name.h"
#include "engine/core/zone.h"
#include "gpu/driver/check.h"

#include <array>

namespace lathe::gpu {
namespace {

/// The list that cuLaunchKernelEx takes, and the names of what is in it.
class AttributeList {
public:
    AttributeList(const LaunchConfig& config, const LaunchAttributes& wanted) {
        if (config.cooperative) add(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, "cooperative").cooperative = 1;
        if (config.cluster) {
            auto& dimension = add(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, "cluster").clusterDim;
            dimension.x = config.cluster->x;
            dimension.y = config.cluster->y;
            dimension.z = config.cluster->z;
        }
        if (wanted.priority)
            add(CU_LAUNCH_ATTRIBUTE_PRIORITY, "priority").priority = *wanted.priority;
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
            add(CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, "access_policy_window")
                .accessPolicyWindow = *window;
        }
    }

    CUlaunchAttribute* data() { return list_.data(); }
    unsigned count() const { return count_; }
    const std::string& names() const { return names_; }

private:
    static void check(const char* name, int value, int least, int most) {
        if (value < least || value > most)
            throw Error{"cuLaunchKernelEx", CUDA_ERROR_INVALID_VALUE,
                        fmt::format("{} must be {} to {}, got {}", name, least, most, value)};
    }
    CUlaunchAttributeValue& add(CUlaunchAttributeID id, const char* name) {
        CUlaunchAttribute& attribute = list_.at(count_++);
        attribute.id = id;
        names_ += (names_.empty() ? "" : ", ") + std::string{name};
        return attribute.value;
    }

    std::array<CUlaunchAttribute, 7> list_{};
    unsigned count_ = 0;
    std::string names_;
};

} // namespace

bool LaunchAttributes::any() const noexcept {
    return priority || programmatic_stream_serialization || mem_sync_domain ||
           preferred_shared_memory_carveout || access_policy_window;
}

void launch_with(const Kernel& kernel, const LaunchConfig& config,
                 const LaunchAttributes& attributes, void** arguments) {
    const Dim3& g = config.grid;
    const Dim3& b = config.block;
    AttributeList list{config, attributes};
    CUlaunchConfig full{g.x,
                        g.y,
                        g.z,
                        b.x,
                        b.y,
                        b.z,
                        static_cast<unsigned>(config.shared_bytes),
                        config.stream.get(),
                        list.data(),
                        list.count()};
    const auto describe = [&] {
        std::string text = detail::describe(kernel, config);
        if (attributes.any())
            text += fmt::format("; with {}, driver {}", list.names(), driver().version);
        return text;
    };
    std::optional<Zone> zone;
    if (ZoneSink::current()) [[unlikely]]
        zone.emplace(source_name(kernel.name()), ZoneWork::cuda, config.stream.get());
    CU_TRY(cuLaunchKernelEx(&full, kernel.get(), arguments, nullptr), "{}", describe());
}

} // namespace lathe::gpu
