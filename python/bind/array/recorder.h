// SPDX-License-Identifier: MIT
// lathe.fuse: while a thread records, elementwise functions of arrays make arrays without memory,
// and a list of what they stand for (gpu/array/fusion.h). It is evaluated, everything at once,
// where the block ends or somebody wants memory: all who touch an array's memory ask `settled` for
// it.
//
// A recorder belongs to a thread and is used under the GIL. Memory that others may see is changed
// in the order of the program: what could tell the difference evaluates first.
#pragma once

#include "gpu/array/fusion.h"
#include "python/bind/array/operands.h"

#include <pybind11/pybind11.h>

#include <optional>
#include <span>
#include <vector>

namespace lathe::bind {

/// The operation as a statement of the thread's recorder: what apply() would give. Null where it is
/// not recorded; then all that the operands wait for is evaluated.
py::object record(const gpu::Operation& operation, std::span<const Operand> operands,
                  gpu::StreamView stream);
/// The same into an array; false where it is not recorded.
bool record_into(const gpu::Operation& operation, std::span<const Operand> operands,
                 std::span<PyObject* const> outputs, gpu::StreamView stream);
/// A copy with elements of another type, axes in the order of memory; null where it is not
/// recorded.
py::object record_cast(PyObject* array, DType to, gpu::StreamView stream);

/// A reduction of an array that waits for a value; null where it is not recorded. options.axes and
/// dtype are copied.
py::object record_reduction(gpu::Reduction reduction, PyObject* array,
                            const gpu::ReduceOptions& options, gpu::StreamView stream);

/// An array of the current context that awaits its memory.
gpu::Array without_memory(gpu::ElementType type, const gpu::Layout& layout);

class Recorder {
public:
    /// Of the calling thread; null where it does not record or is evaluating.
    static Recorder* current() noexcept;
    /// Blocks nest; the outermost end evaluates. Throws what evaluation throws.
    static void begin();
    static void end();

    /// Evaluates; nothing is left to do afterwards, whatever happens. Arrays whose values could not
    /// be computed say so when they are used. Throws gpu::Error, CompileError, what allocators
    /// throw.
    void flush();
    /// Of an array that waits for a value and is about to go.
    void forget(GpuArray& array) noexcept;

    /// What apply() makes; the first result of type `stored` where that is another.
    py::object make(const Resolved& call, std::span<const Operand> operands,
                    std::optional<DType> stored = {});
    /// What apply_into() does; false where inputs lie in the output's way, then all is evaluated.
    bool change(const Resolved& call, std::span<const Operand> operands, PyObject* output);
    /// Nothing where there is no room.
    py::object reduce(gpu::Reduction reduction, PyObject* array, const gpu::ReduceOptions& options);

private:
    using Value = gpu::Expression::Value;
    /// Memory that a value goes to; its array may be gone.
    struct Target {
        gpu::Array memory;
        Value value;
        GpuArray* array;
    };

    /// The result of a reduction, without memory so far.
    struct Reduced {
        GpuArray* array;
        gpu::Reduction reduction;
        Value value;
        gpu::Array of; ///< as it would lie in memory
        std::optional<gpu::Extents> axes;
        bool keepdims;
        std::optional<DType> dtype;
    };
    /// GpuArray::value of those: no statement reads them.
    static constexpr Value kReduced = static_cast<Value>(-1);

    /// False where an operand is a reduction's, or its memory awaits a value of another array.
    bool terms_of(const Resolved& call, std::span<const Operand> operands,
                  std::array<gpu::Expression::Term, gpu::Loop::kMostInputs>& terms) const;
    /// Whether a later write to the memory of `array` would change what statements read or write.
    bool is_in_the_way(const gpu::Array& memory, const GpuArray& array) const;
    void make_room(std::size_t results);
    void evaluate(std::span<GpuArray* const> waiting);
    std::size_t take_along(const gpu::Array& of, std::span<gpu::Expression::Write> writes) const;

    int depth_ = 0;
    unsigned long thread_ = 0;
    bool evaluates_ = false;
    gpu::Context context_;
    gpu::Expression expression_;
    std::vector<GpuArray*> waiting_; // arrays without memory; they are forgotten before they go
    std::vector<Target> targets_;
    std::vector<Reduced> reduced_;
};

void bind_fuse(py::module_& m);

} // namespace lathe::bind
