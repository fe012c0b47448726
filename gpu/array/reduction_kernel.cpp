// SPDX-License-Identifier: MIT
// Which kernel a reduction has: its key, and its text where it is new.
#include "gpu/array/elementwise_source.h"
#include "gpu/array/reduction_rules.h"
#include "gpu/array/reduction_walk.h"

#include <fmt/format.h>

#include <bit>

namespace lathe::gpu {

namespace {

/// All that decides the kernel's text. The highest bits tell it from the keys of other operations.
std::uint64_t key_of(const ReduceCall& call, const ReduceWalk& walk) {
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

/// Appends what computes the mapped values.
void write_map(const MappedValues& mapped, ReductionForm& form) {
    std::vector<std::string_view> types = form.read;
    types.resize(mapped.arrays.size());
    for (const Scalar& each : mapped.numbers) form.numbers.push_back(stored_type(each.dtype, true));
    types.insert(types.end(), form.numbers.begin(), form.numbers.end());
    write_statements(form.map, mapped.statements(), types, "        ");
    form.mapped = fmt::format("v{}", mapped.value);
    for (const MappedValues::Output& each : mapped.outputs)
        form.stored.push_back(fmt::format("v{}", each.value));
    form.mapped_type = kernel_type(*mapped.as->type().dtype);
}

std::string source_of(const ReduceCall& call, const ReduceWalk& walk, const char* entry) {
    const DType second = *(call.mapped ? call.inputs[0] : call.inputs.back()).type().dtype;
    const ReductionRule rule =
        rule_of(call.reduction, *call.inputs[0].type().dtype, second, call.dtype, call.parameter);
    ReductionForm form;
    form.state = rule.state;
    form.element = rule.element;
    for (std::size_t k = call.first_read(); k < call.inputs.size(); ++k)
        form.read.push_back(kernel_type(*call.inputs[k].type().dtype));
    if (call.mapped) write_map(*call.mapped, form);
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

/// Of mapped values: their statements, and what the arrays behind them are.
std::string text_key_of(const ReduceCall& call, const ReduceWalk& walk) {
    std::string key =
        fmt::format("fused {:x} {} {} {} {} ", key_of(call, walk), call.mapped->arrays.size(),
                    call.mapped->outputs.size(), walk.group, walk.groups);
    for (const Array& each : call.inputs)
        key.push_back(static_cast<char>('a' + static_cast<int>(*each.type().dtype)));
    return key + call.mapped->key;
}

} // namespace

const ArrayKernel& reduction_kernel(const ReduceCall& call, const ReduceWalk& walk) {
    if (!call.mapped)
        if (const ArrayKernel* const found = find_array_kernel(key_of(call, walk))) return *found;
    const std::string entry = fmt::format("reduce_{}", name_of(call.reduction));
    const auto source = [&] { return source_of(call, walk, entry.c_str()); };
    if (call.mapped)
        return array_kernel(text_key_of(call, walk), entry, source, kReduceThreads, {kEachRounds});
    return array_kernel(key_of(call, walk), entry, source, kReduceThreads);
}

} // namespace lathe::gpu
