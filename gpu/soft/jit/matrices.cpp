// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/matrices.h"

#include "gpu/soft/jit/warp/marks.h"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>

#include <array>
#include <charconv>
#include <optional>

namespace lathe::soft::jit {

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

Element element(FunctionLowering& f, const Instruction& i, ptx::Type type, unsigned which) {
    if (i.has("b1")) return {ptx::Type::b32, 1, false};
    std::optional<Element> four_bits;
    for (const std::string& word : i.modifiers) {
        if (word != "s4" && word != "u4") continue;
        four_bits = {word == "s4" ? ptx::Type::s8 : ptx::Type::u8, 4, word == "s4"};
        if (which-- == 0) break;
    }
    if (four_bits) return *four_bits;
    switch (type) {
    case ptx::Type::f16: return {type, 16, true};
    case ptx::Type::s8: return {type, 8, true};
    case ptx::Type::u8: return {type, 8, false};
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

Value* from_lane(FunctionLowering& f, Value* lane, Value* value,
                 const std::function<unsigned(unsigned)>& source) {
    auto& b = f.b;
    std::array<std::uint8_t, 32> lanes;
    for (unsigned k = 0; k < 32; ++k) lanes[k] = static_cast<std::uint8_t>(source(k));
    auto* table = llvm::ConstantDataArray::get(f.module.context, lanes);
    Value* word = f.as_int(value);
    auto* constant = new llvm::GlobalVariable{*f.module.llvm, table->getType(), true,
                                              llvm::GlobalValue::PrivateLinkage, table};
    if (f.in_warp()) {
        word = f.mark(warp::kPermute, b.getInt32Ty(), {word, constant});
    } else {
        Value* at = b.CreateGEP(b.getInt8Ty(), constant, lane);
        Value* from = b.CreateZExt(b.CreateLoad(b.getInt8Ty(), at), b.getInt32Ty());
        word = f.shuffle(b.getInt32(~0u), 3, word, from, b.getInt32(31)).first;
    }
    return b.CreateBitCast(word, value->getType());
}

namespace {

Values operands_of(FunctionLowering& f, const Element& kind, Value* word) {
    auto& b = f.b;
    if (kind.bits != 16) return {word};
    Values halves;
    for (unsigned k = 0; k < 2; ++k)
        halves.push_back(
            widen(f, b.CreateTrunc(b.CreateLShr(word, 16 * k), b.getInt16Ty()), kind.type));
    return halves;
}

} // namespace

Values operands(FunctionLowering& f, const Element& kind, const Values& words) {
    Values all;
    for (Value* word : words)
        for (Value* each : operands_of(f, kind, word)) all.push_back(each);
    return all;
}

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

Values accumulators(FunctionLowering& f, ptx::Type type, const Values& words) {
    auto& b = f.b;
    Values sums;
    for (Value* word : words) {
        if (type != ptx::Type::f16) {
            sums.push_back(b.CreateBitCast(word, f.llvm_type(type)));
            continue;
        }
        for (unsigned k = 0; k < 2; ++k)
            sums.push_back(
                widen(f, b.CreateTrunc(b.CreateLShr(word, 16 * k), b.getInt16Ty()), type));
    }
    return sums;
}

Values words_of(FunctionLowering& f, const Instruction& i, ptx::Type type, const Values& sums) {
    auto& b = f.b;
    Values words;
    for (std::size_t r = 0; r < registers_of(type, sums.size()); ++r) {
        if (type != ptx::Type::f16) {
            words.push_back(f.as_int(sums[r]));
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
        words.push_back(word);
    }
    return words;
}

Value* first_sum(FunctionLowering& f, Value* c) {
    return c->getType()->isFloatTy() ? c : f.b.getInt32(0);
}

Value* last_sum(FunctionLowering& f, const Instruction& i, Value* sum, Value* c) {
    if (c->getType()->isFloatTy()) return sum;
    return i.has("satfinite") ? f.b.CreateBinaryIntrinsic(llvm::Intrinsic::sadd_sat, sum, c)
                              : f.b.CreateAdd(sum, c);
}

namespace {

/// What tells kinds of products apart.
std::string kind_of(const Instruction& i) {
    std::string text{ptx::name_of(i.opcode)};
    for (const std::string& word : i.modifiers) text += "." + word;
    for (ptx::Type type : i.types) text += fmt::format(".{}", ptx::name_of(type));
    return text;
}

/// {words of D} (context, words of A, B and C, lane), of one lane; warps have no context, and the
/// widener makes theirs of it.
llvm::Function* product_function(FunctionLowering& f, const Instruction& i, const Counts& counts,
                                 const std::function<Values(const Factors&)>& product) {
    auto& b = f.b;
    const std::string name = (f.in_warp() ? warp::kProduct : std::string{"product."}) + kind_of(i);
    if (llvm::Function* known = f.module.llvm->getFunction(name)) return known;
    std::vector<llvm::Type*> taken(counts.a + counts.b + counts.c + 1, b.getInt32Ty());
    if (!f.in_warp()) taken.insert(taken.begin(), b.getPtrTy());
    const std::vector<llvm::Type*> given(counts.d, b.getInt32Ty());
    auto* type =
        llvm::FunctionType::get(llvm::StructType::get(f.module.context, given), taken, false);
    auto* made =
        llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, *f.module.llvm);
    made->addFnAttr(llvm::Attribute::NoInline);
    made->addFnAttr(llvm::Attribute::NoUnwind);
    auto argument = made->arg_begin();
    Value* const context = f.in_warp() ? nullptr : &*argument++;
    const auto take = [&](std::size_t count) {
        Values words;
        while (words.size() < count) words.push_back(&*argument++);
        return words;
    };
    Factors factors;
    factors.a = take(counts.a);
    factors.b = take(counts.b);
    factors.c = take(counts.c);
    factors.lane = &*argument;

    f.make_body(*made, context, [&] {
        const Values all = product(factors);
        Value* result = llvm::PoisonValue::get(type->getReturnType());
        for (unsigned k = 0; k < all.size(); ++k) result = b.CreateInsertValue(result, all[k], k);
        b.CreateRet(result);
    });
    return made;
}

} // namespace

void emit_product(FunctionLowering& f, const Instruction& i, const Counts& counts,
                  const std::function<Values(const Factors&)>& product) {
    auto& b = f.b;
    const auto read = [&](std::size_t index, std::size_t count) {
        Values words;
        for (const Operand& each : items(f, i, index, count))
            words.push_back(f.read(each, ptx::Type::b32));
        return words;
    };
    const auto targets = items(f, i, 0, counts.d);
    const Factors factors{read(1, counts.a), read(2, counts.b), read(3, counts.c),
                          f.special_register("%laneid")};
    Values words;
    if (!f.in_warp()) words.push_back(f.context);
    for (const Values* each : {&factors.a, &factors.b, &factors.c})
        words.insert(words.end(), each->begin(), each->end());
    words.push_back(factors.lane);
    llvm::CallInst* call = b.CreateCall(product_function(f, i, counts, product), words);
    call->addFnAttr(llvm::Attribute::NoMerge);
    if (f.module.warp) call->addFnAttr(llvm::Attribute::Convergent);
    for (unsigned k = 0; k < counts.d; ++k)
        f.write(targets[k], b.CreateExtractValue(call, k), ptx::Type::b32);
}

} // namespace lathe::soft::jit
