// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/warp/rounds.h"

#include "gpu/soft/rt/abi.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <algorithm>
#include <vector>

namespace lathe::soft::jit::warp {

namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;
using Blocks = llvm::SmallPtrSet<BasicBlock*, 32>;

llvm::CallInst* call_of(Instruction& i, llvm::StringRef name) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    return callee && callee->getName() == name ? call : nullptr;
}

std::vector<llvm::CallInst*> calls_of(llvm::Function& function, llvm::StringRef name) {
    std::vector<llvm::CallInst*> found;
    for (Instruction& i : llvm::instructions(function))
        if (auto* call = call_of(i, name)) found.push_back(call);
    return found;
}

/// (context, id 0, all threads, kind sync, lanes, votes)
bool is_of_block(const llvm::CallInst& barrier) {
    const auto is_zero = [&](unsigned argument) {
        const auto* number = llvm::dyn_cast<llvm::ConstantInt>(barrier.getArgOperand(argument));
        return number && number->isZero();
    };
    return is_zero(1) && is_zero(2) && is_zero(3) && barrier.use_empty();
}

class Splitting {
public:
    Splitting(llvm::Function& step, llvm::Argument& kept)
        : step_{step}, layout_{step.getParent()->getDataLayout()}, kept_{&kept},
          begin_{&step.getEntryBlock()} {}

    std::uint32_t run() {
        for (BasicBlock& block : step_)
            if (auto* ret = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator()))
                set_state(kStepEnded, ret);
        for (llvm::CallInst* call : calls_of(step_, "lathe_rt_warp_run_checked"))
            end_with(kStepWraps, *call);
        for (llvm::CallInst* barrier : calls_of(step_, "lathe_rt_warp_barrier")) add_stop(*barrier);
        find_crossing();
        make_start();
        keep_arrays();
        find_made_again();
        place_values();
        for (Stop& stop : stops_) resume_at(stop); // while all operands are as they were
        for (auto& [value, slot] : slots_) slot.memory = to_memory(*value);
        for (std::size_t k = 0; k < stops_.size(); ++k)
            stop_at(stops_[k], static_cast<std::uint32_t>(k + 1));
        promote();
        return static_cast<std::uint32_t>(llvm::alignTo(bytes_, kKeptAlignment));
    }

private:
    struct Stop {
        llvm::CallInst* barrier;
        BasicBlock* behind;
        std::vector<Instruction*> values = {}; ///< which live across it
        BasicBlock* resume = nullptr;          ///< where the next step begins
        std::vector<Value*> then = {};         ///< `values` there
    };
    struct Slot {
        std::uint32_t offset = 0; ///< of what is kept
        llvm::AllocaInst* memory = nullptr;
        bool is_made_again = false; ///< instead of being kept
    };

    void add_stop(llvm::CallInst& barrier) {
        BasicBlock* behind =
            barrier.getParent()->splitBasicBlock(std::next(barrier.getIterator()), "behind");
        stops_.push_back({&barrier, behind});
    }

    /// The blocks at whose start a value is needed.
    static Blocks live_in(Instruction& value) {
        std::vector<BasicBlock*> found;
        for (llvm::Use& use : value.uses()) {
            auto* user = llvm::cast<Instruction>(use.getUser());
            auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
            BasicBlock* at = phi ? phi->getIncomingBlock(use) : user->getParent();
            if (at != value.getParent()) found.push_back(at);
        }
        Blocks live;
        while (!found.empty()) {
            BasicBlock* block = found.back();
            found.pop_back();
            if (!live.insert(block).second) continue;
            for (BasicBlock* before : llvm::predecessors(block))
                if (before != value.getParent()) found.push_back(before);
        }
        return live;
    }

    void find_crossing() {
        for (Instruction& i : llvm::instructions(step_)) {
            if (i.getType()->isVoidTy() || llvm::isa<llvm::AllocaInst>(i)) continue;
            const Blocks live = live_in(i);
            for (Stop& stop : stops_) {
                if (!live.contains(stop.behind)) continue;
                stop.values.push_back(&i);
                slots_.insert({&i, {}});
            }
        }
    }

    /// Values that follow from the arguments in a few instructions are made again behind a
    /// barrier, instead of being kept.
    void find_made_again() {
        for (auto& [value, slot] : slots_) {
            unsigned left = kMostMadeAgain;
            slot.is_made_again = can_be_made_again(*value, left);
        }
    }

    bool can_be_made_again(const Value& value, unsigned& left) const {
        if (llvm::isa<llvm::Argument, llvm::Constant>(value)) return true;
        const auto* i = llvm::dyn_cast<Instruction>(&value);
        if (!i || left-- == 0) return false;
        if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(i)) {
            if (!reads_what_stays(*load)) return false;
        } else if (!llvm::isa<llvm::CastInst, llvm::GetElementPtrInst, llvm::CmpInst,
                              llvm::SelectInst, llvm::InsertElementInst, llvm::ShuffleVectorInst>(
                       i) &&
                   !(llvm::isa<llvm::BinaryOperator>(i) && i->getType()->isIntOrIntVectorTy() &&
                     !i->isIntDivRem())) {
            return false;
        }
        return llvm::all_of(i->operands(), [&](const llvm::Use& each) {
            return can_be_made_again(*each.get(), left);
        });
    }

    /// The warp's place, the thread's context or the kernel's parameters: always there, and the
    /// same while the warp runs. What the kernel reads may be marked as invariant, too.
    bool reads_what_stays(const llvm::LoadInst& load) const {
        if (!load.hasMetadata(llvm::LLVMContext::MD_invariant_load)) return false;
        const auto base_of = [&](const llvm::LoadInst& each, std::int64_t& offset) {
            offset = 0;
            return llvm::GetPointerBaseWithConstantOffset(each.getPointerOperand(), offset,
                                                          layout_);
        };
        std::int64_t offset = 0;
        const Value* base = base_of(load, offset);
        if (llvm::isa<llvm::Argument>(base)) return true;
        const auto* parameters = llvm::dyn_cast<llvm::LoadInst>(base);
        return parameters && base_of(*parameters, offset) == step_.getArg(0) &&
               offset == offsetof(ThreadContext, params);
    }

    using Made = llvm::DenseMap<const Instruction*, Value*>;
    Value* make_again(Instruction& i, llvm::IRBuilder<>& b, Made& made) const {
        if (Value* known = made.lookup(&i)) return known;
        Instruction* copy = i.clone();
        for (llvm::Use& operand : copy->operands())
            if (auto* of = llvm::dyn_cast<Instruction>(operand.get()))
                operand.set(make_again(*of, b, made));
        b.Insert(copy);
        copy->dropPoisonGeneratingFlags();
        return made[&i] = copy;
    }

    /// Small values first: they fit before the first one of a cache line.
    void place_values() {
        std::vector<std::pair<Instruction*, Slot>*> order;
        for (auto& each : slots_)
            if (!each.second.is_made_again) order.push_back(&each);
        std::ranges::stable_sort(order, {}, [&](const auto* each) {
            return layout_.getTypeAllocSize(each->first->getType()).getFixedValue();
        });
        for (auto* each : order) {
            llvm::Type* type = each->first->getType();
            each->second.offset = reserve(type, 1, align_of(type));
        }
    }

    std::uint32_t reserve(llvm::Type* type, std::uint64_t count, llvm::Align alignment) {
        const auto offset = static_cast<std::uint32_t>(llvm::alignTo(bytes_, alignment));
        bytes_ = offset + static_cast<std::uint32_t>(layout_.getTypeAllocSize(type) * count);
        return offset;
    }

    llvm::Align align_of(llvm::Type* type) const {
        return std::min(layout_.getPrefTypeAlign(type), llvm::Align{kKeptAlignment});
    }

    Value* place(llvm::IRBuilder<>& b, std::uint32_t offset) const {
        return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), kept_, offset);
    }

    void set_state(std::uint32_t state, Instruction* before) {
        llvm::IRBuilder<> b{before};
        b.CreateStore(b.getInt32(state), kept_);
    }

    /// The function returns in the place of `call`.
    void end_with(std::uint32_t state, llvm::CallInst& call) {
        BasicBlock* block = call.getParent();
        set_state(state, &call);
        auto* end = llvm::ReturnInst::Create(block->getContext(), nullptr, call.getIterator());
        end->setDebugLoc(call.getDebugLoc());
        for (BasicBlock* next : llvm::successors(block)) next->removePredecessor(block);
        while (&block->back() != end) {
            Instruction& last = block->back();
            last.replaceAllUsesWith(llvm::PoisonValue::get(last.getType()));
            last.eraseFromParent();
        }
    }

    /// What the function begins with: it goes on where the warp stands.
    void make_start() {
        start_ = BasicBlock::Create(step_.getContext(), "start", &step_, begin_);
        llvm::IRBuilder<> b{start_};
        b.SetCurrentDebugLocation(begin_->getTerminator()->getDebugLoc());
        Value* state = b.CreateLoad(b.getInt32Ty(), kept_, "state");
        dispatch_ = b.CreateSwitch(state, begin_, static_cast<unsigned>(stops_.size()));
    }

    /// Arrays of the code: kept where they may be read behind a barrier after they were written
    /// before it; else they stay on the stack.
    void keep_arrays() {
        for (Instruction& i : llvm::make_early_inc_range(*begin_)) {
            auto* array = llvm::dyn_cast<llvm::AllocaInst>(&i);
            if (!array) continue;
            array->moveBefore(dispatch_);
            if (!crosses(*array)) continue;
            const auto* count = llvm::cast<llvm::ConstantInt>(array->getArraySize());
            llvm::IRBuilder<> b{array};
            // No instruction needs a higher alignment than what is kept has.
            const auto alignment = std::min(array->getAlign(), llvm::Align{kKeptAlignment});
            Value* kept =
                place(b, reserve(array->getAllocatedType(), count->getZExtValue(), alignment));
            array->replaceAllUsesWith(kept);
            array->eraseFromParent();
        }
    }

    /// Whether a path leads from a use through a barrier to a use, as far as is known.
    bool crosses(const llvm::AllocaInst& array) const {
        Blocks users;
        std::vector<const Value*> addresses{&array};
        llvm::SmallPtrSet<const Value*, 16> known;
        while (!addresses.empty()) {
            const Value* address = addresses.back();
            addresses.pop_back();
            for (const llvm::User* user : address->users()) {
                const auto* i = llvm::cast<Instruction>(user);
                users.insert(const_cast<BasicBlock*>(i->getParent()));
                const auto* store = llvm::dyn_cast<llvm::StoreInst>(i);
                if (store && store->getValueOperand() == address) return true; // who knows
                if (i->getType()->isVoidTy() || llvm::isa<llvm::LoadInst>(i)) continue;
                if (known.insert(i).second) addresses.push_back(i);
            }
        }
        const Blocks before = reached_from({users.begin(), users.end()});
        std::vector<BasicBlock*> behind;
        for (const Stop& stop : stops_)
            if (before.contains(stop.barrier->getParent())) behind.push_back(stop.behind);
        return llvm::any_of(reached_from(std::move(behind)),
                            [&](BasicBlock* block) { return users.contains(block); });
    }

    static Blocks reached_from(std::vector<BasicBlock*> left) {
        Blocks reached;
        while (!left.empty()) {
            BasicBlock* block = left.back();
            left.pop_back();
            if (reached.insert(block).second)
                left.insert(left.end(), llvm::succ_begin(block), llvm::succ_end(block));
        }
        return reached;
    }

    /// A value goes through memory to where other blocks use it.
    llvm::AllocaInst* to_memory(Instruction& value) {
        auto* memory = new llvm::AllocaInst{value.getType(), layout_.getAllocaAddrSpace(), "",
                                            dispatch_->getIterator()};
        std::vector<llvm::Use*> far;
        for (llvm::Use& use : value.uses()) {
            auto* user = llvm::cast<Instruction>(use.getUser());
            if (user->getParent() != value.getParent() || llvm::isa<llvm::PHINode>(user))
                far.push_back(&use);
        }
        llvm::DenseMap<BasicBlock*, Value*> loaded; // at the ends of blocks, for phis
        for (llvm::Use* use : far) {
            auto* user = llvm::cast<Instruction>(use->getUser());
            const auto load = [&](Instruction* before) {
                return new llvm::LoadInst{value.getType(), memory, "", before->getIterator()};
            };
            if (auto* phi = llvm::dyn_cast<llvm::PHINode>(user)) {
                BasicBlock* from = phi->getIncomingBlock(*use);
                if (from == value.getParent()) continue;
                Value*& at_end = loaded[from];
                if (!at_end) at_end = load(from->getTerminator());
                use->set(at_end);
            } else {
                use->set(load(user));
            }
        }
        auto after = llvm::isa<llvm::PHINode>(value) ? value.getParent()->getFirstInsertionPt()
                                                     : std::next(value.getIterator());
        new llvm::StoreInst{&value, memory, after};
        return memory;
    }

    void resume_at(Stop& stop) const {
        stop.resume = BasicBlock::Create(step_.getContext(), "resume", &step_, stop.behind);
        llvm::IRBuilder<> b{stop.resume};
        b.SetCurrentDebugLocation(stop.barrier->getDebugLoc());
        Made made;
        for (Instruction* value : stop.values) {
            const Slot& slot = slots_.find(value)->second;
            stop.then.push_back(slot.is_made_again
                                    ? make_again(*value, b, made)
                                    : b.CreateAlignedLoad(value->getType(), place(b, slot.offset),
                                                          align_of(value->getType())));
        }
    }

    void stop_at(const Stop& stop, std::uint32_t state) {
        BasicBlock* block = stop.barrier->getParent();
        llvm::IRBuilder<> b{stop.barrier};
        for (Instruction* value : stop.values) {
            const Slot& slot = slots_[value];
            if (slot.is_made_again) continue;
            Value* now = b.CreateLoad(value->getType(), slot.memory);
            b.CreateAlignedStore(now, place(b, slot.offset), align_of(value->getType()));
        }
        b.CreateStore(b.getInt32(state), kept_);
        b.CreateRetVoid();
        block->getTerminator()->eraseFromParent();
        stop.barrier->eraseFromParent();

        b.SetInsertPoint(stop.resume);
        for (std::size_t k = 0; k < stop.values.size(); ++k)
            b.CreateStore(stop.then[k], slots_[stop.values[k]].memory);
        b.CreateBr(stop.behind);
        dispatch_->addCase(b.getInt32(state), stop.resume);
    }

    void promote() {
        std::vector<llvm::AllocaInst*> all;
        for (const auto& [value, slot] : slots_) all.push_back(slot.memory);
        llvm::DominatorTree tree{step_};
        llvm::PromoteMemToReg(all, tree);
    }

    static constexpr unsigned kMostMadeAgain = 5; ///< instructions for a value

    llvm::Function& step_;
    const llvm::DataLayout& layout_;
    llvm::Argument* kept_;
    BasicBlock* begin_; ///< where a warp begins
    BasicBlock* start_ = nullptr;
    llvm::SwitchInst* dispatch_ = nullptr;
    std::vector<Stop> stops_;
    llvm::MapVector<Instruction*, Slot> slots_;
    std::uint32_t bytes_ = sizeof(std::uint32_t); ///< the state
};

} // namespace

bool can_run_in_rounds(const llvm::Function& wide) {
    bool waits = false;
    for (const Instruction& i : llvm::instructions(wide)) {
        const auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
        const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
        if (!callee) continue;
        const llvm::StringRef name = callee->getName();
        if (name == "lathe_rt_warp_barrier") {
            if (!is_of_block(*call)) return false;
            waits = true;
        } else if (name == "lathe_rt_warp_barrier_part" || name == "lathe_rt_warp_bring" ||
                   name == "lathe_rt_warp_meet") {
            return false;
        }
    }
    return waits;
}

std::uint32_t split_at_barriers(llvm::Function& step, llvm::Argument& kept) {
    return Splitting{step, kept}.run();
}

} // namespace lathe::soft::jit::warp
