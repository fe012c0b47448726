// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/access_checks.h"

#include "gpu/soft/jit/access_groups.h"
#include "gpu/soft/jit/warp/marks.h"

#include <fmt/format.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <tuple>

namespace lathe::soft::jit {

namespace {

using llvm::Value;
using Kind = Root::Kind;

std::uint32_t bits_of(std::uint32_t alignment) {
    return static_cast<std::uint32_t>(std::countr_zero(alignment));
}

std::size_t seen_offset(const Root& root) {
    return offsetof(ThreadContext, seen) + root.slot * sizeof(MemoryRange);
}

/// Stack that is not asked for in the first block is no part of the frame.
void gather_stack(llvm::BasicBlock& start, llvm::Instruction* first) {
    for (llvm::Instruction& i : llvm::make_early_inc_range(start)) {
        const auto* slot = llvm::dyn_cast<llvm::AllocaInst>(&i);
        if (slot && slot->isStaticAlloca() && first->comesBefore(slot)) i.moveBefore(first);
    }
}

class Checks {
public:
    Checks(llvm::Function& function, const ModuleFacts& facts, const KernelFacts* kernel)
        : function_{function}, facts_{facts}, kernel_{kernel},
          layout_{function.getParent()->getDataLayout()} {}

    void run(bool marks) {
        const std::vector<Bundle> bundles = find_accesses(function_, facts_, kernel_, !marks);
        if (bundles.empty()) return;
        llvm::BasicBlock& start = function_.getEntryBlock();
        llvm::Instruction* first = &*start.getFirstNonPHIOrDbgOrAlloca();
        if (!marks) { // what is loaded once stays where it is when blocks are split
            gather_stack(start, first);
            start.splitBasicBlock(first->getIterator(), "begin");
            first = start.getTerminator();
        }
        llvm::IRBuilder<> entry{first};
        entry_ = &entry;
        // From the end: what a check splits off holds no other check to come.
        for (auto bundle = bundles.rbegin(); bundle != bundles.rend(); ++bundle)
            marks ? mark(*bundle) : check(*bundle);
    }

private:
    std::optional<std::uint64_t> known_size(const Root& root) const {
        return size_of(root, facts_, kernel_, layout_);
    }
    Value* begin_of(llvm::IRBuilder<>& b, const Root& root);
    Value* room_of(llvm::IRBuilder<>& b, const Group& group);
    Value* limit(llvm::IRBuilder<>& b, const Group& group);
    Value* range_field(const Root& root, std::size_t offset);
    Value* context_field(std::size_t offset);
    Value* lowest(llvm::IRBuilder<>& b, const Group& group);
    Value* offset_from(llvm::IRBuilder<>& b, Value* address, const Value* variable);
    Value* from_frame(llvm::IRBuilder<>& b, Value* value);
    std::uint32_t what(const Root& root) const;
    Value* low_bits(llvm::IRBuilder<>& b, const Group& group, Value* step);
    void mark_alignment(const Bundle& bundle);
    Value* allows(llvm::IRBuilder<>& b, const Group& group, Value* address);
    void check(const Bundle& bundle);
    void mark(const Bundle& bundle);
    void call_for_members(llvm::IRBuilder<>& b, const Group& group, Value* place, Value* begin);

    llvm::Function& function_;
    const ModuleFacts& facts_;
    const KernelFacts* kernel_;
    const llvm::DataLayout& layout_;
    llvm::IRBuilder<>* entry_ = nullptr;
    llvm::DenseMap<const Value*, llvm::AllocaInst*> frame_;
    std::map<std::tuple<Kind, std::uint32_t, std::size_t>, Value*> fields_;
    std::map<std::tuple<Kind, std::uint32_t, const Value*, std::uint64_t, std::uint32_t>, Value*>
        limits_;
};

void move_before(Value* value, llvm::Instruction* at) {
    auto* i = llvm::dyn_cast<llvm::Instruction>(value);
    if (!i || i->getParent() != at->getParent() || llvm::isa<llvm::PHINode>(i) ||
        i->comesBefore(at))
        return;
    for (llvm::Use& use : i->operands()) move_before(use.get(), at);
    i->moveBefore(at);
}

Value* Checks::context_field(std::size_t offset) {
    return entry_->CreateConstGEP1_64(entry_->getInt8Ty(), function_.getArg(0), offset);
}

/// Loads a value that does not change while the grid runs, once.
Value* invariant(llvm::IRBuilder<>& b, llvm::Type* type, Value* from) {
    auto* load = b.CreateAlignedLoad(type, from, llvm::Align{8});
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
    return load;
}

Value* Checks::range_field(const Root& root, std::size_t offset) {
    Value*& known = fields_[{root.kind, root.slot, offset}];
    if (known) return known;
    Value*& parameters = fields_[{Kind::parameters, 0, 0}];
    if (!parameters)
        parameters = function_.arg_size() > 5
                         ? function_.getArg(5)
                         : invariant(*entry_, entry_->getPtrTy(),
                                     context_field(offsetof(ThreadContext, params)));
    const std::size_t at =
        kernel_->info.ranges_offset() + root.slot * sizeof(ParameterRange) + offset;
    return fields_[{root.kind, root.slot, offset}] =
               invariant(*entry_, entry_->getInt64Ty(),
                         entry_->CreateConstGEP1_64(entry_->getInt8Ty(), parameters, at));
}

Value* Checks::begin_of(llvm::IRBuilder<>& b, const Root& root) {
    const auto seen = [&](std::size_t offset) {
        return b.CreateAlignedLoad(b.getInt64Ty(),
                                   b.CreateConstGEP1_64(b.getInt8Ty(), function_.getArg(0), offset),
                                   llvm::Align{8}, true);
    };
    switch (root.kind) {
    case Kind::parameter: return range_field(root, offsetof(ParameterRange, begin));
    case Kind::shared: {
        Value*& known = fields_[{root.kind, 0, 0}];
        if (!known) // loaded as the code loads it: what is subtracted from itself is known
            known =
                entry_->CreatePtrToInt(invariant(*entry_, entry_->getPtrTy(),
                                                 context_field(offsetof(ThreadContext, shared))),
                                       entry_->getInt64Ty());
        return known;
    }
    case Kind::parameters: {
        Value*& known = fields_[{root.kind, 0, 1}];
        if (!known)
            known = function_.arg_size() > 5
                        ? entry_->CreatePtrToInt(function_.getArg(5), entry_->getInt64Ty())
                        : invariant(*entry_, entry_->getInt64Ty(),
                                    context_field(offsetof(ThreadContext, params)));
        return known;
    }
    case Kind::variable:
    case Kind::local: return b.CreatePtrToInt(const_cast<Value*>(root.value), b.getInt64Ty());
    default: // volatile: the two belong together
        return seen(seen_offset(root) + offsetof(MemoryRange, begin));
    }
}

Value* Checks::room_of(llvm::IRBuilder<>& b, const Group& group) {
    const Root& root = group.root;
    if (const auto size = known_size(root)) return b.getInt64(*size + 1);
    switch (root.kind) {
    case Kind::parameter:
        return range_field(root, offsetof(ParameterRange, rooms) +
                                     sizeof(std::uint64_t) * bits_of(group.room_alignment));
    case Kind::shared: {
        Value*& known = fields_[{root.kind, 0, 1}];
        if (!known)
            known = invariant(*entry_, entry_->getInt64Ty(),
                              context_field(offsetof(ThreadContext, shared_room)));
        return known;
    }
    default:
        return b.CreateAlignedLoad(
            b.getInt64Ty(),
            b.CreateConstGEP1_64(b.getInt8Ty(), function_.getArg(0),
                                 seen_offset(root) + offsetof(MemoryRange, room)),
            llvm::Align{8}, true);
    }
}

Value* Checks::limit(llvm::IRBuilder<>& b, const Group& group) {
    Value* length = group.first().length;
    if (length) return limit_of(b, room_of(b, group), b.CreateZExtOrTrunc(length, b.getInt64Ty()));
    if (group.root.kind == Kind::unknown)
        return limit_of(b, room_of(b, group), b.getInt64(group.bytes()));
    const Root& root = group.root;
    Value*& known =
        limits_[{root.kind, root.slot, root.value, group.bytes(), group.room_alignment}];
    if (!known) known = limit_of(*entry_, room_of(*entry_, group), entry_->getInt64(group.bytes()));
    return known;
}

/// The address of the lowest byte of a group, known where its first access is.
Value* Checks::lowest(llvm::IRBuilder<>& b, const Group& group) {
    const std::int64_t down = group.begin - group.members.front().offset;
    Value* pointer = group.first().pointer;
    return down ? b.CreateConstGEP1_64(b.getInt8Ty(), pointer, static_cast<std::uint64_t>(down))
                : pointer;
}

/// address - variable; without the variable where the address is worked out from it.
Value* Checks::offset_from(llvm::IRBuilder<>& b, Value* address, const Value* variable) {
    llvm::SmallVector<llvm::GEPOperator*, 4> steps;
    Value* at = address;
    while (auto* gep = llvm::dyn_cast<llvm::GEPOperator>(at)) {
        steps.push_back(gep);
        at = gep->getPointerOperand();
    }
    if (at != variable)
        return b.CreateSub(b.CreatePtrToInt(address, b.getInt64Ty()),
                           b.CreatePtrToInt(const_cast<Value*>(variable), b.getInt64Ty()));
    Value* offset = b.getInt64(0);
    for (llvm::GEPOperator* step : steps) {
        llvm::MapVector<Value*, llvm::APInt> variables;
        llvm::APInt fixed{64, 0};
        if (!step->collectOffset(layout_, 64, variables, fixed))
            return b.CreateSub(b.CreatePtrToInt(address, b.getInt64Ty()),
                               b.CreatePtrToInt(const_cast<Value*>(variable), b.getInt64Ty()));
        offset = b.CreateAdd(offset, b.getInt64(fixed.getZExtValue()));
        for (const auto& [value, scale] : variables)
            offset = b.CreateAdd(offset, b.CreateMul(b.CreateSExtOrTrunc(value, b.getInt64Ty()),
                                                     b.getInt64(scale.getZExtValue())));
    }
    return offset;
}

/// What was loaded or worked out once, kept in memory: in registers these many values would be in
/// the way of the code's own, and take the allocator of registers long.
Value* Checks::from_frame(llvm::IRBuilder<>& b, Value* value) {
    const auto* made = llvm::dyn_cast<llvm::Instruction>(value);
    if (!made || made->getParent() != entry_->GetInsertBlock()) return value;
    llvm::AllocaInst*& slot = frame_[value];
    if (!slot) {
        llvm::BasicBlock& start = function_.getEntryBlock();
        slot = llvm::IRBuilder<>{&start, start.begin()}.CreateAlloca(value->getType());
        entry_->CreateStore(value, slot);
    }
    return b.CreateLoad(value->getType(), slot);
}

std::uint32_t Checks::what(const Root& root) const {
    const auto origin = [&] {
        switch (root.kind) {
        case Kind::parameter: return Origin::parameter;
        case Kind::shared: return Origin::shared;
        case Kind::variable: return Origin::variable;
        case Kind::local: return Origin::local;
        case Kind::parameters: return Origin::parameters;
        default: return Origin::unknown;
        }
    };
    return static_cast<std::uint32_t>(origin()) | root.slot << kSlotShift;
}

std::uint32_t alignment_code(std::uint32_t alignment, std::uint32_t aligned) {
    return bits_of(alignment) << kAlignmentShift | aligned << kAlignedShift;
}

bool is_variable(const Root& root) {
    return root.kind == Kind::variable || root.kind == Kind::local;
}

AccessSite::Access access_of(const Group& group, const Member& member) {
    return {static_cast<std::int32_t>(member.offset - group.begin),
            static_cast<std::uint32_t>(member.touch.size) | (member.touch.writes ? kWrites : 0)};
}

bool same_line(const llvm::Instruction& x, const llvm::Instruction& y) {
    const llvm::DebugLoc &p = x.getDebugLoc(), &q = y.getDebugLoc();
    if (!p || !q) return !p && !q;
    return p.getLine() == q.getLine() && p.getInlinedAt() == q.getInlinedAt() &&
           p->getFile() == q->getFile();
}

/// One call for each run of accesses of the same line and alignment, in their order.
void Checks::call_for_members(llvm::IRBuilder<>& b, const Group& group, Value* place,
                              Value* begin) {
    FailedCheck failed;
    const std::uint32_t code = what(group.root) | (group.first().length ? kLength : 0u);
    failed.bytes = is_variable(group.root) ? *known_size(group.root) : 0;
    failed.place = place;
    failed.begin = is_variable(group.root) ? begin : nullptr;
    if (group.first().length)
        failed.length = b.CreateZExtOrTrunc(group.first().length, b.getInt64Ty());
    std::vector<AccessSite::Access> accesses;
    for (std::size_t k = 0; k < group.members.size(); ++k) {
        const Touch& touch = group.members[k].touch;
        accesses.push_back(access_of(group, group.members[k]));
        if (k + 1 < group.members.size() && same_line(*touch.at, *group.members[k + 1].touch.at) &&
            touch.alignment == group.members[k + 1].touch.alignment)
            continue;
        b.SetCurrentDebugLocation(touch.at->getDebugLoc());
        failed.what = code | alignment_code(touch.alignment, 0);
        failed.accesses = accesses;
        call_failed_check(b, failed);
        accesses.clear();
    }
}

Value* Checks::allows(llvm::IRBuilder<>& b, const Group& group, Value* address) {
    Value* most = from_frame(b, limit(b, group));
    if (group.root.kind == Kind::local)
        return b.CreateICmpULT(offset_from(b, address, group.root.value), most);
    Value* begin = from_frame(b, begin_of(b, group.root));
    return b.CreateICmpULT(b.CreateSub(b.CreatePtrToInt(address, b.getInt64Ty()), begin), most);
}

/// What must be zero where the accesses are aligned.
Value* Checks::low_bits(llvm::IRBuilder<>& b, const Group& group, Value* step) {
    const std::int64_t behind = group.aligned - group.members.front().offset;
    Value* bits = b.CreatePtrToInt(group.first().pointer, b.getInt64Ty());
    if (behind) bits = b.CreateAdd(bits, b.getInt64(static_cast<std::uint64_t>(behind)));
    if (step) bits = b.CreateOr(bits, step);
    return b.CreateAnd(bits, group.alignment - 1);
}

void Checks::check(const Bundle& bundle) {
    llvm::Instruction* at = bundle.at();
    for (const Group& group : bundle.groups)
        if (!bundle.step) move_before(group.first().pointer, at);
    if (bundle.step) move_before(bundle.step, at);
    llvm::IRBuilder<> b{at};
    const auto address = [&](std::size_t k) {
        if (!bundle.step || k == 0) return lowest(b, bundle.groups[k]);
        return b.CreateGEP(b.getInt8Ty(), lowest(b, bundle.groups.front()),
                           b.CreateMul(bundle.step, b.getInt64(k)));
    };
    Value* allowed = nullptr;
    for (std::size_t k = 0; k < bundle.groups.size(); ++k) {
        if (bundle.step && k && k + 1 < bundle.groups.size()) continue;
        const Group& group = bundle.groups[k];
        Value* one = allows(b, group, address(k));
        allowed = allowed ? b.CreateAnd(allowed, one) : one;
        if (!group.tests_alignment || (bundle.step && k)) continue;
        allowed =
            b.CreateAnd(allowed, b.CreateICmpEQ(low_bits(b, group, bundle.step), b.getInt64(0)));
    }
    llvm::BasicBlock* before = at->getParent();
    llvm::BasicBlock* behind = before->splitBasicBlock(at->getIterator(), "allowed");
    auto* cold = llvm::BasicBlock::Create(b.getContext(), "look", &function_);
    before->getTerminator()->eraseFromParent();
    b.SetInsertPoint(before);
    b.SetCurrentDebugLocation(at->getDebugLoc());
    b.CreateCondBr(allowed, behind, cold,
                   llvm::MDBuilder{b.getContext()}.createBranchWeights(1u << 20, 1));
    b.SetInsertPoint(cold);
    for (std::size_t k = 0; k < bundle.groups.size(); ++k) {
        const Group& group = bundle.groups[k];
        call_for_members(b, group, b.CreatePtrToInt(address(k), b.getInt64Ty()),
                         is_variable(group.root) ? begin_of(b, group.root) : nullptr);
    }
    b.CreateBr(behind);
}

Value* writes_of(llvm::IRBuilder<>& b, const Group& group) {
    return b.getInt32(llvm::any_of(group.members, [](const Member& m) { return m.touch.writes; }));
}

/// Puts in the mark that the widener knows as kCheck.
void call_check(llvm::IRBuilder<>& b, llvm::ArrayRef<Value*> arguments) {
    auto* i64 = b.getInt64Ty();
    auto* i32 = b.getInt32Ty();
    auto* type = llvm::FunctionType::get(
        b.getVoidTy(), {b.getPtrTy(), i64, i64, i64, i32, i32, i64, i64, i32}, false);
    b.CreateCall(b.GetInsertBlock()->getModule()->getOrInsertFunction(warp::kCheck, type),
                 arguments);
}

void Checks::mark(const Bundle& bundle) {
    const Group& group = bundle.groups.front();
    if (bundle.step) move_before(bundle.step, bundle.at());
    if (group.tests_alignment) mark_alignment(bundle);
    llvm::IRBuilder<> b{bundle.at()};
    Value* begin = begin_of(b, group.root);
    Value* room = room_of(b, group);
    Value* length = group.first().length;
    Value* size = length ? b.CreateZExtOrTrunc(length, b.getInt64Ty()) : b.getInt64(group.bytes());
    // From the lowest address on.
    const std::uint32_t aligned =
        static_cast<std::uint32_t>(group.aligned - group.begin) & (group.alignment - 1);
    const std::uint32_t code =
        what(group.root) | (length ? kLength : 0u) | alignment_code(group.alignment, aligned);
    call_check(b, {lowest(b, group), begin, room, size, b.getInt32(code), writes_of(b, group),
                   b.getInt64(is_variable(group.root) ? *known_size(group.root) : 0),
                   bundle.step ? bundle.step : b.getInt64(0),
                   b.getInt32(static_cast<std::uint32_t>(bundle.groups.size()))});
}

/// The low bits as an address of one byte, the only one of a memory of one byte.
void Checks::mark_alignment(const Bundle& bundle) {
    const Group& group = bundle.groups.front();
    llvm::IRBuilder<> b{bundle.at()};
    const std::uint32_t code =
        static_cast<std::uint32_t>(Origin::alignment) | alignment_code(group.alignment, 0);
    call_check(b, {b.CreateIntToPtr(low_bits(b, group, bundle.step), b.getPtrTy()), b.getInt64(0),
                   b.getInt64(2), b.getInt64(1), b.getInt32(code), writes_of(b, group),
                   b.getInt64(0), b.getInt64(0), b.getInt32(1)});
}

} // namespace

void check_accesses(llvm::Function& function, const ModuleFacts& facts, const KernelFacts* kernel) {
    Checks{function, facts, kernel}.run(false);
    forget_alignment(function);
}

void mark_accesses(llvm::Function& body, const ModuleFacts& facts, const KernelFacts& kernel) {
    Checks{body, facts, &kernel}.run(true);
    forget_alignment(body);
}

void forget_alignment(llvm::Function& function) {
    const llvm::DataLayout& layout = function.getParent()->getDataLayout();
    const auto natural = [&](llvm::Type* type) {
        return llvm::Align{std::bit_floor(layout.getTypeStoreSize(type).getFixedValue())};
    };
    for (llvm::BasicBlock& block : function) {
        for (llvm::Instruction& i : block) {
            if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) {
                load->setAlignment(std::min(load->getAlign(), natural(load->getType())));
            } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) {
                store->setAlignment(
                    std::min(store->getAlign(), natural(store->getValueOperand()->getType())));
            } else if (auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&i)) {
                const llvm::Align most{4};
                memory->setDestAlignment(std::min(memory->getDestAlign().valueOrOne(), most));
                if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(memory))
                    copy->setSourceAlignment(std::min(copy->getSourceAlign().valueOrOne(), most));
            }
        }
    }
}

Value* limit_of(llvm::IRBuilderBase& b, Value* room, Value* size) {
    const auto* r = llvm::dyn_cast<llvm::ConstantInt>(room);
    const auto* s = llvm::dyn_cast<llvm::ConstantInt>(size);
    if (r && s)
        return b.getInt64(r->getZExtValue() - std::min(r->getZExtValue(), s->getZExtValue()));
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, room, size);
}

// Inline assembly that clobbers nothing: the values around stay where they are, and LLVM, which
// takes long to look up the names of clobbered registers, has none to look up.
void call_failed_check(llvm::IRBuilderBase& b, const FailedCheck& check) {
    std::string text, constraints;
    std::vector<Value*> operands;
    std::vector<llvm::Type*> types;
    for (Value* value : {check.place, check.begin, check.mask, check.length}) {
        if (!value) {
            text += "pushq $$0\n\t";
            continue;
        }
        text += fmt::format("pushq ${}\n\t", operands.size());
        constraints += "r,";
        operands.push_back(value);
        types.push_back(value->getType());
    }
    text += fmt::format("callq lathe_rt_access_check@PLT\n\t.long {}, {}\n\t.quad {}, {}, {}",
                        check.what, check.accesses.size(), check.bytes, check.stride,
                        check.begin_stride);
    for (const AccessSite::Access& access : check.accesses)
        fmt::format_to(std::back_inserter(text), "\n\t.long {}, {}", access.offset, access.size);
    if (!constraints.empty()) constraints.pop_back();
    auto* code = llvm::InlineAsm::get(llvm::FunctionType::get(b.getVoidTy(), types, false), text,
                                      constraints, true);
    llvm::CallInst* call = b.CreateCall(code, operands);
    call->addFnAttr(llvm::Attribute::NoUnwind);
    call->addFnAttr(llvm::Attribute::NoMerge);
    call->setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());
}

} // namespace lathe::soft::jit
