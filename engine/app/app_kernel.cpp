// SPDX-License-Identifier: MIT
#include "engine/app/app_kernel.h"

#include "engine/app/app_parts.h"
#include "gpu/driver/check.h"

#include <fmt/format.h>

#include <limits>

namespace lathe {

AppKernel::Launch AppKernel::over(const gpu::Extents& shape, gpu::Dim3 block, std::size_t shared) {
    if (shape.size() < 1 || shape.size() > 3)
        throw gpu::ShapeError{
            fmt::format("a launch is over one to three axes, got {}", gpu::to_string(shape))};
    gpu::Dim3 elements;
    unsigned* const sizes[] = {&elements.x, &elements.y, &elements.z};
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const std::int64_t size = shape[shape.size() - 1 - axis];
        if (size < 1 || size > std::numeric_limits<int>::max())
            throw gpu::ShapeError{
                fmt::format("a launch over {}: sizes are 1 to 2^31 - 1", gpu::to_string(shape))};
        *sizes[axis] = static_cast<unsigned>(size);
    }
    if (block.total() == 0)
        block = shape.size() == 1   ? gpu::Dim3{256}
                : shape.size() == 2 ? gpu::Dim3{16, 16}
                                    : gpu::Dim3{8, 8, 4};
    return grid(gpu::blocks_for(elements, block), block, shared);
}

AppKernel::Launch AppKernel::grid(gpu::Dim3 grid, gpu::Dim3 block, std::size_t shared) {
    return {*this, {.grid = grid, .block = block, .shared_bytes = shared}};
}

void AppKernel::launch(gpu::LaunchConfig config,
                       const std::function<void(const gpu::Kernel&, gpu::LaunchConfig)>& call) {
    if (!slot_.ready() && !app_.window().headless()) return;
    config.stream = app_.stream();
    try {
        call(entry_.empty() ? slot_.kernel() : slot_.kernel(entry_), config);
    } catch (const gpu::Error& error) {
        if (!app_.report_fault(error)) throw;
    }
}

} // namespace lathe
