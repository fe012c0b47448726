// SPDX-License-Identifier: MIT
// Dear ImGui's OpenGL back end, with the functions of the context that it begins in.
#pragma once

namespace lathe {

/// Begins it for ImGui's current context, in the current GL context. By itself it would look for
/// libGL or libOpenGL by name, and a machine without windows may have EGL alone. Throws Error.
void begin_imgui_gl();

/// Ends it for ImGui's current context, in the GL context that it began in; other contexts of ImGui
/// go on.
void end_imgui_gl();

} // namespace lathe
