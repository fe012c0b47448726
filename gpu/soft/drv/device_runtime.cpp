// SPDX-License-Identifier: MIT
#include "gpu/soft/drv/device_runtime_call.h"

#include <map>

namespace lathe::soft {

DeviceFunction device_runtime_function(std::string_view name) {
    static const std::map<std::string_view, DeviceFunction> functions = [] {
        std::map<std::string_view, DeviceFunction> all;
        for (const auto group :
             {device_runtime::launch_functions(), device_runtime::kernel_functions(),
              device_runtime::stream_functions(), device_runtime::memory_functions(),
              device_runtime::block_functions(), device_runtime::query_functions()})
            for (const auto& entry : group) all.emplace(entry.name, entry.function);
        return all;
    }();
    constexpr std::string_view prefix = "__cudaCDP2";
    if (!name.starts_with(prefix)) return nullptr;
    const auto found = functions.find(name.substr(prefix.size()));
    return found == functions.end() ? nullptr : found->second;
}

} // namespace lathe::soft
