// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/warp/shapes.h"

#include "gpu/soft/jit/warp/marks.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <optional>

namespace lathe::soft::jit::warp {

namespace {

std::optional<std::int64_t> constant_of(const llvm::Value* value) {
    const auto* c = llvm::dyn_cast<llvm::ConstantInt>(value);
    if (!c || c->getBitWidth() > 64) return std::nullopt;
    return c->getSExtValue();
}

/// A value in one of its fields: the lowest kind wins.
Shape meet(Shape x, Shape y) {
    if (x.is_unknown()) return y;
    if (y.is_unknown() || x == y) return x;
    if (x.is_affine() && y.is_affine() && x.stride == y.stride) return Shape::affine(x.stride);
    return Shape::varying(x.hopeful || y.hopeful || (x.is_affine() && y.is_affine()));
}

} // namespace

Shapes::Shapes(llvm::Function& function, Frontier& frontier, const ShapeOptions& options)
    : frontier_{frontier}, options_{options}, layout_{function.getParent()->getDataLayout()} {
    // body(context, tid x, y, z, linear tid, parameters)
    const Shape tid = options_.rows ? Shape::uniform() : Shape::varying();
    const Shape shapes[] = {Shape::uniform(),
                            options_.rows ? Shape::index() : Shape::varying(true),
                            tid,
                            tid,
                            Shape::index(),
                            Shape::uniform()};
    for (const llvm::Argument& argument : function.args())
        shapes_[&argument] = shapes[argument.getArgNo()];
    llvm::BitVector joins{frontier_.size()};
    if (frontier_.has_waits()) find_lives(function);
    for (bool again = true; again;) {
        for (bool changed = true; changed;) {
            changed = false;
            for (unsigned k = 0; k < frontier_.size(); ++k) {
                for (const llvm::Instruction& i : *frontier_.block(k)) {
                    if (i.getType()->isVoidTy()) continue;
                    Shape& known = shapes_[&i];
                    if (known.is_varying() && known.hopeful) continue;
                    const Shape old = known;
                    Shape found = transfer(i);
                    if (!old.is_unknown()) found = meet(old, found);
                    if (found == old) continue;
                    shapes_[&i] = found;
                    changed = true;
                }
            }
        }
        frontier_.find_waiting([&](unsigned k) { return is_divergent(frontier_.block(k)); });
        again = find_torn();
        for (unsigned k = 0; k < frontier_.size(); ++k) {
            if (!frontier_.joins(k) || joins.test(k)) continue;
            joins.set(k);
            again = true;
        }
    }
    for (unsigned k = 0; k < frontier_.size(); ++k) {
        for (const llvm::Instruction& i : *frontier_.block(k)) {
            const auto* extension = llvm::dyn_cast<llvm::CastInst>(&i);
            if (!extension || (!llvm::isa<llvm::SExtInst, llvm::ZExtInst>(i))) continue;
            const Shape from = of(extension->getOperand(0));
            if (of(&i).is_affine() && !from.is_uniform() && !from.is_index)
                guards_.push_back(extension);
        }
    }
}

void Shapes::find_lives(const llvm::Function& function) {
    for (const llvm::BasicBlock& block : function) {
        for (const llvm::Instruction& i : block) {
            std::vector<const llvm::BasicBlock*> work;
            const auto need_before = [&](const llvm::BasicBlock* at) {
                if (at == &block) return;
                llvm::BitVector& live = lives_[&i];
                live.resize(frontier_.size());
                if (live.test(frontier_.index(at))) return;
                live.set(frontier_.index(at));
                work.push_back(at);
            };
            for (const llvm::Use& use : i.uses()) {
                const auto* user = llvm::cast<llvm::Instruction>(use.getUser());
                const auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
                need_before(phi ? phi->getIncomingBlock(use) : user->getParent());
            }
            while (!work.empty()) {
                const llvm::BasicBlock* at = work.back();
                work.pop_back();
                for (const llvm::BasicBlock* before : llvm::predecessors(at)) need_before(before);
            }
        }
    }
}

bool Shapes::find_torn() {
    const std::size_t known = torn_.size();
    for (const auto& [i, live] : lives_) {
        // A phi gets its value where its block is branched to.
        bool torn = false;
        if (llvm::isa<llvm::PHINode>(i)) {
            for (const llvm::BasicBlock* before : llvm::predecessors(i->getParent()))
                torn |= live.anyCommon(frontier_.waiting(frontier_.index(before)));
        } else {
            torn = live.anyCommon(frontier_.waiting(frontier_.index(i->getParent())));
        }
        if (torn) torn_.insert(i);
    }
    return torn_.size() > known;
}

Shape Shapes::of(const llvm::Value* value) const {
    if (llvm::isa<llvm::Constant, llvm::MetadataAsValue, llvm::BasicBlock>(value))
        return Shape::uniform();
    return shapes_.lookup(value);
}

bool Shapes::is_divergent(const llvm::BasicBlock* block) const {
    const llvm::Instruction* end = block->getTerminator();
    if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(end))
        return branch->isConditional() && of(branch->getCondition()).is_varying();
    if (const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(end))
        return !is_uniform(choice->getCondition());
    return false;
}

Shape Shapes::joined(const llvm::User& i) const {
    bool hopeful = false, varying = false;
    for (const llvm::Use& operand : i.operands()) {
        const Shape s = of(operand.get());
        if (s.is_unknown()) return {};
        varying |= !s.is_uniform();
        hopeful |= s.hopeful || (s.is_affine() && !s.is_uniform());
    }
    return varying ? Shape::varying(hopeful) : Shape::uniform();
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
        return from.is_uniform() ? Shape::uniform() : Shape::varying();
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
    return Shape::varying(result.hopeful || result.is_affine());
}

Shape Shapes::binary(const llvm::BinaryOperator& i) const {
    const Shape x = of(i.getOperand(0)), y = of(i.getOperand(1));
    if (x.is_unknown() || y.is_unknown()) return {};
    if (x.is_uniform() && y.is_uniform()) return Shape::uniform();
    if (!i.getType()->isIntegerTy() || !x.is_affine() || !y.is_affine()) return joined(i);
    const std::optional<std::int64_t> c = constant_of(i.getOperand(1));
    switch (i.getOpcode()) {
    case llvm::Instruction::Add:
        return Shape::affine(x.stride + y.stride);
    case llvm::Instruction::Sub:
        return Shape::affine(x.stride - y.stride);
    case llvm::Instruction::Or:
        if (llvm::cast<llvm::PossiblyDisjointInst>(i).isDisjoint())
            return Shape::affine(x.stride + y.stride);
        break;
    case llvm::Instruction::Mul:
        if (c) return Shape::affine(x.stride * *c);
        if (const auto d = constant_of(i.getOperand(0))) return Shape::affine(y.stride * *d);
        break;
    case llvm::Instruction::Shl:
        if (c && *c >= 0 && *c < 48) return Shape::affine(x.stride * (std::int64_t{1} << *c));
        break;
    case llvm::Instruction::And: // lane numbers: the low bits of an index
        if (x.is_index && c && *c >= static_cast<std::int64_t>(options_.width) - 1 &&
            (*c & (*c + 1)) == 0)
            return Shape::index();
        if (x.is_index && c && (*c & (static_cast<std::int64_t>(options_.width) - 1)) == 0)
            return Shape::uniform();
        break;
    case llvm::Instruction::LShr: // warp numbers: the high bits
    case llvm::Instruction::AShr:
        if (x.is_index && c && *c < 32 && (std::int64_t{1} << *c) >= options_.width)
            return Shape::uniform();
        break;
    default:
        break;
    }
    return joined(i);
}

Shape Shapes::cast(const llvm::CastInst& i) const {
    const Shape x = of(i.getOperand(0));
    if (!x.is_affine() || x.is_uniform()) return x.is_unknown() ? Shape{} : joined(i);
    switch (i.getOpcode()) {
    case llvm::Instruction::Trunc:
        return i.getType()->getIntegerBitWidth() >= 16 ? Shape::affine(x.stride) : joined(i);
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::IntToPtr:
        return i.getSrcTy()->getPrimitiveSizeInBits() == i.getDestTy()->getPrimitiveSizeInBits() ||
                       i.getSrcTy()->isPointerTy() || i.getDestTy()->isPointerTy()
                   ? Shape::affine(x.stride)
                   : joined(i);
    case llvm::Instruction::SExt:
    case llvm::Instruction::ZExt:
        if (x.is_index) return Shape::index();
        if (options_.trust_extensions && is_known_at_start(i.getOperand(0)))
            return Shape::affine(x.stride);
        return joined(i);
    default:
        return joined(i);
    }
}

Shape Shapes::address(const llvm::GetElementPtrInst& i) const {
    const auto& gep = llvm::cast<llvm::GEPOperator>(i);
    llvm::MapVector<llvm::Value*, llvm::APInt> variable;
    llvm::APInt fixed{64, 0};
    const Shape base = of(i.getPointerOperand());
    if (base.is_unknown()) return {};
    if (!base.is_affine() || !gep.collectOffset(layout_, 64, variable, fixed)) return joined(i);
    std::int64_t stride = base.stride;
    for (const auto& [value, scale] : variable) {
        const Shape s = of(value);
        if (s.is_unknown()) return {};
        const bool extends = value->getType()->getIntegerBitWidth() < 64;
        if (!s.is_affine() || (extends && !s.is_uniform() && !s.is_index)) return joined(i);
        stride += s.stride * scale.getSExtValue();
    }
    return Shape::affine(stride);
}

// Whole warps lie on one side of a multiple of the width: tid < 32 is uniform.
Shape Shapes::compare(const llvm::ICmpInst& i) const {
    const std::optional<std::int64_t> c = constant_of(i.getOperand(1));
    if (of(i.getOperand(0)).is_index && c && *c >= 0) {
        const bool below = i.getPredicate() == llvm::CmpInst::ICMP_ULT ||
                           i.getPredicate() == llvm::CmpInst::ICMP_SLT;
        const bool above = i.getPredicate() == llvm::CmpInst::ICMP_UGT ||
                           i.getPredicate() == llvm::CmpInst::ICMP_SGT;
        const std::int64_t bound = *c + (above ? 1 : 0);
        if ((below || above) && bound % std::int64_t{options_.width} == 0) return Shape::uniform();
    }
    return joined(i);
}

Shape Shapes::select(const llvm::SelectInst& i) const {
    const Shape condition = of(i.getCondition());
    const Shape x = of(i.getTrueValue()), y = of(i.getFalseValue());
    if (condition.is_unknown() || x.is_unknown() || y.is_unknown()) return {};
    if (!condition.is_uniform()) return joined(i);
    return meet(x, y);
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
    case CallKind::voted:
        return Shape::uniform();
    case CallKind::pure:
        return joined(i);
    case CallKind::ballot: // (context, mask, ...): all lanes of a mask get the same
    case CallKind::reduce: {
        const Shape members = of(i.getArgOperand(1));
        if (members.is_unknown()) return {};
        return members.is_uniform() ? Shape::uniform() : Shape::varying();
    }
    case CallKind::linear_tid:
        return Shape::index();
    default:
        return Shape::varying();
    }
}

// The start of the function checks extensions: what they extend must be computable there, from the
// thread's place, the context and the parameters alone.
bool Shapes::is_known_at_start(const llvm::Value* value, unsigned depth) const {
    if (llvm::isa<llvm::Constant>(value)) return true;
    if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value))
        return of(argument).is_affine();
    const auto* i = llvm::dyn_cast<llvm::Instruction>(value);
    if (!i || depth > 12 || !of(i).is_affine()) return false;
    if (const auto* call = llvm::dyn_cast<llvm::CallInst>(i)) {
        const auto* callee = call->getCalledFunction();
        return callee && call_kind(callee->getName()) == CallKind::linear_tid;
    }
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(i)) {
        // Fields of the context, and parameters: there from the start, and constant.
        if (!load->hasMetadata(llvm::LLVMContext::MD_invariant_load)) return false;
        llvm::APInt offset{64, 0};
        const auto* from = llvm::dyn_cast<llvm::Argument>(
            load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout_, offset, true));
        return from && (from->getArgNo() == 0 || from->getArgNo() == 5);
    }
    if (const auto* o = llvm::dyn_cast<llvm::BinaryOperator>(i)) {
        if (o->isIntDivRem() || !o->getType()->isIntegerTy()) return false;
    } else if (const auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(i)) {
        if (!gep->hasAllConstantIndices()) return false;
    } else if (!llvm::isa<llvm::TruncInst, llvm::SExtInst, llvm::ZExtInst, llvm::PtrToIntInst,
                          llvm::IntToPtrInst>(i)) {
        return false;
    }
    for (const llvm::Use& operand : i->operands()) {
        if (!is_known_at_start(operand.get(), depth + 1)) return false;
    }
    return true;
}

} // namespace lathe::soft::jit::warp
