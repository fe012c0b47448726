// SPDX-License-Identifier: MIT
// Whether the addresses of lanes are those of rows of elements, and where these begin: found when
// running, where it is not known before. One row for all lanes, or one for each strip.
#include "gpu/soft/jit/warp/widener.h"

namespace lathe::soft::jit::warp {

// pointer = something uniform + bytes * extension of an index of 32 bits, or fewer: that index.
// With strips that something may be even, another in each strip.
const llvm::CastInst* Widener::row_index(const Value* pointer, std::uint64_t bytes, bool by_strips,
                                         unsigned least_bits) const {
    const auto known = [&](const Value* value) {
        return llvm::isa<llvm::Instruction>(value) && is_emitted(value);
    };
    const auto steps = [&](const Value* value) {
        const Shape s = shape(value);
        return s.is_varying() || (s.is_linear() && s.stride == 1);
    };
    const auto is_even = [&](const Value* value) {
        return by_strips ? shape(value).is_even() : shapes_.is_uniform(value);
    };
    const auto extension = [&](const Value* value) -> const llvm::CastInst* {
        const auto* cast = llvm::dyn_cast<llvm::CastInst>(value);
        if (!cast || !llvm::isa<llvm::SExtInst, llvm::ZExtInst>(cast)) return nullptr;
        const unsigned bits = cast->getSrcTy()->getScalarSizeInBits();
        const bool extends = bits >= least_bits && bits <= 32 &&
                             cast->getDestTy()->isIntegerTy(64) && steps(cast->getOperand(0)) &&
                             known(cast->getOperand(0));
        return extends ? cast : nullptr;
    };
    for (unsigned depth = 0; depth < 8 && known(pointer); ++depth) {
        const auto* i = llvm::cast<llvm::Instruction>(pointer);
        if (const auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(i)) {
            if (!gep->hasAllConstantIndices()) {
                const bool simple = gep->getNumIndices() == 1 &&
                                    is_even(gep->getPointerOperand()) &&
                                    layout_.getTypeAllocSize(gep->getSourceElementType()) == bytes;
                return simple ? extension(gep->getOperand(1)) : nullptr;
            }
            pointer = gep->getPointerOperand();
            continue;
        }
        const auto opcode = i->getOpcode();
        if (opcode == llvm::Instruction::IntToPtr) {
            pointer = i->getOperand(0);
        } else if (opcode == llvm::Instruction::Add) {
            const bool left = is_even(i->getOperand(0));
            if (!left && !is_even(i->getOperand(1))) return nullptr;
            pointer = i->getOperand(left ? 1 : 0);
        } else if (opcode == llvm::Instruction::Shl) {
            const auto* by = llvm::dyn_cast<llvm::ConstantInt>(i->getOperand(1));
            const bool scales = by && by->getZExtValue() < 8 && 1ull << by->getZExtValue() == bytes;
            return scales ? extension(i->getOperand(0)) : nullptr;
        } else {
            return bytes == 1 ? extension(i) : nullptr;
        }
    }
    return nullptr;
}

// Pointer = something even + number * scale, where that is known.
std::optional<Widener::Scaled> Widener::number_of(const Value* pointer) const {
    for (unsigned depth = 0; depth < 8; ++depth) {
        const auto* i = llvm::dyn_cast<llvm::Instruction>(pointer);
        if (!i) return {};
        if (const auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(i)) {
            if (!gep->hasAllConstantIndices()) {
                if (gep->getNumIndices() != 1 || !shape(gep->getPointerOperand()).is_even())
                    return {};
                return Scaled{gep->getOperand(1),
                              layout_.getTypeAllocSize(gep->getSourceElementType())};
            }
            pointer = gep->getPointerOperand();
        } else if (llvm::isa<llvm::IntToPtrInst, llvm::PtrToIntInst>(i)) {
            pointer = i->getOperand(0);
        } else if (i->getOpcode() == llvm::Instruction::Add) {
            const bool left = shape(i->getOperand(0)).is_even();
            if (!left && !shape(i->getOperand(1)).is_even()) return {};
            pointer = i->getOperand(left ? 1 : 0);
        } else if (i->getOpcode() == llvm::Instruction::Shl && i->getType()->isIntegerTy(64)) {
            const auto* by = llvm::dyn_cast<llvm::ConstantInt>(i->getOperand(1));
            if (!by || by->getZExtValue() >= 16) return {};
            return Scaled{i->getOperand(0), std::uint64_t{1} << by->getZExtValue()};
        } else {
            return {};
        }
    }
    return {};
}

namespace {

const Value* extended(const Value* number) {
    const auto* cast = llvm::dyn_cast<llvm::CastInst>(number);
    const bool extends = cast && llvm::isa<llvm::SExtInst, llvm::ZExtInst>(cast);
    return extends ? cast->getOperand(0) : nullptr;
}

} // namespace

// True where the addresses of lanes are never those of a row: they are something even plus a number
// times more than the size of an element, or times the size where the numbers are known not to be
// consecutive. So with the parts of a float4.
bool Widener::is_no_row(const Value* pointer, std::uint64_t bytes) const {
    const std::optional<Scaled> scaled = number_of(pointer);
    if (!scaled || scaled->scale != bytes) return scaled && scaled->scale > bytes;
    const Value* narrow = extended(scaled->number);
    return narrow && shape(narrow).is_linear() && shape(narrow).stride != 1;
}

// True where they are those of a row unless a number wraps.
bool Widener::is_mostly_row(const Value* pointer, std::uint64_t bytes) const {
    const std::optional<Scaled> scaled = number_of(pointer);
    const Value* narrow = scaled && scaled->scale == bytes ? extended(scaled->number) : nullptr;
    return narrow && shape(narrow).is_linear() && shape(narrow).stride == 1;
}

Value* Widener::first_of_strip(const Value* value, unsigned number) {
    if (shape(value).is_linear()) return strip(value, number);
    return b.CreateExtractElement(vector(value), std::uint64_t{number} * options_.strip);
}

// The scalar code of a value for the first lane of a strip, from its index on.
Value* Widener::of_first_lane(const Value* value, const llvm::CastInst& index, unsigned number) {
    if (shape(value).is_linear()) return strip(value, number);
    const auto* i = llvm::cast<llvm::Instruction>(value);
    if (i == &index) {
        Value* first = first_of_strip(index.getOperand(0), number);
        return b.CreateCast(index.getOpcode(), first, index.getType());
    }
    llvm::Instruction* copy = i->clone();
    copy->dropPoisonGeneratingFlags();
    for (unsigned k = 0; k < copy->getNumOperands(); ++k)
        copy->setOperand(k, of_first_lane(i->getOperand(k), index, number));
    return b.Insert(copy);
}

// An address made of an extension of numbers that are known from the first lane: a row, where none
// of them wraps.
bool Widener::has_linear_index(const Value* pointer, std::uint64_t bytes) const {
    const llvm::CastInst* index = row_index(pointer, bytes, true);
    return index && shape(index->getOperand(0)).is_linear();
}

// What the address of a lane is made of, down to values that are known from the first lane.
Widener::Parts Widener::parts_of_place(const Value* pointer) {
    Parts parts;
    std::vector<const Value*> work{pointer};
    while (!work.empty()) {
        const Value* at = work.back();
        work.pop_back();
        if (parts.count(at)) continue;
        if (shape(at).is_linear()) {
            parts.emplace(at, spill(at));
            continue;
        }
        for (const llvm::Use& use : llvm::cast<llvm::Instruction>(at)->operands())
            work.push_back(use.get());
    }
    return parts;
}

Value* Widener::of_lane(const Value* value, const Parts& parts, Value* lane) {
    const auto known = parts.find(value);
    if (known != parts.end()) return this->lane(known->second, lane);
    llvm::Instruction* copy = llvm::cast<llvm::Instruction>(value)->clone();
    copy->dropPoisonGeneratingFlags();
    for (llvm::Use& operand : copy->operands()) operand.set(of_lane(operand.get(), parts, lane));
    return b.Insert(copy);
}

// For rows whose index wraps: the lanes one by one, without vectors of addresses, which the usual
// code would have to work out, too.
Value* Widener::load_by_index(const llvm::LoadInst& i) {
    const Value* pointer = i.getPointerOperand();
    llvm::AllocaInst* array = results(i.getType());
    const Parts parts = parts_of_place(pointer);
    for_each_lane(mask_, [&](Value* lane) {
        put(array, lane,
            b.CreateAlignedLoad(i.getType(), of_lane(pointer, parts, lane), i.getAlign()));
    });
    return collect(array, i.getType());
}

void Widener::store_by_index(const llvm::StoreInst& i) {
    const Value* pointer = i.getPointerOperand();
    const Spilled values = spill(i.getValueOperand());
    const Parts parts = parts_of_place(pointer);
    for_each_lane(mask_, [&](Value* index) {
        b.CreateAlignedStore(lane(values, index), of_lane(pointer, parts, index), i.getAlign());
    });
}

Value* Widener::spread_firsts(const Firsts& firsts, std::int64_t stride) {
    return firsts.size() > 1 ? spread_strips(firsts, stride, 0) : spread(firsts[0], stride);
}

// Lanes that are off may have anything, the first one, too: then those that run match it by chance,
// or are no row.
Value* Widener::holds_for_running(Value* matches) {
    Value* bits = mask_bits(matches);
    if (llvm::isa<llvm::Constant>(mask_)) return is_full(bits);
    return is_full(b.CreateOr(bits, b.CreateNot(mask_)));
}

Widener::Row Widener::find_row(const Value* pointer, std::uint64_t bytes) {
    const llvm::CastInst* index = row_index(pointer, bytes, true);
    Firsts firsts, numbers;
    if (!index) {
        Value* addresses = as_vector(pointer);
        for (unsigned r = 0; r < options_.strips(); ++r) {
            const std::uint64_t lane = std::uint64_t{r} * options_.strip;
            numbers.push_back(b.CreateExtractElement(addresses, lane));
            firsts.push_back(b.CreateExtractElement(vector(pointer), lane));
        }
        Value* row = spread_firsts(numbers, static_cast<std::int64_t>(bytes));
        return {holds_for_running(b.CreateICmpEQ(addresses, row)), firsts};
    }
    // In 32 bits, where a vector has half the registers; the last lane must not have wrapped.
    const Value* number = index->getOperand(0);
    for (unsigned r = 0; r < options_.strips(); ++r) numbers.push_back(first_of_strip(number, r));
    Value* found = b.getTrue();
    if (shape(number).is_varying())
        found = holds_for_running(b.CreateICmpEQ(vector(number), spread_firsts(numbers, 1)));
    const bool is_signed = llvm::isa<llvm::SExtInst>(index);
    const unsigned lanes = width_ / options_.strips();
    Value* most = b.getInt32((is_signed ? 0x7fffffffu : ~0u) - (lanes - 1));
    for (unsigned r = 0; r < options_.strips(); ++r) {
        if (r && is_same(numbers, r)) continue;
        Value* fits =
            is_signed ? b.CreateICmpSLE(numbers[r], most) : b.CreateICmpULE(numbers[r], most);
        found = b.CreateAnd(found, fits);
    }
    for (unsigned r = 0; r < options_.strips(); ++r)
        firsts.push_back(of_first_lane(pointer, *index, r));
    return {found, firsts};
}

Widener::Firsts Widener::firsts(const Value* pointer) {
    if (shape(pointer).is_affine()) return {scalar(pointer)};
    Firsts all;
    for (unsigned r = 0; r < options_.strips(); ++r) all.push_back(strip(pointer, r));
    return all;
}

bool Widener::is_same(const Firsts& firsts, std::size_t k) const {
    return k > 0 && firsts[k] == firsts[k - 1];
}

} // namespace lathe::soft::jit::warp
