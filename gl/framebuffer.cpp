// SPDX-License-Identifier: MIT
#include "gl/framebuffer.h"

#include "gl/buffer.h"
#include "gl/error.h"

#include <glad/gl.h>

#include <fmt/core.h>

#include <array>

namespace lathe::gl {
namespace {

/// While it lives GL packs pixels without gaps into buffer `id`, or into memory where that is 0;
/// then again as before, in another program's context as that program does.
class PackInto {
public:
    [[nodiscard]] explicit PackInto(unsigned id) {
        glGetIntegerv(GL_PIXEL_PACK_BUFFER_BINDING, &before_);
        glBindBuffer(GL_PIXEL_PACK_BUFFER, id);
        for (std::size_t i = 0; i < kStorage.size(); ++i) {
            glGetIntegerv(kStorage[i], &storage_[i]);
            glPixelStorei(kStorage[i], kStorage[i] == GL_PACK_ALIGNMENT ? 1 : 0);
        }
    }
    PackInto(const PackInto&) = delete;
    PackInto& operator=(const PackInto&) = delete;
    ~PackInto() {
        glBindBuffer(GL_PIXEL_PACK_BUFFER, GLuint(before_));
        for (std::size_t i = 0; i < kStorage.size(); ++i) glPixelStorei(kStorage[i], storage_[i]);
    }

private:
    static constexpr std::array kStorage{GL_PACK_ALIGNMENT, GL_PACK_ROW_LENGTH, GL_PACK_SKIP_ROWS,
                                         GL_PACK_SKIP_PIXELS, GL_PACK_SWAP_BYTES};
    GLint before_ = 0;
    std::array<GLint, kStorage.size()> storage_{};
};

/// Into buffer `pack`, or into `to` where that is 0; bindings stay as they were.
void read_pixels(unsigned framebuffer, int width, int height, GLenum format, std::size_t bytes,
                 unsigned pack, void* to) {
    const PackInto target{pack};
    GLint before = 0;
    glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &before);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    glReadnPixels(0, 0, width, height, format, GL_UNSIGNED_BYTE, GLsizei(bytes), to);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, GLuint(before));
    check("glReadnPixels");
}

} // namespace

Framebuffer::Framebuffer(int width, int height, Format color, bool with_depth)
    : color_{width, height, color, Filter::linear} {
    if (with_depth) depth_ = Texture{width, height, Format::depth32f};
    unsigned id = 0;
    glCreateFramebuffers(1, &id);
    name_ = Object<Kind::framebuffer>{name_here(id)};
    glNamedFramebufferTexture(id, GL_COLOR_ATTACHMENT0, color_.id(), 0);
    if (depth_) glNamedFramebufferTexture(id, GL_DEPTH_ATTACHMENT, depth_.id(), 0);
    const GLenum status = glCheckNamedFramebufferStatus(id, GL_FRAMEBUFFER);
    check("making a framebuffer");
    if (status != GL_FRAMEBUFFER_COMPLETE)
        throw Error{
            fmt::format("framebuffer {} x {} is incomplete: status {:#x}", width, height, status)};
}

void Framebuffer::bind() const {
    glBindFramebuffer(GL_FRAMEBUFFER, id());
    glViewport(0, 0, width(), height());
    glDisable(GL_SCISSOR_TEST);
}

void Framebuffer::clear(const std::array<float, 4>& color) const { clear(color, 1); }

void Framebuffer::clear(const std::array<float, 4>& color, float depth) const {
    // Clears obey the masks and the scissor that whoever drew last may have left.
    glDisable(GL_SCISSOR_TEST);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glClearNamedFramebufferfv(id(), GL_COLOR, 0, color.data());
    if (!depth_) return;
    glDepthMask(GL_TRUE);
    glClearNamedFramebufferfv(id(), GL_DEPTH, 0, &depth);
}

void Framebuffer::blit_to(const Framebuffer& target) const {
    const bool same = target.width() == width() && target.height() == height();
    glDisable(GL_SCISSOR_TEST);
    glBlitNamedFramebuffer(id(), target.id(), 0, 0, width(), height(), 0, 0, target.width(),
                           target.height(), GL_COLOR_BUFFER_BIT, same ? GL_NEAREST : GL_LINEAR);
}

void Framebuffer::blit_to(unsigned framebuffer, int x, int y, int w, int h) const {
    const bool same = w == width() && h == height();
    glDisable(GL_SCISSOR_TEST);
    glBlitNamedFramebuffer(id(), framebuffer, 0, 0, width(), height(), x, y, x + w, y + h,
                           GL_COLOR_BUFFER_BIT, same ? GL_NEAREST : GL_LINEAR);
}

void show_in_window(const Texture& color, int width, int height) {
    unsigned framebuffer = 0; // those of another context are not shared
    glCreateFramebuffers(1, &framebuffer);
    glNamedFramebufferTexture(framebuffer, GL_COLOR_ATTACHMENT0, color.id(), 0);
    const bool same = width == color.width() && height == color.height();
    glDisable(GL_SCISSOR_TEST);
    glBlitNamedFramebuffer(framebuffer, 0, 0, 0, color.width(), color.height(), 0, 0, width, height,
                           GL_COLOR_BUFFER_BIT, same ? GL_NEAREST : GL_LINEAR);
    glDeleteFramebuffers(1, &framebuffer);
}

std::vector<std::byte> Framebuffer::read(int channels) const {
    if (channels != 3 && channels != 4)
        throw Error{fmt::format("a picture has 3 or 4 channels, {} were asked for", channels)};
    std::vector<std::byte> pixels(std::size_t(width()) * std::size_t(height()) *
                                  std::size_t(channels));
    read_pixels(id(), width(), height(), channels == 3 ? GL_RGB : GL_RGBA, pixels.size(), 0,
                pixels.data());
    return pixels;
}

void Framebuffer::read_to(const Buffer& pixels) const {
    if (pixels.bytes() < std::size_t(width()) * std::size_t(height()) * 4)
        throw Error{fmt::format("a picture of {} x {} needs {} bytes, the buffer has {}", width(),
                                height(), std::size_t(width()) * std::size_t(height()) * 4,
                                pixels.bytes())};
    read_pixels(id(), width(), height(), GL_RGBA, pixels.bytes(), pixels.id(), nullptr);
}

FramebufferPart::FramebufferPart(const Framebuffer& whole, int x, int y, int width, int height)
    : whole_width_{whole.width()}, whole_height_{whole.height()} {
    const int bottom = whole_height_ - y - height;
    glViewport(x, bottom, width, height);
    glScissor(x, bottom, width, height);
    glEnable(GL_SCISSOR_TEST);
}

FramebufferPart::~FramebufferPart() {
    glDisable(GL_SCISSOR_TEST);
    glViewport(0, 0, whole_width_, whole_height_);
}

void FramebufferPart::clear(const std::array<float, 4>& color) const {
    glClearBufferfv(GL_COLOR, 0, color.data());
}

void FramebufferPart::clear_depth() const {
    constexpr float kFar = 1;
    glClearBufferfv(GL_DEPTH, 0, &kFar);
}

} // namespace lathe::gl
