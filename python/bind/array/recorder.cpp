// SPDX-License-Identifier: MIT
#include "python/bind/array/recorder.h"

#include "python/bind/bind.h"
#include "python/bind/gil.h"

#include <algorithm>
#include <optional>
#include <thread>

namespace lathe::bind {

int recording = 0;

namespace {

// A thread's own. Not a destructor's business: a thread may end without the GIL.
thread_local Recorder* own = nullptr;

std::vector<Recorder*>& spare_recorders() {
    static auto* const all = new std::vector<Recorder*>; // guarded by the GIL
    return *all;
}

/// What arrays refer to whose values could not be computed.
Recorder& lost() {
    static auto* const one = new Recorder;
    return *one;
}

} // namespace

gpu::Array without_memory(gpu::ElementType type, const gpu::Layout& layout) {
    return gpu::Array::over(0, type, layout, nullptr, gpu::Context::ensure_current());
}

void settle(PyObject* object) {
    Recorder* const awaited = self_of(object).recorder;
    Recorder* const mine = Recorder::current();
    if (awaited && awaited != mine) awaited->flush();
    if (mine) mine->flush();
}

void settle_thread() {
    if (Recorder* const mine = Recorder::current()) mine->flush();
}

Recorder* Recorder::current() noexcept { return own && !own->evaluates_ ? own : nullptr; }

void Recorder::begin() {
    if (!own) {
        std::vector<Recorder*>& spare = spare_recorders();
        if (spare.empty()) {
            own = new Recorder;
        } else {
            own = spare.back();
            spare.pop_back();
        }
        own->thread_ = PyThread_get_thread_ident();
    }
    ++own->depth_;
    ++recording;
}

void Recorder::end() {
    if (!own) return; // begun on another thread, by a generator
    Recorder* const ended = own;
    std::exception_ptr thrown;
    if (ended->depth_ == 1) {
        try {
            ended->flush();
        } catch (...) { thrown = std::current_exception(); }
        own = nullptr;
        spare_recorders().push_back(ended);
    }
    --ended->depth_;
    --recording;
    if (thrown) std::rethrow_exception(thrown);
}

void Recorder::make_room(std::size_t results) {
    const gpu::Context current = gpu::Context::ensure_current();
    const std::size_t arrays =
        waiting_.size() + targets_.size() + reduced_.size() + expression_.inputs().size();
    if (!expression_.has_room() || current != context_ ||
        arrays + gpu::Loop::kMostInputs + results > gpu::Expression::kMostArrays)
        flush();
    context_ = current;
}

void Recorder::forget(GpuArray& array) noexcept {
    if (this == &lost()) {
        --recording;
        return;
    }
    const auto waits = std::find(waiting_.begin(), waiting_.end(), &array);
    if (waits != waiting_.end()) {
        *waits = waiting_.back();
        waiting_.pop_back();
        return;
    }
    std::erase_if(reduced_, [&](const Reduced& each) { return each.array == &array; });
    for (Target& each : targets_)
        if (each.array == &array) each.array = nullptr;
}

void Recorder::flush() {
    if (this == &lost())
        throw Error{"the array has no values: the expression that makes them could not be "
                    "evaluated"};
    while (evaluates_) { // allocators are Python
        if (thread_ == PyThread_get_thread_ident())
            throw Error{"an allocator uses an array of the expression that it allocates for"};
        const GilRelease release;
        std::this_thread::yield();
    }
    if (waiting_.empty() && targets_.empty() && reduced_.empty()) {
        expression_.clear();
        return;
    }
    // Neither may they go meanwhile.
    std::array<GpuArray*, gpu::Expression::kMostArrays> arrays;
    std::size_t count = 0;
    for (GpuArray* each : waiting_) arrays[count++] = each;
    for (const Reduced& each : reduced_) arrays[count++] = each.array;
    const std::span<GpuArray* const> waiting{arrays.data(), count};
    for (GpuArray* each : waiting) Py_INCREF(each);
    evaluates_ = true;
    std::exception_ptr thrown;
    try {
        evaluate(waiting);
    } catch (...) { thrown = std::current_exception(); }
    for (GpuArray* each : waiting) {
        each->recorder = nullptr;
        if (!thrown) continue;
        each->array = without_memory(each->array.type(), each->array.layout());
        each->recorder = &lost();
        ++recording;
    }
    for (const Target& each : targets_)
        if (each.array) each.array->recorder = nullptr;
    waiting_.clear();
    targets_.clear();
    reduced_.clear();
    expression_.clear();
    evaluates_ = false;
    for (GpuArray* each : waiting) Py_DECREF(each);
    if (thrown) std::rethrow_exception(thrown);
}

void Recorder::evaluate(std::span<GpuArray* const> waiting) {
    std::optional<gpu::CurrentContext> scope;
    if (gpu::Context::current() != context_) scope.emplace(context_);
    std::array<gpu::Expression::Write, gpu::Expression::kMostArrays> writes;
    std::size_t count = 0;
    for (GpuArray* each : waiting) {
        each->array = empty_like(each, each->array.type(), each->array.layout());
        if (each->value != kReduced) writes[count++] = {each->value, &each->array};
    }
    for (const Target& each : targets_) writes[count++] = {each.value, &each.memory};
    for (const Reduced& each : reduced_) { // the last one writes what else there is to be
        const std::size_t with =
            &each == &reduced_.back() ? take_along(each.of, {writes.data(), count}) : 0;
        gpu::ReduceOptions options;
        options.axes = each.axes ? &*each.axes : nullptr;
        options.keepdims = each.keepdims;
        options.dtype = each.dtype;
        options.out = &each.array->array;
        count -= with;
        gpu::reduce(each.reduction,
                    expression_.map(each.value, each.of, {writes.data() + count, with}), options);
    }
    expression_.write({writes.data(), count});
}

/// Moves those to the end that a reduction can write on its way: they lie as its elements would.
/// Returns how many.
std::size_t Recorder::take_along(const gpu::Array& of,
                                 std::span<gpu::Expression::Write> writes) const {
    const auto rest = std::stable_partition(writes.begin(), writes.end(), [&](const auto& each) {
        return each.to->shape() != of.shape() ||
               each.to->layout() != gpu::compact_like(of.layout(), each.to->type().bytes);
    });
    const auto count = static_cast<std::size_t>(writes.end() - rest);
    return count + expression_.inputs().size() <= gpu::MappedValues::kMostArrays ? count : 0;
}

namespace {

template <void (*function)()> PyObject* call(PyObject*, PyObject*) {
    try {
        function();
        Py_RETURN_NONE;
    } catch (...) { return raise_in_python(std::current_exception()); }
}

PyMethodDef begin_method{"fuse_begin", &call<&Recorder::begin>, METH_NOARGS,
                         "fuse_begin()\n--\n\nFrom here on this thread records; blocks nest."};
PyMethodDef end_method{"fuse_end", &call<&Recorder::end>, METH_NOARGS,
                       "fuse_end()\n--\n\nThe outermost end evaluates what is still wanted."};

} // namespace

void bind_fuse(py::module_& m) {
    for (PyMethodDef* each : {&begin_method, &end_method})
        m.add_object(each->ml_name,
                     py::reinterpret_steal<py::object>(PyCFunction_New(each, nullptr)));
}

} // namespace lathe::bind
