// SPDX-License-Identifier: MIT
// The text of elementwise kernels: loads, what is computed of one element, stores, and the loop
// around it. What is computed is a statement on a0, a1 ... that sets r0, r1 ...
#pragma once

#include "gpu/array/layout.h"

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
    std::string_view stored;   ///< type in memory, or of the parameter
    std::string_view computed; ///< type of a0 or r0
    Access access = Access::flat;
};

struct ElementwiseForm {
    std::string_view statement;
    std::vector<OperandForm> outputs; ///< flat or strided
    std::vector<OperandForm> inputs;
    unsigned dimensions = 0; ///< of the strides; 0: all is flat, or one element
    unsigned vector = 1;     ///< elements that a thread loads at once, where all is flat
    bool wide = false;       ///< 64-bit counts and offsets
    unsigned bits = 0;       ///< kBits: of the first input's type
};

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
