// SPDX-License-Identifier: MIT
// A queue of device work. Stream owns one, StreamView borrows one; functions take the view.
#pragma once

#include "engine/core/api.h"
#include "engine/core/handle.h"
#include "gpu/context.h"
#include "gpu/gpu.h"

#include <cuda.h>

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>

namespace lathe::gpu {

/// Whether kernels can be cancelled (StreamView::cancel) on the device of the opened driver.
LATHE_API bool can_cancel() noexcept;

/// Borrows a stream. The default is the legacy default stream, which orders itself against every
/// blocking stream of its context.
class LATHE_API StreamView {
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
    /// Blocks until all work issued so far is done, at most for `time`: false where it is not.
    /// Errors of the work are left to synchronize(), which then returns at once.
    bool wait_for(std::chrono::nanoseconds time) const;
    /// Ends the kernels that run or wait here: they fail with CUDA_ERROR_LAUNCH_TIMEOUT, soon after
    /// the call. False where the device cannot, as GPUs cannot.
    bool cancel() const;
    /// Cancels each kernel launched from now on that runs longer; 0: none. An environment's
    /// LATHE_SOFT_TIMEOUT_MS wins. False where the device cannot cancel.
    bool set_time_limit(std::chrono::milliseconds limit) const;
    /// Work issued from now on waits, on the device, for the event's last mark. Does not block.
    void wait_event(const Event& event) const;
    /// Calls `function` from a driver thread when the work issued so far is done, and holds back
    /// later work until it returns. It must not throw or call the driver. In a capture it becomes a
    /// node that calls it at each launch. (cuLaunchHostFunc)
    void add_host_function(std::function<void()> function) const;
    /// Whether work goes to a graph (StreamCapture).
    bool is_capturing() const;
    int priority() const;
    unsigned flags() const;

private:
    CUgraph captured_graph() const; ///< null where it does not capture
    CUstream stream_ = nullptr;
};

namespace detail {
/// For destructors: keeps a failure for the stream's next synchronize(); the first one stays.
LATHE_API void defer_error(StreamView stream, std::exception_ptr failure) noexcept;

struct LATHE_API StreamTraits {
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
LATHE_API StreamPriorities stream_priorities();

class LATHE_API Stream {
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
    bool wait_for(std::chrono::nanoseconds time) const { return view().wait_for(time); }
    bool cancel() const { return view().cancel(); }
    bool set_time_limit(std::chrono::milliseconds limit) const {
        return view().set_time_limit(limit);
    }
    void wait_event(const Event& event) const { view().wait_event(event); }
    void add_host_function(std::function<void()> function) const;
    bool is_capturing() const { return view().is_capturing(); }
    int priority() const { return view().priority(); }
    unsigned flags() const { return view().flags(); }

private:
    Handle<detail::StreamTraits> handle_;
};

} // namespace lathe::gpu
