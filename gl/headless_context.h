// SPDX-License-Identifier: MIT
// A context with no display and no surface, through EGL: the device platform with a GPU,
// the surfaceless platform with Mesa. libEGL is opened at run time.
#pragma once

#include "engine/core/api.h"
#include "gl/context.h"

#include <memory>

namespace lathe::gl {

enum class HeadlessPlatform {
    automatic,   ///< a GPU's device where there is one, else surfaceless, else a software device
    device,      ///< EGL_EXT_platform_device only
    surfaceless, ///< EGL_MESA_platform_surfaceless only
};

class LATHE_API HeadlessContext final : public Context {
public:
    /// Opens EGL, makes a GL 4.5 core context and makes it current. LATHE_EGL_DEVICE=<n> picks
    /// the n-th EGL device, LATHE_EGL_LIBRARY another libEGL. Throws gl::Error naming the cause and
    /// the command that mends it; the thread then has the context that it had before.
    explicit HeadlessContext(HeadlessPlatform platform = HeadlessPlatform::automatic);
    ~HeadlessContext() override;

    /// "EGL device 0 (/dev/dri/card0)" or "EGL surfaceless", for status texts.
    const std::string& platform() const noexcept { return platform_; }

private:
    void bind() override;
    void unbind() noexcept override;

    void* display_ = nullptr;
    void* context_ = nullptr;
    std::string platform_;
};

} // namespace lathe::gl
