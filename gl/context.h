// SPDX-License-Identifier: MIT
// A GL 4.5 core context: what it is, and which one is current on this thread. HeadlessContext
// (headless_context.h) makes one without a display; the window of engine/app makes the other.
#pragma once

#include "engine/core/api.h"
#include "engine/core/native_gl_context.h"

#include <cstdint>
#include <string>

namespace lathe::gl {

struct Info {
    std::string vendor;
    std::string renderer;
    std::string version;
    int major = 0;
    int minor = 0;
    bool is_software = false;       ///< llvmpipe, softpipe, SWR: GL memory is host memory
    bool has_pinned_memory = false; ///< GL_AMD_pinned_memory: buffers in memory of ours
};

/// True for the renderer strings of software rasterisers.
LATHE_API bool is_software_renderer(const std::string& renderer);

class LATHE_API Context {
public:
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    virtual ~Context();

    /// Makes this context current on the calling thread and deletes the GL objects that other
    /// threads or other contexts' code gave up meanwhile. Cheap where it is current already.
    void make_current();
    /// Leaves the thread without a context, so that another thread may take this one.
    void release_current();
    /// Deletes objects given up elsewhere; the frame loop calls it once a frame.
    void collect() noexcept;

    const Info& info() const noexcept { return info_; }
    /// Unlike that of every other context of this process, dead ones included; from 1.
    std::uint32_t serial() const noexcept { return serial_; }

    /// The calling thread's context; null where it has none or another library made its own
    /// current.
    static Context* current() noexcept;
    /// Throws gl::Error where the thread has none: every constructor of a GL object asks this.
    static Context& require_current();

protected:
    Context();
    /// Loads GL and reads Info. The context must be current. Throws gl::Error where GL is older
    /// than 4.5.
    void load(GlLoader loader);
    /// The same of a context of our own: with debug output and set_expected_state().
    void adopt(GlLoader loader);
    /// Derived destructors call this first, while the context can still be current; a second call
    /// does nothing.
    void retire() noexcept;

    /// For bind(): leaves the thread without a context of the other system. EGL and GLX refuse to
    /// make one current beside it.
    void leave_other_system() const noexcept;

    /// It is current, and work of this library's may follow.
    virtual void begin_use() noexcept {}
    virtual void bind() = 0;
    virtual void unbind() noexcept = 0;

    NativeGlContext native_; ///< since it was current for the first time

private:
    std::uint32_t serial_;
    Info info_;
};

/// Puts back, at its end, the context that was current at its beginning: for destructors and other
/// code that runs in the middle of somebody else's frame. It may be another library's.
class LATHE_API RestoreContext {
public:
    RestoreContext() noexcept;
    /// And makes `context` current meanwhile.
    explicit RestoreContext(Context& context);
    RestoreContext(const RestoreContext&) = delete;
    RestoreContext& operator=(const RestoreContext&) = delete;
    ~RestoreContext();

    /// What is current at the end stays so.
    void dismiss() noexcept { dismissed_ = true; }

private:
    NativeGlContext native_;
    Context* before_;
    std::uint32_t serial_; ///< of `before_`, which may be gone by then
    bool dismissed_ = false;
};

} // namespace lathe::gl
