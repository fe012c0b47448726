// SPDX-License-Identifier: MIT
#include "gl/context.h"

#include "engine/core/log.h"
#include "engine/core/process.h"
#include "gl/error.h"
#include "gl/object_registry.h"
#include "gl/saved_state.h"

#include <glad/gl.h>

#include <fmt/core.h>

#include <array>
#include <string_view>

namespace lathe::gl {
namespace {

thread_local Context* current_context = nullptr;

std::string text_of(GLenum name) {
    const auto* s = reinterpret_cast<const char*>(glGetString(name));
    return s ? s : "";
}

} // namespace

bool is_software_renderer(const std::string& renderer) {
    constexpr std::array<std::string_view, 5> kSoftware{"llvmpipe", "softpipe", "SWR", "swrast",
                                                        "Software Rasterizer"};
    for (std::string_view name : kSoftware)
        if (renderer.find(name) != std::string::npos) return true;
    return false;
}

Context::Context() : serial_{register_context()} { watch_process_exit(); }

Context::~Context() {
    retire();
    if (current_context == this) current_context = nullptr;
}

void Context::retire() noexcept {
    const bool here = current() == this && !process_is_exiting();
    if (here) {
        collect();
        glFinish();
    }
    unregister_context(serial_, here);
}

void Context::make_current() {
    if (current() != this) {
        if (Context* other = current()) other->release_current();
        bind();
        native_ = NativeGlContext::current();
        current_context = this;
    }
    begin_use();
    collect();
}

void Context::leave_other_system() const noexcept {
    if (const auto now = NativeGlContext::current(); now && now.system != native_.system)
        now.release();
}

void Context::release_current() {
    if (current_context != this) return;
    if (current() == this) unbind();
    current_context = nullptr;
}

void Context::collect() noexcept {
    if (current() == this) delete_given_up(serial_);
}

Context* Context::current() noexcept {
    return current_context && current_context->native_.is_current() ? current_context : nullptr;
}

Context& Context::require_current() {
    Context* const here = current();
    if (!here)
        throw Error{"no GL context is current on this thread: open a window (or a HeadlessContext) "
                    "first, and make GL objects on the thread that opened it"};
    return *here;
}

RestoreContext::RestoreContext() noexcept
    : native_{NativeGlContext::current()}, before_{Context::current()},
      serial_{before_ ? before_->serial() : 0} {}

RestoreContext::RestoreContext(Context& context) : RestoreContext{} { context.make_current(); }

RestoreContext::~RestoreContext() {
    if (dismissed_ || process_is_exiting() || (before_ && !is_living(serial_))) return;
    if (native_ && !native_.is_current()) {
        if (const auto now = NativeGlContext::current(); now.system != native_.system)
            now.release();
        // It may have been ended while it was current, which is seen only now.
        if (!native_.make_current()) log::debug("the GL context before could not be put back");
    }
    if (before_) current_context = before_;
}

void Context::load(GlLoader loader) {
    const int loaded = gladLoadGL(loader);
    if (!loaded) throw Error{"GL functions could not be loaded: the context answers no version"};
    info_ = {.vendor = text_of(GL_VENDOR),
             .renderer = text_of(GL_RENDERER),
             .version = text_of(GL_VERSION),
             .major = GLAD_VERSION_MAJOR(loaded),
             .minor = GLAD_VERSION_MINOR(loaded),
             .is_software = false,
             // Kept here: glad's flag is that of the context that was loaded last.
             .has_pinned_memory = GLAD_GL_AMD_pinned_memory != 0};
    info_.is_software = is_software_renderer(info_.renderer);
    // glad reports what it generated at most; the context itself may be newer.
    glGetIntegerv(GL_MAJOR_VERSION, &info_.major);
    glGetIntegerv(GL_MINOR_VERSION, &info_.minor);
    if (info_.major * 10 + info_.minor < 45)
        throw Error{
            fmt::format("OpenGL is {}.{} ({}), Lathe needs 4.5: update the graphics driver, "
                        "or run with LIBGL_ALWAYS_SOFTWARE=1 for Mesa's llvmpipe",
                        info_.major, info_.minor, info_.renderer)};
    log::debug("GL {} on {} ({})", info_.version, info_.renderer, info_.vendor);
}

void Context::adopt(GlLoader loader) {
    load(loader);
    install_debug_output();
    set_expected_state();
}

} // namespace lathe::gl
