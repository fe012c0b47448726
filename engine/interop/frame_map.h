// SPDX-License-Identifier: MIT
// What an App shares between CUDA and OpenGL, by frames: mapped at its first use, all of it in one
// driver call where it was used in the frame before, and handed back before OpenGL draws.
#pragma once

#include "engine/core/api.h"
#include "engine/interop/mapping.h"
#include "gl/context.h"
#include "gpu/context.h"
#include "gpu/stream.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace lathe {

class FrameMap;

/// Memory that a FrameMap maps: an array's buffer, or a texture. Lives in a shared_ptr.
class LATHE_API FrameObject : public std::enable_shared_from_this<FrameObject> {
public:
    FrameObject(const FrameObject&) = delete;
    FrameObject& operator=(const FrameObject&) = delete;
    virtual ~FrameObject() = default;

    const std::shared_ptr<FrameMap>& map() const noexcept { return map_; }

protected:
    explicit FrameObject(std::shared_ptr<FrameMap> map) : map_{std::move(map)} {}
    /// Of a use that needs no map because there is one.
    void note_use() noexcept { used_.store(true, std::memory_order_relaxed); }

private:
    friend class FrameMap;
    virtual SharedObject& object() = 0;
    /// Takes the CUDA side, valid until the map gives everything back.
    virtual void on_map(const Mapping& mapping, std::size_t index) = 0;

    std::shared_ptr<FrameMap> map_;
    std::atomic<bool> used_ = false; ///< since it was mapped
};

/// Maps and unmaps on one thread, that of the frames; memory may be let go on any.
class LATHE_API FrameMap {
public:
    /// How the thread of the frames waits, with its window alive.
    struct Waits {
        std::function<void()> wait;        ///< until the stream is done, whatever comes of it
        std::function<void()> synchronize; ///< the same, and throws a fault that nobody reports
    };

    /// GL's side belongs to `gl`, CUDA's to `cuda` and the order of `stream`, a blocking one. Both
    /// contexts and the stream live longer.
    FrameMap(gl::Context& gl, gpu::Context cuda, gpu::StreamView stream);
    ~FrameMap();

    void set_waits(Waits waits) { waits_ = std::move(waits); }
    /// Called when memory has been mapped, in the order of the stream.
    void set_on_map(std::function<void()> call) { after_map_ = std::move(call); }
    /// The thread that maps from now on; at first the one that made this.
    void use_this_thread() noexcept { thread_ = std::this_thread::get_id(); }
    const gpu::Context& cuda() const noexcept { return cuda_; }
    gpu::StreamView stream() const noexcept { return stream_; }

    /// Before memory for `FrameObject`s is made: the contexts are the thread's, and registering
    /// need not wait. Throws lathe::Error on another thread than that of the frames.
    void before_making();
    /// Ends memory: once it is unmapped, and on the thread of the frames. What goes wrong is
    /// logged.
    void release(std::unique_ptr<SharedObject> object) noexcept;

    /// Maps it unless it is mapped. CUDA has it until unmap_all(). Throws lathe::Error on another
    /// thread than that of the frames.
    void hold(FrameObject& memory);
    /// Hands everything back to GL, in the order of the stream. Where the device can cancel
    /// kernels it waits before, as `Waits` say, since the unmap would. May throw a kernel's fault.
    void unmap_all();
    std::size_t mapped() const noexcept;
    /// Blocks until the stream is done; throws its fault.
    void wait();

private:
    void check_thread() const;
    void wait_to_register();
    void end_released() noexcept;
    void map(std::span<const std::shared_ptr<FrameObject>> memories);

    gl::Context& gl_;
    gpu::Context cuda_;
    gpu::StreamView stream_;
    Waits waits_;
    std::function<void()> after_map_;
    std::atomic<std::thread::id> thread_;
    std::vector<Mapping> mappings_;
    std::vector<std::weak_ptr<FrameObject>> held_; ///< mapped; those that ended are in released_
    std::vector<std::weak_ptr<FrameObject>> last_; ///< used in the round before
    std::mutex mutex_;
    /// While mapped, or on other threads; guarded by mutex_.
    std::vector<std::unique_ptr<SharedObject>> released_;
};

} // namespace lathe
