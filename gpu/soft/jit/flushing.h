// SPDX-License-Identifier: MIT
// Whether a kernel may run with the processor's own flushing of subnormal numbers (MXCSR.FTZ and
// DAZ, rt/float_mode.h): then `.ftz` costs nothing. x86 decides as GPUs do, after rounding with an
// exponent without bounds. The mode knows no types and no instructions: it is right where every
// float operation flushes, and nothing computes in double precision.
#pragma once

#include "gpu/ptx/ast.h"

namespace llvm {
class Module;
}

namespace lathe::soft::jit {

enum class Subnormals {
    indifferent, ///< the same with and without the mode
    flushed,     ///< asked for by the instruction, and what the mode does
    kept,        ///< the mode would change results
};

Subnormals subnormals_of(const ptx::Instruction& i);

/// Of a program that has both.
inline Subnormals both(Subnormals a, Subnormals b) { return a > b ? a : b; }

/// The last pass over code that runs in the mode. Choices between the operands of their comparison
/// would become minima and maxima, which flush on x86: choices are of bits.
void keep_chosen_bits(llvm::Module& module);

/// Processors without fused multiply-add call the C library for it.
bool can_flush();

} // namespace lathe::soft::jit
