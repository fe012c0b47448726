// SPDX-License-Identifier: MIT
#include "gpu/memory.h"

#include "gpu/driver/check.h"

namespace lathe::gpu {

void detail::DeviceMemoryTraits::destroy(Type memory) noexcept {
    if (const ReleaseScope scope{memory.context})
        log_failure("cuMemFree", driver().cuMemFree(memory.value));
}

void detail::PinnedMemoryTraits::destroy(Type memory) noexcept {
    if (const ReleaseScope scope{memory.context})
        log_failure("cuMemFreeHost", driver().cuMemFreeHost(memory.value));
}

DeviceBuffer::DeviceBuffer(std::size_t bytes) : bytes_{bytes} {
    if (bytes == 0) return;
    const Context context = Context::ensure_current();
    CUdeviceptr address = 0;
    CU_TRY(cuMemAlloc(&address, bytes), "{} bytes", bytes);
    handle_ = Handle<detail::DeviceMemoryTraits>{{address, context}};
}

DeviceBuffer DeviceBuffer::managed(std::size_t bytes) {
    DeviceBuffer buffer;
    if (bytes == 0) return buffer;
    const Context context = Context::ensure_current();
    CUdeviceptr address = 0;
    CU_TRY(cuMemAllocManaged(&address, bytes, CU_MEM_ATTACH_GLOBAL), "{} bytes", bytes);
    buffer.handle_ = Handle<detail::DeviceMemoryTraits>{{address, context}};
    buffer.bytes_ = bytes;
    return buffer;
}

DeviceBuffer DeviceBuffer::wrap(CUdeviceptr address, std::size_t bytes) noexcept {
    DeviceBuffer buffer;
    buffer.handle_ = Handle<detail::DeviceMemoryTraits>::wrap({address, {}});
    buffer.bytes_ = bytes;
    return buffer;
}

PinnedBuffer::PinnedBuffer(std::size_t bytes, const PinnedConfig& config) : bytes_{bytes} {
    if (bytes == 0) return;
    const Context context = Context::ensure_current();
    unsigned flags = 0;
    if (config.mapped) flags |= CU_MEMHOSTALLOC_DEVICEMAP;
    if (config.portable) flags |= CU_MEMHOSTALLOC_PORTABLE;
    if (config.write_combined) flags |= CU_MEMHOSTALLOC_WRITECOMBINED;
    void* data = nullptr;
    CU_TRY(cuMemHostAlloc(&data, bytes, flags), "{} bytes", bytes);
    handle_ = Handle<detail::PinnedMemoryTraits>{{data, context}};
}

CUdeviceptr PinnedBuffer::device_address() const {
    CUdeviceptr address = 0;
    CU_TRY(cuMemHostGetDevicePointer(&address, data(), 0));
    return address;
}

void copy_to_device(CUdeviceptr to, const void* from, std::size_t bytes) {
    if (bytes) CU_TRY(cuMemcpyHtoD(to, from, bytes), "{} bytes", bytes);
}

void copy_to_device(CUdeviceptr to, const void* from, std::size_t bytes, StreamView stream) {
    if (bytes) CU_TRY(cuMemcpyHtoDAsync(to, from, bytes, stream.get()), "{} bytes", bytes);
}

void copy_to_host(void* to, CUdeviceptr from, std::size_t bytes) {
    if (bytes) CU_TRY(cuMemcpyDtoH(to, from, bytes), "{} bytes", bytes);
}

void copy_to_host(void* to, CUdeviceptr from, std::size_t bytes, StreamView stream) {
    if (bytes) CU_TRY(cuMemcpyDtoHAsync(to, from, bytes, stream.get()), "{} bytes", bytes);
}

void copy_on_device(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
    if (bytes) CU_TRY(cuMemcpyDtoD(to, from, bytes), "{} bytes", bytes);
}

void copy_on_device(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, StreamView stream) {
    if (bytes) CU_TRY(cuMemcpyDtoDAsync(to, from, bytes, stream.get()), "{} bytes", bytes);
}

void detail::check_same_size(const char* function, std::size_t to, std::size_t from) {
    if (to != from)
        throw lathe::Error{
            fmt::format("{}: the destination has {} elements, the source {}", function, to, from)};
}

void fill_units(CUdeviceptr to, std::uint32_t value, std::size_t unit_bytes, std::size_t count) {
    if (count == 0) return;
    switch (unit_bytes) {
    case 1:
        CU_TRY(cuMemsetD8(to, static_cast<unsigned char>(value), count));
        return;
    case 2:
        CU_TRY(cuMemsetD16(to, static_cast<unsigned short>(value), count));
        return;
    case 4:
        CU_TRY(cuMemsetD32(to, value, count));
        return;
    default:
        break;
    }
    throw lathe::Error{fmt::format("fill_units: unit_bytes is {}, must be 1, 2 or 4", unit_bytes)};
}

void fill_units(CUdeviceptr to, std::uint32_t value, std::size_t unit_bytes, std::size_t count,
                StreamView stream) {
    if (count == 0) return;
    const CUstream s = stream.get();
    switch (unit_bytes) {
    case 1:
        CU_TRY(cuMemsetD8Async(to, static_cast<unsigned char>(value), count, s));
        return;
    case 2:
        CU_TRY(cuMemsetD16Async(to, static_cast<unsigned short>(value), count, s));
        return;
    case 4:
        CU_TRY(cuMemsetD32Async(to, value, count, s));
        return;
    default:
        break;
    }
    throw lathe::Error{fmt::format("fill_units: unit_bytes is {}, must be 1, 2 or 4", unit_bytes)};
}

} // namespace lathe::gpu
