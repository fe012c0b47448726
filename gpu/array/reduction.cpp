// SPDX-License-Identifier: MIT
#include "gpu/array/reduction.h"

#include "gpu/array/iteration.h"
#include "gpu/array/kernel_cache.h"
#include "gpu/array/reduction_rules.h"
#include "gpu/array/reduction_scratch.h"
#include "gpu/array/reduction_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <limits>
#include <vector>

namespace lathe::gpu {

namespace {

constexpr unsigned kThreads = 256;         // as in kernels/lathe_reduce.hpp
constexpr std::int64_t kMostBlocks = 1024; // that share what one could do: about what runs at once
constexpr std::size_t kMostStateBytes = 64;
constexpr std::size_t kMostInputs = 2;

/// One call with its axes told apart. Layouts of inputs are broadcast to one shape.
struct Call {
    Reduction reduction = Reduction::sum;
    std::vector<Array> inputs{};
    const Array* table = nullptr;
    std::optional<DType> dtype{};
    double parameter = 0;
    Extents kept_shape{}, reduced_shape{};
    std::array<Layout, kMostInputs> kept{}, reduced{}; ///< of each input
    Array output{};
    Layout output_kept{}; ///< the output's axes that are kept
    StreamView stream{};

    bool is_place() const {
        return reduction == Reduction::argmin || reduction == Reduction::argmax;
    }
};

/// How its kernel walks.
struct Walk {
    Iteration kept, reduced; ///< operands of `kept`: the inputs, the output
    Sharing sharing = Sharing::blocks;
    unsigned width = 1, group = 1, groups = 8;
    bool flat = false, aligned = false, narrow = false;
    std::int64_t parts = 1, part_size = 0, tiles = 1;
};

/// Axes in their own order, neighbours joined where they are one: for places, which count so.
Iteration in_order(const Extents& shape, const Layout& layout) {
    Iteration it;
    it.count = count_of(shape);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] == 1) continue;
        const std::size_t last = it.shape.size() - 1;
        if (!it.shape.empty() && it.strides[0][last] == layout.strides[axis] * shape[axis]) {
            it.shape[last] *= shape[axis];
            it.strides[0][last] = layout.strides[axis];
        } else {
            it.shape.push_back(shape[axis]);
            it.strides[0].push_back(layout.strides[axis]);
        }
    }
    return it;
}

void at_least_one_axis(Iteration& it, std::size_t operands) {
    if (!it.shape.empty()) return;
    it.shape.push_back(1);
    for (std::size_t k = 0; k < operands; ++k) it.strides[k].push_back(0);
}

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

void plan_axes(const Call& call, Walk& walk) {
    const std::size_t inputs = call.inputs.size();
    std::array<const Layout*, kMostInputs + 1> layouts{};
    for (std::size_t k = 0; k < inputs; ++k) layouts[k] = &call.kept[k];
    layouts[inputs] = &call.output_kept;
    walk.kept = plan(call.kept_shape, std::span{layouts}.first(inputs + 1));
    for (std::size_t k = 0; k < inputs; ++k) layouts[k] = &call.reduced[k];
    walk.reduced = call.is_place() ? in_order(call.reduced_shape, call.reduced[0])
                                   : plan(call.reduced_shape, std::span{layouts}.first(inputs));
    at_least_one_axis(walk.kept, inputs + 1);
    at_least_one_axis(walk.reduced, inputs);
    walk.narrow =
        std::max(walk.kept.count, walk.reduced.count) < std::numeric_limits<std::int32_t>::max();
}

/// Groups that one load brings, where what is reduced lies one after the other.
void plan_loads(const Call& call, Walk& walk) {
    if (call.is_place()) walk.groups = 4; // each element is some code
    if (call.table) return;
    std::size_t largest = 1;
    walk.flat = walk.reduced.shape.size() == 1;
    for (std::size_t k = 0; k < call.inputs.size(); ++k) {
        const std::size_t bytes = call.inputs[k].type().bytes;
        largest = std::max(largest, bytes);
        walk.flat = walk.flat && walk.reduced.strides[k][0] == static_cast<std::int64_t>(bytes);
    }
    if (!walk.flat) return;
    walk.group = static_cast<unsigned>(16 / largest);
    if (walk.group > 4) walk.groups /= 2;
    walk.aligned = true;
    for (std::size_t k = 0; k < call.inputs.size(); ++k) {
        std::uint64_t all =
            call.inputs[k].address() +
            static_cast<std::uint64_t>(walk.kept.offsets[k] + walk.reduced.offsets[k]);
        for (const std::int64_t stride : walk.kept.strides[k])
            all |= static_cast<std::uint64_t>(stride);
        walk.aligned = walk.aligned && all % (walk.group * call.inputs[k].type().bytes) == 0;
    }
}

/// Whether neighbours in memory belong to different outputs.
bool kept_is_faster(const Walk& walk) {
    if (walk.kept.count == 1) return false;
    const std::int64_t kept = std::abs(walk.kept.strides[0].back());
    const std::int64_t reduced = std::abs(walk.reduced.strides[0].back());
    return kept != 0 && (reduced == 0 || kept < reduced);
}

void plan_sharing(Walk& walk) {
    const std::int64_t kept = walk.kept.count, reduced = walk.reduced.count;
    const bool columns = kept_is_faster(walk);
    if (columns ? reduced <= 16 || kept >= 64 * 1024 : reduced <= 16) {
        walk.sharing = Sharing::lanes;
        walk.width = 1;
    } else if (!columns && reduced <= 1024 && kept >= 32) {
        walk.sharing = Sharing::lanes;
        walk.width = reduced <= 128 ? 8 : 32;
    } else {
        walk.width = columns ? static_cast<unsigned>(std::bit_ceil(
                                   static_cast<std::uint64_t>(std::min<std::int64_t>(kept, 32))))
                             : 1;
    }
    if (walk.sharing == Sharing::lanes) {
        walk.tiles = divided_up(kept, kThreads / walk.width);
        walk.part_size = reduced;
        return;
    }
    walk.tiles = divided_up(kept, walk.width);
    const std::int64_t round = std::int64_t{kThreads / walk.width} * walk.group * walk.groups;
    const std::int64_t rounds = std::max<std::int64_t>(divided_up(reduced, round), 1);
    const std::int64_t most = std::max<std::int64_t>(kMostBlocks / walk.tiles, 1);
    const std::int64_t each = divided_up(rounds, std::min(rounds, most));
    walk.parts = divided_up(rounds, each);
    walk.part_size = each * round;
}

Walk walk_of(const Call& call) {
    Walk walk;
    plan_axes(call, walk);
    plan_loads(call, walk);
    plan_sharing(walk);
    return walk;
}

/// All that decides the kernel's text. The highest bits tell it from the keys of other operations.
std::uint64_t key_of(const Call& call, const Walk& walk) {
    std::uint64_t key = 0;
    const auto add = [&](std::uint64_t value, unsigned bits) { key = key << bits | value; };
    add(static_cast<std::uint64_t>(call.reduction), 5);
    add(call.reduction == Reduction::norm ? norm_class(call.parameter) : 0, 3);
    add(static_cast<std::uint64_t>(*call.inputs[0].type().dtype), 4);
    add(static_cast<std::uint64_t>(*call.inputs.back().type().dtype), 4);
    add(static_cast<std::uint64_t>(*call.output.type().dtype), 4);
    add(call.dtype ? static_cast<std::uint64_t>(*call.dtype) + 1 : 0, 4);
    add(call.table ? static_cast<std::uint64_t>(*call.table->type().dtype) + 1 : 0, 4);
    add(walk.kept.shape.size(), 6);
    add(walk.reduced.shape.size(), 6);
    add(static_cast<std::uint64_t>(walk.sharing), 1);
    add(static_cast<std::uint64_t>(std::countr_zero(walk.width)), 3);
    add(walk.flat, 1);
    add(walk.aligned, 1);
    add(walk.narrow, 1);
    return key | std::uint64_t{9} << 60;
}

std::string source_of(const Call& call, const Walk& walk, const char* entry) {
    const ReductionRule rule =
        rule_of(call.reduction, *call.inputs[0].type().dtype, *call.inputs.back().type().dtype,
                call.dtype, call.parameter);
    ReductionForm form;
    form.state = rule.state;
    form.element = rule.element;
    for (const Array& each : call.inputs) form.read.push_back(kernel_type(*each.type().dtype));
    if (call.table) form.table = kernel_type(*call.table->type().dtype);
    form.written = kernel_type(*call.output.type().dtype);
    form.kept_axes = static_cast<unsigned>(walk.kept.shape.size());
    form.reduced_axes = static_cast<unsigned>(walk.reduced.shape.size());
    form.sharing = walk.sharing;
    form.width = walk.width;
    form.group = walk.group;
    form.groups = walk.groups;
    form.flat = walk.flat;
    form.aligned = walk.aligned;
    form.narrow = walk.narrow;
    return reduction_source(form, entry);
}

void launch(const Call& call) {
    const Walk walk = walk_of(call);
    const std::string entry = fmt::format("reduce_{}", name_of(call.reduction));
    const ArrayKernel* kernel = find_array_kernel(key_of(call, walk));
    if (!kernel)
        kernel = &array_kernel(
            key_of(call, walk), entry, [&] { return source_of(call, walk, entry.c_str()); },
            kThreads);
    ReductionPlan plan;
    plan.kept = walk.kept.count;
    plan.reduced = walk.reduced.count;
    plan.parts = walk.parts;
    plan.part_size = walk.part_size;
    plan.count = static_cast<double>(walk.reduced.count);
    plan.parameter = call.parameter;
    if (walk.parts > 1) {
        const Scratch scratch =
            scratch_for(call.stream, static_cast<std::size_t>(walk.tiles * walk.parts) *
                                         walk.width * kMostStateBytes);
        plan.tickets = scratch.tickets;
        plan.states = scratch.states;
    }
    if (call.table) plan.table = call.table->address();
    const std::size_t inputs = call.inputs.size();
    plan.output = call.output.address() + static_cast<CUdeviceptr>(walk.kept.offsets[inputs]);
    plan.kept_shape = &walk.kept.shape;
    plan.reduced_shape = &walk.reduced.shape;
    plan.output_strides = &walk.kept.strides[inputs];
    for (std::size_t k = 0; k < inputs; ++k)
        plan.operands.push_back(
            {call.inputs[k].address() +
                 static_cast<CUdeviceptr>(walk.kept.offsets[k] + walk.reduced.offsets[k]),
             &walk.kept.strides[k], &walk.reduced.strides[k]});
    std::vector<std::uint64_t> words = plan.words();
    void* argument = words.data();
    LaunchConfig config{{}, {kThreads}, 0, call.stream};
    config.grid.x = static_cast<unsigned>(walk.tiles * walk.parts);
    kernel->kernel.launch(config, &argument);
}

/// Which axes go; throws where one is named twice.
std::vector<bool> reduced_axes(const Extents* axes, std::size_t dimensions) {
    std::vector<bool> reduced(dimensions, axes == nullptr);
    if (!axes) return reduced;
    for (const std::int64_t axis : *axes) {
        const std::size_t at = checked_axis(axis, dimensions);
        if (reduced[at]) throw ShapeError{"duplicate value in 'axis'"};
        reduced[at] = true;
    }
    return reduced;
}

Layout without(const Layout& layout, const std::vector<bool>& gone) {
    Layout left;
    for (std::size_t axis = 0; axis < layout.shape.size(); ++axis)
        if (!gone[axis]) {
            left.shape.push_back(layout.shape[axis]);
            left.strides.push_back(layout.strides[axis]);
        }
    return left;
}

Layout ones_inserted(const Layout& layout, const std::vector<bool>& at) {
    Layout all;
    std::size_t next = 0;
    for (const bool inserted : at) {
        all.shape.push_back(inserted ? 1 : layout.shape[next]);
        all.strides.push_back(inserted ? 0 : layout.strides[next]);
        next += !inserted;
    }
    return all;
}

void take_output(Call& call, const ReduceOptions& options, const std::vector<bool>& gone,
                 DType result) {
    const char* const name = name_of(call.reduction);
    if (!options.out) {
        Layout layout = compact(call.kept_shape, item_bytes(result));
        call.output =
            options.allocate ? (*options.allocate)(result, layout) : Array::empty(result, layout);
        call.output_kept = layout;
        return;
    }
    Array& out = *options.out;
    const DType type = out.dtype(name);
    if (!can_cast_same_kind(result, type))
        throw TypeError{fmt::format("{}: cannot cast from {} to out's {}", name, name_of(result),
                                    name_of(type))};
    if (!out.writable()) throw ReadOnlyError{"output array is read-only"};
    Layout layout = out.layout();
    if (options.keepdims && layout.shape.size() == gone.size()) layout = without(layout, gone);
    if (layout.shape != call.kept_shape || (options.keepdims && out.dimensions() != gone.size()) ||
        out.size() != count_of(call.kept_shape))
        throw ShapeError{fmt::format("{}: out has shape {} where the result has {}", name,
                                     to_string(out.shape()), to_string(call.kept_shape))};
    call.output = out;
    call.output_kept = layout;
}

Array run(Call& call, const Extents& shape, const ReduceOptions& options) {
    const char* const name = name_of(call.reduction);
    const std::vector<bool> gone = reduced_axes(options.axes, shape.size());
    std::vector<bool> stays(gone.size());
    std::transform(gone.begin(), gone.end(), stays.begin(), [](bool is_gone) { return !is_gone; });
    for (std::size_t k = 0; k < call.inputs.size(); ++k) {
        const Layout spread = broadcast_to(call.inputs[k].layout(), shape);
        call.kept[k] = without(spread, gone);
        call.reduced[k] = without(spread, stays);
    }
    call.kept_shape = call.kept[0].shape;
    call.reduced_shape = call.reduced[0].shape;
    if (count_of(call.reduced_shape) == 0 && !has_identity(call.reduction, call.parameter))
        throw ShapeError{
            call.is_place()
                ? fmt::format("attempt to get {} of an empty sequence", name)
                : fmt::format("zero-size array to reduction operation {} which has no identity",
                              name)};
    const DType result = rule_of(call.reduction, call.inputs[0].dtype(name),
                                 call.inputs.back().dtype(name), call.dtype, call.parameter)
                             .result;
    take_output(call, options, gone, result);
    for (Array& each : call.inputs)
        if (each.may_share_memory(call.output)) each = copy(each, call.stream);
    if (call.output.size() > 0) {
        for (std::size_t k = 0; k < call.inputs.size(); ++k) { // a copy has strides of its own
            const Layout spread = broadcast_to(call.inputs[k].layout(), shape);
            call.kept[k] = without(spread, gone);
            call.reduced[k] = without(spread, stays);
        }
        launch(call);
    }
    if (options.out) return *options.out;
    if (!options.keepdims) return call.output;
    return call.output.view(call.output.type(), ones_inserted(call.output.layout(), gone));
}

void check_devices(const Call& call) {
    const Context current = Context::current();
    const auto check = [&](const Array& array) {
        if (array.context() && current && array.context() != current &&
            array.context().device().get() != current.device().get())
            throw lathe::Error{fmt::format("{}: an array of device {} in a context of device {}",
                                           name_of(call.reduction), array.context().device().get(),
                                           current.device().get())};
    };
    for (const Array& each : call.inputs) check(each);
    if (call.table) check(*call.table);
}

} // namespace

Array reduce(Reduction reduction, const Array& array, const ReduceOptions& options,
             StreamView stream) {
    if (reduction == Reduction::dot || reduction == Reduction::vdot)
        throw TypeError{"an inner product is of two arrays"};
    Call call;
    call.reduction = reduction;
    call.inputs = {array};
    call.dtype = options.dtype;
    call.parameter = options.parameter;
    call.stream = stream;
    check_devices(call);
    return run(call, array.shape(), options);
}

Array reduce(Reduction reduction, const Array& a, const Array& b, const ReduceOptions& options,
             StreamView stream) {
    if (reduction != Reduction::dot && reduction != Reduction::vdot)
        throw TypeError{fmt::format("{} is of one array", name_of(reduction))};
    Call call;
    call.reduction = reduction;
    call.inputs = {a, b};
    call.dtype = options.dtype;
    call.parameter = options.parameter;
    call.stream = stream;
    check_devices(call);
    return run(call, broadcast_shapes(a.shape(), b.shape()), options);
}

Array reduce_subset(Reduction reduction, const Array& subset, const Array& a, const Array* b,
                    std::optional<DType> dtype, StreamView stream, const Allocate* allocate) {
    const char* const name = name_of(reduction);
    if (!is_integer(subset.dtype(name)))
        throw TypeError{fmt::format("{}: a subset of {} where integers are wanted", name,
                                    name_of(subset.dtype(name)))};
    if (b && b->shape() != a.shape())
        throw ShapeError{fmt::format("{}: arrays of shapes {} and {}", name, to_string(a.shape()),
                                     to_string(b->shape()))};
    const auto in_c_order = [&](const Array& array) {
        return array.is_c_contiguous() ? array : copy(array, Order::c, stream);
    };
    const Array table = in_c_order(subset);
    Call call;
    call.reduction = reduction;
    call.inputs = {in_c_order(a)};
    call.table = &table;
    call.dtype = dtype;
    if (b) call.inputs.push_back(in_c_order(*b));
    call.stream = stream;
    check_devices(call);
    // As many as the subset has, wherever they are.
    for (Array& each : call.inputs)
        each = each.view(each.type(),
                         {{table.size()}, {static_cast<std::int64_t>(each.type().bytes)}});
    return run(call, {table.size()}, {.dtype = dtype, .allocate = allocate});
}

} // namespace lathe::gpu
