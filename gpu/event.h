// SPDX-License-Identifier: MIT
// A point in a stream's work: waited for, asked about, or measured against another.
#pragma once

#include "engine/core/api.h"
#include "engine/core/handle.h"
#include "gpu/context.h"
#include "gpu/ipc.h"
#include "gpu/stream.h"

#include <cuda.h>

#include <chrono>

namespace lathe::gpu {

namespace detail {
struct LATHE_API EventTraits {
    using Type = InContext<CUevent>;
    static constexpr Type null{};
    static void destroy(Type event) noexcept;
};
} // namespace detail

struct EventConfig {
    bool timing = true;         ///< false: cheaper, elapsed_since is not available
    bool blocking_wait = false; ///< synchronize() sleeps instead of spinning
    bool interprocess = false;  ///< ipc_handle() is available; needs `timing` off
};

class LATHE_API Event {
public:
    Event() = default; ///< empty
    /// (cuEventCreate, in the current context)
    explicit Event(const EventConfig& config);
    static Event wrap(CUevent event) noexcept;
    /// Another process's event, which must have been made with `interprocess`. Throws gpu::Error
    /// for a handle of this process, or one that is none. (cuIpcOpenEventHandle)
    static Event open(const IpcHandle& handle);

    CUevent get() const noexcept { return handle_.get().value; }
    explicit operator bool() const noexcept { return static_cast<bool>(handle_); }
    [[nodiscard]] CUevent release() noexcept { return handle_.release().value; }

    /// Marks the work issued to `stream` so far; replaces an earlier mark. (cuEventRecord)
    void record(StreamView stream);
    /// Blocks until the marked work is done; returns at once if never recorded.
    void synchronize() const;
    /// Whether the marked work is done. Does not block. (cuEventQuery)
    bool done() const;
    /// Whether it is done, within so long at most; also true where it failed, which synchronize()
    /// says.
    bool wait_for(std::chrono::nanoseconds time) const;
    /// Device time between two recorded, finished events. Resolution about 0.5 µs.
    /// Throws gpu::Error where either is not finished or was made without timing.
    std::chrono::duration<float, std::milli> elapsed_since(const Event& start) const;
    /// For Event::open in another process. Throws gpu::Error unless made with `interprocess`.
    /// (cuIpcGetEventHandle)
    IpcHandle ipc_handle() const;

private:
    Handle<detail::EventTraits> handle_;
};

/// Work of `later` from now on comes after that of `earlier` so far; nobody waits.
LATHE_API void put_in_order(StreamView earlier, StreamView later);

} // namespace lathe::gpu
