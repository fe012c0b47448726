// SPDX-License-Identifier: MIT
#include "gl/guest_context.h"

#include "gl/error.h"

namespace lathe::gl {

GuestContext::GuestContext() {
    native_ = NativeGlContext::current();
    if (!native_)
        throw Error{"no GL context is current on this thread: make the window's context current "
                    "first (switch_to(), makeCurrent(), glfwMakeContextCurrent())"};
    if (Context::current())
        throw Error{"the current GL context is that of a window of Lathe's own: make the other "
                    "program's context current first"};
    load(native_.loader());
    make_current();
}

void GuestContext::begin_frame() noexcept {
    begin_use();
    in_frame_ = true;
}

void GuestContext::begin_use() noexcept {
    if (!in_frame_) clear_errors();
}

void GuestContext::bind() {
    if (native_.is_current()) return;
    throw Error{"the GL context that this App draws in is not current: make it current before "
                "frames, before arrays are made, and before they are used"};
}

} // namespace lathe::gl
