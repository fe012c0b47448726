// SPDX-License-Identifier: MIT
// What Python's objects share: the Studio behind an App and the pool that maps its arrays. Arrays
// and kernels hold the Engine, so it lives until the last of them is gone, in whatever order.
#pragma once

#include "engine/app/window.h"
#include "engine/ui/studio.h"
#include "gpu/stream.h"
#include "python/bind/interop/map_pool.h"

#include <string>
#include <utility>

namespace lathe::bind {

struct Engine {
    explicit Engine(StudioConfig config) : studio{std::move(config)} {}
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    gpu::StreamView stream() { return studio.stream(); }
    /// Makes this engine's GL context the thread's.
    void make_current();
    /// Hands all arrays back to GL. A device that can cancel kernels has its unmap wait for them;
    /// there this waits first, as a Studio waits.
    void unmap_all();
    /// Blocks as Studio::wait. A fault goes to the slot of its kernel. It is thrown where there is
    /// none, and without a window: what a fault leaves behind is nothing to compute with.
    void synchronize();
    /// A driver registers GL's buffers, and gives them back, when all kernels have ended. Where
    /// none can be cancelled this waits for them before, as Studio::wait, which Ctrl+C ends.
    void wait_to_register();
    /// The program ends: keeps the session, and waits for what no frame has waited for. Its fault
    /// in words; empty where all went well.
    std::string finish() noexcept;

    Studio studio;
    MapPool pool{studio.window().context()};
};

} // namespace lathe::bind
