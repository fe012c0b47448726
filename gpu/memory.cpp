// SPDX-License-Identifier: MIT
#include "gpu/memory.h"

#include "gpu/driver/check.h"

namespace lathe::gpu {

void detail::DeviceMemoryTraits::destroy(Type memory) noexcept {
    const ReleaseScope scope{memory.context};
    if (!scope) return;
    if (memory.in_order)
        log_failure("cuMemFreeAsync", driver().cuMemFreeAsync(memory.value, memory.stream));
    else log_failure("cuMemFree", driver().cuMemFree(memory.value));
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

DeviceBuffer DeviceBuffer::managed(std::size_t bytes, unsigned flags) {
    DeviceBuffer buffer;
    if (bytes == 0) return buffer;
    const Context context = Context::ensure_current();
    CUdeviceptr address = 0;
    CU_TRY(cuMemAllocManaged(&address, bytes, flags), "{} bytes, flags {}", bytes, flags);
    buffer.handle_ = Handle<detail::DeviceMemoryTraits>{{address, context}};
    buffer.bytes_ = bytes;
    return buffer;
}

DeviceBuffer DeviceBuffer::in_order(std::size_t bytes, StreamView stream) {
    DeviceBuffer buffer;
    if (bytes == 0) return buffer;
    const Context context = Context::ensure_current();
    CUdeviceptr address = 0;
    CU_TRY(cuMemAllocAsync(&address, bytes, stream.get()), "{} bytes", bytes);
    buffer.handle_ = Handle<detail::DeviceMemoryTraits>{{address, context, true, stream.get()}};
    buffer.bytes_ = bytes;
    return buffer;
}

void DeviceBuffer::free_in_order(StreamView stream) {
    if (!handle_) return;
    const detail::DeviceMemory memory = handle_.get();
    if (!memory.context.is_alive()) {
        (void)handle_.release();
        return;
    }
    const CurrentContext scope{memory.context ? memory.context : Context::ensure_current()};
    CU_TRY(cuMemFreeAsync(memory.value, stream.get()));
    (void)handle_.release();
}

PitchedBuffer DeviceBuffer::pitched(std::size_t width_bytes, std::size_t height,
                                    unsigned access_bytes) {
    const Context context = Context::ensure_current();
    CUdeviceptr address = 0;
    PitchedBuffer made;
    CU_TRY(cuMemAllocPitch(&address, &made.pitch_bytes, width_bytes, height, access_bytes),
           "{} rows of {} bytes, read by {} (4, 8 or 16) at once", height, width_bytes,
           access_bytes);
    made.buffer.handle_ = Handle<detail::DeviceMemoryTraits>{{address, context}};
    made.buffer.bytes_ = made.pitch_bytes * height;
    return made;
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
    case 1: CU_TRY(cuMemsetD8(to, static_cast<unsigned char>(value), count)); return;
    case 2: CU_TRY(cuMemsetD16(to, static_cast<unsigned short>(value), count)); return;
    case 4: CU_TRY(cuMemsetD32(to, value, count)); return;
    default: break;
    }
    throw lathe::Error{fmt::format("fill_units: unit_bytes is {}, must be 1, 2 or 4", unit_bytes)};
}

void fill_units(CUdeviceptr to, std::uint32_t value, std::size_t unit_bytes, std::size_t count,
                StreamView stream) {
    if (count == 0) return;
    const CUstream s = stream.get();
    switch (unit_bytes) {
    case 1: CU_TRY(cuMemsetD8Async(to, static_cast<unsigned char>(value), count, s)); return;
    case 2: CU_TRY(cuMemsetD16Async(to, static_cast<unsigned short>(value), count, s)); return;
    case 4: CU_TRY(cuMemsetD32Async(to, value, count, s)); return;
    default: break;
    }
    throw lathe::Error{fmt::format("fill_units: unit_bytes is {}, must be 1, 2 or 4", unit_bytes)};
}

namespace {

[[noreturn]] void refuse_unit(const char* function, std::size_t unit_bytes) {
    throw lathe::Error{
        fmt::format("{}: unit_bytes is {}, must be 1, 2 or 4", function, unit_bytes)};
}

} // namespace

void fill_rows(CUdeviceptr to, std::size_t pitch_bytes, std::uint32_t value, std::size_t unit_bytes,
               std::size_t width, std::size_t height) {
    if (width == 0 || height == 0) return;
    if (unit_bytes == 1)
        CU_TRY(cuMemsetD2D8(to, pitch_bytes, static_cast<unsigned char>(value), width, height),
               "{} x {} bytes, pitch {}", width, height, pitch_bytes);
    else if (unit_bytes == 2)
        CU_TRY(cuMemsetD2D16(to, pitch_bytes, static_cast<unsigned short>(value), width, height),
               "{} x {} elements, pitch {}", width, height, pitch_bytes);
    else if (unit_bytes == 4)
        CU_TRY(cuMemsetD2D32(to, pitch_bytes, value, width, height), "{} x {} elements, pitch {}",
               width, height, pitch_bytes);
    else refuse_unit("fill_rows", unit_bytes);
}

void fill_rows(CUdeviceptr to, std::size_t pitch_bytes, std::uint32_t value, std::size_t unit_bytes,
               std::size_t width, std::size_t height, StreamView stream) {
    if (width == 0 || height == 0) return;
    const CUstream s = stream.get();
    if (unit_bytes == 1)
        CU_TRY(
            cuMemsetD2D8Async(to, pitch_bytes, static_cast<unsigned char>(value), width, height, s),
            "{} x {} bytes, pitch {}", width, height, pitch_bytes);
    else if (unit_bytes == 2)
        CU_TRY(cuMemsetD2D16Async(to, pitch_bytes, static_cast<unsigned short>(value), width,
                                  height, s),
               "{} x {} elements, pitch {}", width, height, pitch_bytes);
    else if (unit_bytes == 4)
        CU_TRY(cuMemsetD2D32Async(to, pitch_bytes, value, width, height, s),
               "{} x {} elements, pitch {}", width, height, pitch_bytes);
    else refuse_unit("fill_rows", unit_bytes);
}

} // namespace lathe::gpu
