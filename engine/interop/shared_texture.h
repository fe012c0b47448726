// SPDX-License-Identifier: MIT
// One GL texture and its CUDA array, which kernels write through a surface object.
#pragma once

#include "engine/core/api.h"
#include "engine/interop/interop_mode.h"
#include "engine/interop/mapping.h"
#include "gl/texture.h"

#include <cstddef>

namespace lathe {

class LATHE_API SharedTexture final : public SharedObject {
public:
    /// width × height texels, zeroed; formats of one, two or four channels. Throws lathe::Error for
    /// others. Takes interop_mode() as SharedBuffer does.
    SharedTexture(int width, int height, gl::Format format,
                  gl::Filter filter = gl::Filter::nearest);

    int width() const noexcept { return width_; }
    int height() const noexcept { return height_; }
    gl::Format format() const noexcept { return format_; }
    std::size_t bytes() const;
    InteropMode mode() const noexcept { return mode_; }

    /// The GL side; not to be used while mapped. Throws lathe::Error where mode() is device_only.
    gl::Texture& texture();
    const gl::Texture& texture() const;
    /// As SharedBuffer's.
    void mark_gl_written() noexcept { gl_written_ = true; }

    /// Mapping::array(), surface() and texture() are its CUDA side. Row 0 is GL's v = 0.
    [[nodiscard]] Mapping map(gpu::StreamView stream) { return Mapping{{this}, stream}; }

private:
    CUgraphicsResource resource() const noexcept override { return resource_.get(); }
    void begin(const gpu::GraphicsMapping& mapping, std::size_t index) override;
    void begin_copy(gpu::StreamView stream) override;
    void end_copy(gpu::StreamView stream) override;
    const gpu::CudaArray* mapped_array() const noexcept override { return &array_; }
    const gpu::SurfaceObject* mapped_surface() override;
    const gpu::TextureObject* mapped_texture() override;
    gpu::PinnedBuffer& staging();

    int width_;
    int height_;
    gl::Format format_;
    gl::Filter filter_;
    InteropMode mode_;
    gl::Texture texture_;
    gpu::GraphicsResource resource_; // released before the texture
    gpu::CudaArray array_;           // the mapped one, or own storage
    gpu::SurfaceObject surface_;     // of array_; kept while the array stays the same
    gpu::TextureObject sampler_;     // likewise
    gpu::PinnedBuffer staging_;
    bool gl_written_ = false;
};

} // namespace lathe
