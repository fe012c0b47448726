// SPDX-License-Identifier: MIT
// How far GL is with its commands.
#pragma once

#include "engine/core/api.h"

#include <cstdint>

namespace lathe::gl {

/// Sends off the commands that were given so far.
LATHE_API void flush();
/// Waits until GL has done all commands.
LATHE_API void finish();

/// A place in GL's command stream that can be waited for.
class LATHE_API Fence {
public:
    /// The place behind the commands so far. Throws gl::Error where the thread has no context.
    Fence();
    Fence(Fence&& other) noexcept;
    Fence& operator=(Fence&& other) noexcept;
    /// Elsewhere than in its own context it leaves its memory to the end of that context.
    ~Fence();

    /// Returns when GL has come here, or after 10 s. The fence's context must be current.
    void wait();
    /// The same without waiting: false where GL is not there yet.
    bool has_passed() const;
    /// What the current context, one that shares with the fence's, does from now on comes behind
    /// this place. The fence's commands must have been sent off: flush().
    void order() const;

private:
    void* sync_ = nullptr; // a GLsync
    std::uint32_t context_ = 0;
};

} // namespace lathe::gl
