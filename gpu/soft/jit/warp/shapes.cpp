// SPDX-License-Identifier: MIT
// The analysis as a whole; what each instruction makes of its operands' shapes: shape_rules.cpp.
#include "gpu/soft/jit/warp/shapes.h"

#include "gpu/soft/jit/warp/marks.h"
#include "gpu/soft/rt/abi.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/ConstantFold.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace lathe::soft::jit::warp {

Shapes::Shapes(llvm::Function& function, Frontier& frontier, const ShapeOptions& options)
    : frontier_{frontier}, options_{options}, layout_{function.getParent()->getDataLayout()} {
    // body(context, tid x, y, z, linear tid, parameters)
    Shape x = Shape::index(), y = Shape::uniform(), z = Shape::uniform();
    if (!options_.strip) {
        x = Shape::varying(true);
        y = z = Shape::varying();
    } else if (options_.has_strips()) {
        x = Shape::strips(1);
        y = z = Shape::strips(0);
        if (options_.whole_rows) {
            x.pitch = 0;
            y.pitch = 1;
            z = Shape::uniform();
        }
        x.is_index = y.is_index = true;
    }
    const Shape shapes[] = {Shape::uniform(), x, y, z, Shape::index(), Shape::uniform()};
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
            const bool may_wrap = from.stride != 0 || of(&i).pitch.value_or(0) != 0;
            if (of(&i).is_linear() && may_wrap && !from.is_index && !from.is_run())
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

// Loads ntid.x, where rows of a block have whole warps.
bool Shapes::is_size_of_rows(const llvm::Instruction& load) const {
    llvm::APInt offset{64, 0};
    const auto* from = llvm::dyn_cast<llvm::Argument>(
        load.getOperand(0)->stripAndAccumulateConstantOffsets(layout_, offset, true));
    return from && from->getArgNo() == 0 && offset == offsetof(ThreadContext, ntid) &&
           load.getType()->isIntegerTy(32) && options_.has_whole_rows_of_warps();
}

bool Shapes::is_divergent(const llvm::BasicBlock* block) const {
    const llvm::Instruction* end = block->getTerminator();
    if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(end))
        return branch->isConditional() &&
               (of(branch->getCondition()).is_varying() || of(branch->getCondition()).is_strips());
    if (const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(end))
        return !is_uniform(choice->getCondition());
    return false;
}

// The start of the function checks extensions: what they extend must be computable there, from the
// thread's place, the context and the parameters alone.
bool Shapes::is_known_at_start(const llvm::Value* value, unsigned depth,
                               const llvm::PHINode** choice) const {
    if (llvm::isa<llvm::Constant>(value)) return true;
    if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value))
        return of(argument).is_linear();
    const auto* i = llvm::dyn_cast<llvm::Instruction>(value);
    if (!i || depth > 12 || !of(i).is_linear()) return false;
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
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(i)) {
        if (!choice || (*choice && *choice != phi)) return false;
        *choice = phi;
        return llvm::all_of(phi->incoming_values(), [&](const llvm::Use& use) {
            return is_known_at_start(use.get(), depth + 1);
        });
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
        if (!is_known_at_start(operand.get(), depth + 1, choice)) return false;
    }
    return true;
}

const llvm::Constant* Shapes::in_first_lane(const llvm::Value* value, unsigned depth) const {
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value)) return constant;
    const auto* i = llvm::dyn_cast<llvm::BinaryOperator>(value);
    if (!i || depth > 12) return nullptr;
    const Shape x = of(i->getOperand(0));
    const auto* mask = llvm::dyn_cast<llvm::ConstantInt>(i->getOperand(1));
    if (i->getOpcode() == llvm::Instruction::And && mask && x.is_affine() && x.is_index &&
        x.stride == 1 && mask->getValue().ult(options_.width))
        return llvm::ConstantInt::get(i->getType(), 0);
    const llvm::Constant *a = in_first_lane(i->getOperand(0), depth + 1),
                         *b = in_first_lane(i->getOperand(1), depth + 1);
    if (!a || !b) return nullptr;
    return llvm::ConstantFoldBinaryInstruction(i->getOpcode(), const_cast<llvm::Constant*>(a),
                                               const_cast<llvm::Constant*>(b));
}

bool Shapes::always_wraps(const llvm::CastInst& extension) const {
    const Shape s = of(extension.getOperand(0));
    const auto* first =
        llvm::dyn_cast_or_null<llvm::ConstantInt>(in_first_lane(extension.getOperand(0)));
    if (!s.is_affine() || !first) return false;
    const unsigned bits = extension.getType()->getIntegerBitWidth();
    const auto extended = [&](const llvm::APInt& narrow) {
        return llvm::isa<llvm::SExtInst>(extension) ? narrow.sext(bits) : narrow.zext(bits);
    };
    const std::int64_t far = s.stride * (options_.width - 1);
    const llvm::APInt narrow =
        first->getValue() +
        llvm::APInt{64, static_cast<std::uint64_t>(far)}.trunc(first->getBitWidth());
    return extended(narrow) != extended(first->getValue()) + static_cast<std::uint64_t>(far);
}

const llvm::PHINode* Shapes::choice_at_start(const llvm::CastInst& extension) const {
    const llvm::PHINode* choice = nullptr;
    (void)is_known_at_start(extension.getOperand(0), 0, &choice);
    return choice;
}

} // namespace lathe::soft::jit::warp
