// SPDX-License-Identifier: MIT
#include "engine/core/native_gl_context.h"

#include "engine/core/environment.h"

#include <atomic>
#include <initializer_list>
#include <memory>

#include <dlfcn.h>

namespace lathe {
namespace {

// Of libraries that are open already. GLX has numbers of X11 where EGL has pointers: both fit.
struct Functions {
    void* (*context)() = nullptr;
    void* (*display)() = nullptr;
    GlLoader loader = nullptr;
};

struct EglFunctions : Functions {
    void* (*surface)(int) = nullptr;
    unsigned (*make_current)(void*, void*, void*, void*) = nullptr;
};

struct GlxFunctions : Functions {
    void* (*draw)() = nullptr;
    void* (*read)() = nullptr;
    int (*make_current)(void*, void*, void*, void*) = nullptr;
};

template <class Function> void find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
}

/// Also where a program linked it: the name is then found without a handle.
void* open_library_with(const char* symbol, std::initializer_list<const char*> files) {
    if (dlsym(RTLD_DEFAULT, symbol)) return RTLD_DEFAULT;
    for (const char* file : files)
        if (void* library = file ? dlopen(file, RTLD_LAZY | RTLD_NOLOAD) : nullptr) return library;
    return nullptr;
}

constexpr int kEglDraw = 0x3059, kEglRead = 0x305A; // EGL_DRAW, EGL_READ

EglFunctions find_egl() {
    EglFunctions f;
    void* library = open_library_with("eglGetCurrentContext",
                                      {environment("LATHE_EGL_LIBRARY"), "libEGL.so.1"});
    if (!library) return f;
    find(library, "eglGetCurrentContext", f.context);
    find(library, "eglGetCurrentDisplay", f.display);
    find(library, "eglGetCurrentSurface", f.surface);
    find(library, "eglMakeCurrent", f.make_current);
    find(library, "eglGetProcAddress", f.loader);
    return f;
}

GlxFunctions find_glx() {
    GlxFunctions f;
    void* library = open_library_with("glXGetCurrentContext",
                                      {"libGLX.so.0", "libGL.so.1", "libGLX.so", "libGL.so"});
    if (!library) return f;
    find(library, "glXGetCurrentContext", f.context);
    find(library, "glXGetCurrentDisplay", f.display);
    find(library, "glXGetCurrentDrawable", f.draw);
    find(library, "glXGetCurrentReadDrawable", f.read);
    find(library, "glXMakeContextCurrent", f.make_current);
    find(library, "glXGetProcAddressARB", f.loader);
    return f;
}

/// What `look` finds, kept from when it found something: a program may open the library late.
template <class Functions> const Functions& once_found(Functions (*look)()) {
    static std::atomic<const Functions*> known = nullptr;
    static const Functions none;
    if (const Functions* found = known.load(std::memory_order_acquire)) return *found;
    const Functions now = look();
    if (!now.loader) return none;
    const Functions* expected = nullptr;
    auto made = std::make_unique<const Functions>(now);
    if (known.compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel))
        return *made.release(); // for the process's life
    return *expected;
}

const EglFunctions& egl() { return once_found(find_egl); }
const GlxFunctions& glx() { return once_found(find_glx); }

} // namespace

NativeGlContext NativeGlContext::current() noexcept {
    if (const EglFunctions& f = egl(); f.context && f.display && f.surface)
        if (void* context = f.context())
            return {System::egl, context, f.display(), f.surface(kEglDraw), f.surface(kEglRead)};
    if (const GlxFunctions& f = glx(); f.context && f.display && f.draw && f.read)
        if (void* context = f.context())
            return {System::glx, context, f.display(), f.draw(), f.read()};
    return {};
}

bool NativeGlContext::is_current() const noexcept {
    switch (system) {
    case System::none: return true;
    case System::egl: return egl().context() == context;
    case System::glx: return glx().context() == context;
    }
    return true;
}

bool NativeGlContext::make_current() const noexcept {
    switch (system) {
    case System::none: return true;
    case System::egl: return egl().make_current(display, draw, read, context) != 0;
    case System::glx: return glx().make_current(display, draw, read, context) != 0;
    }
    return true;
}

void NativeGlContext::release() const noexcept {
    if (system == System::egl) egl().make_current(display, nullptr, nullptr, nullptr);
    if (system == System::glx) glx().make_current(display, nullptr, nullptr, nullptr);
}

GlLoader NativeGlContext::loader() const noexcept {
    return system == System::egl ? egl().loader : system == System::glx ? glx().loader : nullptr;
}

} // namespace lathe
