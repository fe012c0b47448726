// SPDX-License-Identifier: MIT
#include "gpu/mipmapped_array.h"

#include "gpu/driver/check.h"

#include <algorithm>
#include <bit>

namespace lathe::gpu {
namespace {

unsigned most_levels(const CudaArrayConfig& c) {
    const std::size_t depth = c.layered || c.cubemap ? 1 : c.depth;
    return static_cast<unsigned>(std::bit_width(std::max({c.width, c.height, depth})));
}

} // namespace

void detail::MipmappedArrayTraits::destroy(Type array) noexcept {
    if (const ReleaseScope scope{array.context})
        log_failure("cuMipmappedArrayDestroy", driver().cuMipmappedArrayDestroy(array.value));
}

MipmappedArray::MipmappedArray(const CudaArrayConfig& config, unsigned levels)
    : context_{Context::ensure_current()}, config_{config} {
    const unsigned most = std::max(most_levels(config), 1u);
    levels_ = levels == 0 ? most : std::min(levels, most);
    const CUDA_ARRAY3D_DESCRIPTOR d = detail::descriptor_of(config);
    CUmipmappedArray array = nullptr;
    CU_TRY(cuMipmappedArrayCreate(&array, &d, levels_), "{} levels of {} x {} x {} elements",
           levels_, config.width, config.height, config.depth);
    handle_ = Handle<detail::MipmappedArrayTraits>{{array, context_}};
}

CudaArray MipmappedArray::level(unsigned index) const {
    if (index >= levels_)
        throw Error{"cuMipmappedArrayGetLevel", CUDA_ERROR_INVALID_VALUE,
                    fmt::format("level {} of an array with {} levels", index, levels_)};
    CUarray array = nullptr;
    CU_TRY(cuMipmappedArrayGetLevel(&array, get(), index), "level {}", index);
    return CudaArray::wrap(array, context_);
}

} // namespace lathe::gpu
