// SPDX-License-Identifier: MIT
#include "gpu/array/elementwise.h"

#include "gpu/array/elementwise_source.h"
#include "gpu/array/iteration.h"
#include "gpu/array/kernel_cache.h"
#include "gpu/driver/api.h"
#include "gpu/driver/check.h"
#include "gpu/soft/soft_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <vector>

namespace lathe::gpu {

namespace {

constexpr std::size_t kMost = Loop::kMostInputs + Loop::kMostOutputs;

/// One call: outputs first, then inputs.
struct Call {
    const Loop& loop;
    std::span<Array* const> outputs;
    std::span<const Input> inputs;
    StreamView stream;

    std::size_t operands() const { return outputs.size() + inputs.size(); }
    /// Null for a number.
    const Array* array(std::size_t k) const {
        return k < outputs.size() ? outputs[k] : inputs[k - outputs.size()].array;
    }
    DType stored(std::size_t k) const {
        const Array* const of = array(k);
        return of ? *of->type().dtype : inputs[k - outputs.size()].number.dtype;
    }
    DType computed(std::size_t k) const {
        return k < outputs.size() ? loop.outputs[k] : loop.inputs[k - outputs.size()];
    }
};

/// How the kernel of a call walks.
struct Walk {
    std::array<Access, kMost> access{};
    std::array<CUdeviceptr, kMost> address{};
    std::array<const Extents*, kMost> strides{};
    Iteration iteration; ///< used where dimensions is not 0
    std::int64_t count = 0;
    unsigned dimensions = 0, vector = 1;
    bool wide = false;
};

/// Whether all arrays are one after the other in the same order, so that no plan is needed.
bool walks_alike(const Call& call) {
    const Array& model = *call.outputs[0];
    const bool c = model.is_c_contiguous(), f = !c && model.is_f_contiguous();
    for (std::size_t k = 1; k < call.operands(); ++k) {
        const Array* const each = call.array(k);
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

void walk_flat(const Call& call, Walk& walk) {
    const bool single = walk.count == 1;
    for (std::size_t k = 0; k < call.operands(); ++k) {
        const Array* const each = call.array(k);
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

void walk_strided(const Call& call, Walk& walk) {
    const Extents& shape = call.outputs[0]->shape();
    std::array<Layout, kMost> layouts;
    std::array<const Layout*, kMost> planned{};
    std::array<std::size_t, kMost> item_bytes{}, operand{};
    std::size_t count = 0;
    for (std::size_t k = 0; k < call.operands(); ++k) {
        const Array* const each = call.array(k);
        walk.access[k] = !each ? Access::value : each->size() == 1 ? Access::one : Access::strided;
        if (!each) continue;
        walk.address[k] = each->address();
        if (walk.access[k] == Access::one && k >= call.outputs.size()) continue;
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

/// Bytes that a thread should access at once.
std::size_t access_bytes() {
    static const std::size_t bytes = [] {
        const auto ask = driver().find<decltype(latheSoftAccessBytes)>("latheSoftAccessBytes");
        return ask ? std::size_t{ask()} : std::size_t{16};
    }();
    return bytes;
}

/// Elements for an access of the largest type, where all arrays begin at such a group.
unsigned vector_of(const Call& call, const Walk& walk) {
    std::size_t largest = 1;
    for (std::size_t k = 0; k < call.operands(); ++k)
        if (walk.access[k] == Access::flat) largest = std::max(largest, item_bytes(call.stored(k)));
    const std::size_t vector = std::clamp<std::size_t>(access_bytes() / largest, 1, 8);
    for (std::size_t k = 0; k < call.operands(); ++k)
        if (walk.access[k] == Access::flat &&
            walk.address[k] % (vector * item_bytes(call.stored(k))) != 0)
            return 1;
    return walk.count < static_cast<std::int64_t>(vector) ? 1 : static_cast<unsigned>(vector);
}

Walk walk_of(const Call& call) {
    Walk walk;
    walk.count = call.outputs[0]->size();
    walk.wide = walk.count > std::numeric_limits<std::int32_t>::max();
    if (walks_alike(call))
        walk_flat(call, walk);
    else
        walk_strided(call, walk);
    if (walk.dimensions == 0) walk.vector = vector_of(call, walk);
    return walk;
}

/// All that decides the kernel's text. The types that are computed in follow from the operation and
/// one of them, but for inputs that keep their own.
std::uint64_t key_of(const Call& call, const Walk& walk) {
    std::uint64_t key = call.loop.operation->number;
    const auto add = [&](std::uint64_t value, unsigned bits) { key = key << bits | value; };
    add(static_cast<std::uint64_t>(
            call.loop.inputs[call.loop.operation->rule == TypeRule::select ? 1 : 0]),
        4);
    for (std::size_t k = 0; k < call.operands(); ++k) {
        add(static_cast<std::uint64_t>(call.stored(k)), 4);
        add(static_cast<std::uint64_t>(walk.access[k]), 2);
    }
    add(walk.dimensions, 6);
    add(walk.wide, 1);
    add(static_cast<std::uint64_t>(std::countr_zero(walk.vector)), 2);
    return key;
}

std::string_view stored_type(const Call& call, const Walk& walk, std::size_t k) {
    const DType dtype = call.stored(k);
    return walk.access[k] == Access::value && dtype == DType::float16 ? "float"
                                                                      : kernel_type(dtype);
}

/// Not the function's own name: CUDA's functions have it.
std::string entry_of(const Call& call) {
    return fmt::format("elementwise_{}", call.loop.operation->name);
}

std::string source_of(const Call& call, const Walk& walk) {
    ElementwiseForm form;
    form.statement = call.loop.text;
    for (std::size_t k = 0; k < call.operands(); ++k) {
        const OperandForm operand{stored_type(call, walk, k), compute_type(call.computed(k)),
                                  walk.access[k]};
        (k < call.outputs.size() ? form.outputs : form.inputs).push_back(operand);
    }
    form.dimensions = walk.dimensions;
    form.vector = walk.vector;
    form.wide = walk.wide;
    form.bits = static_cast<unsigned>(item_bytes(call.loop.inputs[0]) * 8);
    return elementwise_source(form, entry_of(call));
}

/// Flat: a thread for each group, so that blocks walk memory from one end to the other.
unsigned blocks_of(const Walk& walk, const ArrayKernel& kernel) {
    if (walk.dimensions) return kernel.blocks_for(static_cast<std::uint64_t>(walk.count));
    const std::int64_t each = std::int64_t{kernel.threads} * walk.vector;
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    return static_cast<unsigned>(std::min((walk.count + each - 1) / each, most));
}

void launch(const Call& call, const Walk& walk) {
    const ArrayKernel* kernel = find_array_kernel(key_of(call, walk));
    if (!kernel)
        kernel = &array_kernel(
            key_of(call, walk), entry_of(call), [&] { return source_of(call, walk); }, 256);
    std::optional<Geometry> geometry;
    std::array<void*, kMost + 3> arguments{};
    std::size_t given = 0;
    std::int64_t count = walk.count;
    arguments[given++] = &count; // little-endian: a narrow kernel reads its lower half
    if (walk.dimensions) {
        std::array<const Extents*, kMost> strides{};
        std::size_t strided = 0;
        for (std::size_t k = 0; k < call.operands(); ++k)
            if (walk.access[k] == Access::strided) strides[strided++] = walk.strides[k];
        geometry.emplace(walk.iteration.shape, std::span{strides}.first(strided), walk.wide);
        arguments[given++] = geometry->data();
    }
    for (std::size_t k = 0; k < call.operands(); ++k)
        arguments[given++] =
            walk.access[k] == Access::value
                ? const_cast<std::byte*>(call.inputs[k - call.outputs.size()].number.value.data())
                : static_cast<void*>(const_cast<CUdeviceptr*>(&walk.address[k]));
    LaunchConfig config{{}, {kernel->threads}, 0, call.stream};
    config.grid.x = blocks_of(walk, *kernel);
    kernel->kernel.launch(config, arguments.data());
}

void check(const Call& call) {
    const char* const name = call.loop.operation->name.data(); // of a literal
    const Context current = Context::current();
    for (std::size_t k = 0; k < call.operands(); ++k) {
        const Array* const each = call.array(k);
        if (!each) continue;
        each->dtype(name);
        if (each->context() && current && each->context() != current &&
            each->context().device().get() != current.device().get())
            throw lathe::Error{fmt::format("{}: an array of device {} in a context of device {}",
                                           name, each->context().device().get(),
                                           current.device().get())};
        if (k < call.outputs.size() && !each->writable())
            throw ReadOnlyError{"output array is read-only"};
        if (k > 0 && k < call.outputs.size() && each->shape() != call.outputs[0]->shape())
            throw ShapeError{fmt::format("{}: outputs of shapes {} and {}", name,
                                         to_string(call.outputs[0]->shape()),
                                         to_string(each->shape()))};
        if (k >= call.outputs.size() &&
            broadcast_shapes(each->shape(), call.outputs[0]->shape()) != call.outputs[0]->shape())
            throw ShapeError{
                fmt::format("non-broadcastable output operand with shape {} doesn't match the "
                            "broadcast shape {}",
                            to_string(call.outputs[0]->shape()),
                            to_string(broadcast_shapes(each->shape(), call.outputs[0]->shape())))};
    }
}

/// Whether each element of `input` is read by the thread that writes it, or before anything is
/// written.
bool is_safe_beside(const Array& input, const Array& output) {
    if (!input.may_share_memory(output)) return true;
    return input.address() == output.address() && input.layout() == output.layout() &&
           input.type().bytes == output.type().bytes;
}

void run_checked(const Call& call) {
    if (call.outputs[0]->size() == 0) return;
    std::vector<Array> copies; // of inputs that the outputs would overwrite
    std::vector<Input> inputs;
    for (const Input& each : call.inputs) {
        if (!each.array) continue;
        for (const Array* output : call.outputs)
            if (!is_safe_beside(*each.array, *output)) {
                if (inputs.empty()) {
                    inputs.assign(call.inputs.begin(), call.inputs.end());
                    copies.reserve(inputs.size());
                }
                inputs[static_cast<std::size_t>(&each - call.inputs.data())].array =
                    &copies.emplace_back(copy(*each.array, call.stream));
                break;
            }
    }
    const Call now{call.loop, call.outputs, inputs.empty() ? call.inputs : inputs, call.stream};
    launch(now, walk_of(now));
}

/// The same memory as whole numbers, for copies: structures get one more axis.
Array as_words(const Array& array, std::size_t word) {
    Layout layout = array.layout();
    if (word != array.type().bytes) {
        layout.shape.push_back(static_cast<std::int64_t>(array.type().bytes / word));
        layout.strides.push_back(static_cast<std::int64_t>(word));
    }
    const DType dtype = word == 8   ? DType::uint64
                        : word == 4 ? DType::uint32
                        : word == 2 ? DType::uint16
                                    : DType::uint8;
    return array.view(dtype, layout);
}

std::size_t word_of(const Array& a, const Array& b) {
    std::uint64_t all = 8 | a.type().bytes | a.address() | b.address();
    for (const Array* each : {&a, &b})
        for (const std::int64_t stride : each->strides()) all |= static_cast<std::uint64_t>(stride);
    return std::size_t{1} << std::countr_zero(all);
}

const Operation& copy_operation() {
    static const Operation& found = operation("copy");
    return found;
}

void copy_values(Array& to, const Input& from, DType dtype, StreamView stream) {
    Loop loop;
    loop.operation = &copy_operation();
    loop.inputs.fill(dtype);
    loop.outputs.fill(dtype);
    loop.text = copy_operation().floating;
    Array* const output = &to;
    run(loop, {&output, 1}, {&from, 1}, stream);
}

} // namespace

void run(const Loop& loop, std::span<Array* const> outputs, std::span<const Input> inputs,
         StreamView stream) {
    const Call call{loop, outputs, inputs, stream};
    check(call);
    run_checked(call);
}

std::array<Array, Loop::kMostOutputs> run(const Loop& loop, std::span<const Input> inputs,
                                          StreamView stream, const Allocate* allocate) {
    std::array<Layout, Loop::kMostInputs> layouts;
    std::array<const Layout*, Loop::kMostInputs> models{};
    Extents shape;
    std::size_t count = 0;
    const Array* only = nullptr; // the one array, where all others are alike or numbers
    bool alike = true;
    for (const Input& each : inputs) {
        if (!each.array) continue;
        if (!only) only = each.array;
        alike = alike && each.array->layout() == only->layout();
        if (!alike || count > 0)
            shape = broadcast_shapes(shape, each.array->shape());
        else
            shape = each.array->shape();
        ++count;
    }
    if (!alike) {
        count = 0;
        for (const Input& each : inputs)
            if (each.array) {
                layouts[count] = broadcast_to(each.array->layout(), shape);
                models[count] = &layouts[count];
                ++count;
            }
    } else if (only) {
        models[0] = &only->layout();
        count = 1;
    }
    std::array<Array, Loop::kMostOutputs> results;
    std::array<Array*, Loop::kMostOutputs> outputs{};
    for (std::size_t k = 0; k < loop.operation->outputs; ++k) {
        const std::size_t bytes = item_bytes(loop.outputs[k]);
        const bool simple = only && alike && only->is_c_contiguous();
        const Layout layout = simple ? compact(shape, bytes)
                                     : result_layout(shape, std::span{models}.first(count), bytes);
        results[k] =
            allocate ? (*allocate)(loop.outputs[k], layout) : Array::empty(loop.outputs[k], layout);
        outputs[k] = &results[k];
    }
    run(loop, std::span{outputs}.first(loop.operation->outputs), inputs, stream);
    return results;
}

void assign(Array& to, const Input& from, StreamView stream) {
    if (!from.array || (to.type().dtype && from.array->type().dtype)) {
        const bool same = from.array && from.array->type() == to.type();
        if (same && from.array->layout() == to.layout() && is_dense(to.layout(), to.type().bytes) &&
            from.array->address() == to.address() && to.writable())
            return;
        const DType dtype = from.array ? *from.array->type().dtype : from.number.dtype;
        copy_values(to, from, dtype, stream);
        return;
    }
    const Array& source = *from.array;
    if (source.type().bytes != to.type().bytes)
        throw TypeError{fmt::format("cannot assign elements of {} bytes to a structure of {} bytes",
                                    source.type().bytes, to.type().bytes)};
    const Array spread = source.view(source.type(), broadcast_to(source.layout(), to.shape()));
    const std::size_t word = word_of(spread, to);
    Array words = as_words(to, word);
    copy_values(words, as_words(spread, word), *words.type().dtype, stream);
}

Array copy(const Array& array, StreamView stream) {
    Array made = Array::empty(array.type(), compact_like(array.layout(), array.type().bytes));
    assign(made, array, stream);
    return made;
}

Array copy(const Array& array, DType dtype, StreamView stream) {
    Array made = Array::empty(dtype, compact_like(array.layout(), item_bytes(dtype)));
    assign(made, array, stream);
    return made;
}

Array copy(const Array& array, Order order, StreamView stream) {
    Array made = Array::empty(array.type(), array.shape(), order);
    assign(made, array, stream);
    return made;
}

} // namespace lathe::gpu
