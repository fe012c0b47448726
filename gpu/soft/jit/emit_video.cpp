// SPDX-License-Identifier: MIT
// Video instructions: arithmetic on bytes and halves of 32-bit registers, in 64-bit code.
//   vadd.s32.u32.s32.sat d, a.b0, b.h1, c    one value; c is merged or combined
//   vadd4.u32.u32.u32.add d.b3210, a, b, c   lanes of 8 or 16 bits; selectors pick from {b, a}
#include "gpu/soft/jit/floats.h"

#include <fmt/format.h>

namespace lathe::soft::jit {

namespace {

/// A register operand with its selector: "%r1.b0" is %r1 and "b0".
struct Selected {
    Operand operand;
    std::string selector;
};

Selected selected(FunctionLowering& f, const Instruction& i, std::size_t index) {
    const Operand& operand = f.operand(i, index);
    const auto* r = std::get_if<ptx::Register>(&operand.value);
    const std::size_t dot = r ? r->name.find('.') : std::string::npos;
    if (dot == std::string::npos || r->name.size() < dot + 3) return {operand, {}};
    return {Operand{ptx::Register{r->name.substr(0, dot)}, operand.negated, {}},
            r->name.substr(dot + 1)};
}

unsigned lane_bits(char kind) { return kind == 'b' ? 8 : 16; }

/// Bits `bits` * `index` on of a 64-bit value, extended to 64 bits.
Value* field(FunctionLowering& f, Value* v, unsigned index, unsigned bits, bool sign) {
    auto& b = f.b;
    Value* low = b.CreateTrunc(b.CreateLShr(v, index * bits), f.int_type(bits));
    return sign ? b.CreateSExt(low, b.getInt64Ty()) : b.CreateZExt(low, b.getInt64Ty());
}

Value* saturated(FunctionLowering& f, Value* v, unsigned bits, bool sign) {
    auto& b = f.b;
    const std::int64_t high =
        sign ? (std::int64_t{1} << (bits - 1)) - 1 : (std::int64_t{1} << bits) - 1;
    const std::int64_t low = sign ? -high - 1 : 0;
    v = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, v,
                                b.getInt64(static_cast<std::uint64_t>(low)));
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, v,
                                   b.getInt64(static_cast<std::uint64_t>(high)));
}

/// The operation on two 64-bit values.
Value* apply(FunctionLowering& f, const Instruction& i, Value* x, Value* y) {
    auto& b = f.b;
    auto binary = [&](llvm::Intrinsic::ID id) { return b.CreateBinaryIntrinsic(id, x, y); };
    switch (i.opcode) {
    case Opcode::vadd:
    case Opcode::vadd2:
    case Opcode::vadd4: return b.CreateAdd(x, y);
    case Opcode::vsub:
    case Opcode::vsub2:
    case Opcode::vsub4: return b.CreateSub(x, y);
    case Opcode::vmin:
    case Opcode::vmin2:
    case Opcode::vmin4: return binary(llvm::Intrinsic::smin);
    case Opcode::vmax:
    case Opcode::vmax2:
    case Opcode::vmax4: return binary(llvm::Intrinsic::smax);
    case Opcode::vabsdiff:
    case Opcode::vabsdiff2:
    case Opcode::vabsdiff4:
        return b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, b.CreateSub(x, y), b.getFalse());
    case Opcode::vavrg2:
    case Opcode::vavrg4: {
        Value* sum = b.CreateAdd(x, y);
        Value* up = b.CreateZExt(b.CreateICmpSGE(sum, b.getInt64(0)), b.getInt64Ty());
        return b.CreateAShr(b.CreateAdd(sum, up), 1);
    }
    case Opcode::vset:
    case Opcode::vset2:
    case Opcode::vset4:
        for (const std::string& m : i.modifiers) {
            if (!is_comparison(m)) continue;
            return b.CreateZExt(compare(f, m, x, y, ptx::Type::s64), b.getInt64Ty());
        }
        f.fail(i, "comparison missing");
    case Opcode::vshl:
    case Opcode::vshr: {
        Value* n = i.has("wrap")
                       ? b.CreateAnd(y, b.getInt64(31))
                       : b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, y, b.getInt64(32));
        return i.opcode == Opcode::vshl ? b.CreateShl(x, n) : b.CreateAShr(x, n);
    }
    default: return b.CreateMul(x, y); // vmad
    }
}

bool is_set(Opcode opcode) {
    return opcode == Opcode::vset || opcode == Opcode::vset2 || opcode == Opcode::vset4;
}

void emit_one(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const bool set = is_set(i.opcode);
    const ptx::Type result_type = set ? ptx::Type::u32 : f.type(i, 0);
    const bool sign = is_signed_integer(result_type);
    auto source = [&](std::size_t index, ptx::Type type) {
        const Selected s = selected(f, i, index);
        Value* v = b.CreateZExt(f.read(s.operand, ptx::Type::b32), b.getInt64Ty());
        const bool with_sign = is_signed_integer(type);
        if (s.selector.empty()) return field(f, v, 0, 32, with_sign);
        return field(f, v, static_cast<unsigned>(s.selector[1] - '0'), lane_bits(s.selector[0]),
                     with_sign);
    };
    const std::size_t first = set ? 0 : 1;
    Value* result = apply(f, i, source(1, f.type(i, first)), source(2, f.type(i, first + 1)));
    const Selected target = selected(f, i, 0);
    if (i.opcode == Opcode::vmad) {
        result = b.CreateAdd(result, source(3, result_type));
        if (i.has("po")) result = b.CreateAdd(result, b.getInt64(1));
        if (i.has("shr7")) result = b.CreateAShr(result, 7);
        if (i.has("shr15")) result = b.CreateAShr(result, 15);
    }
    const unsigned bits = target.selector.empty() ? 32 : lane_bits(target.selector[0]);
    if (i.has("sat")) result = saturated(f, result, bits, sign);
    Value* word = b.CreateTrunc(result, b.getInt32Ty());
    if (i.opcode != Opcode::vmad && f.has_operand(i, 3)) {
        Value* c = f.read(i, 3, ptx::Type::b32);
        if (!target.selector.empty()) { // merge into c
            const unsigned shift = bits * static_cast<unsigned>(target.selector[1] - '0');
            Value* mask = b.getInt32(((1u << bits) - 1) << shift);
            word = b.CreateOr(b.CreateAnd(c, b.CreateNot(mask)),
                              b.CreateAnd(b.CreateShl(word, shift), mask));
        } else if (i.has("min")) {
            word = b.CreateBinaryIntrinsic(sign ? llvm::Intrinsic::smin : llvm::Intrinsic::umin,
                                           word, c);
        } else if (i.has("max")) {
            word = b.CreateBinaryIntrinsic(sign ? llvm::Intrinsic::smax : llvm::Intrinsic::umax,
                                           word, c);
        } else {
            word = b.CreateAdd(word, c);
        }
    }
    f.write(target.operand, word, ptx::Type::b32);
}

void emit_lanes(FunctionLowering& f, const Instruction& i, unsigned count) {
    auto& b = f.b;
    const unsigned bits = 32 / count;
    const bool set = is_set(i.opcode);
    const bool sign = !set && is_signed_integer(f.type(i, 0));
    const std::size_t first = set ? 0 : 1;
    const Selected target = selected(f, i, 0), x = selected(f, i, 1), y = selected(f, i, 2);
    auto* i64 = b.getInt64Ty();
    Value* all = b.CreateOr(b.CreateZExt(f.read(x.operand, ptx::Type::b32), i64),
                            b.CreateShl(b.CreateZExt(f.read(y.operand, ptx::Type::b32), i64), 32));
    // A selector lists the lanes from the highest down: h10, b7654.
    auto pick = [&](const Selected& s, unsigned lane, unsigned fallback) {
        const std::size_t digits = s.selector.empty() ? 0 : s.selector.size() - 1;
        return digits != count ? fallback : static_cast<unsigned>(s.selector[count - lane] - '0');
    };
    const bool accumulate = i.has("add");
    Value* c = f.has_operand(i, 3) ? f.read(i, 3, ptx::Type::b32) : b.getInt32(0);
    Value* result = accumulate ? c : b.getInt32(0);
    for (unsigned lane = 0; lane < count; ++lane) {
        const bool masked =
            target.selector.empty() ||
            target.selector.find(static_cast<char>('0' + lane), 1) != std::string::npos;
        const unsigned shift = lane * bits;
        Value* mask = b.getInt32(static_cast<std::uint32_t>(((1ull << bits) - 1) << shift));
        if (!masked) {
            if (!accumulate) result = b.CreateOr(result, b.CreateAnd(c, mask));
            continue;
        }
        Value* p = field(f, all, pick(x, lane, lane), bits, is_signed_integer(f.type(i, first)));
        Value* q = field(f, all, pick(y, lane, lane + count), bits,
                         is_signed_integer(f.type(i, first + 1)));
        Value* r = apply(f, i, p, q);
        if (i.has("sat")) r = saturated(f, r, bits, sign);
        Value* word = b.CreateTrunc(r, b.getInt32Ty());
        if (accumulate) {
            result = b.CreateAdd(result, word);
        } else {
            result = b.CreateOr(result, b.CreateAnd(b.CreateShl(word, shift), mask));
        }
    }
    f.write(target.operand, result, ptx::Type::b32);
}

} // namespace

bool emit_video(FunctionLowering& f, const Instruction& i) {
    switch (i.opcode) {
    case Opcode::vadd:
    case Opcode::vsub:
    case Opcode::vabsdiff:
    case Opcode::vmin:
    case Opcode::vmax:
    case Opcode::vmad:
    case Opcode::vshl:
    case Opcode::vshr:
    case Opcode::vset: emit_one(f, i); return true;
    case Opcode::vadd2:
    case Opcode::vsub2:
    case Opcode::vabsdiff2:
    case Opcode::vmin2:
    case Opcode::vmax2:
    case Opcode::vavrg2:
    case Opcode::vset2: emit_lanes(f, i, 2); return true;
    case Opcode::vadd4:
    case Opcode::vsub4:
    case Opcode::vabsdiff4:
    case Opcode::vmin4:
    case Opcode::vmax4:
    case Opcode::vavrg4:
    case Opcode::vset4: emit_lanes(f, i, 4); return true;
    default: return false;
    }
}

} // namespace lathe::soft::jit
