// SPDX-License-Identifier: MIT
// What several scopes turn on together, for sources of gpu/inspect.
#pragma once

#include "gpu/driver/device_traits.h"
#include "gpu/inspect/line_counts.h"

#include <mutex>

namespace lathe::gpu {

/// A device's `start` is called as the first scope begins, its `stop` as the last one ends. One
/// device of a process can be looked at: that of driver(), or the one beside it.
class ScopeCount {
public:
    using Function = void (*DeviceTraits::*)();
    constexpr ScopeCount(Function start, Function stop) : start_{start}, stop_{stop} {}

    /// Throws Error where the device cannot be looked at.
    void begin(const DeviceTraits& device = device_traits()) {
        if (!(device.*start_)) require_inspector();
        std::lock_guard lock{mutex_};
        if (scopes_++ == 0) (device.*start_)();
    }
    void end(const DeviceTraits& device = device_traits()) {
        std::lock_guard lock{mutex_};
        if (--scopes_ == 0) (device.*stop_)();
    }

private:
    Function start_, stop_;
    std::mutex mutex_;
    int scopes_ = 0;
};

} // namespace lathe::gpu
