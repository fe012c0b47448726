// SPDX-License-Identifier: MIT
#include "gpu/graphics_context.h"

#include "gpu/context.h"
#include "gpu/graphics_resource.h"

#include <fmt/format.h>

#include <algorithm>
#include <dlfcn.h>
#include <initializer_list>

namespace lathe::gpu {
namespace {

using GetCurrent = void* (*)();
using GetProc = void* (*)(const char*);
using GetString = const unsigned char* (*)(unsigned);

constexpr unsigned kRenderer = 0x1F01; // GL_RENDERER

/// From a library that the program has loaded, else null.
template <class F> F loaded(std::initializer_list<const char*> libraries, const char* name) {
    if (void* symbol = dlsym(RTLD_DEFAULT, name)) return reinterpret_cast<F>(symbol);
    for (const char* library : libraries) {
        void* handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
        if (!handle) continue;
        void* symbol = dlsym(handle, name);
        dlclose(handle); // only this look-up's reference
        if (symbol) return reinterpret_cast<F>(symbol);
    }
    return nullptr;
}

/// How functions of the current context are found; null without one.
GetProc current_loader() {
    const auto egl = {"libEGL.so.1"};
    const auto glx = {"libGLX.so.0", "libGL.so.1"};
    if (const auto current = loaded<GetCurrent>(egl, "eglGetCurrentContext"); current && current())
        return loaded<GetProc>(egl, "eglGetProcAddress");
    if (const auto current = loaded<GetCurrent>(glx, "glXGetCurrentContext"); current && current())
        return loaded<GetProc>(glx, "glXGetProcAddressARB");
    return nullptr;
}

} // namespace

std::optional<std::string> current_gl_renderer() {
    const GetProc find = current_loader();
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
