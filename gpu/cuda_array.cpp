// SPDX-License-Identifier: MIT
#include "gpu/cuda_array.h"

#include "gpu/driver/check.h"

#include <algorithm>

namespace lathe::gpu {
namespace {

// A height of 0 means one row, a depth of 0 one slice.
std::size_t rows_of(const CudaArrayConfig& c) { return std::max<std::size_t>(c.height, 1); }
std::size_t slices_of(const CudaArrayConfig& c) { return std::max<std::size_t>(c.depth, 1); }

std::string describe(const CudaArrayConfig& c) {
    return fmt::format("CUDA array of {} x {} x {} elements, {} channels, format {:#x}", c.width,
                       c.height, c.depth, c.channels, static_cast<unsigned>(c.format));
}

} // namespace

std::size_t format_bytes(CUarray_format format) noexcept {
    switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8: return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF: return 2;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT: return 4;
    default: return 0;
    }
}

void detail::CudaArrayTraits::destroy(Type array) noexcept {
    if (const ReleaseScope scope{array.context})
        log_failure("cuArrayDestroy", driver().cuArrayDestroy(array.value));
}

CUDA_ARRAY3D_DESCRIPTOR detail::descriptor_of(const CudaArrayConfig& config) {
    CUDA_ARRAY3D_DESCRIPTOR d{};
    d.Width = config.width;
    d.Height = config.height;
    d.Depth = config.depth;
    d.Format = config.format;
    d.NumChannels = config.channels;
    if (config.surface_load_store) d.Flags |= CUDA_ARRAY3D_SURFACE_LDST;
    if (config.layered) d.Flags |= CUDA_ARRAY3D_LAYERED;
    if (config.cubemap) d.Flags |= CUDA_ARRAY3D_CUBEMAP;
    if (config.texture_gather) d.Flags |= CUDA_ARRAY3D_TEXTURE_GATHER;
    return d;
}

CudaArray::CudaArray(const CudaArrayConfig& config) : config_{config} {
    const Context context = Context::ensure_current();
    const CUDA_ARRAY3D_DESCRIPTOR d = detail::descriptor_of(config);
    CUarray array = nullptr;
    CU_TRY(cuArray3DCreate(&array, &d), "{}", describe(config));
    handle_ = Handle<detail::CudaArrayTraits>{{array, context}};
}

CudaArray CudaArray::wrap(CUarray array, const Context& context) {
    CUDA_ARRAY3D_DESCRIPTOR d{};
    CU_TRY(cuArray3DGetDescriptor(&d, array));
    CudaArray a;
    a.handle_ = Handle<detail::CudaArrayTraits>::wrap({array, context});
    a.config_ = {.width = d.Width,
                 .height = d.Height,
                 .depth = d.Depth,
                 .format = d.Format,
                 .channels = d.NumChannels,
                 .surface_load_store = (d.Flags & CUDA_ARRAY3D_SURFACE_LDST) != 0,
                 .layered = (d.Flags & CUDA_ARRAY3D_LAYERED) != 0,
                 .cubemap = (d.Flags & CUDA_ARRAY3D_CUBEMAP) != 0,
                 .texture_gather = (d.Flags & CUDA_ARRAY3D_TEXTURE_GATHER) != 0};
    return a;
}

std::size_t CudaArray::element_bytes() const noexcept {
    return format_bytes(config_.format) * config_.channels;
}

std::size_t CudaArray::bytes() const noexcept { return row_bytes() * rows() * slices(); }

std::size_t CudaArray::rows() const noexcept { return rows_of(config_); }
std::size_t CudaArray::slices() const noexcept { return slices_of(config_); }

void CudaArray::require_alive(const char* routine) const {
    if (!handle_.get().context.is_alive())
        throw Error{routine, CUDA_ERROR_CONTEXT_IS_DESTROYED,
                    fmt::format("{}: its context was destroyed", describe(config_))};
}

void CudaArray::require_current(const char* routine) const {
    require_alive(routine);
    const Context& own = handle_.get().context;
    if (own && own != Context::current())
        throw Error{routine, CUDA_ERROR_INVALID_CONTEXT,
                    fmt::format("{} was made in another context", describe(config_))};
}

// The copy of the whole array with only the sizes set; both sides are set by the caller.
CUDA_MEMCPY3D CudaArray::whole(std::size_t pitch_bytes) const noexcept {
    CUDA_MEMCPY3D copy{};
    copy.WidthInBytes = row_bytes();
    copy.Height = rows_of(config_);
    copy.Depth = slices_of(config_);
    copy.srcPitch = copy.dstPitch = pitch_bytes ? pitch_bytes : row_bytes();
    copy.srcHeight = copy.dstHeight = copy.Height;
    return copy;
}

namespace {

void from_array(CUDA_MEMCPY3D& copy, CUarray array) {
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcArray = array;
    copy.srcPitch = copy.srcHeight = 0;
}

void to_array(CUDA_MEMCPY3D& copy, CUarray array) {
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    copy.dstPitch = copy.dstHeight = 0;
}

CUDA_MEMCPY3D from_host(CUDA_MEMCPY3D copy, const void* from, CUarray to) {
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = from;
    to_array(copy, to);
    return copy;
}

CUDA_MEMCPY3D to_host(CUDA_MEMCPY3D copy, void* to, CUarray from) {
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = to;
    from_array(copy, from);
    return copy;
}

} // namespace

void CudaArray::copy_from_host(const void* from, std::size_t pitch_bytes) {
    const CUDA_MEMCPY3D copy = from_host(whole(pitch_bytes), from, get());
    CU_TRY(cuMemcpy3D(&copy), "{}", describe(config_));
}

void CudaArray::copy_from_host(const void* from, std::size_t pitch_bytes, StreamView stream) {
    const CUDA_MEMCPY3D copy = from_host(whole(pitch_bytes), from, get());
    CU_TRY(cuMemcpy3DAsync(&copy, stream.get()), "{}", describe(config_));
}

void CudaArray::copy_to_host(void* to, std::size_t pitch_bytes) const {
    const CUDA_MEMCPY3D copy = to_host(whole(pitch_bytes), to, get());
    CU_TRY(cuMemcpy3D(&copy), "{}", describe(config_));
}

void CudaArray::copy_to_host(void* to, std::size_t pitch_bytes, StreamView stream) const {
    const CUDA_MEMCPY3D copy = to_host(whole(pitch_bytes), to, get());
    CU_TRY(cuMemcpy3DAsync(&copy, stream.get()), "{}", describe(config_));
}

void CudaArray::copy_from_device(CUdeviceptr from, std::size_t pitch_bytes, StreamView stream) {
    CUDA_MEMCPY3D copy = whole(pitch_bytes);
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = from;
    to_array(copy, get());
    CU_TRY(cuMemcpy3DAsync(&copy, stream.get()), "{}", describe(config_));
}

void CudaArray::copy_to_device(CUdeviceptr to, std::size_t pitch_bytes, StreamView stream) const {
    CUDA_MEMCPY3D copy = whole(pitch_bytes);
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = to;
    from_array(copy, get());
    CU_TRY(cuMemcpy3DAsync(&copy, stream.get()), "{}", describe(config_));
}

void CudaArray::check_part(const char* routine, std::size_t at_bytes, std::size_t bytes) const {
    require_current(routine);
    if (rows() > 1 || slices() > 1)
        throw Error{routine, CUDA_ERROR_INVALID_VALUE,
                    fmt::format("{} has more than one row", describe(config_))};
    if (at_bytes > row_bytes() || bytes > row_bytes() - at_bytes)
        throw Error{routine, CUDA_ERROR_INVALID_VALUE,
                    fmt::format("{} bytes from byte {} on of an array of {} bytes", bytes, at_bytes,
                                row_bytes())};
}

void CudaArray::copy_part_from_host(std::size_t at_bytes, const void* from, std::size_t bytes) {
    check_part("cuMemcpyHtoA", at_bytes, bytes);
    if (bytes) CU_TRY(cuMemcpyHtoA(get(), at_bytes, from, bytes), "{} bytes", bytes);
}

void CudaArray::copy_part_to_host(std::size_t at_bytes, void* to, std::size_t bytes) const {
    check_part("cuMemcpyAtoH", at_bytes, bytes);
    if (bytes) CU_TRY(cuMemcpyAtoH(to, get(), at_bytes, bytes), "{} bytes", bytes);
}

void CudaArray::copy_part_from_device(std::size_t at_bytes, CUdeviceptr from, std::size_t bytes) {
    check_part("cuMemcpyDtoA", at_bytes, bytes);
    if (bytes) CU_TRY(cuMemcpyDtoA(get(), at_bytes, from, bytes), "{} bytes", bytes);
}

void CudaArray::copy_part_to_device(std::size_t at_bytes, CUdeviceptr to, std::size_t bytes) const {
    check_part("cuMemcpyAtoD", at_bytes, bytes);
    if (bytes) CU_TRY(cuMemcpyAtoD(to, get(), at_bytes, bytes), "{} bytes", bytes);
}

void CudaArray::copy_part_from(std::size_t at_bytes, const CudaArray& from,
                               std::size_t from_at_bytes, std::size_t bytes) {
    check_part("cuMemcpyAtoA", at_bytes, bytes);
    from.check_part("cuMemcpyAtoA", from_at_bytes, bytes);
    if (bytes)
        CU_TRY(cuMemcpyAtoA(get(), at_bytes, from.get(), from_at_bytes, bytes), "{} bytes", bytes);
}

void CudaArray::copy_from(const CudaArray& from, StreamView stream) {
    const CudaArrayConfig& a = config_;
    const CudaArrayConfig& b = from.config_;
    if (a.width != b.width || rows_of(a) != rows_of(b) || slices_of(a) != slices_of(b) ||
        element_bytes() != from.element_bytes())
        throw lathe::Error{
            fmt::format("a copy of {} into {} of another shape", describe(b), describe(a))};
    CUDA_MEMCPY3D copy = whole(0);
    from_array(copy, from.get());
    to_array(copy, get());
    CU_TRY(cuMemcpy3DAsync(&copy, stream.get()), "{}", describe(a));
}

} // namespace lathe::gpu
