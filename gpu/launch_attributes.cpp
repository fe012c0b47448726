// SPDX-License-Identifier: MIT
#include "gpu/launch_attributes.h"

#include "engine/core/source_name.h"
#include "engine/core/zone.h"
#include "gpu/driver/check.h"
#include "gpu/launch_attribute_list.h"

namespace lathe::gpu {

bool LaunchAttributes::any() const noexcept {
    return priority || programmatic_stream_serialization || mem_sync_domain ||
           preferred_shared_memory_carveout || access_policy_window;
}

void launch_with(const Kernel& kernel, const LaunchConfig& config,
                 const LaunchAttributes& attributes, void** arguments) {
    LaunchAttributeList list{config, attributes};
    const CUlaunchConfig full = list.launch(config, config.stream.get());
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
