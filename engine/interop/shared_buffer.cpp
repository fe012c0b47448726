// SPDX-License-Identifier: MIT
#include "engine/interop/shared_buffer.h"

#include "engine/core/error.h"
#include "engine/interop/interop_counters.h"

#include <fmt/core.h>

namespace lathe {

SharedBuffer::SharedBuffer(std::size_t bytes) : bytes_{bytes}, mode_{interop_mode()} {
    if (bytes == 0) throw Error{"a shared buffer of 0 bytes"};
    if (mode_ != InteropMode::device_only) buffer_ = gl::Buffer{bytes};
    if (mode_ == InteropMode::zero_copy) {
        resource_ = gpu::GraphicsResource::buffer(buffer_.id());
        return;
    }
    own_ = gpu::DeviceBuffer{bytes};
    address_ = own_.address();
    gpu::fill(own_.span<unsigned char>(), 0);
}

gl::Buffer& SharedBuffer::buffer() {
    if (mode_ == InteropMode::device_only)
        throw Error{"a shared buffer made without a GL context has no GL buffer"};
    return buffer_;
}

const gl::Buffer& SharedBuffer::buffer() const { return const_cast<SharedBuffer*>(this)->buffer(); }

void SharedBuffer::begin(const gpu::GraphicsMapping& mapping, std::size_t index) {
    const gpu::DeviceSpan<std::byte> mapped = mapping.bytes(index);
    if (mapped.bytes() < bytes_)
        throw Error{fmt::format("the driver mapped {} bytes of a shared buffer of {}",
                                mapped.bytes(), bytes_)};
    address_ = mapped.address();
}

// Where GL's storage is host memory, copies go straight there; else by way of pinned memory.
std::byte* SharedBuffer::staging() {
    if (buffer_.mapped()) return buffer_.mapped();
    if (!staging_) staging_ = gpu::PinnedBuffer{bytes_};
    return static_cast<std::byte*>(staging_.data());
}

void SharedBuffer::begin_copy(gpu::StreamView stream) {
    if (mode_ == InteropMode::device_only || !gl_written_) return;
    std::byte* host = staging();
    buffer_.download({host, bytes_}); // waits for GL; of itself onto itself where it is mapped
    gpu::copy_to_device(address_, host, bytes_, stream);
    stream.synchronize(); // the staging memory is used again at the unmap
    detail::count_copied(bytes_);
    gl_written_ = false;
}

void SharedBuffer::end_copy(gpu::StreamView stream) {
    if (mode_ == InteropMode::device_only) return;
    std::byte* host = staging();
    gpu::copy_to_host(host, address_, bytes_, stream);
    stream.synchronize();
    if (host != buffer_.mapped()) buffer_.upload({host, bytes_});
    detail::count_copied(bytes_);
}

} // namespace lathe
