// SPDX-License-Identifier: MIT
#include "gpu/array/reduction.h"

#include "gpu/array/reduction_rules.h"
#include "gpu/array/reduction_scratch.h"
#include "gpu/array/reduction_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

namespace lathe::gpu {

namespace {

constexpr std::size_t kMostStateBytes = 64;

void launch(const ReduceCall& call) {
    const ReduceWalk walk = walk_of(call);
    const ArrayKernel& kernel = reduction_kernel(call, walk);
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
    if (call.mapped)
        for (const Scalar& each : call.mapped->numbers)
            plan.numbers.push_back(std::bit_cast<std::array<std::uint64_t, 2>>(each.value));
    for (std::size_t k = call.first_read(); k < inputs; ++k)
        plan.operands.push_back(
            {call.inputs[k].address() +
                 static_cast<CUdeviceptr>(walk.kept.offsets[k] + walk.reduced.offsets[k]),
             &walk.kept.strides[k], &walk.reduced.strides[k]});
    std::vector<std::uint64_t> words = plan.words();
    void* argument = words.data();
    LaunchConfig config{{}, {kReduceThreads}, 0, call.stream};
    config.grid.x = static_cast<unsigned>(walk.tiles * walk.parts);
    kernel.kernel.launch(config, &argument);
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

void take_output(ReduceCall& call, const ReduceOptions& options, const std::vector<bool>& gone,
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

Array run(ReduceCall& call, const Extents& shape, const ReduceOptions& options,
          bool computes = true) {
    const char* const name = name_of(call.reduction);
    const std::vector<bool> gone = reduced_axes(options.axes, shape.size());
    std::vector<bool> stays(gone.size());
    std::transform(gone.begin(), gone.end(), stays.begin(), [](bool is_gone) { return !is_gone; });
    call.kept.resize(call.inputs.size());
    call.reduced.resize(call.inputs.size());
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
    const DType second = (call.mapped ? call.inputs[0] : call.inputs.back()).dtype(name);
    const DType result =
        rule_of(call.reduction, call.inputs[0].dtype(name), second, call.dtype, call.parameter)
            .result;
    take_output(call, options, gone, result);
    const std::size_t outputs = call.mapped ? call.mapped->outputs.size() : 0;
    for (std::size_t k = call.first_read(); k < call.inputs.size() - outputs && computes; ++k)
        if (call.inputs[k].may_share_memory(call.output))
            call.inputs[k] = copy(call.inputs[k], call.stream);
    if (call.output.size() > 0 && computes) {
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

void check_devices(const ReduceCall& call) {
    for (const Array& each : call.inputs) check_device(each, name_of(call.reduction));
    if (call.table) check_device(*call.table, name_of(call.reduction));
}

} // namespace

Array reduce(Reduction reduction, const Array& array, const ReduceOptions& options,
             StreamView stream) {
    if (reduction == Reduction::dot || reduction == Reduction::vdot)
        throw TypeError{"an inner product is of two arrays"};
    ReduceCall call;
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
    ReduceCall call;
    call.reduction = reduction;
    call.inputs = {a, b};
    call.dtype = options.dtype;
    call.parameter = options.parameter;
    call.stream = stream;
    check_devices(call);
    return run(call, broadcast_shapes(a.shape(), b.shape()), options);
}

Array make_reduced(Reduction reduction, const Array& of, const ReduceOptions& options) {
    ReduceCall call;
    call.reduction = reduction;
    call.inputs = {of};
    call.dtype = options.dtype;
    call.parameter = options.parameter;
    check_devices(call);
    return run(call, of.shape(), options, false);
}

bool takes_mapped(Reduction reduction, DType of, std::optional<DType> dtype) {
    switch (reduction) {
    case Reduction::sum:
    case Reduction::min:
    case Reduction::max:
    case Reduction::fmin:
    case Reduction::fmax:
    case Reduction::any:
    case Reduction::all:
    case Reduction::count_nonzero:
    case Reduction::mean: return true;
    case Reduction::prod: return kind_of(dtype.value_or(of)) != Kind::complex;
    default: return false;
    }
}

void reduce(Reduction reduction, const MappedValues& values, const ReduceOptions& options,
            StreamView stream) {
    ReduceCall call;
    call.reduction = reduction;
    call.inputs = {*values.as};
    call.inputs.insert(call.inputs.end(), values.arrays.begin(), values.arrays.end());
    for (const MappedValues::Output& each : values.outputs) call.inputs.push_back(each.to);
    call.mapped = &values;
    call.dtype = options.dtype;
    call.parameter = options.parameter;
    call.stream = stream;
    check_devices(call);
    run(call, values.as->shape(), options);
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
    ReduceCall call;
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
