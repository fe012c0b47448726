// SPDX-License-Identifier: MIT
// The shape of each kind of instruction, from those of its operands.
#include "gpu/soft/jit/warp/marks.h"
#include "gpu/soft/jit/warp/shapes.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

namespace lathe::soft::jit::warp {

namespace {

std::optional<std::int64_t> constant_of(const llvm::Value* value) {
    const auto* c = llvm::dyn_cast<llvm::ConstantInt>(value);
    if (!c || c->getBitWidth() > 64) return std::nullopt;
    return c->getSExtValue();
}

/// x * times + y * more; none where that is farther than memory reaches, so that nothing which
/// counts with distances between lanes overflows.
std::optional<std::int64_t> near_sum(std::int64_t x, std::int64_t times, std::int64_t y,
                                     std::int64_t more) {
    constexpr std::int64_t kFarthest = std::int64_t{1} << 48;
    std::int64_t sum = 0;
    if (__builtin_mul_overflow(x, times, &x) || __builtin_mul_overflow(y, more, &y) ||
        __builtin_add_overflow(x, y, &sum) || sum > kFarthest || sum < -kFarthest)
        return std::nullopt;
    return sum;
}

/// What can be done once for each strip: the results of instructions without memory and effects.
bool is_plain(const llvm::Instruction& i) {
    if (!i.getType()->isIntOrPtrTy() && !i.getType()->isFloatingPointTy()) return false;
    if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&i))
        return llvm::isTriviallyVectorizable(intrinsic->getIntrinsicID());
    return llvm::isa<llvm::UnaryOperator, llvm::BinaryOperator, llvm::CastInst, llvm::CmpInst,
                     llvm::SelectInst, llvm::GetElementPtrInst>(i);
}

/// Lane 0 has a multiple of the width.
bool begins_aligned(const Shape& s) { return s.aligned || (s.is_index && s.stride == 1); }

} // namespace

bool Shapes::is_multiple(const llvm::Value* value) const {
    if (const auto c = constant_of(value)) return *c % std::int64_t{options_.width} == 0;
    return of(value).is_affine() && begins_aligned(of(value));
}

Shape Shapes::aligned(Shape s, bool holds) const {
    s.aligned = s.is_affine() && holds;
    return s;
}

Shape Shapes::linear(std::int64_t stride, std::optional<std::int64_t> pitch) const {
    if (pitch == stride * std::int64_t{options_.strip}) return Shape::affine(stride);
    return Shape::strips(stride, pitch);
}

// An unknown pitch stays one: the analysis only goes down.
Shape Shapes::sum(Shape x, std::int64_t times, Shape y, std::int64_t more) const {
    const auto stride = near_sum(x.stride, times, y.stride, more);
    if (!stride) return Shape::varying();
    if (!x.is_strips() && !y.is_strips()) return Shape::affine(*stride);
    const auto of_x = pitch(x), of_y = pitch(y);
    const auto of_sum = of_x && of_y ? near_sum(*of_x, times, *of_y, more) : std::nullopt;
    return of_sum ? linear(*stride, of_sum) : Shape::strips(*stride);
}

/// A value in one of its fields: the lowest kind wins.
Shape Shapes::meet(Shape x, Shape y) const {
    if (x.is_unknown()) return y;
    if (y.is_unknown() || x == y) return x;
    if (x.is_linear() && y.is_linear() && x.stride == y.stride) {
        if (x.is_affine() && y.is_affine())
            return Shape::affine(x.stride, begins_aligned(x) && begins_aligned(y));
        return Shape::strips(x.stride, pitch(x) == pitch(y) ? pitch(x) : std::nullopt);
    }
    return Shape::varying(x.hopeful || y.hopeful || (x.is_linear() && y.is_linear()));
}

Shape Shapes::joined(const llvm::Instruction& i) const {
    bool hopeful = false, varying = false, strips = false;
    for (const llvm::Use& operand : i.operands()) {
        const Shape s = of(operand.get());
        if (s.is_unknown()) return {};
        varying |= !s.is_even();
        strips |= s.is_strips();
        hopeful |= s.hopeful || s.stride != 0;
    }
    if (!varying && !strips) return Shape::uniform();
    // Of many strips a vector of floats takes fewer instructions; addresses are wanted as scalars.
    const bool by_vector = options_.strips() > 4 && i.getType()->isFloatingPointTy();
    return varying || by_vector || !is_plain(i) ? Shape::varying(hopeful) : Shape::strips(0);
}

Shape Shapes::transfer(const llvm::Instruction& i) const {
    // What follows from the thread's place alone is the same whenever it is worked out.
    if (torn_.contains(&i) && !is_known_at_start(&i)) return Shape::varying(true);
    if (const auto* p = llvm::dyn_cast<llvm::PHINode>(&i)) return phi(*p);
    if (const auto* o = llvm::dyn_cast<llvm::BinaryOperator>(&i)) return binary(*o);
    if (const auto* c = llvm::dyn_cast<llvm::CastInst>(&i)) return cast(*c);
    if (const auto* a = llvm::dyn_cast<llvm::GetElementPtrInst>(&i)) return address(*a);
    if (const auto* c = llvm::dyn_cast<llvm::CallBase>(&i)) return call(*c);
    if (const auto* s = llvm::dyn_cast<llvm::SelectInst>(&i)) return select(*s);
    if (const auto* slot = llvm::dyn_cast<llvm::AllocaInst>(&i)) {
        const std::optional<llvm::TypeSize> bytes = slot->getAllocationSize(layout_);
        if (!bytes) return Shape::varying();
        return Shape::affine(
            static_cast<std::int64_t>(llvm::alignTo(std::uint64_t{*bytes}, slot->getAlign())));
    }
    if (llvm::isa<llvm::LoadInst>(i)) {
        const Shape from = of(i.getOperand(0));
        if (from.is_unknown()) return {};
        if (from.is_uniform()) return Shape::affine(0, is_size_of_rows(i));
        const bool by_strips = from.is_strips() && from.is_even() &&
                               llvm::cast<llvm::LoadInst>(i).isSimple() &&
                               (i.getType()->isIntOrPtrTy() || i.getType()->isFloatingPointTy());
        return by_strips ? Shape::strips(0) : Shape::varying();
    }
    if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(i)) return Shape::varying();
    if (const auto* c = llvm::dyn_cast<llvm::ICmpInst>(&i)) return compare(*c);
    if (llvm::isa<llvm::FreezeInst>(i)) return of(i.getOperand(0));
    return joined(i);
}

Shape Shapes::phi(const llvm::PHINode& i) const {
    Shape result;
    const llvm::Value* only = nullptr;
    bool different = false;
    for (const llvm::Use& use : i.incoming_values()) {
        const llvm::Value* value = use.get();
        if (llvm::isa<llvm::UndefValue>(value)) continue;
        if (only && only != value) different = true;
        only = value;
        result = meet(result, of(value));
    }
    if (!only) return Shape::uniform();
    if (!frontier_.joins(frontier_.index(i.getParent()))) return result;
    // Lanes that came at different times hold different values, unless it is a constant.
    if (!different && llvm::isa<llvm::Constant>(only)) return Shape::uniform();
    return Shape::varying(result.hopeful || result.is_linear());
}

Shape Shapes::binary(const llvm::BinaryOperator& i) const {
    const Shape x = of(i.getOperand(0)), y = of(i.getOperand(1));
    if (x.is_unknown() || y.is_unknown()) return {};
    if (!i.getType()->isIntegerTy() || !x.is_linear() || !y.is_linear()) return joined(i);
    const bool of_x = is_multiple(i.getOperand(0)), of_y = is_multiple(i.getOperand(1));
    const std::optional<std::int64_t> c = constant_of(i.getOperand(1));
    if (x.is_uniform() && y.is_uniform()) {
        const auto op = i.getOpcode();
        const bool adds = op == llvm::Instruction::Add || op == llvm::Instruction::Sub;
        const bool scales = op == llvm::Instruction::Mul || op == llvm::Instruction::Shl;
        return Shape::affine(0, (adds && of_x && of_y) || (scales && of_x) ||
                                    (op == llvm::Instruction::Mul && of_y));
    }
    const bool is_index = (x.is_index || x.is_run()) && x.stride == 1;
    const Shape same = x.is_strips() ? Shape::strips(0) : Shape::uniform();
    switch (i.getOpcode()) {
    case llvm::Instruction::Add: return aligned(sum(x, 1, y, 1), of_x && of_y);
    case llvm::Instruction::Sub: return aligned(sum(x, 1, y, -1), of_x && of_y);
    case llvm::Instruction::Or:
        if (llvm::cast<llvm::PossiblyDisjointInst>(i).isDisjoint())
            return aligned(sum(x, 1, y, 1), of_x && of_y);
        break;
    case llvm::Instruction::Mul:
        if (c) return sum(x, *c, Shape::uniform(), 0);
        if (const auto d = constant_of(i.getOperand(0))) return sum(y, *d, Shape::uniform(), 0);
        break;
    case llvm::Instruction::Shl:
        if (c && *c >= 0 && *c < 48) return sum(x, std::int64_t{1} << *c, Shape::uniform(), 0);
        break;
    case llvm::Instruction::And: // lane numbers: the low bits of an index
        if (!is_index || !c) break;
        if (*c >= unit(x) - 1 && (*c & (*c + 1)) == 0) return x.is_strips() ? x : Shape::index();
        if ((*c & (unit(x) - 1)) == 0) return same;
        if (!options_.has_strips() || x.is_strips()) break;
        if (*c >= options_.strip - 1 && (*c & (*c + 1)) == 0) {
            Shape within = Shape::strips(1); // the lanes of one strip, or of some
            within.is_index = true;
            return within;
        }
        if ((*c & (std::int64_t{options_.strip} - 1)) == 0) return Shape::strips(0);
        break;
    case llvm::Instruction::LShr: // warp numbers: the high bits
    case llvm::Instruction::AShr:
        if (!is_index || !c || *c >= 32) break;
        if ((std::int64_t{1} << *c) >= unit(x)) return same;
        if (options_.has_strips() && (std::int64_t{1} << *c) >= options_.strip)
            return Shape::strips(0);
        break;
    default: break;
    }
    return joined(i);
}

Shape Shapes::cast(const llvm::CastInst& i) const {
    const Shape x = of(i.getOperand(0));
    // A place that comes from the bits of a number with a fraction: those of lanes are no row.
    const bool of_bits = i.getOpcode() == llvm::Instruction::BitCast &&
                         i.getSrcTy()->isFloatingPointTy() && i.getType()->isIntegerTy();
    if (of_bits && x.is_varying()) return Shape::varying();
    if (!x.is_linear() || x.is_uniform()) return x.is_unknown() ? Shape{} : joined(i);
    Shape same = x;
    same.is_index = false;
    switch (i.getOpcode()) {
    case llvm::Instruction::Trunc:
        return i.getType()->getIntegerBitWidth() >= 16 ? same : joined(i); // also a multiple
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::IntToPtr:
        return i.getSrcTy()->getPrimitiveSizeInBits() == i.getDestTy()->getPrimitiveSizeInBits() ||
                       i.getSrcTy()->isPointerTy() || i.getDestTy()->isPointerTy()
                   ? same
                   : joined(i);
    case llvm::Instruction::SExt:
    case llvm::Instruction::ZExt:
        if (x.is_index || x.is_run()) return x;
        if (const llvm::PHINode* choice = nullptr; options_.trust_extensions &&
                                                   is_known_at_start(i.getOperand(0), 0, &choice) &&
                                                   !always_wraps(i))
            return same;
        return joined(i);
    default: return joined(i);
    }
}

Shape Shapes::address(const llvm::GetElementPtrInst& i) const {
    const auto& gep = llvm::cast<llvm::GEPOperator>(i);
    llvm::MapVector<llvm::Value*, llvm::APInt> variable;
    llvm::APInt fixed{64, 0};
    const Shape base = of(i.getPointerOperand());
    if (base.is_unknown()) return {};
    if (!base.is_linear() || !gep.collectOffset(layout_, 64, variable, fixed)) return joined(i);
    Shape all = base;
    all.is_index = all.aligned = false;
    for (const auto& [value, scale] : variable) {
        Shape s = of(value);
        if (s.is_unknown()) return {};
        const bool extends = value->getType()->getIntegerBitWidth() < 64;
        if (!s.is_linear() || (extends && !s.is_even() && !s.is_index && !s.is_run()))
            return joined(i);
        if (extends && s.is_strips() && !s.is_index) s.pitch = {};
        all = sum(all, 1, s, scale.getSExtValue());
    }
    return all;
}

// Whole warps lie on one side of a multiple of the width: tid < 32 is uniform.
Shape Shapes::compare(const llvm::ICmpInst& i) const {
    const std::optional<std::int64_t> c = constant_of(i.getOperand(1));
    const Shape x = of(i.getOperand(0));
    if (x.is_index && x.stride == 1 && c && *c >= 0) {
        const bool below = i.getPredicate() == llvm::CmpInst::ICMP_ULT ||
                           i.getPredicate() == llvm::CmpInst::ICMP_SLT;
        const bool above = i.getPredicate() == llvm::CmpInst::ICMP_UGT ||
                           i.getPredicate() == llvm::CmpInst::ICMP_SGT;
        const std::int64_t bound = *c + (above ? 1 : 0);
        if ((below || above) && bound % unit(x) == 0)
            return x.is_strips() ? Shape::strips(0) : Shape::uniform();
        if ((below || above) && options_.has_strips() && bound % options_.strip == 0)
            return Shape::strips(0);
    }
    return joined(i);
}

Shape Shapes::select(const llvm::SelectInst& i) const {
    const Shape condition = of(i.getCondition());
    const Shape x = of(i.getTrueValue()), y = of(i.getFalseValue());
    if (condition.is_unknown() || x.is_unknown() || y.is_unknown()) return {};
    if (condition.is_uniform()) return meet(x, y);
    // Each strip has one of two bases.
    if (condition.is_even() && x.is_linear() && y.is_linear() && x.stride == y.stride &&
        is_plain(i))
        return Shape::strips(x.stride);
    return joined(i);
}

Shape Shapes::call(const llvm::CallBase& i) const {
    const auto* callee = i.getCalledFunction();
    if (llvm::isa<llvm::IntrinsicInst>(i)) return joined(i);
    if (!callee) return Shape::varying();
    switch (call_kind(callee->getName())) {
    case CallKind::warp_uniform:
    case CallKind::active_mask:
    case CallKind::barrier_reduce:
    case CallKind::together:
    case CallKind::voted: return Shape::uniform();
    case CallKind::pure: return joined(i);
    case CallKind::ballot: // (context, mask, ...): all lanes of a mask get the same
    case CallKind::reduce: {
        const Shape members = of(i.getArgOperand(1));
        if (members.is_unknown()) return {};
        return members.is_uniform() ? Shape::uniform() : Shape::varying();
    }
    case CallKind::linear_tid: return Shape::index();
    default: return Shape::varying();
    }
}

} // namespace lathe::soft::jit::warp
