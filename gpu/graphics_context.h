// SPDX-License-Identifier: MIT
// The OpenGL context that the program made current, whoever made it: GLFW, EGL, GLX, another
// library. No GL library is linked or loaded for it.
#pragma once

#include "engine/core/api.h"

#include <optional>
#include <string>

namespace lathe::gpu {

/// What the calling thread's OpenGL context draws with, "llvmpipe (LLVM 19.1.7, 256 bits)"; nothing
/// where none is current.
LATHE_API std::optional<std::string> current_gl_renderer();

/// Why the current CUDA device cannot share memory with the calling thread's OpenGL, and what
/// helps; empty where nothing is known to be in the way. (cuGLGetDevices)
LATHE_API std::string gl_sharing_problem();

} // namespace lathe::gpu
