// SPDX-License-Identifier: MIT
#include "engine/app/app_kernel.h"

#include "engine/app/app_parts.h"
#include "engine/live/launch_watch.h"
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
    if (block.total() == 0) block = gpu::usual_block(shape.size());
    Launch made = grid(gpu::blocks_for(elements, block), block, shared);
    made.elements_ = elements;
    return made;
}

AppKernel::Launch AppKernel::grid(gpu::Dim3 grid, gpu::Dim3 block, std::size_t shared) {
    return {*this, {.grid = grid, .block = block, .shared_bytes = shared, .stream = app_.stream()}};
}

void AppKernel::Launch::note(const gpu::Kernel& kernel,
                             std::span<const gpu::Array* const> arguments) const {
    for (const gpu::Array* const& each : arguments)
        if (each)
            gpu::note_launch(kernel, {config_.grid, config_.block, elements_}, {&each, 1}, false);
}

const gpu::Kernel* AppKernel::find() const {
    if (!slot_.ready() && !app_.window().headless()) return nullptr;
    app_.note_work();
    return entry_.empty() ? &slot_.kernel() : &slot_.kernel(entry_);
}

void AppKernel::launch(const gpu::Kernel& kernel, const gpu::LaunchConfig& config,
                       void** arguments) {
    LaunchWatch* const watch = app_.launch_watch(slot_, entry_);
    if (watch && !config.stream.is_capturing()) watch->launch(config, {}, arguments);
    else kernel.launch(config, arguments);
}

void AppKernel::report_or_rethrow() {
    try {
        throw;
    } catch (const gpu::Error& error) {
        if (!app_.report_fault(error)) throw;
    }
}

} // namespace lathe
