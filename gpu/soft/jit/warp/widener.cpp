// SPDX-License-Identifier: MIT
// Blocks: masks, divergent ends, phis as copies on edges.
#include "gpu/soft/jit/warp/widener.h"

#include "gpu/soft/jit/warp/marks.h"
#include "gpu/soft/jit/warp/unsupported.h"
#include "gpu/soft/rt/abi.h"

#include <llvm/IR/Dominators.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <algorithm>

namespace lathe::soft::jit::warp {

namespace {

constexpr std::uint32_t kBackEdgesPerReport = 1024;

} // namespace

Widener::Widener(llvm::Function& scalar, llvm::Function& wide, Frontier& frontier,
                 const Shapes& shapes, const ShapeOptions& options,
                 const llvm::TargetTransformInfo& target, CounterSites* sites)
    : scalar_{scalar}, wide_{wide}, frontier_{frontier}, shapes_{shapes}, options_{options},
      target_{target}, layout_{scalar.getParent()->getDataLayout()}, width_{options.width},
      b{scalar.getContext()}, mask_type_{b.getIntNTy(options.width)}, sites_{sites} {}

void Widener::run() {
    find_whole();
    emit_entry();
    for (unsigned k = 0; k < frontier_.size(); ++k) emit_block(k);
    if (scheduler_) emit_scheduler();
    promote_slots();
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
    promoted_.push_back(made);
    llvm::IRBuilder<>{alloca_point_}.CreateStore(llvm::ConstantInt::get(type, at_start), made);
    return made;
}

void Widener::make_slots() {
    const auto slot = [&](llvm::Type* type, const char* name) {
        llvm::AllocaInst* made = stack(type, name);
        promoted_.push_back(made);
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
    for (const llvm::CastInst* extension : shapes_.guards()) {
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
            continue;
        }
        for (unsigned r = 0; r < options_.strips(); ++r) {
            const unsigned from = s.pitch ? 0 : r;
            Value* first = value_at_start(extension->getOperand(0), from);
            const std::int64_t base = s.pitch.value_or(0) * r;
            check(first, base);
            check(first, base + s.stride * (options_.strip - 1));
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
    if (whole_.test(index))
        mask_ = llvm::ConstantInt::getAllOnesValue(mask_type_);
    else
        mask_ = b.CreateLoad(mask_type_, waiting_[index]);
    b.CreateStore(llvm::ConstantInt::get(mask_type_, 0), waiting_[index]);
    // Values of other blocks are loaded here, so that they are known on every path through this
    // one.
    for (const llvm::Instruction& i : source) {
        for (const llvm::Use& use : i.operands()) {
            if (llvm::isa<llvm::PHINode>(i)) continue;
            const auto* from = llvm::dyn_cast<llvm::Instruction>(use.get());
            if (!from || values_.count(from) || strips_.count(from)) continue;
            if (from->getParent() == &source && !llvm::isa<llvm::PHINode>(from)) continue;
            if (from->getType()->isStructTy()) continue;
            if (shape(from).is_strips())
                strips_[from] = bases(from);
            else
                values_[from] = scalar(from);
        }
    }
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
                           callee->getName() == kCheck || callee->getName() == kCount);
            if (!is_short) return false;
        }
        if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(i)) return false;
        const Value* place = llvm::getLoadStorePointerOperand(&i);
        if (!place) continue;
        const Shape s = shape(place);
        llvm::Type* type = llvm::isa<llvm::LoadInst>(i) ? i.getType() : i.getOperand(0)->getType();
        const std::uint64_t bytes = layout_.getTypeStoreSize(type);
        if (s.is_varying() && !s.hopeful) return false; // a loop over lanes
        rows += s.hopeful || (s.is_linear() && s.stride == static_cast<std::int64_t>(bytes)) ||
                (s.is_strips() && s.is_even());
    }
    return rows >= kFewest;
}

void Widener::emit_end(const llvm::Instruction& end) {
    if (llvm::isa<llvm::ReturnInst, llvm::UnreachableInst>(end)) {
        dispatch({}, Frontier::Exit::in_order);
    } else if (others_to_come_) {
        emit_end_of_barrier(frontier_.successors(current_).front());
    } else if (shapes_.is_divergent(end.getParent())) {
        const auto lanes = lanes_of_targets(end);
        count_branch(end, &lanes);
        emit_branch(lanes);
    } else {
        emit_uniform_end(end);
    }
}

void Widener::emit_uniform_end(const llvm::Instruction& end) {
    const std::vector<unsigned>& successors = frontier_.successors(current_);
    if (successors.size() == 1) {
        emit_branch({{successors[0], mask_}});
        return;
    }
    const std::uint32_t to_first = count_branch(end, nullptr);
    // A copy of the scalar branch to blocks of their own, which then go on as if alone.
    llvm::Instruction* copy = end.clone();
    for (unsigned k = 0; k < copy->getNumOperands(); ++k) {
        if (!llvm::isa<llvm::BasicBlock>(copy->getOperand(k)))
            copy->setOperand(k, scalar(copy->getOperand(k)));
    }
    llvm::DenseMap<unsigned, llvm::BasicBlock*> edges;
    for (unsigned k = 0; k < copy->getNumSuccessors(); ++k) {
        llvm::BasicBlock*& edge = edges[frontier_.index(end.getSuccessor(k))];
        if (!edge) edge = block("edge");
        copy->setSuccessor(k, edge);
    }
    b.Insert(copy);
    for (unsigned to : successors) {
        b.SetInsertPoint(edges[to]);
        if (to_first && to == frontier_.index(end.getSuccessor(0))) bump(to_first, count_of(mask_));
        emit_branch({{to, mask_}});
    }
}

std::vector<std::pair<unsigned, Value*>> Widener::lanes_of_targets(const llvm::Instruction& end) {
    llvm::DenseMap<unsigned, Value*> lanes;
    const auto add = [&](const llvm::BasicBlock* to, Value* some) {
        Value*& all = lanes[frontier_.index(to)];
        all = all ? b.CreateOr(all, some) : some;
    };
    if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&end)) {
        Value* holds = bits_of(branch->getCondition());
        add(branch->getSuccessor(0), b.CreateAnd(holds, mask_));
        // Not mask ^ taken: LLVM 19 then combines masks of 32 lanes back and forth for ever
        // (x86-64-v4, beside a masked gather).
        add(branch->getSuccessor(1), b.CreateAnd(mask_, b.CreateNot(holds)));
    } else {
        const auto& choice = llvm::cast<llvm::SwitchInst>(end);
        Value* index = vector(choice.getCondition());
        Value* left = mask_;
        for (const auto& each : choice.cases()) {
            Value* equal =
                b.CreateICmpEQ(index, splat(const_cast<llvm::ConstantInt*>(each.getCaseValue())));
            Value* holds = mask_bits(equal);
            left = b.CreateAnd(left, b.CreateNot(holds));
            add(each.getCaseSuccessor(), b.CreateAnd(holds, mask_));
        }
        add(choice.getDefaultDest(), left);
    }
    std::vector<std::pair<unsigned, Value*>> list{lanes.begin(), lanes.end()};
    std::sort(list.begin(), list.end(),
              [](const auto& x, const auto& y) { return x.first < y.first; });
    return list;
}

// Sends lanes to blocks (ascending), then goes where the order wants.
void Widener::emit_branch(const std::vector<std::pair<unsigned, Value*>>& lanes) {
    std::vector<unsigned> targets;
    Copies copies;
    for (const auto& [to, some] : lanes) {
        targets.push_back(to);
        find_copies(to, some, copies);
    }
    for (const auto& [slot, value] : copies) b.CreateStore(value, slot);
    bool waits = false;
    for (const auto& [to, some] : lanes) {
        const bool others = frontier_.waiting(current_).test(to);
        b.CreateStore(others ? b.CreateOr(b.CreateLoad(mask_type_, waiting_[to]), some) : some,
                      waiting_[to]);
        if (!frontier_.is_back_edge(current_, to)) continue;
        if (frontier_.is_wait_loop(to))
            waits = true;
        else
            emit_back_edge();
    }
    if (waits)
        emit_turns(targets);
    else
        dispatch(targets, Frontier::Exit::in_order);
}

// The back edge of a wait loop: after some iterations others get their turn, lanes of this warp
// that are elsewhere and other warps.
void Widener::emit_turns(const std::vector<unsigned>& targets) {
    const unsigned header = targets.front();
    const unsigned iterations = frontier_.patience(header);
    if (iterations > 1) {
        llvm::AllocaInst* patience = patience_.lookup(header);
        Value* left = b.CreateSub(b.CreateLoad(b.getInt32Ty(), patience), b.getInt32(1));
        llvm::BasicBlock *turn = block("turn"), *go_on = block("go_on");
        b.CreateCondBr(b.CreateICmpEQ(left, b.getInt32(0)), turn, go_on);
        b.SetInsertPoint(go_on);
        b.CreateStore(left, patience);
        dispatch(targets, Frontier::Exit::keep_waiting);
        b.SetInsertPoint(turn);
        b.CreateStore(b.getInt32(iterations), patience);
        call_runtime("lathe_rt_backedge", b.getVoidTy(), {});
    }
    b.CreateStore(b.getInt32(header), turn_);
    dispatch(targets, Frontier::Exit::give_turn);
}

// Comes after all blocks of the order: wait loops in a circle, each when those behind it had their
// turn, then barriers.
void Widener::emit_scheduler() {
    b.SetInsertPoint(scheduler_);
    const llvm::BitVector& waiting = frontier_.waiting(frontier_.scheduler());
    const auto go = [&](unsigned k, Value* condition) {
        llvm::BasicBlock* other = block("next");
        b.CreateCondBr(condition, blocks_[k], other);
        b.SetInsertPoint(other);
    };
    const auto has_lanes = [&](unsigned k) {
        return b.CreateICmpNE(b.CreateLoad(mask_type_, waiting_[k]),
                              llvm::ConstantInt::get(mask_type_, 0));
    };
    Value* last = turn_ ? b.CreateLoad(b.getInt32Ty(), turn_) : nullptr;
    for (unsigned k : waiting.set_bits()) {
        if (frontier_.is_wait_loop(k))
            go(k, b.CreateAnd(has_lanes(k), b.CreateICmpULT(last, b.getInt32(k))));
    }
    for (unsigned k : waiting.set_bits()) {
        if (frontier_.is_wait_loop(k)) go(k, has_lanes(k));
    }
    for (unsigned k : waiting.set_bits()) {
        if (frontier_.is_barrier(k)) go(k, has_lanes(k));
    }
    b.CreateRetVoid();
}

// While others of the warp have yet to come, lanes are held; with the last of them all go on.
void Widener::emit_end_of_barrier(unsigned behind) {
    Value* zero = llvm::ConstantInt::get(mask_type_, 0);
    llvm::BasicBlock *hold = block("hold"), *open = block("open");
    Copies copies;
    find_copies(behind, mask_, copies);
    for (const auto& [slot, value] : copies) b.CreateStore(value, slot);
    b.CreateCondBr(b.CreateICmpNE(others_to_come_, zero), hold, open);
    b.SetInsertPoint(hold);
    b.CreateStore(b.CreateOr(b.CreateLoad(mask_type_, held_.lookup(behind)), mask_),
                  held_.lookup(behind));
    dispatch({behind}, Frontier::Exit::stay);
    b.SetInsertPoint(open);
    for (unsigned k = 0; k < frontier_.size(); ++k) {
        llvm::AllocaInst* held = held_.lookup(k);
        if (!held) continue;
        Value* lanes = b.CreateLoad(mask_type_, held);
        if (k == behind) lanes = b.CreateOr(lanes, mask_);
        b.CreateStore(b.CreateOr(b.CreateLoad(mask_type_, waiting_[k]), lanes), waiting_[k]);
        b.CreateStore(zero, held);
    }
    dispatch({behind}, Frontier::Exit::in_order);
}

Value* Widener::lanes_at(const std::function<bool(unsigned)>& test) {
    Value* lanes = llvm::ConstantInt::get(mask_type_, 0);
    for (unsigned k : frontier_.waiting(current_).set_bits()) {
        if (test(k)) lanes = b.CreateOr(lanes, b.CreateLoad(mask_type_, waiting_[k]));
    }
    return lanes;
}

// The values that phis of a target take for these lanes. Stored together: a phi may be another's
// operand.
void Widener::find_copies(unsigned to, Value* lanes, Copies& copies) {
    const llvm::BasicBlock* from = frontier_.block(current_);
    const bool joins = frontier_.waiting(current_).test(to);
    for (const llvm::PHINode& phi : frontier_.block(to)->phis()) {
        const Value* incoming = phi.getIncomingValueForBlock(from);
        if (llvm::isa<llvm::UndefValue>(incoming)) continue;
        if (shape(&phi).is_strips()) {
            const std::vector<llvm::AllocaInst*>& slots = strip_slots_[&phi];
            for (unsigned r = 0; r < slots.size(); ++r)
                copies.emplace_back(slots[r], strip(incoming, r));
            continue;
        }
        llvm::AllocaInst* slot = slots_.lookup(&phi);
        if (shape(&phi).is_affine()) {
            copies.emplace_back(slot, scalar(incoming));
            continue;
        }
        Value* value = vector(incoming);
        if (joins || shapes_.is_torn(&phi)) {
            Value* old = b.CreateLoad(slot->getAllocatedType(), slot);
            value = b.CreateSelect(mask_vector(lanes), value, old);
        }
        copies.emplace_back(slot, value);
    }
}

void Widener::emit_back_edge() {
    Value* left = b.CreateSub(b.CreateLoad(b.getInt32Ty(), back_edges_), b.getInt32(1));
    b.CreateStore(left, back_edges_);
    llvm::BasicBlock *report = block("report"), *go_on = block("go_on");
    auto* weights = llvm::MDBuilder{b.getContext()}.createBranchWeights(1, kBackEdgesPerReport);
    b.CreateCondBr(b.CreateICmpEQ(left, b.getInt32(0)), report, go_on, weights);
    b.SetInsertPoint(report);
    call_runtime("lathe_rt_backedge", b.getVoidTy(), {});
    b.CreateStore(b.getInt32(kBackEdgesPerReport), back_edges_);
    b.CreateBr(go_on);
    b.SetInsertPoint(go_on);
}

void Widener::dispatch(const std::vector<unsigned>& targets, Frontier::Exit exit) {
    const std::vector<unsigned> next = frontier_.next_blocks(current_, targets, exit);
    for (unsigned k : next) {
        if (k == frontier_.scheduler()) {
            if (!scheduler_) scheduler_ = block("scheduler");
            b.CreateBr(scheduler_);
            return;
        }
        if (!targets.empty() && k == next.back()) {
            b.CreateBr(blocks_[k]);
            return;
        }
        Value* lanes = b.CreateLoad(mask_type_, waiting_[k]);
        Value* some = b.CreateICmpNE(lanes, llvm::ConstantInt::get(mask_type_, 0));
        llvm::BasicBlock* other = block("next");
        b.CreateCondBr(some, blocks_[k], other);
        b.SetInsertPoint(other);
    }
    b.CreateRetVoid();
}

void Widener::promote_slots() {
    llvm::DominatorTree tree{wide_};
    std::vector<llvm::AllocaInst*> all;
    for (llvm::AllocaInst* slot : promoted_)
        if (llvm::isAllocaPromotable(slot)) all.push_back(slot);
    llvm::PromoteMemToReg(all, tree);
}

} // namespace lathe::soft::jit::warp
