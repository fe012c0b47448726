// SPDX-License-Identifier: MIT
#include "gpu/soft/drv/copy_params.h"

#include "gpu/soft/drv/memory.h"

namespace lathe::soft {

namespace {

/// One end of a copy as the driver API has it.
struct EndParams {
    CUmemorytype type;
    std::uint8_t* base;
    CUarray array;
    std::size_t x, y, z, pitch, height;
};
EndParams params_of(const CopyEnd& end, const CopyShape& shape) {
    if (!end.array) {
        const std::size_t pitch = end.pitch_bytes ? end.pitch_bytes : shape.row_bytes;
        return {end.host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE,
                end.base,
                nullptr,
                0,
                0,
                0,
                pitch,
                end.slice_bytes ? end.slice_bytes / pitch : shape.rows};
    }
    const Image& image = end.array->image;
    const auto offset = static_cast<std::size_t>(end.base - image.data);
    return {CU_MEMORYTYPE_ARRAY,
            nullptr,
            reinterpret_cast<CUarray>(end.array.get()),
            offset % image.pitch_bytes,
            offset % image.slice_bytes / image.pitch_bytes,
            offset / image.slice_bytes,
            0,
            0};
}

template <class C> CopyEnd source_of(const C& c, std::size_t z, std::size_t height) {
    CopyEnd end;
    switch (c.srcMemoryType) {
    case CU_MEMORYTYPE_HOST: end = CopyEnd::of_host(c.srcHost); break;
    case CU_MEMORYTYPE_DEVICE: end = CopyEnd::of_device(c.srcDevice); break;
    case CU_MEMORYTYPE_UNIFIED:
        end = CopyEnd::of_device(c.srcDevice);
        end.host = !is_pinned(end.base, 1);
        break;
    case CU_MEMORYTYPE_ARRAY: end = CopyEnd::of_array(c.srcArray, 0); break;
    default: fail(CUDA_ERROR_INVALID_VALUE, "unknown memory type of the source");
    }
    if (!end.array) {
        end.pitch_bytes = c.srcPitch ? c.srcPitch : c.srcXInBytes + c.WidthInBytes;
        end.slice_bytes = end.pitch_bytes * height;
    }
    end.base += c.srcXInBytes + c.srcY * end.pitch_bytes + z * end.slice_bytes;
    return end;
}

template <class C> CopyEnd target_of(const C& c, std::size_t z, std::size_t height) {
    CopyEnd end;
    switch (c.dstMemoryType) {
    case CU_MEMORYTYPE_HOST: end = CopyEnd::of_host(c.dstHost); break;
    case CU_MEMORYTYPE_DEVICE: end = CopyEnd::of_device(c.dstDevice); break;
    case CU_MEMORYTYPE_UNIFIED:
        end = CopyEnd::of_device(c.dstDevice);
        end.host = !is_pinned(end.base, 1);
        break;
    case CU_MEMORYTYPE_ARRAY: end = CopyEnd::of_array(c.dstArray, 0); break;
    default: fail(CUDA_ERROR_INVALID_VALUE, "unknown memory type of the destination");
    }
    if (!end.array) {
        end.pitch_bytes = c.dstPitch ? c.dstPitch : c.dstXInBytes + c.WidthInBytes;
        end.slice_bytes = end.pitch_bytes * height;
    }
    end.base += c.dstXInBytes + c.dstY * end.pitch_bytes + z * end.slice_bytes;
    return end;
}

} // namespace

CUDA_MEMCPY3D params_of(const CopyEnd& to, const CopyEnd& from, const CopyShape& shape) {
    const EndParams d = params_of(to, shape), s = params_of(from, shape);
    CUDA_MEMCPY3D c{};
    c.srcMemoryType = s.type;
    c.srcHost = s.base;
    c.srcDevice = reinterpret_cast<CUdeviceptr>(s.base);
    c.srcArray = s.array;
    c.srcXInBytes = s.x;
    c.srcY = s.y;
    c.srcZ = s.z;
    c.srcPitch = s.pitch;
    c.srcHeight = s.height;
    c.dstMemoryType = d.type;
    c.dstHost = d.base;
    c.dstDevice = reinterpret_cast<CUdeviceptr>(d.base);
    c.dstArray = d.array;
    c.dstXInBytes = d.x;
    c.dstY = d.y;
    c.dstZ = d.z;
    c.dstPitch = d.pitch;
    c.dstHeight = d.height;
    c.WidthInBytes = shape.row_bytes;
    c.Height = shape.rows;
    c.Depth = shape.slices;
    return c;
}

CopyParts parts_of(const CUDA_MEMCPY2D& c) {
    return {target_of(c, 0, 1),
            source_of(c, 0, 1),
            {.row_bytes = c.WidthInBytes, .rows = c.Height, .slices = 1}};
}

CopyParts parts_of(const CUDA_MEMCPY3D& c) {
    require(c.srcLOD == 0 && c.dstLOD == 0, CUDA_ERROR_INVALID_VALUE, "LOD must be 0");
    std::size_t source_height = c.srcHeight ? c.srcHeight : c.srcY + c.Height;
    std::size_t target_height = c.dstHeight ? c.dstHeight : c.dstY + c.Height;
    return {target_of(c, c.dstZ, target_height),
            source_of(c, c.srcZ, source_height),
            {.row_bytes = c.WidthInBytes, .rows = c.Height, .slices = c.Depth}};
}

} // namespace lathe::soft
