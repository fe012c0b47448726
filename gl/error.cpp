// SPDX-License-Identifier: MIT
#include "gl/error.h"

#include "engine/core/environment.h"
#include "engine/core/log.h"

#include <glad/gl.h>

#include <fmt/core.h>

namespace lathe::gl {
namespace {

/// The first error since the last check, in GL's words. One thread has one current context. Where
/// messages are not synchronous, they may come late or on a thread of the driver's: then these are
/// words for an error that glGetError() knows, and no errors by themselves.
thread_local std::string pending;

const char* name_of(GLenum code) {
    switch (code) {
    case GL_INVALID_ENUM: return "invalid enum";
    case GL_INVALID_VALUE: return "invalid value";
    case GL_INVALID_OPERATION: return "invalid operation";
    case GL_INVALID_FRAMEBUFFER_OPERATION: return "invalid framebuffer operation";
    case GL_OUT_OF_MEMORY: return "out of memory";
    case GL_CONTEXT_LOST: return "context lost";
    default: return "unknown error";
    }
}

/// Drivers end their messages in a line break or not.
std::string trimmed(const char* text, GLsizei length) {
    std::string s = length < 0 ? std::string{text} : std::string(text, std::size_t(length));
    while (!s.empty() && (s.back() == '\n' || s.back() == '\0')) s.pop_back();
    return s;
}

void on_message(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei length,
                const char* text, const void*) {
    const std::string words = trimmed(text, length);
    if (source == GL_DEBUG_SOURCE_SHADER_COMPILER) {
        log::debug("GL: {}", words); // Program throws these, with the file they are in
    } else if (type == GL_DEBUG_TYPE_ERROR) {
        if (pending.empty()) pending = words;
        log::error("GL: {}", words);
    } else if (severity == GL_DEBUG_SEVERITY_HIGH) {
        log::warning("GL: {}", words);
    } else {
        log::debug("GL {}: {}", id, words);
    }
}

} // namespace

void install_debug_output() {
    glEnable(GL_DEBUG_OUTPUT);
    // Within the call that a message is about, as a debugger wants it: keeps drivers from working
    // on threads of their own.
    if (environment("LATHE_GL_DEBUG")) glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
    else glDisable(GL_DEBUG_OUTPUT_SYNCHRONOUS); // on in some drivers' debug contexts
    // Notifications tell where each buffer was placed: a line a call.
    glDebugMessageControl(GL_DONT_CARE, GL_DONT_CARE, GL_DEBUG_SEVERITY_NOTIFICATION, 0, nullptr,
                          GL_FALSE);
    glDebugMessageCallback(on_message, nullptr);
}

void check(std::string_view what) {
    // Contexts without debug output (some drivers give it to debug contexts only) still have codes.
    const GLenum code = glGetError();
    if (code == GL_NO_ERROR && !pending.empty() && !glIsEnabled(GL_DEBUG_OUTPUT_SYNCHRONOUS))
        pending.clear();
    if (code == GL_NO_ERROR && pending.empty()) return;
    std::string words = code == GL_NO_ERROR ? std::string{} : std::string{name_of(code)};
    if (!pending.empty()) words += fmt::format("{}{}", words.empty() ? "" : " - ", pending);
    clear_errors();
    throw Error{fmt::format("{} failed: {}", what, words)};
}

void clear_errors() noexcept {
    pending.clear();
    for (int i = 0; i < 16 && glGetError() != GL_NO_ERROR; ++i) {}
}

} // namespace lathe::gl
