// SPDX-License-Identifier: MIT
// The start of the function, slots, blocks and their masks. How blocks end: branches.cpp.
#include "gpu/soft/jit/warp/widener.h"

#include "gpu/soft/jit/warp/marks.h"
#include "gpu/soft/jit/warp/promotion.h"
#include "gpu/soft/jit/warp/unsupported.h"
#include "gpu/soft/rt/abi.h"

#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include <algorithm>

namespace lathe::soft::jit::warp {

Widener::Widener(llvm::Function& scalar, llvm::Function& wide, Frontier& frontier,
                 const Shapes& shapes, const ShapeOptions& options,
                 const llvm::TargetTransformInfo& target, CounterSites* sites)
    : scalar_{scalar}, wide_{wide}, frontier_{frontier}, shapes_{shapes}, options_{options},
      target_{target}, layout_{scalar.getParent()->getDataLayout()}, width_{options.width},
      has_mask_registers_{target.isLegalMaskedScatter(
          llvm::FixedVectorType::get(llvm::Type::getFloatTy(scalar.getContext()), options.width),
          llvm::Align{4})},
      b{scalar.getContext()}, mask_type_{b.getIntNTy(options.width)}, sites_{sites} {}

void Widener::run() {
    find_whole();
    emit_entry();
    for (unsigned k = 0; k < frontier_.size(); ++k) emit_block(k);
    if (scheduler_) emit_scheduler();
    promote_slots(wide_, to_promote_);
    separate_counters();
}

void Widener::emit_entry() {
    llvm::BasicBlock* entry = block("entry");
    llvm::BasicBlock* first = block("first");
    b.SetInsertPoint(entry);
    if (const llvm::Instruction* i = scalar_.getEntryBlock().getFirstNonPHIOrDbg())
        b.SetCurrentDebugLocation(i->getDebugLoc());
    alloca_point_ = b.CreateBr(first);
    for (unsigned k = 0; k < frontier_.size(); ++k) blocks_.push_back(block("b"));
    make_slots();
    b.SetInsertPoint(alloca_point_);
    b.CreateStore(b.CreateZExtOrTrunc(wide_.getArg(6), mask_type_), waiting_[0]);
    b.SetInsertPoint(first);
    plan_counters();
    if (options_.has_strips()) emit_strip_places();
    emit_guards();
    if (!options_.strip) emit_places();
    b.CreateBr(blocks_[0]);
}

// Rows shorter than a warp: the place of each lane follows from its linear index.
void Widener::emit_places() {
    const auto size = [&](unsigned axis) {
        Value* field = b.CreateConstGEP1_64(b.getInt8Ty(), wide_.getArg(0),
                                            offsetof(ThreadContext, ntid) + 4 * axis);
        return splat(b.CreateLoad(b.getInt32Ty(), field));
    };
    Value *x = size(0), *y = size(1);
    Value* linear = spread(wide_.getArg(4), 1);
    Value* row = quotient(linear, x, false);
    places_[0] = b.CreateSub(linear, b.CreateMul(row, x));
    places_[2] = quotient(row, y, false);
    places_[1] = b.CreateSub(row, b.CreateMul(places_[2], y));
}

llvm::AllocaInst* Widener::state(llvm::Type* type, std::uint64_t at_start, const char* name) {
    llvm::AllocaInst* made = stack(type, name);
    to_promote_.push_back(made);
    llvm::IRBuilder<>{alloca_point_}.CreateStore(llvm::ConstantInt::get(type, at_start), made);
    return made;
}

void Widener::make_slots() {
    const auto slot = [&](llvm::Type* type, const char* name) {
        llvm::AllocaInst* made = stack(type, name);
        to_promote_.push_back(made);
        return made;
    };
    bool loops = false;
    for (unsigned k = 0; k < frontier_.size(); ++k) {
        waiting_.push_back(state(mask_type_, 0, "waiting"));
        if (frontier_.is_wait_loop(k) && !turn_) turn_ = state(b.getInt32Ty(), 0, "turn");
        if (frontier_.is_wait_loop(k))
            patience_[k] = state(b.getInt32Ty(), frontier_.patience(k), "patience");
        if (frontier_.comes_after_barrier(k)) held_[k] = state(mask_type_, 0, "held");
        for (unsigned to : frontier_.successors(k)) loops |= frontier_.is_back_edge(k, to);
        for (const llvm::Instruction& i : *frontier_.block(k)) {
            if (i.getType()->isVoidTy() || i.getType()->isStructTy()) continue;
            bool elsewhere = llvm::isa<llvm::PHINode>(i);
            for (const llvm::User* user : i.users()) {
                const auto* at = llvm::cast<llvm::Instruction>(user);
                elsewhere |= at->getParent() != i.getParent() && !llvm::isa<llvm::PHINode>(at);
                if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(at)) {
                    for (unsigned n = 0; n < phi->getNumIncomingValues(); ++n)
                        elsewhere |= phi->getIncomingValue(n) == &i &&
                                     phi->getIncomingBlock(n) != i.getParent();
                }
            }
            if (!elsewhere) continue;
            if (shape(&i).is_strips()) {
                for (unsigned r = 0; r < bases_of(shape(&i)); ++r)
                    strip_slots_[&i].push_back(slot(i.getType(), ""));
            } else {
                slots_[&i] = slot(type_in_slot(i), "");
            }
        }
    }
    if (loops) back_edges_ = state(b.getInt32Ty(), kBackEdgesPerReport, "back_edges");
}

// Where the first and the last lane of an extended value (of a warp, or of a strip) lie on the two
// sides of a wrap, this function would compute wrong addresses: the run time runs the warp by code
// that trusts no extension.
void Widener::emit_guards() {
    if (shapes_.guards().empty()) return;
    Value* sound = b.getTrue();
    const auto guard = [&](const llvm::CastInst* extension) {
        const Shape s = shape(extension->getOperand(0));
        auto* type = llvm::cast<llvm::IntegerType>(extension->getType());
        const auto op = extension->getOpcode();
        const auto check = [&](Value* narrow, std::int64_t far) {
            if (!far) return;
            const auto distance = static_cast<std::uint64_t>(far);
            Value* there = b.CreateAdd(narrow, llvm::ConstantInt::get(narrow->getType(), distance));
            Value* wide =
                b.CreateAdd(b.CreateCast(op, narrow, type), llvm::ConstantInt::get(type, distance));
            sound = b.CreateAnd(sound, b.CreateICmpEQ(b.CreateCast(op, there, type), wide));
        };
        if (s.is_affine()) {
            check(value_at_start(extension->getOperand(0), 0), s.stride * (width_ - 1));
            return;
        }
        for (unsigned r = 0; r < options_.strips(); ++r) {
            const unsigned from = s.pitch ? 0 : r;
            Value* first = value_at_start(extension->getOperand(0), from);
            const std::int64_t base = s.pitch.value_or(0) * r;
            check(first, base);
            check(first, base + s.stride * (options_.strip - 1));
        }
    };
    for (const llvm::CastInst* extension : shapes_.guards()) {
        const llvm::PHINode* choice = shapes_.choice_at_start(*extension);
        if (!choice) {
            guard(extension);
            continue;
        }
        for (const llvm::Use& value : choice->incoming_values()) {
            const auto before = at_start_;
            for (unsigned r = 0; r < options_.strips(); ++r)
                at_start_[{choice, r}] = value_at_start(value.get(), r);
            guard(extension);
            at_start_ = before;
        }
    }
    llvm::BasicBlock *go_on = block("sound"), *leave = block("wraps");
    auto* weights = llvm::MDBuilder{b.getContext()}.createBranchWeights(1000, 1);
    b.CreateCondBr(sound, go_on, leave, weights);
    b.SetInsertPoint(leave);
    Value* count = b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, wide_.getArg(6));
    count_left(count);
    call_runtime("lathe_rt_warp_run_checked", b.getVoidTy(), {wide_.getArg(4), count});
    b.CreateRetVoid();
    b.SetInsertPoint(go_on);
}

// The scalar code of a value, for the first lane of a strip: only what Shapes::is_known_at_start
// accepts comes here.
Value* Widener::value_at_start(const Value* value, unsigned number) {
    if (llvm::isa<llvm::Constant>(value)) return const_cast<Value*>(value);
    if (llvm::isa<llvm::Argument>(value)) return strip(value, number);
    Value*& known = at_start_[{value, number}];
    if (known) return known;
    const auto* i = llvm::cast<llvm::Instruction>(value);
    Value* made = nullptr;
    if (llvm::isa<llvm::CallInst>(i)) { // the linear index
        made = b.CreateAdd(wide_.getArg(4), b.getInt32(number * options_.strip));
    } else if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(i)) {
        llvm::APInt offset{64, 0};
        const Value* from =
            load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout_, offset, true);
        Value* place = b.CreateConstGEP1_64(
            b.getInt8Ty(), wide_.getArg(llvm::cast<llvm::Argument>(from)->getArgNo()),
            offset.getZExtValue());
        auto* copy = b.CreateAlignedLoad(load->getType(), place, load->getAlign());
        copy->setMetadata(llvm::LLVMContext::MD_invariant_load,
                          llvm::MDNode::get(b.getContext(), {}));
        made = copy;
    } else {
        llvm::Instruction* copy = i->clone();
        for (unsigned k = 0; k < copy->getNumOperands(); ++k)
            copy->setOperand(k, value_at_start(i->getOperand(k), number));
        copy->dropPoisonGeneratingFlags();
        made = b.Insert(copy);
    }
    return at_start_[{value, number}] = made;
}

// The blocks that run with all lanes of a whole warp: no lane waits elsewhere while they run, and
// none has ended before, since those that end do so together.
void Widener::find_whole() {
    whole_.resize(frontier_.size());
    if (!options_.whole_warps || frontier_.has_waits()) return;
    for (unsigned k = 0; k < frontier_.size(); ++k)
        if (frontier_.successors(k).empty() && frontier_.waiting(k).any()) return;
    for (unsigned k = 0; k < frontier_.size(); ++k)
        if (frontier_.waiting(k).none()) whole_.set(k);
}

// --- blocks
// ----------------------------------------------------------------------------------------

void Widener::emit_block(unsigned index) {
    current_ = index;
    others_to_come_ = nullptr;
    values_.clear();
    strips_.clear();
    parts_.clear();
    b.SetInsertPoint(blocks_[index]);
    const llvm::BasicBlock& source = *frontier_.block(index);
    b.SetCurrentDebugLocation(source.getTerminator()->getDebugLoc());
    if (whole_.test(index)) mask_ = llvm::ConstantInt::getAllOnesValue(mask_type_);
    else mask_ = b.CreateLoad(mask_type_, waiting_[index]);
    b.CreateStore(llvm::ConstantInt::get(mask_type_, 0), waiting_[index]);
    // Values of other blocks are loaded here, so that they are known on every path through this
    // one.
    for (const llvm::Instruction& i : source) {
        for (const llvm::Use& use : i.operands()) {
            if (llvm::isa<llvm::PHINode>(i)) continue;
            const auto* from = llvm::dyn_cast<llvm::Instruction>(use.get());
            if (!from || is_emitted(from)) continue;
            if (from->getParent() == &source && !llvm::isa<llvm::PHINode>(from)) continue;
            if (from->getType()->isStructTy()) continue;
            if (shape(from).is_strips()) strips_[from] = bases(from);
            else values_[from] = scalar(from);
        }
    }
    collect_records(source);
    if (!has_rows(index)) return emit_instructions(source);
    const auto at_start = values_;
    const auto strips_at_start = strips_;
    Value* const lanes = mask_;
    llvm::BasicBlock *full = block("full"), *part = block("partial");
    auto* weights = llvm::MDBuilder{b.getContext()}.createBranchWeights(100, 1);
    b.CreateCondBr(is_full(lanes), full, part, weights);
    b.SetInsertPoint(full);
    mask_ = llvm::ConstantInt::getAllOnesValue(mask_type_);
    emit_instructions(source);
    values_ = at_start;
    strips_ = strips_at_start;
    parts_.clear();
    b.SetInsertPoint(part);
    mask_ = lanes;
    lanes_ = Lanes::some;
    emit_instructions(source);
    lanes_ = Lanes::unknown;
}

void Widener::emit_instructions(const llvm::BasicBlock& source) {
    prefetched_.clear();
    count_block();
    for (const llvm::Instruction& i : source) {
        if (llvm::isa<llvm::PHINode>(i)) continue;
        if (i.getDebugLoc()) b.SetCurrentDebugLocation(i.getDebugLoc());
        if (i.isTerminator()) {
            emit_end(i);
        } else {
            emit(i);
        }
    }
}

// Blocks with several accesses to rows are made twice, for all lanes and for some: one test of the
// mask instead of one for each access. Not where the code is long, or does little by vectors.
bool Widener::has_rows(unsigned index) const {
    constexpr unsigned kFewest = 2;
    constexpr std::size_t kLongest = 200;
    const llvm::BasicBlock& source = *frontier_.block(index);
    if (whole_.test(index) || frontier_.is_barrier(index) || source.size() > kLongest) return false;
    unsigned rows = 0;
    for (const llvm::Instruction& i : source) {
        if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&i)) {
            const llvm::Function* callee = call->getCalledFunction();
            const bool is_short =
                callee && (callee->isIntrinsic() || callee->getName() == "lathe_rt_barrier_sync" ||
                           callee->getName() == kCheck || callee->getName() == kCount ||
                           callee->getName() == kWatch);
            if (!is_short) return false;
        }
        if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(i)) return false;
        const Value* place = llvm::getLoadStorePointerOperand(&i);
        if (!place) continue;
        const Shape s = shape(place);
        llvm::Type* type = llvm::isa<llvm::LoadInst>(i) ? i.getType() : i.getOperand(0)->getType();
        const std::uint64_t bytes = layout_.getTypeStoreSize(type);
        if (s.is_varying() && !s.hopeful) return false; // a loop over lanes
        const auto record = record_of_.find(&i);
        if (record != record_of_.end() && !s.hopeful && !s.is_even()) {
            const Record& all = records_[record->second];
            if (parts_together(all)) {
                rows += all.at == &i;
                continue;
            }
        }
        rows += s.hopeful || (s.is_linear() && s.stride == static_cast<std::int64_t>(bytes)) ||
                (s.is_strips() && s.is_even());
    }
    return rows >= kFewest;
}

} // namespace lathe::soft::jit::warp
