// SPDX-License-Identifier: MIT
// Somebody who makes launches of live kernels in their place, with code that tells what they do.
// That code is compiled beside the frames of a program that goes on.
#pragma once

#include "engine/live/build.h"
#include "engine/live/worker.h"
#include "gpu/context.h"
#include "gpu/device.h"
#include "gpu/launch.h"
#include "gpu/launch_attributes.h"

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace lathe {

class KernelSlot;

/// All members are called from the thread that launches.
class LaunchWatch {
public:
    virtual ~LaunchWatch() = default;

    /// A launch may be wanted: costs nothing to ask.
    virtual bool is_armed() const = 0;
    /// The next launch of this kernel is to be made by launch().
    virtual bool wants(const KernelSlot& slot, std::string_view kernel) = 0;
    /// Of what wants() said yes to, with the same arguments, in the kernel's context. Waits for the
    /// device. Throws gpu::Error.
    virtual void launch(const gpu::LaunchConfig& config, const gpu::LaunchAttributes& more,
                        void** arguments) = 0;
};

/// What is made of a source on another thread; the rest is read once `is_done`.
template <class Made> struct MadeBeside {
    KernelSource source;
    std::optional<Made> made;
    std::string problem; ///< where nothing was made
    std::atomic<bool> is_done = false;
};

/// `make` runs by the executor, in the primary context of the device. What it throws is the
/// problem.
template <class Made>
std::shared_ptr<MadeBeside<Made>> make_beside(gpu::Device device, const Executor& run_on,
                                              KernelSource source,
                                              std::function<Made(const KernelSource&)> make) {
    auto into = std::make_shared<MadeBeside<Made>>();
    into->source = std::move(source);
    run_on([device, into, make = std::move(make)] {
        try {
            const gpu::CurrentContext here{gpu::Context::primary(device)};
            into->made.emplace(make(into->source));
        } catch (const std::exception& error) { into->problem = error.what(); }
        into->is_done = true;
    });
    return into;
}

} // namespace lathe
