// SPDX-License-Identifier: MIT
// Python values as operands of elementwise functions: arrays, Python's numbers, which adapt to the
// arrays' types (NEP 50), and NumPy's scalars, which have types of their own.
#pragma once

#include "gpu/array/elementwise.h"
#include "python/bind/array/gpu_array.h"

#include <pybind11/pybind11.h>

#include <array>
#include <span>
#include <vector>

namespace lathe::bind {

struct Operand {
    PyObject* value = nullptr;           ///< borrowed
    const GpuArray* array = nullptr;     ///< null for a number
    gpu::InputType type{DType::float64}; ///< not set for arrays of structures
};

/// False for what is neither an array nor a number; nothing is thrown.
bool read_operand(PyObject* value, Operand& to) noexcept;
/// The number as a loop computes in `dtype`. Throws OverflowError: "Python integer 300 out of
/// bounds for uint8".
gpu::Scalar number_of(const Operand& operand, DType dtype);

/// The loop of a call with its inputs.
struct Resolved {
    gpu::Loop loop;
    std::array<gpu::Scalar, gpu::Loop::kMostInputs> numbers;
    std::vector<gpu::Input> inputs;
};
/// Throws TypeError for types that the operation is not for, OverflowError as number_of does.
Resolved resolve(const gpu::Operation& operation, std::span<const Operand> operands);
/// Throws where NumPy would not cast what the loop gives into an array.
void check_cast(const gpu::Loop& loop, std::size_t output, const gpu::Array& into);

/// A new array, or a tuple of them where the operation has several results; of the class of the
/// first array among the operands, which must have one.
py::object apply(const gpu::Operation& operation, std::span<const Operand> operands,
                 gpu::StreamView stream = gpu::StreamView::legacy());
/// Into arrays, which take what NumPy casts by "same_kind". Throws TypeError: "Cannot cast ufunc
/// 'add' output from dtype('float64') to dtype('int32') with casting rule 'same_kind'".
void apply_into(const gpu::Operation& operation, std::span<const Operand> operands,
                std::span<PyObject* const> outputs,
                gpu::StreamView stream = gpu::StreamView::legacy());

} // namespace lathe::bind
