// SPDX-License-Identifier: MIT
#include "engine/ui/imgui_gl.h"

#include "engine/core/error.h"
#include "engine/core/native_gl_context.h"

#include <imgui_impl_opengl3.h>

extern "C" int imgl3wInit2(lathe::GlLoader loader); // of the back end

namespace lathe {
namespace {

bool load_functions() {
    const GlLoader loader = NativeGlContext::current().loader();
    return !loader || imgl3wInit2(loader) == 0;
}

} // namespace

void begin_imgui_gl() {
    if (!load_functions() || !ImGui_ImplOpenGL3_Init("#version 450 core"))
        throw Error{"Dear ImGui's OpenGL backend could not be initialised"};
}

void end_imgui_gl() {
    ImGui_ImplOpenGL3_Shutdown();
    load_functions(); // which that took from all
}

} // namespace lathe
