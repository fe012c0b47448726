// SPDX-License-Identifier: MIT
#include "gl/headless_context.h"

#include "engine/core/environment.h"
#include "engine/core/library.h"
#include "engine/core/log.h"
#include "engine/core/process.h"
#include "gl/error.h"

#include <glad/egl.h>

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <vector>

namespace lathe::gl {
namespace {

using GetProcAddress = void (*(*)(const char*))();
GetProcAddress egl_get_proc_address = nullptr;

/// Opens libEGL once and for the process's life (drivers dislike being unloaded).
void open_egl() {
    static std::mutex mutex;
    std::lock_guard lock{mutex};
    if (egl_get_proc_address) return;
    const char* chosen = environment("LATHE_EGL_LIBRARY");
    const FoundLibrary found = open_first({{chosen ? chosen : "libEGL.so.1"}});
    if (!found.library)
        throw Error{fmt::format("EGL is missing, and without a display nothing else makes a "
                                "picture: {}. Install it: sudo apt-get install libegl1 "
                                "libgl1-mesa-dri",
                                found.problems.front())};
    const auto address =
        reinterpret_cast<GetProcAddress>(found.library.symbol("eglGetProcAddress"));
    // With no display glad finds the client extensions and the entry points that need none.
    if (!address || !gladLoadEGL(EGL_NO_DISPLAY, address))
        throw Error{fmt::format("{} has no usable eglGetProcAddress: reinstall libegl1",
                                found.library.path().string())};
    egl_get_proc_address = address;
}

bool has_word(const char* list, const char* word) {
    const std::size_t n = std::strlen(word);
    for (const char* p = list; p && (p = std::strstr(p, word)); p += n)
        if ((p == list || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0')) return true;
    return false;
}

struct Candidate {
    EGLenum platform;
    void* native;
    std::string words;
    int rank; ///< lower is tried first
};

const char* device_string(EGLDeviceEXT device, EGLint name) {
    const char* s = eglQueryDeviceStringEXT(device, name);
    return s ? s : "";
}

/// NVIDIA's device (it names its CUDA device) before other GPUs, these before surfaceless, and
/// last the devices that are software.
std::vector<Candidate> candidates(HeadlessPlatform platform) {
    const char* client = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    std::vector<Candidate> found;
    const bool devices = has_word(client, "EGL_EXT_platform_device") &&
                         (has_word(client, "EGL_EXT_device_enumeration") ||
                          has_word(client, "EGL_EXT_device_base")) &&
                         eglQueryDevicesEXT && eglQueryDeviceStringEXT;
    if (devices && platform != HeadlessPlatform::surfaceless) {
        EGLint count = 0;
        eglQueryDevicesEXT(0, nullptr, &count);
        std::vector<EGLDeviceEXT> list(std::size_t(count > 0 ? count : 0));
        eglQueryDevicesEXT(count, list.data(), &count);
        const char* wanted = environment("LATHE_EGL_DEVICE");
        for (int i = 0; i < count; ++i) {
            if (wanted && std::atoi(wanted) != i) continue;
            const char* extensions = device_string(list[std::size_t(i)], EGL_EXTENSIONS);
            const bool software = has_word(extensions, "EGL_MESA_device_software");
            const bool drm = has_word(extensions, "EGL_EXT_device_drm");
            const char* file =
                drm ? device_string(list[std::size_t(i)], EGL_DRM_DEVICE_FILE_EXT) : "";
            const int rank = software ? 3 : has_word(extensions, "EGL_NV_device_cuda") ? 0 : 1;
            found.push_back({EGL_PLATFORM_DEVICE_EXT, list[std::size_t(i)],
                             fmt::format("EGL device {}{}", i,
                                         software ? " (software)"
                                         : *file  ? fmt::format(" ({})", file)
                                                  : ""),
                             rank});
        }
    }
    if (platform != HeadlessPlatform::device && has_word(client, "EGL_MESA_platform_surfaceless"))
        found.push_back({EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, "EGL surfaceless", 2});
    std::stable_sort(found.begin(), found.end(),
                     [](const Candidate& a, const Candidate& b) { return a.rank < b.rank; });
    return found;
}

struct Made {
    EGLDisplay display;
    EGLContext context;
};

/// A current GL 4.5 core context there, or nothing and the reason.
std::optional<Made> try_candidate(const Candidate& candidate, std::string& reason) {
    EGLDisplay display = eglGetPlatformDisplayEXT(candidate.platform, candidate.native, nullptr);
    EGLint major = 0, minor = 0;
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, &major, &minor)) {
        reason = fmt::format("eglInitialize error {:#x}", unsigned(eglGetError()));
        return {};
    }
    // Devices are initialised once a process and stay so: another context may be using the display.
    gladLoadEGL(display, egl_get_proc_address);
    const char* extensions = eglQueryString(display, EGL_EXTENSIONS);
    if (!has_word(extensions, "EGL_KHR_surfaceless_context")) {
        reason = "no EGL_KHR_surfaceless_context";
        return {};
    }
    EGLConfig config = nullptr; // EGL_NO_CONFIG_KHR
    if (!has_word(extensions, "EGL_KHR_no_config_context")) {
        const EGLint wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, 0,
                                 EGL_NONE};
        EGLint count = 0;
        if (!eglChooseConfig(display, wanted, &config, 1, &count) || count == 0) {
            reason = "no EGL config renders OpenGL";
            return {};
        }
    }
    if (!eglBindAPI(EGL_OPENGL_API)) {
        reason = "no desktop OpenGL";
        return {};
    }
    std::vector<EGLint> attributes{
        EGL_CONTEXT_MAJOR_VERSION,       4,
        EGL_CONTEXT_MINOR_VERSION,       5,
        EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT};
    // EGL 1.4 with KHR_create_context knows the attributes above, but not this one.
    if (environment("LATHE_GL_DEBUG"))
        attributes.insert(attributes.end(), {EGL_CONTEXT_OPENGL_DEBUG, EGL_TRUE});
    attributes.push_back(EGL_NONE);
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, attributes.data());
    if (context == EGL_NO_CONTEXT) {
        reason = fmt::format("no GL 4.5 core context, error {:#x}", unsigned(eglGetError()));
        return {};
    }
    if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
        reason = fmt::format("eglMakeCurrent error {:#x}", unsigned(eglGetError()));
        eglDestroyContext(display, context);
        return {};
    }
    return Made{display, context};
}

} // namespace

HeadlessContext::HeadlessContext(HeadlessPlatform platform) {
    open_egl();
    RestoreContext if_it_fails;
    if (Context* before = Context::current()) before->release_current();
    leave_other_system(); // of another library: EGL would refuse each candidate
    std::string tried;
    for (const Candidate& candidate : candidates(platform)) {
        std::string reason;
        if (auto made = try_candidate(candidate, reason)) {
            display_ = made->display;
            context_ = made->context;
            platform_ = candidate.words;
            break;
        }
        log::debug("{}: {}", candidate.words, reason);
        tried += fmt::format("\n  {}: {}", candidate.words, reason);
    }
    if (!context_)
        throw Error{fmt::format("EGL makes no GL 4.5 context without a display{}. Install Mesa's "
                                "software GL: sudo apt-get install libgl1-mesa-dri libegl-mesa0",
                                tried.empty() ? ": it offers no device and no surfaceless platform"
                                              : ":" + tried + "\n")};
    try {
        adopt(egl_get_proc_address);
        make_current();
    } catch (...) {
        eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglDestroyContext(display_, context_);
        throw;
    }
    if_it_fails.dismiss();
}

HeadlessContext::~HeadlessContext() {
    if (process_is_exiting()) return;
    retire();
    if (Context::current() == this) release_current();
    eglDestroyContext(display_, context_);
}

void HeadlessContext::bind() {
    leave_other_system();
    if (!eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_))
        throw Error{fmt::format("eglMakeCurrent failed: error {:#x} (a context can be current on "
                                "one thread only)",
                                unsigned(eglGetError()))};
}

void HeadlessContext::unbind() noexcept {
    eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
}

} // namespace lathe::gl
