// SPDX-License-Identifier: MIT
// What matrix operations of compute capability 7.5 share (emit_wmma.cpp: fragments of mma.h;
// emit_mma.cpp: mma.sync, ldmatrix, movmatrix). Each lane computes the elements of the result that
// it holds and fetches what it lacks of A and B by shuffles, so that single threads and warps need
// nothing of their own.
//
// Words: a vector is a row of A or a column of B, K elements in 32-bit registers. Halves are
// multiplied exactly and summed as floats; integers are exact, and wrap or saturate (.satfinite)
// where C is added.
#pragma once

#include "gpu/soft/jit/floats.h"

#include <functional>
#include <vector>

namespace lathe::soft::jit {

using Values = std::vector<Value*>;

/// The kinds of elements of A and B.
struct Element {
    ptx::Type type;
    unsigned bits; ///< s4: 4, b1: 1
    bool is_signed;
    unsigned in_register() const { return 32 / bits; }
};

struct Size {
    unsigned m = 0, n = 0, k = 0;
};

/// "m16n8k8"
Size size_of(FunctionLowering& f, const Instruction& i);
/// `which` of the two words s4 and u4 of an instruction: A's and B's, or the only one.
Element element(FunctionLowering& f, const Instruction& i, ptx::Type type, unsigned which = 0);
/// The registers of an operand, of which there must be `count`.
std::vector<Operand> items(FunctionLowering& f, const Instruction& i, std::size_t index,
                           std::size_t count);

/// What another lane holds: `source` tells which, `lane` is the own number. All lanes come together
/// (.aligned).
Value* from_lane(FunctionLowering& f, Value* lane, Value* value,
                 const std::function<unsigned(unsigned)>& source);

/// Registers of A or B ready to be multiplied: halves as floats, others as they are.
Values operands(FunctionLowering& f, const Element& kind, const Values& words);
/// How many of them a register makes.
inline unsigned operands_in_register(const Element& kind) { return kind.bits == 16 ? 2 : 1; }

/// sum + what two operands have as product: of floats, or of all elements of two registers, of
/// which the signs may differ.
Value* dot(FunctionLowering& f, const Instruction& i, const Element& kind, Value* sum, Value* x,
           Value* y, bool y_is_signed);

/// Registers of accumulators: f32 and s32 one a register, f16 two.
inline std::size_t registers_of(ptx::Type type, std::size_t elements) {
    return type == ptx::Type::f16 ? elements / 2 : elements;
}
/// C as floats, or as integers, and the results as words.
Values accumulators(FunctionLowering& f, ptx::Type type, const Values& words);
Values words_of(FunctionLowering& f, const Instruction& i, ptx::Type type, const Values& sums);

/// Where sums begin: floats with C, integers with zero; and how they end.
Value* first_sum(FunctionLowering& f, Value* c);
Value* last_sum(FunctionLowering& f, const Instruction& i, Value* sum, Value* c);

/// The registers of A, B and C, and the lane's number.
struct Factors {
    Values a, b, c;
    Value* lane;
};
/// D = A B + C, operands 0 to 3 of an instruction. `product` makes the registers of D; it sees
/// nothing but the factors, so that a warp has one function for each kind of product.
struct Counts {
    std::size_t d, a, b, c; ///< registers
};
void emit_product(FunctionLowering& f, const Instruction& i, const Counts& counts,
                  const std::function<Values(const Factors&)>& product);

bool emit_wmma(FunctionLowering& f, const Instruction& i);

} // namespace lathe::soft::jit
