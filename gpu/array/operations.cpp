// SPDX-License-Identifier: MIT
#include "gpu/array/operations.h"

#include "gpu/array/array.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <unordered_map>
#include <vector>

namespace lathe::gpu {

namespace {

std::vector<Operation> numbered() {
    std::vector<Operation> all{
#include "gpu/array/operations.inc"
    };
    for (std::size_t k = 0; k < all.size(); ++k) all[k].number = static_cast<std::uint16_t>(k);
    return all;
}

const std::vector<Operation>& operations() {
    static const auto* const all = new std::vector<Operation>{numbered()};
    return *all;
}

[[noreturn]] void refuse(const Operation& operation, std::span<const InputType> inputs) {
    std::vector<std::string_view> names;
    for (const InputType& each : inputs) names.push_back(name_of(each.dtype));
    throw TypeError{fmt::format("ufunc '{}' not supported for the input types {}", operation.name,
                                fmt::join(names, ", "))};
}

const char* text_for(const Operation& operation, Kind kind) {
    switch (kind) {
    case Kind::boolean: return operation.boolean;
    case Kind::signed_integer: return operation.signed_integer;
    case Kind::unsigned_integer: return operation.unsigned_integer;
    case Kind::floating: return operation.floating;
    case Kind::complex: break;
    }
    return operation.complex;
}

/// The type that all inputs are computed in, and the text for it.
struct Common {
    DType dtype;
    const char* text;
};

Common common_type(const Operation& operation, std::span<const InputType> inputs,
                   std::span<const InputType> promoted) {
    DType dtype = promote_all(promoted);
    const TypeRule rule = operation.rule;
    const bool has_integers = operation.signed_integer != nullptr;
    if (!has_integers && !is_inexact(dtype))
        dtype = rule == TypeRule::quotient ? DType::float64 : floating_for(dtype);
    const char* text = text_for(operation, kind_of(dtype));
    if (text && std::string_view{text} == "int8") {
        dtype = DType::int8;
        text = operation.signed_integer;
    }
    if (!text) refuse(operation, inputs);
    return {dtype, text};
}

} // namespace

std::span<const Operation> all_operations() { return operations(); }

const Operation* find_operation(std::string_view name) {
    static const auto* const by_name = [] {
        auto* const made = new std::unordered_map<std::string_view, const Operation*>;
        for (const Operation& each : operations()) made->emplace(each.name, &each);
        return made;
    }();
    const auto found = by_name->find(name);
    return found == by_name->end() ? nullptr : found->second;
}

const Operation& operation(std::string_view name) {
    if (const Operation* const found = find_operation(name)) return *found;
    throw lathe::Error{fmt::format("there is no operation '{}'", name)};
}

DType promote_all(std::span<const InputType> inputs) {
    bool has_strong = false;
    DType dtype = DType::bool_;
    for (const InputType& each : inputs)
        if (!each.is_weak) {
            dtype = has_strong ? promote(dtype, each.dtype) : each.dtype;
            has_strong = true;
        }
    for (const InputType& each : inputs)
        if (each.is_weak)
            dtype = has_strong ? promote(dtype, each.number)
                               : promote(dtype, default_dtype(each.number));
    return dtype;
}

Loop resolve(const Operation& operation, std::span<const InputType> inputs) {
    Loop loop;
    loop.operation = &operation;
    if (operation.rule == TypeRule::logical) {
        for (std::size_t k = 0; k < inputs.size(); ++k) loop.inputs[k] = inputs[k].dtype;
        loop.outputs[0] = DType::bool_;
        loop.text = operation.floating;
        return loop;
    }
    const bool selects = operation.rule == TypeRule::select;
    const bool scales = operation.rule == TypeRule::scale;
    const auto promoted = selects ? inputs.subspan(1) : scales ? inputs.first(1) : inputs;
    const Common common = common_type(operation, inputs, promoted);
    loop.text = common.text;
    loop.inputs.fill(common.dtype);
    loop.outputs.fill(common.dtype);
    switch (operation.rule) {
    case TypeRule::compare:
    case TypeRule::test: loop.outputs[0] = DType::bool_; break;
    case TypeRule::real: loop.outputs[0] = real_for(common.dtype); break;
    case TypeRule::select: loop.inputs[0] = DType::bool_; break;
    case TypeRule::parts: loop.outputs[1] = DType::int32; break;
    case TypeRule::count: loop.outputs[0] = DType::uint8; break;
    case TypeRule::scale:
        if (!is_integer(inputs[1].dtype) && inputs[1].dtype != DType::bool_)
            refuse(operation, inputs);
        loop.inputs[1] = inputs[1].dtype == DType::bool_ ? DType::int8 : inputs[1].dtype;
        break;
    default: break;
    }
    // NumPy compares 64-bit integers of both signs as what they are, not as doubles.
    if (operation.rule == TypeRule::compare && common.dtype == DType::float64 &&
        inputs.size() == 2 && is_integer(inputs[0].dtype) && is_integer(inputs[1].dtype)) {
        loop.inputs[0] = inputs[0].dtype;
        loop.inputs[1] = inputs[1].dtype;
        loop.text = operation.complex; // by functions that know both signs
    }
    return loop;
}

} // namespace lathe::gpu
