// SPDX-License-Identifier: MIT
#include "gpu/array/walk.h"

#include "gpu/driver/device_traits.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace lathe::gpu {

namespace {

using Operands = std::span<const Array* const>;

/// Whether all arrays are one after the other in the same order, so that no plan is needed.
bool walks_alike(Operands operands) {
    const Array& model = *operands[0];
    const bool c = model.is_c_contiguous(), f = !c && model.is_f_contiguous();
    for (std::size_t k = 1; k < operands.size(); ++k) {
        const Array* const each = operands[k];
        if (!each || each->size() == 1) continue;
        if (each->shape() != model.shape()) return false;
        const bool same =
            each->strides() == model.strides() && each->type().bytes == model.type().bytes;
        if (!(c && each->is_c_contiguous()) && !(f && each->is_f_contiguous()) &&
            !(same && is_dense(model.layout(), model.type().bytes)))
            return false;
    }
    return c || f || is_dense(model.layout(), model.type().bytes);
}

void walk_flat(Walk& walk, Operands operands) {
    const bool single = walk.count == 1;
    for (std::size_t k = 0; k < operands.size(); ++k) {
        const Array* const each = operands[k];
        walk.access[k] = !each                          ? Access::value
                         : each->size() == 1 && !single ? Access::one
                                                        : Access::flat;
        if (!each) continue;
        // A dense array may begin elsewhere than at its first element.
        walk.address[k] =
            each->address() +
            static_cast<CUdeviceptr>(walk.access[k] == Access::flat
                                         ? reach_of(each->layout(), each->type().bytes).begin
                                         : 0);
    }
}

void walk_strided(Walk& walk, Operands operands, std::size_t outputs) {
    const Extents& shape = operands[0]->shape();
    std::array<Layout, Walk::kMost> layouts;
    std::array<const Layout*, Walk::kMost> planned;
    std::array<std::size_t, Walk::kMost> item_bytes, operand;
    std::size_t count = 0;
    for (std::size_t k = 0; k < operands.size(); ++k) {
        const Array* const each = operands[k];
        walk.access[k] = !each ? Access::value : each->size() == 1 ? Access::one : Access::strided;
        if (!each) continue;
        walk.address[k] = each->address();
        if (walk.access[k] == Access::one && k >= outputs) continue;
        walk.access[k] = Access::strided;
        layouts[count] = broadcast_to(each->layout(), shape);
        planned[count] = &layouts[count];
        item_bytes[count] = each->type().bytes;
        operand[count++] = k;
    }
    walk.iteration = plan(shape, std::span{planned}.first(count));
    const Iteration& it = walk.iteration;
    const bool flat = it.is_flat(std::span{item_bytes}.first(count));
    for (std::size_t n = 0; n < count; ++n) {
        const std::size_t k = operand[n];
        walk.address[k] += static_cast<CUdeviceptr>(it.offsets[n]);
        walk.strides[k] = &it.strides[n];
        if (flat)
            walk.access[k] =
                !it.shape.empty() && it.strides[n][0] == 0 ? Access::one : Access::flat;
    }
    if (flat) return;
    walk.dimensions = static_cast<unsigned>(it.shape.size());
    walk.wide = !it.is_narrow();
}

/// Elements for an access of the largest type, where all arrays begin at such a group.
unsigned vector_of(const Walk& walk, Operands operands) {
    std::size_t largest = 1;
    for (std::size_t k = 0; k < operands.size(); ++k)
        if (walk.access[k] == Access::flat) largest = std::max(largest, operands[k]->type().bytes);
    const std::size_t vector =
        std::clamp<std::size_t>(device_traits().access_bytes / largest, 1, 8);
    for (std::size_t k = 0; k < operands.size(); ++k)
        if (walk.access[k] == Access::flat &&
            walk.address[k] % (vector * operands[k]->type().bytes) != 0)
            return 1;
    return walk.count < static_cast<std::int64_t>(vector) ? 1 : static_cast<unsigned>(vector);
}

} // namespace

void Walk::plan(std::span<const Array* const> operands, std::size_t outputs) {
    count = operands[0]->size();
    wide = count > std::numeric_limits<std::int32_t>::max();
    if (walks_alike(operands)) walk_flat(*this, operands);
    else walk_strided(*this, operands, outputs);
    if (dimensions == 0) vector = vector_of(*this, operands);
}

std::optional<Geometry> Walk::geometry(std::size_t operands) const {
    if (dimensions == 0) return {};
    std::array<const Extents*, kMost> walked;
    std::size_t strided = 0;
    for (std::size_t k = 0; k < operands; ++k)
        if (access[k] == Access::strided) walked[strided++] = strides[k];
    return std::optional<Geometry>{std::in_place, iteration.shape, std::span{walked}.first(strided),
                                   wide};
}

unsigned Walk::blocks(const ArrayKernel& kernel) const {
    if (dimensions) return kernel.blocks_for(static_cast<std::uint64_t>(count));
    const std::int64_t each = std::int64_t{kernel.threads} * vector;
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    return static_cast<unsigned>(std::min((count + each - 1) / each, most));
}

void check_operands(const char* name, std::span<const Array* const> operands, std::size_t outputs) {
    for (std::size_t k = 0; k < operands.size(); ++k) {
        const Array* const each = operands[k];
        if (!each) continue;
        each->dtype(name);
        check_device(*each, name);
        if (k < outputs && !each->writable()) throw ReadOnlyError{"output array is read-only"};
        if (k > 0 && k < outputs && each->shape() != operands[0]->shape())
            throw ShapeError{fmt::format("{}: outputs of shapes {} and {}", name,
                                         to_string(operands[0]->shape()),
                                         to_string(each->shape()))};
        if (k < outputs || each->shape() == operands[0]->shape()) continue;
        const Extents shape = broadcast_shapes(each->shape(), operands[0]->shape());
        if (shape != operands[0]->shape())
            throw ShapeError{
                fmt::format("non-broadcastable output operand with shape {} doesn't match the "
                            "broadcast shape {}",
                            to_string(operands[0]->shape()), to_string(shape))};
    }
}

bool is_safe_beside(const Array& input, const Array& output) {
    if (!input.may_share_memory(output)) return true;
    return input.address() == output.address() && input.layout() == output.layout() &&
           input.type().bytes == output.type().bytes;
}

} // namespace lathe::gpu
