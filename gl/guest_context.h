// SPDX-License-Identifier: MIT
// Another program's context: pyglet's, moderngl's, Qt's, a GLFW window's. It is never made current
// here, except back from another one; its owner may destroy it at any time.
#pragma once

#include "engine/core/api.h"
#include "gl/context.h"

namespace lathe::gl {

class LATHE_API GuestContext final : public Context {
public:
    /// The calling thread's context. Sets nothing in it. Throws gl::Error where there is none, it
    /// is one of this library's, or it is older than GL 4.5.
    GuestContext();
    ~GuestContext() override { retire(); }

    /// From now on errors that OpenGL knows are ours; else they are its owner's, and forgotten.
    void begin_frame() noexcept;
    void end_frame() noexcept { in_frame_ = false; }

private:
    void begin_use() noexcept override;
    /// Throws gl::Error unless its owner has made it current.
    void bind() override;
    void unbind() noexcept override {}

    bool in_frame_ = false;
};

} // namespace lathe::gl
