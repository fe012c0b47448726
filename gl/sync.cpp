// SPDX-License-Identifier: MIT
#include "gl/sync.h"

#include "engine/core/process.h"
#include "gl/context.h"

#include <glad/gl.h>

#include <utility>

namespace lathe::gl {

void flush() { glFlush(); }
void finish() { glFinish(); }

Fence::Fence() : context_{Context::require_current().serial()} {
    sync_ = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
}

Fence::Fence(Fence&& other) noexcept
    : sync_{std::exchange(other.sync_, nullptr)}, context_{other.context_} {}

Fence& Fence::operator=(Fence&& other) noexcept {
    std::swap(sync_, other.sync_);
    std::swap(context_, other.context_);
    return *this;
}

Fence::~Fence() {
    const Context* here = Context::current();
    if (!sync_ || !here || here->serial() != context_ || process_is_exiting()) return;
    glDeleteSync(static_cast<GLsync>(sync_));
}

void Fence::wait() {
    constexpr GLuint64 kLongest = 10'000'000'000; // nanoseconds
    glClientWaitSync(static_cast<GLsync>(sync_), GL_SYNC_FLUSH_COMMANDS_BIT, kLongest);
}

bool Fence::has_passed() const {
    const GLenum state =
        glClientWaitSync(static_cast<GLsync>(sync_), GL_SYNC_FLUSH_COMMANDS_BIT, 0);
    return state != GL_TIMEOUT_EXPIRED; // an error is no reason to ask again
}

void Fence::order() const { glWaitSync(static_cast<GLsync>(sync_), 0, GL_TIMEOUT_IGNORED); }

} // namespace lathe::gl
