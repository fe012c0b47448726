// SPDX-License-Identifier: MIT
// wmma.
//
// Fragments of wmma, whose layout PTX leaves open: the lanes are segments of S. Lane l holds the
// vector l % S of one operand (B; of A in m32n8k16) and computes, of its results, those with the E
// vectors of the other operand that its segment holds together: vector E * (l / S) + (l % S) % E. A
// vector with more registers than a lane has lies in parts, on the lanes that hold the same vector.
#include "gpu/soft/jit/matrices.h"
#include "gpu/soft/jit/watching.h"

#include <llvm/IR/Constants.h>

namespace lathe::soft::jit {

namespace {

/// How the fragments of a shape lie (see the top).
struct Tile {
    Size size;
    bool holds_rows;         ///< lanes hold rows of A, columns of B are shared
    unsigned segment, share; ///< S and E

    explicit Tile(const Size& of)
        : size{of}, holds_rows{of.m == 32}, segment{holds_rows ? of.m : of.n},
          share{of.m * of.n / 32} {}
};

struct Wmma {
    FunctionLowering& f;
    const Instruction& i;
    Tile tile;
    llvm::IRBuilder<>& b;
    Value *in_segment = nullptr, *segment = nullptr; ///< of the lane, where it moves memory

    Wmma(FunctionLowering& lowering, const Instruction& instruction)
        : f{lowering}, i{instruction}, tile{size_of(lowering, instruction)}, b{lowering.b} {}

    void find_lane() {
        Value* lane = f.special_register("%laneid");
        in_segment = b.CreateAnd(lane, b.getInt32(tile.segment - 1));
        segment = b.CreateUDiv(lane, b.getInt32(tile.segment));
    }

    unsigned vector_registers(const Element& kind) const {
        return tile.size.k / kind.in_register();
    }
    /// Registers of a fragment of A or B; halves always have eight.
    unsigned lane_registers(const Element& kind, bool is_a) const {
        if (kind.bits == 16) return 8;
        const unsigned vectors = is_a ? tile.size.m : tile.size.n;
        return vectors * vector_registers(kind) / 32;
    }

    /// base[(major * stride + minor) elements]
    Value* place(Value* base, Value* stride, Value* major, Value* minor, unsigned bits) {
        auto* i64 = b.getInt64Ty();
        Value* index =
            b.CreateAdd(b.CreateMul(b.CreateZExt(major, i64), stride), b.CreateZExt(minor, i64));
        index = bits >= 8 ? b.CreateMul(index, b.getInt64(bits / 8))
                          : b.CreateUDiv(index, b.getInt64(8 / bits));
        return b.CreateGEP(b.getInt8Ty(), base, index);
    }

    Value* stride(std::size_t index, unsigned usual) {
        Value* given =
            f.has_operand(i, index) ? f.read(i, index, ptx::Type::u32) : b.getInt32(usual);
        return b.CreateZExt(given, b.getInt64Ty());
    }

    void load_operand() {
        const bool is_a = i.has("a"), row = i.has("row");
        const Element kind = element(f, i, i.types.empty() ? ptx::Type::none : i.types[0]);
        const unsigned in_lane = lane_registers(kind, is_a), in_vector = vector_registers(kind);
        const unsigned per = kind.in_register();
        const bool held = is_a == tile.holds_rows;
        Value *vector = in_segment, *part = segment;
        if (!held) {
            Value* share = b.getInt32(tile.share);
            vector = b.CreateAdd(b.CreateMul(segment, share), b.CreateURem(in_segment, share));
            part = b.CreateUDiv(in_segment, share);
        }
        const bool whole = in_lane == in_vector, along = is_a == row; // elements side by side
        Value* base = f.address(i, 1);
        const unsigned vectors = is_a ? tile.size.m : tile.size.n;
        Value* step = stride(2, along ? tile.size.k : vectors);
        const auto targets = items(f, i, 0, in_lane);
        for (unsigned r = 0; r < in_lane; ++r) {
            Value* first = b.getInt32(r * per);
            if (!whole) first = b.CreateAdd(first, b.CreateMul(part, b.getInt32(in_lane * per)));
            if (along) {
                Value* at = place(base, step, vector, first, kind.bits);
                watch_read(f, i, at, 4);
                f.write(targets[r], b.CreateAlignedLoad(b.getInt32Ty(), at, llvm::Align{4}),
                        ptx::Type::b32);
                continue;
            }
            Value* word = b.getInt32(0);
            auto* type = b.getIntNTy(kind.bits);
            for (unsigned k = 0; k < per; ++k) {
                Value* at = place(base, step, b.CreateAdd(first, b.getInt32(k)), vector, kind.bits);
                watch_read(f, i, at, std::max(kind.bits / 8, 1u));
                Value* part_of = b.CreateAlignedLoad(type, at, llvm::Align{kind.bits / 8});
                word = b.CreateOr(
                    word, b.CreateShl(b.CreateZExt(part_of, b.getInt32Ty()), kind.bits * k));
            }
            f.write(targets[r], word, ptx::Type::b32);
        }
    }

    /// Address of the accumulator's element.
    Value* accumulator(Value* base, Value* step, unsigned e) {
        Value* other = b.CreateAdd(b.CreateMul(segment, b.getInt32(tile.share)), b.getInt32(e));
        Value *row = tile.holds_rows ? in_segment : other,
              *column = tile.holds_rows ? other : in_segment;
        const unsigned bits = f.type(i) == ptx::Type::f16 ? 16 : 32;
        return i.has("row") ? place(base, step, row, column, bits)
                            : place(base, step, column, row, bits);
    }

    void watch_element(Value* at, std::uint64_t bytes, bool load) {
        if (load) watch_read(f, i, at, bytes);
        else watch_write(f, i, at, bytes);
    }

    void move_accumulators(bool load) {
        const ptx::Type type = f.type(i);
        Value* base = f.address(i, load ? 1 : 0);
        Value* step = stride(2, i.has("row") ? tile.size.n : tile.size.m);
        const bool half = type == ptx::Type::f16;
        const auto registers = items(f, i, load ? 0 : 1, registers_of(type, tile.share));
        auto* stored = f.llvm_type(type);
        const llvm::Align align{half ? 2u : 4u};
        for (unsigned r = 0; r < registers.size(); ++r) {
            if (!half) {
                Value* at = accumulator(base, step, r);
                watch_element(at, 4, load);
                if (load) f.write(registers[r], b.CreateAlignedLoad(stored, at, align), type);
                else b.CreateAlignedStore(f.read(registers[r], type), at, align);
                continue;
            }
            Value* word = load ? b.getInt32(0) : f.read(registers[r], ptx::Type::b32);
            for (unsigned k = 0; k < 2; ++k) {
                Value* at = accumulator(base, step, 2 * r + k);
                watch_element(at, 2, load);
                if (load) {
                    Value* one =
                        b.CreateZExt(b.CreateAlignedLoad(stored, at, align), b.getInt32Ty());
                    word = b.CreateOr(word, b.CreateShl(one, 16 * k));
                } else {
                    b.CreateAlignedStore(b.CreateTrunc(b.CreateLShr(word, 16 * k), stored), at,
                                         align);
                }
            }
            if (load) f.write(registers[r], word, ptx::Type::b32);
        }
    }

    void multiply() {
        const ptx::Type result = f.type(i, 0), addend = i.types.back();
        const Element kind = element(f, i, i.types.size() == 4 ? i.types[1] : ptx::Type::f16);
        emit_product(f, i,
                     {registers_of(result, tile.share), lane_registers(kind, true),
                      lane_registers(kind, false), registers_of(addend, tile.share)},
                     [&](const Factors& factors) {
                         return words_of(f, i, result, sums(kind, addend, factors));
                     });
    }

    Values sums(const Element& kind, ptx::Type addend, const Factors& factors) {
        const Values held = operands(f, kind, tile.holds_rows ? factors.a : factors.b);
        const Values shared = operands(f, kind, tile.holds_rows ? factors.b : factors.a);
        const unsigned all = vector_registers(kind) * operands_in_register(kind);
        const unsigned lanes = tile.segment, share = tile.share;
        Values own; // the whole vector
        for (unsigned r = 0; r < all; ++r) {
            const auto in_lane = static_cast<unsigned>(held.size());
            const unsigned part = r / in_lane;
            own.push_back(in_lane == all
                              ? held[r]
                              : from_lane(f, factors.lane, held[r % in_lane],
                                          [=](unsigned l) { return l % lanes + lanes * part; }));
        }
        const Values before = accumulators(f, addend, factors.c);
        Values after;
        for (unsigned e = 0; e < share; ++e) {
            Value* sum = first_sum(f, before[e]);
            for (unsigned r = 0; r < all; ++r) {
                const auto in_lane = static_cast<unsigned>(shared.size());
                const unsigned source = e + share * (r / in_lane);
                Value* value = from_lane(f, factors.lane, shared[r % in_lane],
                                         [=](unsigned l) { return l / lanes * lanes + source; });
                sum = dot(f, i, kind, sum, value, own[r], kind.is_signed);
            }
            after.push_back(last_sum(f, i, sum, before[e]));
        }
        return after;
    }
};

} // namespace

bool emit_wmma(FunctionLowering& f, const Instruction& i) {
    Wmma wmma{f, i};
    const Size& size = wmma.tile.size;
    if (size.k != 16 && size.k != 32 && size.k != 128) // .f64, .tf32
        f.fail(i, "this shape does not exist for this target");
    if (i.has("mma")) {
        wmma.multiply();
        return true;
    }
    wmma.find_lane();
    if (i.has("store") || i.has("c")) wmma.move_accumulators(i.has("load"));
    else wmma.load_operand();
    return true;
}

} // namespace lathe::soft::jit
