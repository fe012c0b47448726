// SPDX-License-Identifier: MIT
// The elementwise functions by NumPy's names: which types each takes, which it gives, and what it
// says in a kernel. operations.inc is the list.
#pragma once

#include "engine/core/api.h"
#include "gpu/array/dtype_rules.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace lathe::gpu {

/// How types follow from those of the inputs.
enum class TypeRule : std::uint8_t {
    same,     ///< all promoted, the result as well
    floating, ///< the same, integers by floating_for
    quotient, ///< the same, integers become float64
    compare,  ///< all promoted; bool
    test,     ///< integers by floating_for; bool
    real,     ///< the result is real where the input is complex
    logical,  ///< each of its own type; bool
    select,   ///< a condition, and others promoted
    scale,    ///< floating, then an integer; of the first one's type (ldexp)
    parts,    ///< floating; itself and int32 (frexp)
    pair,     ///< as floating, two results (modf)
    divmod,   ///< as same, two results
    count,    ///< integer; uint8 (bitwise_count)
};

/// One function. The texts are statements on a0, a1, a2 that set r0, r1, for each kind of type;
/// null where there is none.
struct Operation {
    std::string_view name;
    std::uint8_t inputs;
    std::uint8_t outputs;
    TypeRule rule;
    const char* boolean; ///< "int8": as an int8
    const char* signed_integer;
    const char* unsigned_integer;
    const char* floating;
    const char* complex;
    std::uint16_t number = 0; ///< its place in the list
};

/// Null where there is none of that name.
LATHE_API const Operation* find_operation(std::string_view name);
/// Throws lathe::Error where there is none.
LATHE_API const Operation& operation(std::string_view name);
LATHE_API std::span<const Operation> all_operations();

/// An operation for types of inputs: what they are cast to, what comes out, and the text.
struct Loop {
    static constexpr std::size_t kMostInputs = 4, kMostOutputs = 2;

    const Operation* operation = nullptr;
    std::array<DType, kMostInputs> inputs{};
    std::array<DType, kMostOutputs> outputs{};
    const char* text = nullptr;
};

/// What an input's type is known to be: a type, or a Python number that adapts (NEP 50).
struct InputType {
    DType dtype;
    bool is_weak = false;
    PythonNumber number = PythonNumber::boolean; ///< where it is weak
};

/// Throws TypeError: "ufunc 'bitwise_and' not supported for the input types float32, float32".
LATHE_API Loop resolve(const Operation& operation, std::span<const InputType> inputs);
/// The type of all promoted, weak ones last. Types of weak numbers alone are their defaults.
LATHE_API DType promote_all(std::span<const InputType> inputs);

} // namespace lathe::gpu
