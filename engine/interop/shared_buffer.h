// SPDX-License-Identifier: MIT
// One GL buffer and its CUDA view.
//   SharedBuffer points{n * sizeof(float4)};
//   { auto p = points.map(stream); launch(step, config, p.span<float4>(), n); }   // unmapped here
//   draw from points.buffer()
#pragma once

#include "engine/core/api.h"
#include "engine/interop/interop_mode.h"
#include "engine/interop/mapping.h"
#include "gl/buffer.h"

#include <cstddef>

namespace lathe {

class LATHE_API SharedBuffer final : public SharedObject {
public:
    /// `bytes` > 0, zeroed. Takes interop_mode(): registered with CUDA, or with storage on each
    /// side, or device memory alone where no GL context is current.
    explicit SharedBuffer(std::size_t bytes);

    std::size_t bytes() const noexcept { return bytes_; }
    InteropMode mode() const noexcept { return mode_; }

    /// The GL side; not to be used while mapped. Throws lathe::Error where mode() is device_only.
    gl::Buffer& buffer();
    const gl::Buffer& buffer() const;
    /// Says that GL, or the host through GL, wrote the buffer, so that host_copy fetches it at the
    /// next map. Without it CUDA's last content stays.
    void mark_gl_written() noexcept { gl_written_ = true; }

    /// Hands it to CUDA for the mapping's life. To map several objects of a frame in one call, make
    /// one Mapping of them.
    [[nodiscard]] Mapping map(gpu::StreamView stream) { return Mapping{{this}, stream}; }

private:
    CUgraphicsResource resource() const noexcept override { return resource_.get(); }
    void begin(const gpu::GraphicsMapping& mapping, std::size_t index) override;
    void begin_copy(gpu::StreamView stream) override;
    void end_copy(gpu::StreamView stream) override;
    CUdeviceptr mapped_address() const noexcept override { return address_; }
    std::size_t mapped_bytes() const noexcept override { return bytes_; }
    std::byte* staging();

    std::size_t bytes_;
    InteropMode mode_;
    gl::Buffer buffer_;
    gpu::GraphicsResource resource_; // released before the buffer
    gpu::DeviceBuffer own_;
    gpu::PinnedBuffer staging_;
    CUdeviceptr address_ = 0;
    bool gl_written_ = false;
};

} // namespace lathe
