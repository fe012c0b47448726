// SPDX-License-Identifier: MIT
// A queue of device work. Stream owns one, StreamView borrows one; functions take the view.
#pragma once

#include "engine/core/handle.h"
#include "gpu/context.h"
#include "gpu/gpu.h"

#include <cuda.h>

#include <cstddef>
#include <exception>
#include <functional>

namespace lathe::gpu {

/// Borrows a stream. The default is the legacy default stream, which orders itself against every
/// blocking stream of its context.
class StreamView {
public:
    constexpr StreamView() = default;
    constexpr StreamView(CUstream stream) noexcept : stream_{stream} {}
    StreamView(int) = delete;            // 0 would silently name the legacy stream
    StreamView(std::nullptr_t) = delete; // the same

    static StreamView legacy() noexcept { return CU_STREAM_LEGACY; }
    static StreamView per_thread() noexcept { return CU_STREAM_PER_THREAD; }

    CUstream get() const noexcept { return stream_; }
    bool operator==(const StreamView&) const = default;

    /// Blocks until all work issued so far is done; throws its errors, and those that a destructor
    /// met on this stream and could not throw. (cuStreamSynchronize)
    void synchronize() const;
    /// Whether all work issued so far is done. Does not block. (cuStreamQuery)
    bool done() const;
    /// Work issued from now on waits, on the device, for the event's last mark. Does not block.
    void wait_event(const Event& event) const;
    /// Calls `function` from a driver thread when the work issued so far is done, and holds back
    /// later work until it returns. It must not throw or call the driver. (cuLaunchHostFunc)
    void add_host_function(std::function<void()> function) const;
    int priority() const;
    unsigned flags() const;

private:
    CUstream stream_ = nullptr;
};

namespace detail {
/// For destructors: keeps a failure for the stream's next synchronize(); the first one stays.
void defer_error(StreamView stream, std::exception_ptr failure) noexcept;

struct StreamTraits {
    using Type = InContext<CUstream>;
    static constexpr Type null{};
    static void destroy(Type stream) noexcept;
};
} // namespace detail

struct StreamConfig {
    bool non_blocking = true; ///< does not order itself against the legacy default stream
    int priority = 0;         ///< lower runs earlier; clamped to StreamPriorities
};

/// Priorities that the current context knows: `least` ≥ `greatest` numerically.
struct StreamPriorities {
    int least = 0;
    int greatest = 0;
};
StreamPriorities stream_priorities();

class Stream {
public:
    Stream() = default; ///< empty: views as the legacy default stream
    /// (cuStreamCreateWithPriority, in the current context)
    explicit Stream(const StreamConfig& config);
    static Stream wrap(CUstream stream) noexcept;

    StreamView view() const noexcept { return handle_.get().value; }
    operator StreamView() const noexcept { return view(); }
    CUstream get() const noexcept { return handle_.get().value; }
    explicit operator bool() const noexcept { return static_cast<bool>(handle_); }
    [[nodiscard]] CUstream release() noexcept { return handle_.release().value; }

    void synchronize() const { view().synchronize(); }
    bool done() const { return view().done(); }
    void wait_event(const Event& event) const { view().wait_event(event); }
    void add_host_function(std::function<void()> function) const;
    int priority() const { return view().priority(); }
    unsigned flags() const { return view().flags(); }

private:
    Handle<detail::StreamTraits> handle_;
};

} // namespace lathe::gpu
