// SPDX-License-Identifier: MIT
// The GL context of this thread as the system knows it (EGL or GLX), whoever made it current: this
// library, GLFW, pyglet, moderngl, Qt. No library is loaded for the question.
#pragma once

#include "engine/core/api.h"

namespace lathe {

/// Finds a function of GL by name.
using GlLoader = void (*(*)(const char* name))();

struct LATHE_API NativeGlContext {
    enum class System { none, egl, glx };

    System system = System::none; ///< none: no context, or of a system that is not known here
    void* context = nullptr;      ///< EGLContext or GLXContext
    void* display = nullptr;
    void* draw = nullptr; ///< the surfaces, or drawables, that it draws to and reads from
    void* read = nullptr;

    /// The calling thread's.
    static NativeGlContext current() noexcept;
    explicit operator bool() const noexcept { return context != nullptr; }

    /// Whether it is the calling thread's now. Without a context: true, nothing can be said.
    bool is_current() const noexcept;
    /// Makes it the calling thread's again; false where the system refuses. Its owner must not have
    /// destroyed it.
    bool make_current() const noexcept;
    /// Leaves the thread without a context.
    void release() const noexcept;
    /// Finds the functions of GL for it; null without a context.
    GlLoader loader() const noexcept;
};

} // namespace lathe
