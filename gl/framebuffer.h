// SPDX-License-Identifier: MIT
// An offscreen picture that owns its colour (and depth) texture; scenes are always drawn into one.
// Rows count upward from the bottom, as GL has them; engine/render/screenshot.h turns them.
#pragma once

#include "engine/core/api.h"
#include "gl/texture.h"

#include <array>

namespace lathe::gl {

class Buffer;

class LATHE_API Framebuffer {
public:
    Framebuffer() = default;
    /// Throws gl::Error where a size is not positive or larger than GL allows.
    Framebuffer(int width, int height, Format color = Format::rgba8, bool with_depth = false);

    unsigned id() const noexcept { return name_.get().id; }
    int width() const noexcept { return color_.width(); }
    int height() const noexcept { return color_.height(); }
    bool has_depth() const noexcept { return bool(depth_); }
    explicit operator bool() const noexcept { return bool(name_); }
    Texture& color() noexcept { return color_; }
    const Texture& color() const noexcept { return color_; }
    /// Only where has_depth().
    const Texture& depth() const noexcept { return depth_; }

    /// Draws go here; the viewport becomes the whole picture, scissor off.
    void bind() const;
    /// Clears colour (red, green, blue, alpha) and depth (1), whatever is bound.
    void clear(const std::array<float, 4>& color) const;
    /// The same with another depth, 0 to 1.
    void clear(const std::array<float, 4>& color, float depth) const;
    /// Copies the picture to another one, scaled (linear) where sizes differ.
    void blit_to(const Framebuffer& target) const;
    /// The same to another library's framebuffer, or the window's own, 0: to width × height pixels
    /// from x, y.
    void blit_to(unsigned framebuffer, int x, int y, int width, int height) const;
    /// Reads back 8-bit texels, 3 or 4 channels, bottom row first; waits for GL.
    std::vector<std::byte> read(int channels = 4) const;

    /// The same as RGBA into a buffer of width × height × 4 bytes, without waiting: GL's part of a
    /// read-back that is picked up some frames later. Throws gl::Error where the buffer is too
    /// small.
    void read_to(const Buffer& pixels) const;

    [[nodiscard]] unsigned release() noexcept { return name_.release().id; }

private:
    Texture color_;
    Texture depth_;
    Object<Kind::framebuffer> name_; // last: it dies before the textures it names
};

/// Copies a texture, which may be one of a context that shares, to the window of the current
/// context: scaled (linear) to width × height pixels.
LATHE_API void show_in_window(const Texture& color, int width, int height);

/// While this lives, drawing into a framebuffer that is bound goes to a rectangle of it: viewport
/// and scissor. Pixels from the top left corner.
class LATHE_API FramebufferPart {
public:
    FramebufferPart(const Framebuffer& whole, int x, int y, int width, int height);
    FramebufferPart(const FramebufferPart&) = delete;
    FramebufferPart& operator=(const FramebufferPart&) = delete;
    ~FramebufferPart();

    /// Its colours; depth stays.
    void clear(const std::array<float, 4>& color) const;
    void clear_depth() const;

private:
    int whole_width_, whole_height_;
};

} // namespace lathe::gl
