// SPDX-License-Identifier: MIT
#include "engine/app/state_memory.h"

#include "gpu/memory.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace lathe {

namespace {

constexpr std::size_t kAlignment = 512;

} // namespace

struct StateMemory::Places {
    std::size_t part_bytes = 0;
    std::vector<gpu::DeviceBuffer> parts;
    std::size_t used = 0;                                   ///< of the last part
    std::map<std::size_t, std::vector<CUdeviceptr>> free{}; ///< by size

    CUdeviceptr take(std::size_t bytes) {
        if (auto& known = free[bytes]; !known.empty()) {
            const CUdeviceptr place = known.back();
            known.pop_back();
            return place;
        }
        if (parts.empty() || parts.back().bytes() - used < bytes) {
            parts.emplace_back(std::max(part_bytes, bytes));
            used = 0;
        }
        return parts.back().address() + std::exchange(used, used + bytes);
    }
};

StateMemory::StateMemory(std::size_t part_bytes) : places_{std::make_shared<Places>()} {
    places_->part_bytes = part_bytes;
}

gpu::Array StateMemory::empty(gpu::ElementType type, const gpu::Extents& shape) {
    const gpu::Layout layout = gpu::compact(shape, type.bytes);
    const std::size_t asked = gpu::bytes_of(shape, type.bytes);
    const std::size_t bytes = (asked + kAlignment - 1) / kAlignment * kAlignment;
    if (bytes == 0) return gpu::Array::empty(type, shape);
    const CUdeviceptr place = places_->take(bytes);
    const std::shared_ptr<const void> owner{
        places_.get(),
        [places = places_, place, bytes](const void*) { places->free[bytes].push_back(place); }};
    return gpu::Array::over(place, type, layout, owner, gpu::Context::current());
}

} // namespace lathe
