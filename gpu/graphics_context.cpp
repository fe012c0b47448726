// SPDX-License-Identifier: MIT
#include "gpu/graphics_context.h"

#include "engine/core/native_gl_context.h"
#include "gpu/context.h"
#include "gpu/graphics_resource.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::gpu {
namespace {

using GetString = const unsigned char* (*)(unsigned);

constexpr unsigned kRenderer = 0x1F01; // GL_RENDERER

} // namespace

std::optional<std::string> current_gl_renderer() {
    const GlLoader find = NativeGlContext::current().loader();
    if (!find) return std::nullopt;
    const auto get_string = reinterpret_cast<GetString>(find("glGetString"));
    const unsigned char* text = get_string ? get_string(kRenderer) : nullptr;
    return text ? reinterpret_cast<const char*>(text) : "an unknown renderer";
}

std::string gl_sharing_problem() {
    const auto renderer = current_gl_renderer();
    if (!renderer)
        return "no OpenGL context is current on this thread: make one first (lathe.App, GLFW, EGL, "
               "moderngl, pyglet) and make it current here";
    const Device device = Context::ensure_current().device();
    const std::vector<Device> devices = gl_devices();
    if (std::find(devices.begin(), devices.end(), device) != devices.end()) return {};
    return fmt::format(
        "OpenGL runs on {}, CUDA on {}, and they can share memory only on one device: "
        "LATHE_EGL_DEVICE chooses what lathe.App draws with, LATHE_DEVICE=software "
        "computes beside any OpenGL",
        *renderer, device.name());
}

} // namespace lathe::gpu
