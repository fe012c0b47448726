// SPDX-License-Identifier: MIT
// Matrix operations of compute capability 7.5: wmma, mma.sync, ldmatrix, movmatrix. Each lane
// computes the elements of the result that it holds and fetches what it lacks of A and B by
// shuffles, so that single threads and warps need nothing of their own.
//
// Words: a vector is a row of A or a column of B, K elements in 32-bit registers. Halves are
// multiplied exactly and summed as floats; integers are exact, and wrap or saturate (.satfinite)
// where C is added.
//
// Fragments of wmma, whose layout PTX leaves open: the lanes are segments of S. Lane l holds the
// vector l % S of one operand (B; of A in m32n8k16) and computes, of its results, those with the E
// vectors of the other operand that its segment holds together: vector E * (l / S) + (l % S) % E. A
// vector with more registers than a lane has lies in parts, on the lanes that hold the same vector.
#include "gpu/soft/jit/floats.h"
#include "gpu/soft/jit/warp/marks.h"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>

#include <array>
#include <charconv>
#include <optional>

namespace lathe::soft::jit {

namespace {

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
Size size_of(FunctionLowering& f, const Instruction& i) {
    for (const std::string& word : i.modifiers) {
        if (word[0] != 'm' || word.find('k') == std::string::npos) continue;
        const std::size_t n = word.find('n'), k = word.find('k');
        Size size;
        const char* text = word.data();
        std::from_chars(text + 1, text + n, size.m);
        std::from_chars(text + n + 1, text + k, size.n);
        std::from_chars(text + k + 1, text + word.size(), size.k);
        if (size.m && size.n && size.k) return size;
    }
    f.fail(i, "the shape is missing");
}

/// `which` of the two words s4 and u4 of an instruction: A's and B's, or the only one.
Element element(FunctionLowering& f, const Instruction& i, ptx::Type type, unsigned which = 0) {
    if (i.has("b1")) return {ptx::Type::b32, 1, false};
    std::optional<Element> four_bits;
    for (const std::string& word : i.modifiers) {
        if (word != "s4" && word != "u4") continue;
        four_bits = {word == "s4" ? ptx::Type::s8 : ptx::Type::u8, 4, word == "s4"};
        if (which-- == 0) break;
    }
    if (four_bits) return *four_bits;
    switch (type) {
    case ptx::Type::f16:
        return {type, 16, true};
    case ptx::Type::s8:
        return {type, 8, true};
    case ptx::Type::u8:
        return {type, 8, false};
    default:
        f.fail(i, fmt::format("matrices of .{} do not exist for this target", ptx::name_of(type)));
    }
}

std::vector<Operand> items(FunctionLowering& f, const Instruction& i, std::size_t index,
                           std::size_t count) {
    const Operand& operand = f.operand(i, index);
    const auto* list = std::get_if<ptx::Vector>(&operand.value);
    std::vector<Operand> found = list ? list->items : std::vector<Operand>{operand};
    if (found.size() != count)
        f.fail(i, fmt::format("operand {} has {} registers, {} expected", index + 1, found.size(),
                              count));
    return found;
}

Values read_all(FunctionLowering& f, const std::vector<Operand>& operands, ptx::Type type) {
    Values values;
    for (const Operand& each : operands) values.push_back(f.read(each, type));
    return values;
}

/// What another lane holds: `source` tells which. All lanes come together (.aligned).
Value* from_lane(FunctionLowering& f, Value* value,
                 const std::function<unsigned(unsigned)>& source) {
    auto& b = f.b;
    std::array<std::uint8_t, 32> lanes;
    for (unsigned lane = 0; lane < 32; ++lane)
        lanes[lane] = static_cast<std::uint8_t>(source(lane));
    auto* table = llvm::ConstantDataArray::get(f.module.context, lanes);
    Value* word = f.as_int(value);
    auto* constant = new llvm::GlobalVariable{*f.module.llvm, table->getType(), true,
                                              llvm::GlobalValue::PrivateLinkage, table};
    if (f.in_warp()) {
        word = f.mark(warp::kPermute, b.getInt32Ty(), {word, constant});
    } else {
        Value* at = b.CreateGEP(b.getInt8Ty(), constant, f.special_register("%laneid"));
        Value* lane = b.CreateZExt(b.CreateLoad(b.getInt8Ty(), at), b.getInt32Ty());
        word = f.shuffle(b.getInt32(~0u), 3, word, lane, b.getInt32(31)).first;
    }
    return b.CreateBitCast(word, value->getType());
}

/// A register of A or B ready to be multiplied: halves as floats, others as they are.
Values operands(FunctionLowering& f, const Element& kind, Value* word) {
    auto& b = f.b;
    if (kind.bits != 16) return {word};
    Values halves;
    for (unsigned k = 0; k < 2; ++k)
        halves.push_back(
            widen(f, b.CreateTrunc(b.CreateLShr(word, 16 * k), b.getInt16Ty()), kind.type));
    return halves;
}

Values operands(FunctionLowering& f, const Element& kind, const Values& words) {
    Values all;
    for (Value* word : words)
        for (Value* each : operands(f, kind, word)) all.push_back(each);
    return all;
}

/// sum + what two operands have as product: of floats, or of all elements of two registers, of
/// which the signs may differ.
Value* dot(FunctionLowering& f, const Instruction& i, const Element& kind, Value* sum, Value* x,
           Value* y, bool y_is_signed) {
    auto& b = f.b;
    if (kind.bits == 16) return b.CreateFAdd(sum, b.CreateFMul(x, y)); // the product is exact
    if (kind.bits == 1) {
        Value* both = i.has("and") ? b.CreateAnd(x, y) : b.CreateXor(x, y);
        return b.CreateAdd(sum, b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, both));
    }
    for (unsigned k = 0; k < kind.in_register(); ++k) {
        const auto part = [&](Value* v, bool is_signed) {
            Value* top = b.CreateShl(v, 32 - kind.bits * (k + 1));
            return is_signed ? b.CreateAShr(top, 32 - kind.bits)
                             : b.CreateLShr(top, 32 - kind.bits);
        };
        sum = b.CreateAdd(sum, b.CreateMul(part(x, kind.is_signed), part(y, y_is_signed)));
    }
    return sum;
}

/// Accumulators: f32 and s32 one a register, f16 two.
std::size_t registers_of(ptx::Type type, std::size_t elements) {
    return type == ptx::Type::f16 ? elements / 2 : elements;
}

/// C as floats, or as integers.
Values read_accumulators(FunctionLowering& f, const Instruction& i, std::size_t index,
                         ptx::Type type, std::size_t count) {
    auto& b = f.b;
    const auto operands = items(f, i, index, registers_of(type, count));
    if (type != ptx::Type::f16) return read_all(f, operands, type);
    Values sums;
    for (Value* word : read_all(f, operands, ptx::Type::b32))
        for (unsigned k = 0; k < 2; ++k)
            sums.push_back(
                widen(f, b.CreateTrunc(b.CreateLShr(word, 16 * k), b.getInt16Ty()), type));
    return sums;
}

void write_accumulators(FunctionLowering& f, const Instruction& i, std::size_t index,
                        ptx::Type type, const Values& sums) {
    auto& b = f.b;
    const auto operands = items(f, i, index, registers_of(type, sums.size()));
    for (std::size_t r = 0; r < operands.size(); ++r) {
        if (type != ptx::Type::f16) {
            f.write(operands[r], sums[r], type);
            continue;
        }
        Value* word = b.getInt32(0);
        for (unsigned k = 0; k < 2; ++k) {
            Value* half = narrow(f, sums[2 * r + k], type, Rounding::nearest);
            if (i.has("satfinite")) { // infinity becomes the largest number, NaN +0
                Value* size = b.CreateAnd(half, b.getInt16(0x7fff));
                Value* sign = b.CreateAnd(half, b.getInt16(0x8000));
                Value* top = b.CreateOr(sign, b.getInt16(0x7bff));
                half = b.CreateSelect(b.CreateICmpEQ(size, b.getInt16(0x7c00)), top, half);
                half =
                    b.CreateSelect(b.CreateICmpUGT(size, b.getInt16(0x7c00)), b.getInt16(0), half);
            }
            word = b.CreateOr(word, b.CreateShl(b.CreateZExt(half, b.getInt32Ty()), 16 * k));
        }
        f.write(operands[r], word, ptx::Type::b32);
    }
}

/// Where sums begin: floats with C, integers with zero.
Value* first_sum(FunctionLowering& f, Value* c) {
    return c->getType()->isFloatTy() ? c : f.b.getInt32(0);
}

Value* last_sum(FunctionLowering& f, const Instruction& i, Value* sum, Value* c) {
    if (c->getType()->isFloatTy()) return sum;
    return i.has("satfinite") ? f.b.CreateBinaryIntrinsic(llvm::Intrinsic::sadd_sat, sum, c)
                              : f.b.CreateAdd(sum, c);
}

// --- wmma
// ------------------------------------------------------------------------------------------

/// How the fragments of a shape lie (see the top).
struct Tile {
    Size size;
    bool holds_rows;         ///< lanes hold rows of A, columns of B are shared
    unsigned segment, share; ///< S and E

    explicit Tile(const Size& of)
        : size{of}, holds_rows{of.m == 32}, segment{holds_rows ? of.m : of.n}, share{of.m * of.n /
                                                                                     32} {}
};

struct Wmma {
    FunctionLowering& f;
    const Instruction& i;
    Tile tile;
    llvm::IRBuilder<>& b;
    Value* lane;
    Value *in_segment, *segment;

    Wmma(FunctionLowering& lowering, const Instruction& instruction)
        : f{lowering}, i{instruction}, tile{size_of(lowering, instruction)}, b{lowering.b},
          lane{lowering.special_register("%laneid")}, in_segment{b.CreateAnd(
                                                          lane, b.getInt32(tile.segment - 1))},
          segment{b.CreateUDiv(lane, b.getInt32(tile.segment))} {}

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
                f.write(targets[r], b.CreateAlignedLoad(b.getInt32Ty(), at, llvm::Align{4}),
                        ptx::Type::b32);
                continue;
            }
            Value* word = b.getInt32(0);
            auto* type = b.getIntNTy(kind.bits);
            for (unsigned k = 0; k < per; ++k) {
                Value* at = place(base, step, b.CreateAdd(first, b.getInt32(k)), vector, kind.bits);
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
                if (load)
                    f.write(registers[r], b.CreateAlignedLoad(stored, at, align), type);
                else
                    b.CreateAlignedStore(f.read(registers[r], type), at, align);
                continue;
            }
            Value* word = load ? b.getInt32(0) : f.read(registers[r], ptx::Type::b32);
            for (unsigned k = 0; k < 2; ++k) {
                Value* at = accumulator(base, step, 2 * r + k);
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
        const Values a = read_all(f, items(f, i, 1, lane_registers(kind, true)), ptx::Type::b32);
        const Values c = read_all(f, items(f, i, 2, lane_registers(kind, false)), ptx::Type::b32);
        const Values held = operands(f, kind, tile.holds_rows ? a : c);
        const Values shared = operands(f, kind, tile.holds_rows ? c : a);
        const auto all =
            static_cast<unsigned>(vector_registers(kind) * operands(f, kind, b.getInt32(0)).size());
        const unsigned lanes = tile.segment, share = tile.share;
        Values own; // the whole vector
        for (unsigned r = 0; r < all; ++r) {
            const auto in_lane = static_cast<unsigned>(held.size());
            const unsigned part = r / in_lane;
            own.push_back(in_lane == all ? held[r]
                                         : from_lane(f, held[r % in_lane], [=](unsigned l) {
                                               return l % lanes + lanes * part;
                                           }));
        }
        const Values before = read_accumulators(f, i, 3, addend, share);
        Values after;
        for (unsigned e = 0; e < share; ++e) {
            Value* sum = first_sum(f, before[e]);
            for (unsigned r = 0; r < all; ++r) {
                const auto in_lane = static_cast<unsigned>(shared.size());
                const unsigned source = e + share * (r / in_lane);
                Value* value = from_lane(f, shared[r % in_lane],
                                         [=](unsigned l) { return l / lanes * lanes + source; });
                sum = dot(f, i, kind, sum, value, own[r], kind.is_signed);
            }
            after.push_back(last_sum(f, i, sum, before[e]));
        }
        write_accumulators(f, i, 0, result, after);
    }
};

void emit_wmma(FunctionLowering& f, const Instruction& i) {
    Wmma wmma{f, i};
    const Size& size = wmma.tile.size;
    if (size.k != 16 && size.k != 32 && size.k != 128) // .f64, .tf32
        f.fail(i, "this shape does not exist for this target");
    if (i.has("mma")) return wmma.multiply();
    if (i.has("store") || i.has("c")) return wmma.move_accumulators(i.has("load"));
    wmma.load_operand();
}

// --- mma.sync
// --------------------------------------------------------------------------------------

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
    const Values a = operands(f, kind, read_all(f, items(f, i, 1, rows * tiles), ptx::Type::b32));
    const Values columns = operands(f, kind, read_all(f, items(f, i, 2, tiles), ptx::Type::b32));
    const auto parts = static_cast<unsigned>(columns.size()) / tiles; // of a register
    const Values before = read_accumulators(f, i, 3, i.types.back(), 2 * rows);
    Values after;
    for (unsigned e = 0; e < 2 * rows; ++e) {
        Value* sum = first_sum(f, before[e]);
        for (unsigned k = 0; k < 4 * tiles * parts; ++k) {
            const unsigned tile = k / (4 * parts), q = k / parts % 4, part = k % parts;
            Value* x = from_lane(f, a[(e / 2 + rows * tile) * parts + part],
                                 [=](unsigned lane) { return lane / 4 * 4 + q; });
            Value* y = from_lane(f, columns[tile * parts + part],
                                 [=](unsigned lane) { return lane % 4 * 8 + 4 * (e % 2) + q; });
            sum = dot(f, i, kind, sum, x, y, other.is_signed);
        }
        after.push_back(last_sum(f, i, sum, before[e]));
    }
    write_accumulators(f, i, 0, f.type(i, 0), after);
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
    const Values x = operands(f, kind, read_all(f, items(f, i, 1, 2), ptx::Type::b32));
    const Values y = operands(f, kind, read_all(f, items(f, i, 2, 2), ptx::Type::b32));
    /// Row and column of the element e of C and D.
    const auto row = [half](unsigned lane, unsigned e) {
        return (half ? lane & 3 : (lane & 1) | (e & 2)) | (lane & 16) >> 2;
    };
    const auto column = [half](unsigned lane, unsigned e) {
        return half ? e : (lane & 2) | (e & 5);
    };
    /// Element k of a row of A or a column of B, whose number `number` tells.
    const auto fetch = [&](const Values& four, bool by_vector, unsigned k, auto number) -> Value* {
        const auto holder = [=](unsigned lane) {
            const unsigned vector = number(lane);
            return (lane & 12) | (vector & 4) << 2 | (by_vector ? vector & 3 : k);
        };
        if (by_vector) return from_lane(f, four[k], holder);
        Value* chosen = nullptr; // which of the four differs by lane
        for (unsigned n = 0; n < 4; ++n) {
            std::uint32_t takes = 0;
            for (unsigned lane = 0; lane < 32; ++lane)
                takes |= static_cast<std::uint32_t>((number(lane) & 3) == n) << lane;
            if (!takes) continue;
            Value* moved = from_lane(f, four[n], holder);
            if (!chosen) {
                chosen = moved;
                continue;
            }
            Value* own = f.b.CreateLShr(f.b.getInt32(takes), f.special_register("%laneid"));
            chosen = f.b.CreateSelect(f.b.CreateTrunc(own, f.b.getInt1Ty()), moved, chosen);
        }
        return chosen;
    };
    const Values before = read_accumulators(f, i, 3, addend, 8);
    Values after;
    for (unsigned e = 0; e < 8; ++e) {
        Value* sum = before[e];
        for (unsigned k = 0; k < 4; ++k) {
            Value* p = fetch(x, layouts[0] == "row", k, [=](unsigned l) { return row(l, e); });
            Value* q = fetch(y, layouts[1] == "col", k, [=](unsigned l) { return column(l, e); });
            sum = dot(f, i, kind, sum, p, q, kind.is_signed);
        }
        after.push_back(sum);
    }
    write_accumulators(f, i, 0, result, after);
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
        Value* row = b.CreateOr(b.CreateZExt(from_lane(f, low, source), i64),
                                b.CreateShl(b.CreateZExt(from_lane(f, high, source), i64), 32));
        Value* at = b.CreateIntToPtr(b.CreateAdd(row, b.CreateZExt(byte, i64)), b.getPtrTy());
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
        Value* other = from_lane(f, value, [k](unsigned l) { return (l % 4 * 2 + k) * 4 + l / 8; });
        Value* pair = b.CreateLShr(other, shift);
        word = b.CreateOr(word, b.CreateShl(b.CreateAnd(pair, b.getInt32(0xffff)), 16 * k));
    }
    f.write(i, word, ptx::Type::b32);
}

} // namespace

bool emit_mma(FunctionLowering& f, const Instruction& i) {
    switch (i.opcode) {
    case Opcode::wmma:
        emit_wmma(f, i);
        return true;
    case Opcode::mma: {
        if (i.has("sp") || i.has("block_scale") || i.has("sp::ordered_metadata")) return false;
        const Size size = size_of(f, i);
        if (size.m == 8 && size.k == 4 && i.types.size() == 4 && i.types[1] == ptx::Type::f16)
            emit_mma_of_quads(f, i);
        else
            emit_mma_by_fours(f, i, size);
        return true;
    }
    case Opcode::ldmatrix:
        emit_load_matrices(f, i);
        return true;
    case Opcode::movmatrix:
        emit_transpose(f, i);
        return true;
    default:
        return false;
    }
}

} // namespace lathe::soft::jit
