// SPDX-License-Identifier: MIT
// Copies and fills of two and three dimensions, made as the driver's own are.
#include "gpu/soft/drv/device_runtime_call.h"

#include "gpu/soft/drv/copy.h"
#include "gpu/soft/drv/objects.h"
#include "gpu/soft/rt/float_mode.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace lathe::soft::device_runtime {

namespace {

/// cudaPitchedPtr, cudaPos and cudaExtent.
struct Pitched {
    std::uint64_t address, pitch_bytes, width, height;
};
struct Position {
    std::uint64_t x, y, z;
};
struct Extent {
    std::uint64_t width, height, depth;
};
/// One end of cudaMemcpy3DParms, and all of them.
struct CopySide {
    std::uint64_t array; ///< or 0: memory
    Position at;         ///< x in elements of the array, or bytes
    Pitched memory;
};
struct CopyRequest {
    CopySide from, to;
    Extent extent; ///< in elements where one side is an array
    std::uint32_t kind;
};

constexpr std::uint32_t kLastKind = 4; // cudaMemcpyDefault

using Action = std::function<CUresult()>;

/// Gives a stream what `make` makes, which may be nothing.
template <class F>
void add_work(ThreadContext* t, std::uint8_t* returns, std::uint64_t stream_handle, F make) {
    const NormalFloats normal;
    const auto stream = stream_of(t, stream_handle);
    if (!stream) return give(t, returns, invalid_resource_handle);
    DeviceWork::Item item;
    std::int32_t error = success;
    try {
        item.action = make();
    } catch (const Failure& failure) {
        error = failure.code; // has the same number
    }
    if (error == success && item.action) launch_of(t).device_work().add(*stream, std::move(item));
    give(t, returns, error);
}

void copy_2d(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    Parameters p{params};
    CUDA_MEMCPY3D c{};
    c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    c.dstDevice = p.take<std::uint64_t>();
    c.dstPitch = p.take<std::uint64_t>();
    c.srcDevice = p.take<std::uint64_t>();
    c.srcPitch = p.take<std::uint64_t>();
    c.WidthInBytes = p.take<std::uint64_t>();
    c.Height = p.take<std::uint64_t>();
    c.Depth = 1;
    const auto kind = p.take<std::uint32_t>();
    if (kind > kLastKind) return give(t, returns, invalid_copy_direction);
    if (c.WidthInBytes > c.dstPitch || c.WidthInBytes > c.srcPitch)
        return give(t, returns, invalid_pitch);
    add_work(t, returns, p.take<std::uint64_t>(), [&] { return copy_action(c); });
}

/// Bytes of an element of the array; 0 where there is none.
std::uint64_t element_bytes(const CopySide& side) {
    return side.array ? object<Array>(reinterpret_cast<const void*>(side.array))->element_bytes()
                      : 0;
}

Action copy_of(const CopyRequest& r) {
    for (const CopySide* side : {&r.from, &r.to})
        require(!side->array != !side->memory.address, CUDA_ERROR_INVALID_VALUE,
                "each side of a copy is an array or memory");
    const std::uint64_t from = element_bytes(r.from), to = element_bytes(r.to);
    require(!from || !to || from == to, CUDA_ERROR_INVALID_VALUE,
            "the arrays' elements have different sizes");
    CUDA_MEMCPY3D c{};
    c.srcMemoryType = from ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_DEVICE;
    c.srcArray = reinterpret_cast<CUarray>(r.from.array);
    c.srcDevice = r.from.memory.address;
    c.srcPitch = r.from.memory.pitch_bytes;
    c.srcHeight = r.from.memory.height;
    c.srcXInBytes = r.from.at.x * (from ? from : 1);
    c.srcY = r.from.at.y;
    c.srcZ = r.from.at.z;
    c.dstMemoryType = to ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_DEVICE;
    c.dstArray = reinterpret_cast<CUarray>(r.to.array);
    c.dstDevice = r.to.memory.address;
    c.dstPitch = r.to.memory.pitch_bytes;
    c.dstHeight = r.to.memory.height;
    c.dstXInBytes = r.to.at.x * (to ? to : 1);
    c.dstY = r.to.at.y;
    c.dstZ = r.to.at.z;
    c.WidthInBytes = r.extent.width * std::max<std::uint64_t>({from, to, 1});
    c.Height = r.extent.height;
    c.Depth = r.extent.depth;
    return copy_action(c);
}

void copy_3d(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    Parameters p{params};
    CopyRequest request{};
    if (!guarded_copy(&request, reinterpret_cast<const void*>(p.take<std::uint64_t>()),
                      sizeof request))
        return give(t, returns, invalid_value);
    if (request.kind > kLastKind) return give(t, returns, invalid_copy_direction);
    add_work(t, returns, p.take<std::uint64_t>(), [&] { return copy_of(request); });
}

void fill_2d(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    Parameters p{params};
    const auto to = p.take<std::uint64_t>(), pitch = p.take<std::uint64_t>();
    const auto value = p.take<std::uint32_t>();
    const auto width = p.take<std::uint64_t>(), height = p.take<std::uint64_t>();
    if (width > pitch) return give(t, returns, invalid_pitch);
    add_work(t, returns, p.take<std::uint64_t>(),
             [&] { return fill_action(to, pitch, value, 1, width, height); });
}

Action fill_of(const Pitched& to, std::uint32_t value, const Extent& extent) {
    if (extent.width == 0 || extent.height == 0) return {};
    require(extent.depth <= 1 || extent.height <= to.height, CUDA_ERROR_INVALID_VALUE,
            "the fill is higher than a slice");
    std::vector<Action> slices;
    for (std::uint64_t z = 0; z < extent.depth; ++z) // the first one behind the memory fails
        slices.push_back(fill_action(to.address + z * to.height * to.pitch_bytes, to.pitch_bytes,
                                     value, 1, extent.width, extent.height));
    return [slices = std::move(slices)] {
        for (const Action& slice : slices)
            if (const CUresult result = slice(); result != CUDA_SUCCESS) return result;
        return CUDA_SUCCESS;
    };
}

void fill_3d(ThreadContext* t, const std::uint8_t* params, std::uint8_t* returns) {
    Parameters p{params};
    const auto to = p.take<Pitched>();
    const auto value = p.take<std::uint32_t>();
    const auto extent = p.take<Extent>();
    if (extent.width > to.pitch_bytes) return give(t, returns, invalid_pitch);
    add_work(t, returns, p.take<std::uint64_t>(), [&] { return fill_of(to, value, extent); });
}

} // namespace

std::span<const Entry> block_functions() {
    static constexpr Entry functions[] = {
        {"Memcpy2DAsync", copy_2d}, {"Memcpy2DAsync_ptsz", copy_2d},
        {"Memcpy3DAsync", copy_3d}, {"Memcpy3DAsync_ptsz", copy_3d},
        {"Memset2DAsync", fill_2d}, {"Memset2DAsync_ptsz", fill_2d},
        {"Memset3DAsync", fill_3d}, {"Memset3DAsync_ptsz", fill_3d},
    };
    return functions;
}

} // namespace lathe::soft::device_runtime
