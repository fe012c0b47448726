// SPDX-License-Identifier: MIT
// What Python's objects share: the Studio behind an App and the pool that maps its arrays. Arrays
// and kernels hold the Engine, so it lives until the last of them is gone, in whatever order.
#pragma once

#include "engine/app/window.h"
#include "engine/interop/mapping.h"
#include "engine/interop/shared_buffer.h"
#include "engine/ui/studio.h"
#include "gpu/stream.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace lathe::bind {

class Storage;

/// Keeps the arrays of a frame mapped from their first use to the moment GL draws. What was used
/// in the last round is mapped in one driver call at the first use of the next.
class MapPool {
public:
    /// GL's side of a mapping belongs to this context, which each call makes current.
    explicit MapPool(gl::Context& context) : context_{context} {}
    /// Device address of the storage, valid until unmap_all().
    CUdeviceptr address(const std::shared_ptr<Storage>& storage, gpu::StreamView stream);
    /// Hands everything back to GL, ordered on the stream.
    void unmap_all();
    std::size_t mapped() const { return held_.size(); }

private:
    void map(std::vector<std::shared_ptr<Storage>> storages, gpu::StreamView stream);

    gl::Context& context_;
    std::vector<Mapping> mappings_;
    std::vector<std::shared_ptr<Storage>> held_; ///< alive while mapped
    std::vector<std::weak_ptr<Storage>> last_; ///< used in the round before
};

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
    /// A driver registers GL's buffers, and gives them back, when all kernels have ended. Where none can
    /// be cancelled this waits for them before, as Studio::wait, which Ctrl+C ends.
    void wait_to_register();
    /// The program ends: keeps the session, and waits for what no frame has waited for. Its fault in
    /// words; empty where all went well.
    std::string finish() noexcept;

    Studio studio;
    MapPool pool{studio.window().context()};
};

} // namespace lathe::bind
