// SPDX-License-Identifier: MIT
// The text of elementwise kernels: loads, statements on one element, stores, and the loop around
// them. A statement is an operation's text on a0, a1 ... that sets r0, r1 ...
#pragma once

#include "gpu/array/layout.h"
#include "gpu/array/operations.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lathe::gpu {

/// Where an operand's element comes from.
enum class Access : std::uint8_t {
    flat,    ///< the i-th one
    strided, ///< by strides
    one,     ///< one element in memory for all
    value,   ///< a parameter of the kernel
};

struct OperandForm {
    std::string_view stored; ///< type in memory, or of the parameter
    Access access = Access::flat;
};

/// One operation. What it makes are values of the types that memory would have, numbered on through
/// all statements: the next one reads what it would read from memory.
struct StatementForm {
    struct Source {
        bool is_value; ///< of an earlier statement, else an input
        std::size_t number;
    };

    Loop loop;
    std::vector<Source> inputs;
    std::vector<DType> outputs;
};

struct OutputForm {
    OperandForm operand; ///< flat or strided
    std::size_t value;
};

struct ElementwiseForm {
    std::vector<StatementForm> statements;
    std::vector<OutputForm> outputs;
    std::vector<OperandForm> inputs;
    unsigned dimensions = 0; ///< of the strides; 0: all is flat, or one element
    unsigned vector = 1;     ///< elements that a thread loads at once, where all is flat
    bool wide = false;       ///< 64-bit counts and offsets
};

/// The option that such kernels are compiled with: each operation rounds by itself, as NumPy's do,
/// so that a statement gives the same bits wherever it stands.
inline constexpr const char* kEachRounds = "-fmad=false";

/// A value's type in memory, or as a parameter: float16 travels as the float that it is.
std::string_view stored_type(DType dtype, bool is_parameter);

/// Appends what computes v0, v1 ... from in0, in1 ..., which have these types.
void write_statements(std::string& to, std::span<const StatementForm> statements,
                      std::span<const std::string_view> input_types, std::string_view indent);

/// Parameters: the count (unsigned, wide: long long), the geometry where `dimensions` is not 0,
/// each output's and input's pointer or value. Entry: `extern "C"` with this name.
std::string elementwise_source(const ElementwiseForm& form, std::string_view entry);

/// The geometry that such a kernel takes: sizes, and for narrow ones what divides by them, then the
/// strides of each strided operand, outputs first. Division is by T. Granlund and P. L. Montgomery,
/// "Division by Invariant Integers using Multiplication", 1994.
class Geometry {
public:
    Geometry(const Extents& shape, std::span<const Extents* const> strides, bool wide);
    void* data() { return words_.data(); }

private:
    std::vector<std::uint64_t> words_;
};

} // namespace lathe::gpu
