// SPDX-License-Identifier: MIT
// What recorded operations become: statements, and arrays that wait for their values. When they are
// evaluated is in recorder.cpp.
#include "gpu/array/walk.h"
#include "python/bind/array/recorder.h"

#include <algorithm>

namespace lathe::bind {

namespace {

using Terms = std::array<gpu::Expression::Term, gpu::Loop::kMostInputs>;

/// The last operations of the list look at the element's number, or at memory elsewhere.
bool is_statement(const gpu::Operation& operation) {
    static const std::uint16_t first = gpu::operation("arange").number;
    return operation.number < first;
}

/// The thread's recorder where it takes such operands. Else all is evaluated.
Recorder* recorder_for(const gpu::Operation& operation, std::span<const Operand> operands,
                       gpu::StreamView stream) {
    Recorder* const mine = Recorder::current();
    const bool takes = mine && stream == gpu::StreamView::legacy() && is_statement(operation);
    if (!takes && mine) mine->flush();
    for (const Operand& each : operands)
        if (each.array && each.array->recorder && each.array->recorder != mine)
            each.array->recorder->flush();
    return takes ? mine : nullptr;
}

/// Checks outputs, all of them arrays, and inputs, as running the loop would.
void check(const Resolved& call, std::span<const gpu::Array> outputs) {
    std::array<const gpu::Array*, gpu::Loop::kMostInputs + gpu::Loop::kMostOutputs> operands;
    std::size_t count = 0;
    for (const gpu::Array& each : outputs) operands[count++] = &each;
    for (const gpu::Input& each : call.inputs) operands[count++] = each.array;
    gpu::check_operands(call.loop.operation->name.data(), {operands.data(), count}, outputs.size());
}

} // namespace

py::object record(const gpu::Operation& operation, std::span<const Operand> operands,
                  gpu::StreamView stream) {
    Recorder* const mine = recorder_for(operation, operands, stream);
    if (!mine) return {};
    return mine->make(resolve(operation, operands), operands);
}

bool record_into(const gpu::Operation& operation, std::span<const Operand> operands,
                 std::span<PyObject* const> outputs, gpu::StreamView stream) {
    Recorder* const mine = recorder_for(operation, operands, stream);
    if (mine && outputs.size() == 1 && operation.outputs == 1 && is_gpu_array(outputs[0])) {
        Recorder* const other = self_of(outputs[0]).recorder;
        if (other && other != mine) other->flush();
        if (mine->change(resolve(operation, operands), operands, outputs[0])) return true;
    }
    if (mine) mine->flush();
    return false;
}

py::object record_cast(PyObject* array, DType to, gpu::StreamView stream) {
    static const gpu::Operation& copy = gpu::operation("copy");
    const auto& from = self_of(array).array.type().dtype;
    if (!from) return {};
    const std::array operands{
        Operand{array, reinterpret_cast<const GpuArray*>(array), {*from}},
    };
    Recorder* const mine = recorder_for(copy, operands, stream);
    if (!mine) return {};
    Resolved call;
    call.loop.operation = &copy;
    call.loop.inputs.fill(*from);
    call.loop.outputs.fill(*from);
    call.loop.text = copy.floating;
    call.inputs.emplace_back(self_of(array).array);
    return mine->make(call, operands, to);
}

py::object record_reduction(gpu::Reduction reduction, PyObject* array,
                            const gpu::ReduceOptions& options, gpu::StreamView stream) {
    Recorder* const mine = Recorder::current();
    if (!mine || !is_gpu_array(array) || stream != gpu::StreamView::legacy()) return {};
    const GpuArray& of = self_of(array);
    if (of.recorder != mine || !of.array.type().dtype || options.out ||
        !gpu::takes_mapped(reduction, *of.array.type().dtype, options.dtype))
        return {};
    return mine->reduce(reduction, array, options);
}

bool Recorder::terms_of(const Resolved& call, std::span<const Operand> operands,
                        Terms& terms) const {
    for (std::size_t k = 0; k < operands.size(); ++k) {
        const GpuArray* const array = operands[k].array;
        terms[k] = {};
        if (!array) {
            terms[k].number = call.inputs[k].number;
        } else if (array->recorder) {
            if (array->value == kReduced) return false;
            terms[k].value = array->value;
        } else {
            for (const Target& each : targets_)
                if (each.memory.may_share_memory(array->array)) return false;
            terms[k].array = &array->array;
        }
    }
    return true;
}

py::object Recorder::make(const Resolved& call, std::span<const Operand> operands,
                          std::optional<DType> stored) {
    static const gpu::Allocate later = &without_memory;
    const GpuArray* like = nullptr;
    for (const Operand& each : operands)
        if (each.array && !like) like = each.array;
    const std::size_t count = call.loop.operation->outputs;
    make_room(count);
    auto results = gpu::make_outputs(call.loop, call.inputs, &later);
    if (stored)
        results[0] =
            without_memory(*stored, gpu::compact_like(like->array.layout(), item_bytes(*stored)));
    check(call, std::span{results}.first(count));
    std::array<py::object, gpu::Loop::kMostOutputs> made;
    if (results[0].size() == 0) {
        for (std::size_t k = 0; k < count; ++k)
            made[k] = wrap_array(empty_like(like, results[k].type(), results[k].layout()), like);
    } else {
        Terms terms;
        if (!terms_of(call, operands, terms) ||
            (!targets_.empty() && !expression_.is_all_of(results[0].shape()))) {
            flush();
            terms_of(call, operands, terms);
        }
        const Value first = expression_.add(call.loop, std::span{terms}.first(operands.size()),
                                            std::span{results}.first(count));
        for (std::size_t k = 0; k < count; ++k) {
            made[k] = wrap_array(std::move(results[k]), like);
            GpuArray& array = self_of(made[k].ptr());
            waiting_.push_back(&array);
            array.recorder = this;
            array.value = first + k;
        }
    }
    if (count == 1) return std::move(made[0]);
    return py::make_tuple(made[0], made[1]);
}

bool Recorder::is_in_the_way(const gpu::Array& memory, const GpuArray& array) const {
    if (!expression_.is_all_of(memory.shape())) return true;
    for (const gpu::Array& each : expression_.inputs())
        if (!gpu::is_safe_beside(each, memory)) return true;
    for (const Target& each : targets_)
        if (each.array != &array && each.memory.may_share_memory(memory)) return true;
    return false;
}

bool Recorder::change(const Resolved& call, std::span<const Operand> operands, PyObject* output) {
    GpuArray& out = self_of(output);
    check_cast(call.loop, 0, out.array);
    check(call, {&out.array, 1});
    if (out.array.size() == 0) return true;
    make_room(1);
    Terms terms;
    bool fits = terms_of(call, operands, terms);
    if (out.array.address() != 0) fits = fits && !is_in_the_way(out.array, out);
    else fits = fits && (targets_.empty() || expression_.is_all_of(out.array.shape()));
    if (!fits) {
        flush();
        terms_of(call, operands, terms);
    }
    const bool in_memory = out.array.address() != 0;
    if (in_memory)
        for (const gpu::Expression::Term& each : std::span{terms}.first(operands.size()))
            if (each.array && !gpu::is_safe_beside(*each.array, out.array)) return false;
    const Value value =
        expression_.add(call.loop, std::span{terms}.first(operands.size()), {&out.array, 1});
    out.value = value;
    if (!in_memory) return true;
    const auto known = std::find_if(targets_.begin(), targets_.end(),
                                    [&](const Target& each) { return each.array == &out; });
    if (known == targets_.end()) targets_.push_back({out.array, value, &out});
    else known->value = value;
    out.recorder = this;
    return true;
}

py::object Recorder::reduce(gpu::Reduction reduction, PyObject* of,
                            const gpu::ReduceOptions& options) {
    const GpuArray& from = self_of(of);
    gpu::ReduceOptions planned = options;
    const gpu::Allocate later = &without_memory;
    planned.allocate = &later;
    if (from.value == kReduced) return {};
    gpu::Array result = gpu::make_reduced(reduction, from.array, planned);
    if (result.size() == 0 || waiting_.size() + reduced_.size() >= gpu::Expression::kMostArrays ||
        expression_.inputs().size() > gpu::MappedValues::kMostArrays)
        return {};
    py::object made = wrap_array(std::move(result), &from);
    GpuArray& array = self_of(made.ptr());
    Reduced& added = reduced_.emplace_back(
        Reduced{&array, reduction, from.value, from.array, {}, options.keepdims, options.dtype});
    if (options.axes) added.axes = *options.axes;
    array.recorder = this;
    array.value = kReduced;
    return made;
}

} // namespace lathe::bind
