// SPDX-License-Identifier: MIT
#include "gl/context.h"

#include "engine/core/log.h"
#include "engine/core/process.h"
#include "gl/error.h"
#include "gl/object_registry.h"

#include <glad/gl.h>

#include <fmt/core.h>

#include <array>
#include <exception>
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
    const bool here = current_context == this && !process_is_exiting();
    if (here) {
        collect();
        glFinish();
    }
    unregister_context(serial_, here);
}

void Context::make_current() {
    if (current_context != this) {
        if (current_context) current_context->release_current();
        bind();
        current_context = this;
    }
    collect();
}

void Context::release_current() {
    if (current_context != this) return;
    unbind();
    current_context = nullptr;
}

void Context::collect() noexcept {
    if (current_context == this) delete_given_up(serial_);
}

Context* Context::current() noexcept { return current_context; }

Context& Context::require_current() {
    if (!current_context)
        throw Error{"no GL context is current on this thread: open a window (or a HeadlessContext) "
                    "first, and make GL objects on the thread that opened it"};
    return *current_context;
}

RestoreContext::RestoreContext() noexcept
    : before_{current_context}, serial_{before_ ? before_->serial() : 0} {}

RestoreContext::RestoreContext(Context& context) : RestoreContext{} { context.make_current(); }

RestoreContext::~RestoreContext() {
    if (process_is_exiting() || !is_living(serial_)) return;
    try {
        before_->make_current();
    } catch (const std::exception& error) {
        log::error("the GL context could not be put back: {}", error.what());
    }
}

void Context::adopt(LoadFunction load) {
    const int loaded = gladLoadGL(load);
    if (!loaded) throw Error{"GL functions could not be loaded: the context answers no version"};
    info_ = {.vendor = text_of(GL_VENDOR),
             .renderer = text_of(GL_RENDERER),
             .version = text_of(GL_VERSION),
             .major = GLAD_VERSION_MAJOR(loaded),
             .minor = GLAD_VERSION_MINOR(loaded),
             .is_software = false};
    info_.is_software = is_software_renderer(info_.renderer);
    // glad reports what it generated at most; the context itself may be newer.
    glGetIntegerv(GL_MAJOR_VERSION, &info_.major);
    glGetIntegerv(GL_MINOR_VERSION, &info_.minor);
    if (info_.major * 10 + info_.minor < 45)
        throw Error{
            fmt::format("OpenGL is {}.{} ({}), Lathe needs 4.5: update the graphics driver, "
                        "or run with LIBGL_ALWAYS_SOFTWARE=1 for Mesa's llvmpipe",
                        info_.major, info_.minor, info_.renderer)};
    install_debug_output();
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glEnable(GL_PROGRAM_POINT_SIZE);
    log::debug("GL {} on {} ({})", info_.version, info_.renderer, info_.vendor);
}

} // namespace lathe::gl
