// SPDX-License-Identifier: MIT
// sin, cos, tanh, lg2, ex2 in straight lines of float arithmetic, so that the lanes of a warp run
// side by side and single threads get the same bits. The polynomials are fitted by
// tools/fit_functions.py; tests/soft/jit/test_functions.cpp measures each against the PTX ISA.
#include "gpu/soft/jit/floats.h"
#include "gpu/soft/jit/toolchain.h"

#include <initializer_list>
#include <numbers>

namespace lathe::soft::jit {

namespace {

// Adding these rounds to an integer, which then lies in the low bits.
constexpr double kRoundFloat = 0x1.8p23, kRoundDouble = 0x1.8p52;

class Functions {
public:
    explicit Functions(FunctionLowering& lowering)
        : f{lowering}, b{lowering.b}, fuses_{has_fused_multiply_add()} {}

    // x = n + r with |r| <= 1/2. 2^n is multiplied in two steps: it may be subnormal, or beyond the
    // largest number where the result is not.
    Value* exp2(Value* x) {
        x = at_least(at_most(x, 129), -151);
        Value* shifted = b.CreateFAdd(x, number(kRoundFloat));
        Value* n = b.CreateSub(bits(shifted), bits(number(kRoundFloat)));
        Value* r = b.CreateFSub(x, b.CreateFSub(shifted, number(kRoundFloat)));
        Value* p = polynomial(r, {0x1.417a5cp-13, 0x1.5f0946p-10, 0x1.3b2dd2p-7, 0x1.c6af7ap-5,
                                  0x1.ebfbdcp-3, 0x1.62e430p-1, 1.0});
        Value* half = b.CreateAShr(n, 1);
        return b.CreateFMul(b.CreateFMul(p, power(half)), power(b.CreateSub(n, half)));
    }

    // x = 2^e (1 + m) with 1 + m between the roots of 1/2 and 2.
    Value* log2(Value* x, bool may_be_subnormal) {
        Value* whole = x;
        Value* tiny = nullptr;
        if (may_be_subnormal) {
            tiny = b.CreateFCmpOLT(x, number(0x1p-126));
            whole = b.CreateSelect(tiny, b.CreateFMul(x, number(0x1p24)), x);
        }
        Value* root = b.getInt32(0x3f3504f3); // of 1/2
        Value* e = b.CreateAShr(b.CreateSub(bits(whole), root), 23);
        Value* m = b.CreateBitCast(b.CreateSub(bits(whole), b.CreateShl(e, 23)), b.getFloatTy());
        m = b.CreateFSub(m, number(1));
        Value* exponent = b.CreateSIToFP(e, b.getFloatTy());
        if (tiny) exponent = b.CreateFSub(exponent, b.CreateSelect(tiny, number(24), number(0)));
        Value* p = polynomial(m, {0x1.01a034p-3, -0x1.a779dap-3, 0x1.b95494p-3, -0x1.e981bcp-3,
                                  0x1.26dd00p-2, -0x1.715b78p-2, 0x1.ec7368p-2, -0x1.715472p-1,
                                  0x1.715476p+0});
        Value* y = fused(m, p, exponent);
        Value* infinite = llvm::ConstantFP::getInfinity(b.getFloatTy());
        y = b.CreateSelect(b.CreateFCmpOEQ(x, infinite), infinite, y);
        y = b.CreateSelect(b.CreateFCmpOEQ(x, number(0)),
                           llvm::ConstantFP::getInfinity(b.getFloatTy(), true), y);
        return b.CreateSelect(b.CreateFCmpULT(x, number(0)), nan(), y);
    }

    // x = k pi/2 + r in double precision, good to |x| = 2^28; beyond it the result stays in [-1,
    // 1].
    Value* sine(Value* x, unsigned quadrants) {
        auto* real = b.getDoubleTy();
        const auto wide = [&](double v) { return llvm::ConstantFP::get(real, v); };
        Value* d = b.CreateFPExt(x, real);
        Value* shifted =
            b.CreateFAdd(b.CreateFMul(d, wide(2 / std::numbers::pi)), wide(kRoundDouble));
        Value* k = b.CreateFSub(shifted, wide(kRoundDouble));
        Value* quadrant = b.CreateTrunc(b.CreateBitCast(shifted, b.getInt64Ty()), b.getInt32Ty());
        quadrant = b.CreateAdd(quadrant, b.getInt32(quadrants));
        Value* r = b.CreateFSub(d, b.CreateFMul(k, wide(std::numbers::pi / 2)));
        r = at_least(at_most(b.CreateFPTrunc(r, b.getFloatTy()), 0.8), -0.8);
        Value* square = b.CreateFMul(r, r);
        Value* odd =
            polynomial(square, {0x1.7c3616p-19, -0x1.a05964p-13, 0x1.111174p-7, -0x1.555556p-3});
        odd = b.CreateFMul(r, fused(square, odd, number(1))); // -0 stays -0
        Value* even = polynomial(square, {0x1.99e0ecp-16, -0x1.6c0c1ap-10, 0x1.55554ap-5, -0.5, 1});
        Value* swap = b.CreateICmpNE(b.CreateAnd(quadrant, 1), b.getInt32(0));
        Value* sign = b.CreateShl(b.CreateAnd(quadrant, 2), 30);
        Value* y = b.CreateSelect(swap, even, odd);
        return b.CreateBitCast(b.CreateXor(bits(y), sign), b.getFloatTy());
    }

    // A polynomial near zero, 1 - 2 / (e^2x + 1) elsewhere.
    Value* tanh(Value* x) {
        Value* size = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
        Value* square = b.CreateFMul(x, x);
        Value* near = polynomial(
            square, {-0x1.754f46p-8, 0x1.52041cp-6, -0x1.b836c8p-5, 0x1.1106fap-3, -0x1.555532p-2});
        near = b.CreateFMul(x, fused(square, near, number(1)));
        Value* power = exp2(b.CreateFMul(size, number(2 * std::numbers::log2e)));
        Value* rest = b.CreateFDiv(number(2), b.CreateFAdd(power, number(1)));
        Value* far =
            b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, b.CreateFSub(number(1), rest), x);
        return b.CreateSelect(b.CreateFCmpOLT(size, number(0.625)), near, far);
    }

private:
    llvm::Constant* number(double v) { return llvm::ConstantFP::get(b.getFloatTy(), v); }
    Value* nan() { return b.CreateBitCast(b.getInt32(0x7fffffff), b.getFloatTy()); }
    Value* bits(Value* x) { return b.CreateBitCast(x, b.getInt32Ty()); }
    /// 2^n for exponents of normal numbers.
    Value* power(Value* n) {
        return b.CreateBitCast(b.CreateShl(b.CreateAdd(n, b.getInt32(127)), 23), b.getFloatTy());
    }
    // NaN stays NaN.
    Value* at_most(Value* x, double y) {
        return b.CreateSelect(b.CreateFCmpOGT(x, number(y)), number(y), x);
    }
    Value* at_least(Value* x, double y) {
        return b.CreateSelect(b.CreateFCmpOLT(x, number(y)), number(y), x);
    }
    Value* fused(Value* x, Value* y, Value* z) {
        if (!fuses_) return b.CreateFAdd(b.CreateFMul(x, y), z); // not a call for each lane
        return f.intrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
    }
    /// Coefficients from the highest power down.
    Value* polynomial(Value* x, std::initializer_list<double> coefficients) {
        Value* sum = nullptr;
        for (const double c : coefficients) sum = sum ? fused(sum, x, number(c)) : number(c);
        return sum;
    }

    FunctionLowering& f;
    llvm::IRBuilder<>& b;
    bool fuses_;
};

} // namespace

Value* approximate(FunctionLowering& f, Opcode opcode, Value* x, bool may_be_subnormal) {
    Functions functions{f};
    switch (opcode) {
    case Opcode::sin: return functions.sine(x, 0);
    case Opcode::cos: return functions.sine(x, 1);
    case Opcode::tanh: return functions.tanh(x);
    case Opcode::lg2: return functions.log2(x, may_be_subnormal);
    default: return functions.exp2(x);
    }
}

} // namespace lathe::soft::jit
