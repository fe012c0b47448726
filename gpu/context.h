// SPDX-License-Identifier: MIT
// The primary context, which PyTorch, CuPy and JAX use too, contexts of one's own, and the guard
// that makes one current. A primary context is retained on first use and kept until the process
// ends, so objects made in it need no reference to it. A context of one's own may be destroyed
// before them: with it the driver has released what they own, and they leave it alone.
#pragma once

#include "engine/core/api.h"
#include "gpu/device.h"

#include <cuda.h>

#include <cstddef>

namespace lathe::gpu {

struct MemoryInfo {
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
};

/// Names a context; copies are cheap and own nothing.
class LATHE_API Context {
public:
    Context() = default; ///< no context
    static Context wrap(CUcontext context) noexcept;

    /// The device's primary context; retains it at the first call. Does not make it current.
    /// Thread-safe. (cuDevicePrimaryCtxRetain)
    static Context primary(const Device& device = Device{0});
    /// The calling thread's context; empty where it has none.
    static Context current();
    /// The calling thread's context; a thread without one gets device 0's primary context, current
    /// from then on. Every constructor of this layer starts with it.
    static Context ensure_current();
    /// A new context on `device`, on top of the calling thread's stack. `flags` are CUctx_flags.
    /// (cuCtxCreate)
    static Context create(const Device& device, unsigned flags = 0);
    /// Ends a context that create() made and all that lives in it; it leaves the calling thread's
    /// stack if it is on top. Throws gpu::Error where it is destroyed already or was not made by
    /// create(). (cuCtxDestroy)
    void destroy() const;
    /// False once destroy() has ended it.
    bool is_alive() const noexcept;

    CUcontext get() const noexcept { return context_; }
    explicit operator bool() const noexcept { return context_ != nullptr; }
    bool operator==(const Context&) const = default;

    /// Makes it the calling thread's context, in place of the one before. (cuCtxSetCurrent)
    void make_current() const;
    /// Onto the calling thread's stack, and off it. (cuCtxPushCurrent, cuCtxPopCurrent)
    void push() const;
    static Context pop();
    Device device() const;
    /// Blocks until all work of the context is done. (cuCtxSynchronize)
    void synchronize() const;
    MemoryInfo memory() const;
    /// From now on kernels and copies of this context may use the memory of `peer`, a context of
    /// another device. `flags` must be 0. Throws gpu::Error where the devices cannot, or it is on
    /// already (off, for the second). (cuCtxEnablePeerAccess, cuCtxDisablePeerAccess)
    void enable_peer_access(const Context& peer, unsigned flags = 0) const;
    void disable_peer_access(const Context& peer) const;
    /// Whether it is on, by enable_peer_access or by others. This context must be current.
    bool has_peer_access(const Context& peer) const;

private:
    CUcontext context_ = nullptr;
    unsigned life_ = 0; ///< of those that create() made: the driver uses addresses again
};

/// Makes a context current for a scope, and the one before it current again at the end.
class LATHE_API CurrentContext {
public:
    [[nodiscard]] explicit CurrentContext(const Context& context);
    CurrentContext(const CurrentContext&) = delete;
    CurrentContext& operator=(const CurrentContext&) = delete;
    ~CurrentContext();

private:
    bool pushed_ = false;
};

/// A driver object and the context it must be released in: the `Type` of this layer's handles.
template <class T> struct InContext {
    T value{};
    Context context{};
    bool operator==(const InContext&) const = default;
};

namespace detail {
/// For destructors: the context current for a scope. False where the driver must be left alone,
/// because the process is ending or the context is gone. Never throws; an empty context leaves the
/// thread's as it is.
class LATHE_API ReleaseScope {
public:
    [[nodiscard]] explicit ReleaseScope(const Context& context) noexcept;
    ReleaseScope(const ReleaseScope&) = delete;
    ReleaseScope& operator=(const ReleaseScope&) = delete;
    ~ReleaseScope();
    explicit operator bool() const noexcept { return usable_; }

private:
    bool usable_ = false;
    bool pushed_ = false;
};
} // namespace detail

} // namespace lathe::gpu
