// SPDX-License-Identifier: MIT
#include "gpu/soft/drv/gl_functions.h"

#include "gpu/soft/drv/status.h"

#include <GL/glcorearb.h>

#include <cstring>
#include <dlfcn.h>
#include <initializer_list>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace lathe::soft {

namespace {

void* loaded_symbol(std::initializer_list<const char*> libraries, const char* name) {
    if (void* p = dlsym(RTLD_DEFAULT, name)) return p;
    for (const char* library : libraries)
        if (void* handle = dlopen(library, RTLD_NOW | RTLD_NOLOAD)) {
            void* p = dlsym(handle, name);
            dlclose(handle); // gives back this look-up's reference; the program has its own
            if (p) return p;
        }
    return nullptr;
}

using GetCurrent = void* (*)();
using GetProc = void* (*)(const char*);

/// The window-system library whose context is current on this thread; null: none.
GetProc current_loader() {
    auto egl = [](const char* name) { return loaded_symbol({"libEGL.so.1"}, name); };
    auto glx = [](const char* name) { return loaded_symbol({"libGLX.so.0", "libGL.so.1"}, name); };
    if (auto current = reinterpret_cast<GetCurrent>(egl("eglGetCurrentContext")))
        if (current()) return reinterpret_cast<GetProc>(egl("eglGetProcAddress"));
    if (auto current = reinterpret_cast<GetCurrent>(glx("glXGetCurrentContext")))
        if (current()) return reinterpret_cast<GetProc>(glx("glXGetProcAddressARB"));
    return nullptr;
}

template <class F> void load(GetProc get, const char* name, F& function) {
    function = reinterpret_cast<F>(get(name));
    if (!function)
        fail(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT,
             std::string{name} + " is missing: interop needs OpenGL 4.5");
}

GlFunctions load_all(GetProc get) {
    GlFunctions gl;
#define LATHE_GL(name) load(get, "gl" #name, gl.name)
    LATHE_GL(Finish);
    LATHE_GL(GetError);
    LATHE_GL(GetString);
    LATHE_GL(GetIntegerv);
    LATHE_GL(PixelStorei);
    LATHE_GL(BindBuffer);
    LATHE_GL(IsBuffer);
    LATHE_GL(IsTexture);
    LATHE_GL(GetNamedBufferParameteri64v);
    LATHE_GL(GetNamedBufferPointerv);
    LATHE_GL(MapNamedBufferRange);
    LATHE_GL(UnmapNamedBuffer);
    LATHE_GL(GetNamedBufferSubData);
    LATHE_GL(NamedBufferSubData);
    LATHE_GL(GetTextureParameteriv);
    LATHE_GL(GetTextureLevelParameteriv);
    LATHE_GL(GetTextureImage);
    LATHE_GL(TextureSubImage2D);
    LATHE_GL(TextureSubImage3D);
#undef LATHE_GL
    int version[2] = {0, 0};
    gl.GetIntegerv(GL_MAJOR_VERSION, &version[0]);
    gl.GetIntegerv(GL_MINOR_VERSION, &version[1]);
    require(version[0] * 10 + version[1] >= 45, CUDA_ERROR_INVALID_GRAPHICS_CONTEXT,
            "the current context is older than OpenGL 4.5");
    const auto* text = reinterpret_cast<const char*>(gl.GetString(GL_RENDERER));
    std::string_view renderer{text ? text : ""};
    for (std::string_view software : {"llvmpipe", "softpipe", "SWR", "SwiftShader", "lavapipe"})
        gl.is_software |= renderer.find(software) != renderer.npos;
    return gl;
}

} // namespace

const GlFunctions& current_gl() {
    GetProc get = current_loader();
    require(get != nullptr, CUDA_ERROR_INVALID_GRAPHICS_CONTEXT,
            "no OpenGL context is current on the calling thread");
    static std::mutex mutex;
    static auto* loaded = new std::map<GetProc, GlFunctions>;
    std::lock_guard lock{mutex};
    if (auto it = loaded->find(get); it != loaded->end()) return it->second;
    return loaded->emplace(get, load_all(get)).first->second;
}

} // namespace lathe::soft
