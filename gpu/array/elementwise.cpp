// SPDX-License-Identifier: MIT
#include "gpu/array/elementwise.h"

#include "gpu/array/elementwise_source.h"
#include "gpu/array/iteration.h"
#include "gpu/array/kernel_cache.h"
#include "gpu/array/walk.h"

#include <fmt/format.h>

#include <bit>
#include <optional>
#include <vector>

namespace lathe::gpu {

namespace {

constexpr std::size_t kMost = Loop::kMostInputs + Loop::kMostOutputs;

/// One call: outputs first, then inputs.
struct ElementwiseCall {
    ElementwiseCall(const Loop& of, std::span<Array* const> to, std::span<const Input> from,
                    StreamView on)
        : loop{of}, outputs{to}, inputs{from}, stream{on} {
        for (std::size_t k = 0; k < to.size(); ++k) arrays[k] = to[k];
        for (std::size_t k = 0; k < from.size(); ++k) arrays[to.size() + k] = from[k].array;
    }

    const Loop& loop;
    std::span<Array* const> outputs;
    std::span<const Input> inputs;
    StreamView stream;
    std::array<const Array*, kMost> arrays; ///< null for a number

    std::size_t count() const { return outputs.size() + inputs.size(); }
    std::span<const Array* const> operands() const { return {arrays.data(), count()}; }
    const Scalar& number(std::size_t k) const { return inputs[k - outputs.size()].number; }
    DType stored(std::size_t k) const {
        return arrays[k] ? *arrays[k]->type().dtype : number(k).dtype;
    }
};

/// All that decides the kernel's text. The types that are computed in follow from the operation and
/// one of them, but for inputs that keep their own.
std::uint64_t key_of(const ElementwiseCall& call, const Walk& walk) {
    std::uint64_t key = call.loop.operation->number;
    const auto add = [&](std::uint64_t value, unsigned bits) { key = key << bits | value; };
    add(static_cast<std::uint64_t>(
            call.loop.inputs[call.loop.operation->rule == TypeRule::select ? 1 : 0]),
        4);
    for (std::size_t k = 0; k < call.count(); ++k) {
        add(static_cast<std::uint64_t>(call.stored(k)), 4);
        add(static_cast<std::uint64_t>(walk.access[k]), 2);
    }
    add(walk.dimensions, 6);
    add(walk.wide, 1);
    add(static_cast<std::uint64_t>(std::countr_zero(walk.vector)), 2);
    return key;
}

/// Not the function's own name: CUDA's functions have it.
std::string entry_of(const ElementwiseCall& call) {
    return fmt::format("elementwise_{}", call.loop.operation->name);
}

std::string source_of(const ElementwiseCall& call, const Walk& walk) {
    ElementwiseForm form;
    form.statements = {{call.loop, {}, {}}};
    StatementForm& statement = form.statements[0];
    for (std::size_t k = 0; k < call.count(); ++k) {
        const bool is_number = walk.access[k] == Access::value;
        const OperandForm operand{stored_type(call.stored(k), is_number), walk.access[k]};
        if (k < call.outputs.size()) {
            statement.outputs.push_back(call.stored(k));
            form.outputs.push_back({operand, k});
        } else {
            statement.inputs.push_back({false, k - call.outputs.size()});
            form.inputs.push_back(operand);
        }
    }
    form.dimensions = walk.dimensions;
    form.vector = walk.vector;
    form.wide = walk.wide;
    return elementwise_source(form, entry_of(call));
}

void launch(const ElementwiseCall& call) {
    Walk walk;
    walk.plan(call.operands(), call.outputs.size());
    const ArrayKernel* kernel = find_array_kernel(key_of(call, walk));
    if (!kernel)
        kernel = &array_kernel(key_of(call, walk), entry_of(call),
                               [&] { return source_of(call, walk); }, 256, {kEachRounds});
    std::optional<Geometry> geometry = walk.geometry(call.count());
    std::array<void*, kMost + 2> arguments;
    std::size_t given = 0;
    arguments[given++] = &walk.count; // little-endian: a narrow kernel reads its lower half
    if (geometry) arguments[given++] = geometry->data();
    for (std::size_t k = 0; k < call.count(); ++k)
        arguments[given++] = walk.access[k] == Access::value
                                 ? const_cast<std::byte*>(call.number(k).value.data())
                                 : static_cast<void*>(&walk.address[k]);
    LaunchConfig config{{}, {kernel->threads}, 0, call.stream};
    config.grid.x = walk.blocks(*kernel);
    kernel->kernel.launch(config, arguments.data());
}

void run_checked(const ElementwiseCall& call) {
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
    if (inputs.empty()) launch(call);
    else launch({call.loop, call.outputs, inputs, call.stream});
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
    const ElementwiseCall call{loop, outputs, inputs, stream};
    check_operands(loop.operation->name.data(), call.operands(), outputs.size()); // of a literal
    run_checked(call);
}

std::array<Array, Loop::kMostOutputs> make_outputs(const Loop& loop, std::span<const Input> inputs,
                                                   const Allocate* allocate) {
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
        if (!alike || count > 0) shape = broadcast_shapes(shape, each.array->shape());
        else shape = each.array->shape();
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
    for (std::size_t k = 0; k < loop.operation->outputs; ++k) {
        const std::size_t bytes = item_bytes(loop.outputs[k]);
        const bool simple = only && alike && only->is_c_contiguous();
        const Layout layout = simple ? compact(shape, bytes)
                                     : result_layout(shape, std::span{models}.first(count), bytes);
        results[k] =
            allocate ? (*allocate)(loop.outputs[k], layout) : Array::empty(loop.outputs[k], layout);
    }
    return results;
}

std::array<Array, Loop::kMostOutputs> run(const Loop& loop, std::span<const Input> inputs,
                                          StreamView stream, const Allocate* allocate) {
    std::array<Array, Loop::kMostOutputs> results = make_outputs(loop, inputs, allocate);
    std::array<Array*, Loop::kMostOutputs> outputs{&results[0], &results[1]};
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
