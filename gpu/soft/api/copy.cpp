// SPDX-License-Identifier: MIT
// Copies and fills.
#include "gpu/soft/api/entry.h"

#include "gpu/soft/drv/copy.h"
#include "gpu/soft/drv/memory.h"

using namespace lathe::soft;

namespace {

CopyEnd host(const void* p) { return CopyEnd::of_host(p); }
CopyEnd device(CUdeviceptr p) { return CopyEnd::of_device(p); }
CopyEnd array(CUarray a, std::size_t offset) { return CopyEnd::of_array(a, offset); }

/// Memory that may be host or device memory: the unified cuMemcpy.
CopyEnd any(CUdeviceptr p) {
    CopyEnd end = device(p);
    end.host = !is_pinned(end.base, 1);
    return end;
}

CUresult linear(CUstream stream, bool wait, auto&& to, auto&& from, std::size_t bytes) {
    return in_context(
        [&](Context& context) { copy(context, stream, to(), from(), {.row_bytes = bytes}, wait); });
}

CUresult set(CUdeviceptr p, std::size_t pitch, unsigned value, std::size_t element,
             std::size_t width, std::size_t height, CUstream stream) {
    return in_context([&](Context& context) {
        fill(context, stream, p, pitch, value, element, width, height, false);
    });
}

CUDA_MEMCPY3D without_peers(const CUDA_MEMCPY3D_PEER& p) {
    CUDA_MEMCPY3D c{};
    c.srcXInBytes = p.srcXInBytes;
    c.srcY = p.srcY;
    c.srcZ = p.srcZ;
    c.srcLOD = p.srcLOD;
    c.srcMemoryType = p.srcMemoryType;
    c.srcHost = p.srcHost;
    c.srcDevice = p.srcDevice;
    c.srcArray = p.srcArray;
    c.srcPitch = p.srcPitch;
    c.srcHeight = p.srcHeight;
    c.dstXInBytes = p.dstXInBytes;
    c.dstY = p.dstY;
    c.dstZ = p.dstZ;
    c.dstLOD = p.dstLOD;
    c.dstMemoryType = p.dstMemoryType;
    c.dstHost = p.dstHost;
    c.dstDevice = p.dstDevice;
    c.dstArray = p.dstArray;
    c.dstPitch = p.dstPitch;
    c.dstHeight = p.dstHeight;
    c.WidthInBytes = p.WidthInBytes;
    c.Height = p.Height;
    c.Depth = p.Depth;
    return c;
}

template <class C> CUresult general(CUstream stream, bool wait, const C* c) {
    return in_context([&](Context& context) {
        require_pointer(c);
        copy(context, stream, *c, wait);
    });
}

} // namespace

#define LATHE_LINEAR(stream, wait, to, from, bytes)                                                \
    linear(stream, wait, [&] { return to; }, [&] { return from; }, bytes)

extern "C" {

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
    return LATHE_LINEAR(nullptr, true, any(to), any(from), bytes);
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream s) {
    return LATHE_LINEAR(s, false, any(to), any(from), bytes);
}
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, std::size_t bytes) {
    return LATHE_LINEAR(nullptr, true, device(to), device(from), bytes);
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext,
                           std::size_t bytes, CUstream s) {
    return LATHE_LINEAR(s, false, device(to), device(from), bytes);
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t bytes) {
    return LATHE_LINEAR(nullptr, true, device(to), host(from), bytes);
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes) {
    return LATHE_LINEAR(nullptr, true, host(to), device(from), bytes);
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
    return LATHE_LINEAR(nullptr, false, device(to), device(from), bytes);
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, std::size_t bytes, CUstream s) {
    return LATHE_LINEAR(s, false, device(to), host(from), bytes);
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes, CUstream s) {
    return LATHE_LINEAR(s, false, host(to), device(from), bytes);
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream s) {
    return LATHE_LINEAR(s, false, device(to), device(from), bytes);
}
CUresult cuMemcpyDtoA(CUarray to, std::size_t offset, CUdeviceptr from, std::size_t bytes) {
    return LATHE_LINEAR(nullptr, true, array(to, offset), device(from), bytes);
}
CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray from, std::size_t offset, std::size_t bytes) {
    return LATHE_LINEAR(nullptr, true, device(to), array(from, offset), bytes);
}
CUresult cuMemcpyHtoA(CUarray to, std::size_t offset, const void* from, std::size_t bytes) {
    return LATHE_LINEAR(nullptr, true, array(to, offset), host(from), bytes);
}
CUresult cuMemcpyAtoH(void* to, CUarray from, std::size_t offset, std::size_t bytes) {
    return LATHE_LINEAR(nullptr, true, host(to), array(from, offset), bytes);
}
CUresult cuMemcpyAtoA(CUarray to, std::size_t to_offset, CUarray from, std::size_t from_offset,
                      std::size_t bytes) {
    return LATHE_LINEAR(nullptr, true, array(to, to_offset), array(from, from_offset), bytes);
}
CUresult cuMemcpyHtoAAsync(CUarray to, std::size_t offset, const void* from, std::size_t bytes,
                           CUstream s) {
    return LATHE_LINEAR(s, false, array(to, offset), host(from), bytes);
}
CUresult cuMemcpyAtoHAsync(void* to, CUarray from, std::size_t offset, std::size_t bytes,
                           CUstream s) {
    return LATHE_LINEAR(s, false, host(to), array(from, offset), bytes);
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D* c) { return general(nullptr, true, c); }
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D* c) { return general(nullptr, true, c); }
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* c, CUstream s) { return general(s, false, c); }
CUresult cuMemcpy3D(const CUDA_MEMCPY3D* c) { return general(nullptr, true, c); }
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D* c, CUstream s) { return general(s, false, c); }
CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER* p) {
    CUDA_MEMCPY3D c = is_pointer(p) ? without_peers(*p) : CUDA_MEMCPY3D{};
    return general(nullptr, true, is_pointer(p) ? &c : nullptr);
}
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* p, CUstream s) {
    CUDA_MEMCPY3D c = is_pointer(p) ? without_peers(*p) : CUDA_MEMCPY3D{};
    return general(s, false, is_pointer(p) ? &c : nullptr);
}

CUresult cuMemsetD8(CUdeviceptr p, unsigned char v, std::size_t n) {
    return set(p, 0, v, 1, n, 1, nullptr);
}
CUresult cuMemsetD16(CUdeviceptr p, unsigned short v, std::size_t n) {
    return set(p, 0, v, 2, n, 1, nullptr);
}
CUresult cuMemsetD32(CUdeviceptr p, unsigned v, std::size_t n) {
    return set(p, 0, v, 4, n, 1, nullptr);
}
CUresult cuMemsetD2D8(CUdeviceptr p, std::size_t pitch, unsigned char v, std::size_t w,
                      std::size_t h) {
    return set(p, pitch, v, 1, w, h, nullptr);
}
CUresult cuMemsetD2D16(CUdeviceptr p, std::size_t pitch, unsigned short v, std::size_t w,
                       std::size_t h) {
    return set(p, pitch, v, 2, w, h, nullptr);
}
CUresult cuMemsetD2D32(CUdeviceptr p, std::size_t pitch, unsigned v, std::size_t w, std::size_t h) {
    return set(p, pitch, v, 4, w, h, nullptr);
}
CUresult cuMemsetD8Async(CUdeviceptr p, unsigned char v, std::size_t n, CUstream s) {
    return set(p, 0, v, 1, n, 1, s);
}
CUresult cuMemsetD16Async(CUdeviceptr p, unsigned short v, std::size_t n, CUstream s) {
    return set(p, 0, v, 2, n, 1, s);
}
CUresult cuMemsetD32Async(CUdeviceptr p, unsigned v, std::size_t n, CUstream s) {
    return set(p, 0, v, 4, n, 1, s);
}
CUresult cuMemsetD2D8Async(CUdeviceptr p, std::size_t pitch, unsigned char v, std::size_t w,
                           std::size_t h, CUstream s) {
    return set(p, pitch, v, 1, w, h, s);
}
CUresult cuMemsetD2D16Async(CUdeviceptr p, std::size_t pitch, unsigned short v, std::size_t w,
                            std::size_t h, CUstream s) {
    return set(p, pitch, v, 2, w, h, s);
}
CUresult cuMemsetD2D32Async(CUdeviceptr p, std::size_t pitch, unsigned v, std::size_t w,
                            std::size_t h, CUstream s) {
    return set(p, pitch, v, 4, w, h, s);
}

} // extern "C"
