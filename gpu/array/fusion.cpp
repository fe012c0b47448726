// SPDX-License-Identifier: MIT
#include "gpu/array/fusion.h"

#include "gpu/array/elementwise_source.h"
#include "gpu/array/kernel_cache.h"
#include "gpu/array/walk.h"

#include <algorithm>
#include <bit>

namespace lathe::gpu {

namespace {

constexpr std::size_t kMostValues = Expression::kMostStatements * Loop::kMostOutputs;
constexpr unsigned kThreads = 256;

void add_byte(std::string& key, std::size_t value) { key.push_back(static_cast<char>(value)); }
void add_byte(std::string& key, DType value) { key.push_back(static_cast<char>(value)); }

} // namespace

/// What a kernel says: the statements behind some values, in their order, with numbers of its own
/// for inputs, numbers and values.
struct Expression::Part {
    Part(const Expression& of, std::span<const Write> writes);

    std::array<bool, kMostStatements> needed{};
    std::array<std::uint8_t, kMostValues> value;     ///< by its number in the expression
    std::array<std::uint8_t, kMostArrays> input;     ///< the same
    std::array<std::uint8_t, kMostNumbers> constant; ///< the same
    std::array<std::uint8_t, kMostArrays> inputs;    ///< what the expression calls them
    std::array<std::uint8_t, kMostNumbers> numbers;
    std::size_t input_count = 0, number_count = 0;

    std::size_t number_of(Ref ref) const {
        switch (ref.kind) {
        case Ref::Kind::value: return value[ref.number];
        case Ref::Kind::input: return input[ref.number];
        case Ref::Kind::number: break;
        }
        return constant[ref.number];
    }
};

Expression::Part::Part(const Expression& of, std::span<const Write> writes) {
    for (const Write& each : writes) needed[of.values_[each.value].statement] = true;
    for (std::size_t k = of.statements_.size(); k-- > 0;) {
        if (!needed[k]) continue;
        const Statement& each = of.statements_[k];
        for (std::size_t n = 0; n < each.loop.operation->inputs; ++n)
            if (each.terms[n].kind == Ref::Kind::value)
                needed[of.values_[each.terms[n].number].statement] = true;
    }
    input.fill(0xff);
    constant.fill(0xff);
    const auto take = [](auto& mapped, auto& names, std::size_t& count, std::uint8_t number) {
        if (mapped[number] != 0xff) return;
        mapped[number] = static_cast<std::uint8_t>(count);
        names[count++] = number;
    };
    std::uint8_t next = 0;
    for (std::size_t k = 0; k < of.statements_.size(); ++k) {
        if (!needed[k]) continue;
        const Statement& each = of.statements_[k];
        for (std::size_t n = 0; n < each.loop.operation->outputs; ++n)
            value[each.first_value + n] = next++;
        for (std::size_t n = 0; n < each.loop.operation->inputs; ++n) {
            const Ref ref = each.terms[n];
            if (ref.kind == Ref::Kind::input) take(input, inputs, input_count, ref.number);
            else if (ref.kind == Ref::Kind::number)
                take(constant, numbers, number_count, ref.number);
        }
    }
}

Expression::Ref Expression::input(const Array& array) {
    std::size_t k = 0;
    while (k < inputs_.size() &&
           (inputs_[k].address() != array.address() || inputs_[k].type() != array.type() ||
            inputs_[k].layout() != array.layout()))
        ++k;
    if (k == inputs_.size()) inputs_.push_back(array);
    return {Ref::Kind::input, static_cast<std::uint8_t>(k)};
}

Expression::Value Expression::add(const Loop& loop, std::span<const Term> terms,
                                  std::span<const Array> results) {
    Statement made;
    made.loop = loop;
    made.first_value = static_cast<std::uint8_t>(values_.size());
    for (std::size_t k = 0; k < terms.size(); ++k) {
        const Term& each = terms[k];
        if (each.value) {
            made.terms[k] = {Ref::Kind::value, static_cast<std::uint8_t>(*each.value)};
        } else if (each.array) {
            made.terms[k] = input(*each.array);
        } else {
            made.terms[k] = {Ref::Kind::number, static_cast<std::uint8_t>(numbers_.size())};
            numbers_.push_back(each.number);
        }
    }
    const Extents& shape = results[0].shape();
    const auto same = std::find(shapes_.begin(), shapes_.end(), shape);
    const auto place = static_cast<std::uint8_t>(same - shapes_.begin());
    if (same == shapes_.end()) shapes_.push_back(shape);
    for (const Array& each : results)
        values_.push_back(
            {static_cast<std::uint8_t>(statements_.size()), place, *each.type().dtype});
    statements_.push_back(made);
    return made.first_value;
}

bool Expression::has_room(std::size_t statements) const noexcept {
    return statements_.size() + statements <= kMostStatements &&
           inputs_.size() + Loop::kMostInputs <= kMostArrays &&
           numbers_.size() + Loop::kMostInputs <= kMostNumbers;
}

void Expression::clear() noexcept {
    statements_.clear();
    values_.clear();
    shapes_.clear();
    inputs_.clear();
    numbers_.clear();
}

void Expression::write(std::span<const Write> writes, StreamView stream) const {
    std::array<Write, kMostArrays> chosen;
    for (std::size_t shape = 0; shape < shapes_.size(); ++shape) {
        std::size_t count = 0;
        for (const Write& each : writes)
            if (values_[each.value].shape == shape) chosen[count++] = each;
        if (count > 0) launch({chosen.data(), count}, stream);
    }
}

void Expression::launch(std::span<const Write> writes, StreamView stream) const {
    const Part part{*this, writes};
    const std::size_t arrays = writes.size() + part.input_count;
    std::array<const Array*, kMostArrays> operands;
    for (std::size_t k = 0; k < writes.size(); ++k) operands[k] = writes[k].to;
    for (std::size_t k = 0; k < part.input_count; ++k)
        operands[writes.size() + k] = &inputs_[part.inputs[k]];
    Walk walk;
    walk.plan({operands.data(), arrays}, writes.size());

    std::string key = "fused ";
    key.reserve(128);
    describe(part, key);
    for (std::size_t k = 0; k < arrays; ++k) {
        add_byte(key, *operands[k]->type().dtype);
        add_byte(key, static_cast<std::size_t>(walk.access[k]));
        if (k < writes.size()) add_byte(key, part.value[writes[k].value]);
    }
    add_byte(key, walk.dimensions);
    add_byte(key, walk.wide);
    add_byte(key, walk.vector);

    const auto source = [&] {
        ElementwiseForm form;
        form.statements = forms(part);
        for (std::size_t k = 0; k < arrays; ++k) {
            const OperandForm operand{stored_type(*operands[k]->type().dtype, false),
                                      walk.access[k]};
            if (k < writes.size()) form.outputs.push_back({operand, part.value[writes[k].value]});
            else form.inputs.push_back(operand);
        }
        for (std::size_t k = 0; k < part.number_count; ++k)
            form.inputs.push_back(
                {stored_type(numbers_[part.numbers[k]].dtype, true), Access::value});
        form.dimensions = walk.dimensions;
        form.vector = walk.vector;
        form.wide = walk.wide;
        return elementwise_source(form, "fused");
    };
    const ArrayKernel* kernel = find_array_kernel(key);
    if (!kernel) kernel = &array_kernel(key, "fused", source, kThreads, {kEachRounds});

    std::optional<Geometry> geometry = walk.geometry(arrays);
    std::array<void*, kMostArrays + kMostNumbers + 2> arguments;
    std::size_t given = 0;
    arguments[given++] = &walk.count;
    if (geometry) arguments[given++] = geometry->data();
    for (std::size_t k = 0; k < arrays; ++k) arguments[given++] = &walk.address[k];
    for (std::size_t k = 0; k < part.number_count; ++k)
        arguments[given++] = const_cast<std::byte*>(numbers_[part.numbers[k]].value.data());
    LaunchConfig config{{}, {kernel->threads}, 0, stream};
    config.grid.x = walk.blocks(*kernel);
    kernel->kernel.launch(config, arguments.data());
}

MappedValues Expression::map(Value value, const Array& as, std::span<const Write> writes) const {
    std::array<Write, kMostArrays> wanted;
    std::copy(writes.begin(), writes.end(), wanted.begin());
    wanted[writes.size()] = {value, &as};
    const Part part{*this, {wanted.data(), writes.size() + 1}};
    MappedValues made;
    made.as = &as;
    for (std::size_t k = 0; k < part.input_count; ++k)
        made.arrays.push_back(inputs_[part.inputs[k]]);
    for (std::size_t k = 0; k < part.number_count; ++k)
        made.numbers.push_back(numbers_[part.numbers[k]]);
    made.value = part.value[value];
    describe(part, made.key);
    add_byte(made.key, made.value);
    for (const Write& each : writes) {
        made.outputs.push_back({*each.to, part.value[each.value]});
        add_byte(made.key, part.value[each.value]);
    }
    made.statements = [this, part] { return forms(part); };
    return made;
}

/// The text of the statements follows from this.
void Expression::describe(const Part& part, std::string& key) const {
    for (std::size_t k = 0; k < statements_.size(); ++k) {
        if (!part.needed[k]) continue;
        const Statement& each = statements_[k];
        add_byte(key, each.loop.operation->number & 0xff);
        add_byte(key, each.loop.operation->number >> 8);
        for (std::size_t n = 0; n < each.loop.operation->inputs; ++n) {
            add_byte(key, each.loop.inputs[n]);
            add_byte(key, static_cast<std::size_t>(each.terms[n].kind));
            add_byte(key, part.number_of(each.terms[n]));
        }
        for (std::size_t n = 0; n < each.loop.operation->outputs; ++n)
            add_byte(key, values_[each.first_value + n].stored);
    }
    add_byte(key, 0xff);
    for (std::size_t k = 0; k < part.number_count; ++k)
        add_byte(key, numbers_[part.numbers[k]].dtype);
    add_byte(key, 0xff);
}

std::vector<StatementForm> Expression::forms(const Part& part) const {
    std::vector<StatementForm> made;
    for (std::size_t k = 0; k < statements_.size(); ++k) {
        if (!part.needed[k]) continue;
        const Statement& each = statements_[k];
        StatementForm& form = made.emplace_back(StatementForm{each.loop, {}, {}});
        for (std::size_t n = 0; n < each.loop.operation->inputs; ++n) {
            const Ref ref = each.terms[n];
            const bool is_number = ref.kind == Ref::Kind::number;
            form.inputs.push_back({ref.kind == Ref::Kind::value,
                                   part.number_of(ref) + (is_number ? part.input_count : 0)});
        }
        for (std::size_t n = 0; n < each.loop.operation->outputs; ++n)
            form.outputs.push_back(values_[each.first_value + n].stored);
    }
    return made;
}

} // namespace lathe::gpu
