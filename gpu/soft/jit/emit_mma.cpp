// SPDX-License-Identifier: MIT
// mma.sync, ldmatrix, movmatrix, whose fragments the PTX ISA draws.
#include "gpu/soft/jit/matrices.h"
#include "gpu/soft/jit/watching.h"

#include <llvm/IR/Constants.h>

namespace lathe::soft::jit {

namespace {

/// All shapes but m8n8k4 (PTX ISA, "Matrix Fragments for mma..."): lane l is g = l / 4 and t = l %
/// 4. A register of A holds row g (and in the next register row g + 8), one of B column g, with the
/// elements from t * (elements in a register) on; results are rows g (and g + 8), columns 2t, 2t
/// + 1.
void emit_mma_by_fours(FunctionLowering& f, const Instruction& i, const Size& size) {
    const Element kind = element(f, i, i.types.size() == 4 ? i.types[1] : ptx::Type::none);
    const Element other = element(f, i, i.types.size() == 4 ? i.types[2] : ptx::Type::none, 1);
    if (kind.bits != other.bits) f.fail(i, "elements of A and B must be of one size here");
    const unsigned rows = size.m / 8, tiles = size.k / (4 * kind.in_register());
    if (size.n != 8 || rows == 0 || rows > 2 || tiles == 0)
        f.fail(i, "this shape does not exist for this target");
    const unsigned parts = operands_in_register(kind);
    const ptx::Type result = f.type(i, 0), addend = i.types.back();
    const Counts counts{registers_of(result, 2 * rows), rows * tiles, tiles,
                        registers_of(addend, 2 * rows)};
    emit_product(f, i, counts, [&](const Factors& factors) {
        const Values a = operands(f, kind, factors.a), columns = operands(f, kind, factors.b);
        const Values before = accumulators(f, addend, factors.c);
        Values after;
        for (unsigned e = 0; e < 2 * rows; ++e) {
            Value* sum = first_sum(f, before[e]);
            for (unsigned k = 0; k < 4 * tiles * parts; ++k) {
                const unsigned tile = k / (4 * parts), q = k / parts % 4, part = k % parts;
                Value* x = from_lane(f, factors.lane, a[(e / 2 + rows * tile) * parts + part],
                                     [=](unsigned lane) { return lane / 4 * 4 + q; });
                Value* y = from_lane(f, factors.lane, columns[tile * parts + part],
                                     [=](unsigned lane) { return lane % 4 * 8 + 4 * (e % 2) + q; });
                sum = dot(f, i, kind, sum, x, y, other.is_signed);
            }
            after.push_back(last_sum(f, i, sum, before[e]));
        }
        return words_of(f, i, result, after);
    });
}

/// mma.m8n8k4 of halves: four products, each by the eight lanes that agree in l / 4 % 4. The lower
/// four of them hold rows (columns) 0 to 3 of an operand, or the lower half of each.
void emit_mma_of_quads(FunctionLowering& f, const Instruction& i) {
    std::string layouts[2]; // of A and B
    std::size_t known = 0;
    for (const std::string& word : i.modifiers)
        if ((word == "row" || word == "col") && known < 2) layouts[known++] = word;
    if (known < 2) f.fail(i, "two layouts expected");
    const ptx::Type result = f.type(i, 0), addend = f.type(i, 3);
    if (addend != result) f.fail(i, "C and D are of two types");
    const bool half = result == ptx::Type::f16;
    const Element kind{ptx::Type::f16, 16, true};
    /// Row and column of the element e of C and D.
    const auto row = [half](unsigned lane, unsigned e) {
        return (half ? lane & 3 : (lane & 1) | (e & 2)) | (lane & 16) >> 2;
    };
    const auto column = [half](unsigned lane, unsigned e) {
        return half ? e : (lane & 2) | (e & 5);
    };
    /// Element k of a row of A or a column of B, whose number `number` tells.
    const auto fetch = [&](const Factors& factors, const Values& four, bool by_vector, unsigned k,
                           auto number) -> Value* {
        const auto holder = [=](unsigned lane) {
            const unsigned vector = number(lane);
            return (lane & 12) | (vector & 4) << 2 | (by_vector ? vector & 3 : k);
        };
        if (by_vector) return from_lane(f, factors.lane, four[k], holder);
        Value* chosen = nullptr; // which of the four differs by lane
        for (unsigned n = 0; n < 4; ++n) {
            std::uint32_t takes = 0;
            for (unsigned lane = 0; lane < 32; ++lane)
                takes |= static_cast<std::uint32_t>((number(lane) & 3) == n) << lane;
            if (!takes) continue;
            Value* moved = from_lane(f, factors.lane, four[n], holder);
            if (!chosen) {
                chosen = moved;
                continue;
            }
            Value* own = f.b.CreateLShr(f.b.getInt32(takes), factors.lane);
            chosen = f.b.CreateSelect(f.b.CreateTrunc(own, f.b.getInt1Ty()), moved, chosen);
        }
        return chosen;
    };
    const std::size_t sums = registers_of(result, 8);
    emit_product(f, i, {sums, 2, 2, sums}, [&](const Factors& factors) {
        const Values x = operands(f, kind, factors.a), y = operands(f, kind, factors.b);
        const Values before = accumulators(f, addend, factors.c);
        Values after;
        for (unsigned e = 0; e < 8; ++e) {
            Value* sum = before[e];
            for (unsigned k = 0; k < 4; ++k) {
                Value* p = fetch(factors, x, layouts[0] == "row", k,
                                 [=](unsigned l) { return row(l, e); });
                Value* q = fetch(factors, y, layouts[1] == "col", k,
                                 [=](unsigned l) { return column(l, e); });
                sum = dot(f, i, kind, sum, p, q, kind.is_signed);
            }
            after.push_back(sum);
        }
        return words_of(f, i, result, after);
    });
}

// --- ldmatrix, movmatrix
// ---------------------------------------------------------------------------

/// Lane 8m + r brings the address of row r of matrix m; a lane gets two elements of each matrix:
/// row l / 4, columns 2 (l % 4) and the next, or the same of the transposed one.
void emit_load_matrices(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    if (!i.has("m8n8")) f.fail(i, "this shape does not exist for this target");
    const unsigned count = i.has("x4") ? 4 : i.has("x2") ? 2 : 1;
    const auto targets = items(f, i, 0, count);
    Value* lane = f.special_register("%laneid");
    Value *group = b.CreateLShr(lane, 2), *in_group = b.CreateAnd(lane, b.getInt32(3));
    auto* i32 = b.getInt32Ty();
    auto* i64 = b.getInt64Ty();
    Value* address = b.CreatePtrToInt(f.address(i, 1), i64);
    Value* low = b.CreateTrunc(address, i32);
    Value* high = b.CreateTrunc(b.CreateLShr(address, 32), i32);
    const auto element_at = [&](llvm::IntegerType* type, auto source, Value* byte) {
        Value* row =
            b.CreateOr(b.CreateZExt(from_lane(f, lane, low, source), i64),
                       b.CreateShl(b.CreateZExt(from_lane(f, lane, high, source), i64), 32));
        Value* at = b.CreateIntToPtr(b.CreateAdd(row, b.CreateZExt(byte, i64)), b.getPtrTy());
        watch_read(f, i, at, type->getBitWidth() / 8);
        return b.CreateAlignedLoad(type, at, llvm::Align{type->getBitWidth() / 8});
    };
    Values words;
    for (unsigned m = 0; m < count; ++m) {
        if (!i.has("trans")) {
            words.push_back(element_at(
                i32, [m](unsigned l) { return l / 4 + 8 * m; }, b.CreateShl(in_group, 2)));
            continue;
        }
        Value* word = b.getInt32(0);
        for (unsigned k = 0; k < 2; ++k) {
            Value* half = element_at(
                b.getInt16Ty(), [m, k](unsigned l) { return l % 4 * 2 + 8 * m + k; },
                b.CreateShl(group, 1));
            word = b.CreateOr(word, b.CreateShl(b.CreateZExt(half, i32), 16 * k));
        }
        words.push_back(word);
    }
    for (unsigned m = 0; m < count; ++m) f.write(targets[m], words[m], ptx::Type::b32);
}

/// A lane holds row l / 4, columns 2 (l % 4) and the next; then the same of the transposed matrix.
void emit_transpose(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    Value* lane = f.special_register("%laneid");
    Value* group = b.CreateLShr(lane, 2);
    Value* shift = b.CreateShl(b.CreateAnd(group, b.getInt32(1)), 4);
    Value *value = f.read(i, 1, ptx::Type::b32), *word = b.getInt32(0);
    for (unsigned k = 0; k < 2; ++k) {
        Value* other =
            from_lane(f, lane, value, [k](unsigned l) { return (l % 4 * 2 + k) * 4 + l / 8; });
        Value* pair = b.CreateLShr(other, shift);
        word = b.CreateOr(word, b.CreateShl(b.CreateAnd(pair, b.getInt32(0xffff)), 16 * k));
    }
    f.write(i, word, ptx::Type::b32);
}

} // namespace

bool emit_mma(FunctionLowering& f, const Instruction& i) {
    switch (i.opcode) {
    case Opcode::wmma: return emit_wmma(f, i);
    case Opcode::mma: {
        if (i.has("sp") || i.has("block_scale") || i.has("sp::ordered_metadata")) return false;
        const Size size = size_of(f, i);
        if (size.m == 8 && size.k == 4 && i.types.size() == 4 && i.types[1] == ptx::Type::f16)
            emit_mma_of_quads(f, i);
        else emit_mma_by_fours(f, i, size);
        return true;
    }
    case Opcode::ldmatrix: emit_load_matrices(f, i); return true;
    case Opcode::movmatrix: emit_transpose(f, i); return true;
    default: return false;
    }
}

} // namespace lathe::soft::jit
