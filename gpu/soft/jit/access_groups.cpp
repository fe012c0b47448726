// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/access_groups.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <bit>

namespace lathe::soft::jit {

namespace {

using llvm::Value;
using Kind = Root::Kind;

llvm::SmallVector<Touch, 2> touches_of(llvm::Instruction& i, const llvm::DataLayout& layout) {
    const auto size = [&](const llvm::Type* type) {
        return layout.getTypeStoreSize(const_cast<llvm::Type*>(type)).getFixedValue();
    };
    const auto most = [](llvm::Align align) {
        return static_cast<std::uint32_t>(
            std::min<std::uint64_t>(align.value(), 1u << kMostAlignmentBits));
    };
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&i))
        return {{&i, load->getPointerOperand(), size(load->getType()), nullptr, false,
                 most(load->getAlign())}};
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&i))
        return {{&i, store->getPointerOperand(), size(store->getValueOperand()->getType()), nullptr,
                 true, most(store->getAlign())}};
    if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&i))
        return {{&i, update->getPointerOperand(), size(update->getType()), nullptr, true,
                 most(update->getAlign())}};
    if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&i))
        return {{&i, exchange->getPointerOperand(), size(exchange->getNewValOperand()->getType()),
                 nullptr, true, most(exchange->getAlign())}};
    auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&i);
    if (!memory) return {};
    llvm::SmallVector<Touch, 2> all;
    const auto add = [&](Value* pointer, llvm::MaybeAlign align, bool writes) {
        const auto* known = llvm::dyn_cast<llvm::ConstantInt>(memory->getLength());
        if (known)
            all.push_back(
                {&i, pointer, known->getZExtValue(), nullptr, writes, most(align.valueOrOne())});
        else all.push_back({&i, pointer, 0, memory->getLength(), writes, most(align.valueOrOne())});
    };
    if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(memory))
        add(copy->getSource(), copy->getSourceAlign(), false);
    add(memory->getDest(), memory->getDestAlign(), true);
    return all;
}

std::uint32_t residue(std::int64_t offset, std::uint32_t alignment) {
    return static_cast<std::uint32_t>(offset) & (alignment - 1);
}

/// Whether an access can be aligned where those of the group are.
bool agrees(const Group& group, const Place& place, const Touch& touch) {
    const std::uint32_t least = std::min(group.alignment, touch.alignment);
    return residue(place.offset, least) == residue(group.aligned, least);
}

/// Whether code behind a call may not come, or comes after other threads did something.
bool ends_line(const llvm::Instruction& i) {
    if (llvm::isa<llvm::FenceInst>(i)) return true;
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
    if (!call || llvm::isa<llvm::IntrinsicInst>(call)) return false;
    const llvm::Function* callee = call->getCalledFunction();
    return !callee || callee->getName().starts_with("lathe_rt_") ||
           callee->getName().starts_with("lathe.warp.") || !callee->isDeclaration();
}

class AccessFinder {
public:
    AccessFinder(llvm::Function& function, const ModuleFacts& facts, const KernelFacts* kernel,
                 bool joins)
        : facts_{facts}, kernel_{kernel}, layout_{function.getParent()->getDataLayout()},
          origins_{function, kernel}, alignments_{function, facts, origins_}, tree_{function},
          joins_{joins} {
        for (const auto& [name, facts_of] : facts.functions)
            frees_ |= facts_of.callees.count("free") > 0;
    }

    std::vector<Bundle> run() {
        visit(*tree_.getRootNode());
        return std::move(bundles_);
    }

private:
    void visit(const llvm::DomTreeNode& root);
    void find_groups(llvm::BasicBlock& block);
    void add(const Touch& touch, std::vector<Group>& open);
    void close(std::vector<Group>& open);
    /// What may have been freed when dominated code runs is not known there.
    void keep(const Group& group) {
        const bool lasts = group.root.kind != Kind::unknown || !frees_;
        if (lasts && !group.first().length) known_.push_back(Known{group});
    }
    Value* next_step(const Group& group, const Group& next, llvm::Instruction* at) const;
    bool can_join(const Bundle& bundle, const Group& group) const;
    std::uint32_t seen_slot(const Root& root);
    bool is_own(const Root& root, const Place& place, const Touch& touch) const;
    void align(Group& group) const;

    const ModuleFacts& facts_;
    const KernelFacts* kernel_;
    const llvm::DataLayout& layout_;
    Provenance origins_;
    Alignments alignments_;
    llvm::DominatorTree tree_;
    bool joins_;
    bool frees_ = false; ///< the module has a function that frees memory of the device heap
    std::vector<Bundle> bundles_;
    struct Known {
        const Value* base;
        std::int64_t begin, end;
        std::uint32_t alignment, aligned;

        explicit Known(const Group& group)
            : base{group.base}, begin{group.begin}, end{group.end}, alignment{group.alignment},
              aligned{group.aligned} {}
        bool holds(const Place& place, const Touch& touch) const {
            return base == place.base && begin <= place.offset &&
                   place.offset + static_cast<std::int64_t>(touch.size) <= end &&
                   touch.alignment <= alignment &&
                   residue(place.offset, touch.alignment) == aligned % touch.alignment;
        }
    };
    std::vector<Known> known_; ///< what dominating code has checked
    llvm::DenseMap<const Value*, std::uint32_t> seen_;
};

// In dominator order, without recursion: `known_` is cut back where a subtree ends.
void AccessFinder::visit(const llvm::DomTreeNode& root) {
    struct Pending {
        const llvm::DomTreeNode* node;
        std::size_t known;
    };
    std::vector<Pending> pending{{&root, 0}};
    while (!pending.empty()) {
        const Pending next = pending.back();
        pending.pop_back();
        known_.erase(known_.begin() + static_cast<std::ptrdiff_t>(next.known), known_.end());
        find_groups(*next.node->getBlock());
        for (const llvm::DomTreeNode* child : *next.node) pending.push_back({child, known_.size()});
    }
}

void AccessFinder::find_groups(llvm::BasicBlock& block) {
    std::vector<Group> open;
    for (llvm::Instruction& i : block) {
        if (ends_line(i)) close(open);
        if (!i.mayReadOrWriteMemory()) continue;
        for (const Touch& touch : touches_of(i, layout_)) add(touch, open);
    }
    close(open);
}

/// Whether a value is there at a place of its block, or can be: it is made of what is.
bool is_known_before(const Value* value, const llvm::Instruction* at, unsigned depth = 0) {
    const auto* i = llvm::dyn_cast<llvm::Instruction>(value);
    if (!i || i->getParent() != at->getParent() || llvm::isa<llvm::PHINode>(i) ||
        i->comesBefore(at))
        return true;
    const auto* o = llvm::dyn_cast<llvm::BinaryOperator>(i);
    const bool moves = (o && !o->isIntDivRem()) ||
                       llvm::isa<llvm::CastInst, llvm::GetElementPtrInst, llvm::SelectInst>(i);
    return moves && depth < 8 &&
           llvm::all_of(
               i->operands(),
               [&](const llvm::Use& use) { return is_known_before(use.get(), at, depth + 1); });
}

/// The distance from a group to one that is like it, where the next base is this one plus something
/// small: a sum of such steps does not wrap. Null: there is none.
Value* AccessFinder::next_step(const Group& group, const Group& next, llvm::Instruction* at) const {
    constexpr unsigned kSignBits = 18; // below 2^46
    if (!(next.root == group.root) || next.begin != group.begin || next.end != group.end ||
        next.alignment != group.alignment || next.aligned != group.aligned ||
        next.room_alignment != group.room_alignment)
        return nullptr;
    auto* sum = llvm::dyn_cast<llvm::Instruction>(next.base);
    Value* step = nullptr;
    if (sum && sum->getOpcode() == llvm::Instruction::Add) {
        if (sum->getOperand(0) == group.base) step = sum->getOperand(1);
        if (sum->getOperand(1) == group.base) step = sum->getOperand(0);
    } else if (auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(next.base)) {
        const bool simple = gep->getNumIndices() == 1 &&
                            gep->getSourceElementType()->isIntegerTy(8) &&
                            gep->getPointerOperand() == group.base;
        if (simple) step = gep->getOperand(1);
    }
    const bool fits = step && step->getType()->isIntegerTy(64) && is_known_before(step, at) &&
                      llvm::ComputeNumSignBits(step, layout_) >= kSignBits;
    return fits ? step : nullptr;
}

bool AccessFinder::can_join(const Bundle& bundle, const Group& group) const {
    constexpr std::size_t kMost = 4;
    return joins_ && bundle.groups.size() < kMost && !bundle.step &&
           !bundle.groups.front().first().length && !group.first().length &&
           is_known_before(group.first().pointer, bundle.at());
}

void AccessFinder::close(std::vector<Group>& open) {
    constexpr std::size_t kFewestSteps = 3;
    const std::size_t before = bundles_.size();
    for (Group& group : open) align(group);
    std::vector<bool> taken(open.size());
    for (std::size_t k = 0; k < open.size(); ++k) {
        if (taken[k]) continue;
        keep(open[k]);
        std::vector<std::size_t> chain{k};
        Value* step = nullptr;
        for (std::size_t next = k + 1; next < open.size() && !open[k].first().length; ++next) {
            if (taken[next] || open[next].first().length) continue;
            Value* found = next_step(open[chain.back()], open[next], open[k].first().at);
            if (!found || (step && found != step)) continue;
            step = found;
            chain.push_back(next);
        }
        if (chain.size() < kFewestSteps) {
            if (bundles_.size() > before && can_join(bundles_.back(), open[k]))
                bundles_.back().groups.push_back(open[k]);
            else bundles_.push_back({{open[k]}, nullptr});
            continue;
        }
        Bundle bundle{{}, step};
        for (std::size_t each : chain) {
            taken[each] = true;
            if (each != k) keep(open[each]);
            bundle.groups.push_back(open[each]);
        }
        bundles_.push_back(std::move(bundle));
    }
    open.clear();
}

void AccessFinder::add(const Touch& touch, std::vector<Group>& open) {
    constexpr std::int64_t kLongest = 1 << 20, kLongestUnknown = 4096;
    Root root = origins_.of(touch.pointer);
    if (root.kind <= Kind::loaded || root.kind == Kind::frame) {
        const Place place = place_of(touch.pointer, layout_, false);
        if (root.kind == Kind::frame && llvm::isa<llvm::Argument>(place.base)) return; // our own
        root = {Kind::unknown, seen_slot(root)};
    }
    if (root.kind == Kind::variable && !size_of(root, facts_, kernel_, layout_))
        root = {Kind::unknown};
    const Place place = place_of(touch.pointer, layout_, root.kind == Kind::shared);
    if (is_own(root, place, touch)) return;
    const Member member{place.offset, touch};
    const std::int64_t end = place.offset + static_cast<std::int64_t>(touch.size);
    if (!touch.length) {
        for (const Known& known : known_)
            if (known.holds(place, touch)) return;
        const std::int64_t most = root.kind == Kind::unknown ? kLongestUnknown : kLongest;
        for (Group& group : open) {
            if (group.base != place.base || group.first().length) continue;
            if (!agrees(group, place, touch)) continue;
            const std::int64_t low = std::min(group.begin, place.offset),
                               high = std::max(group.end, end);
            if (high - low > most) continue;
            group.begin = low;
            group.end = high;
            group.members.push_back(member);
            if (touch.alignment > group.alignment) {
                group.alignment = touch.alignment;
                group.aligned = residue(place.offset, touch.alignment);
            }
            return;
        }
    }
    open.push_back({root,
                    place.base,
                    place.offset,
                    end,
                    {member},
                    touch.alignment,
                    residue(place.offset, touch.alignment)});
}

/// Finds out what of the alignment is left to test.
void AccessFinder::align(Group& group) const {
    group.tests_alignment = false;
    group.room_alignment = 1;
    if (group.alignment == 1) return;
    const ZeroBits bits = alignments_.of(group.base);
    const auto needed = static_cast<unsigned>(std::countr_zero(group.alignment));
    const bool is_parameter = group.root.kind == Kind::parameter && group.root.slot < 64;
    if (group.aligned == 0 && bits.certain >= needed) return;
    if (group.aligned == 0 && bits.assumed >= needed && is_parameter &&
        bits.slots == std::uint64_t{1} << group.root.slot)
        group.room_alignment = group.alignment;
    else group.tests_alignment = true;
}

/// Addresses made from one value that was loaded mostly lie in one allocation.
std::uint32_t AccessFinder::seen_slot(const Root& root) {
    if (!root.value) return 0;
    const auto next = static_cast<std::uint32_t>(1 + seen_.size() % (kSeenRanges - 1));
    return seen_.try_emplace(root.value, next).first->second;
}

/// Accesses that cannot fail.
bool AccessFinder::is_own(const Root& root, const Place& place, const Touch& touch) const {
    if (root.kind == Kind::context) return true;
    if (touch.length) return false;
    const bool at_start =
        place.base == root.value || ((root.kind == Kind::shared || root.kind == Kind::parameters) &&
                                     llvm::isa<llvm::LoadInst, llvm::Argument>(place.base));
    if (!at_start || place.offset < 0) return false;
    if (residue(place.offset, touch.alignment) != 0 ||
        alignments_.of(place.base).certain < std::countr_zero(touch.alignment))
        return false;
    const auto end = static_cast<std::uint64_t>(place.offset) + touch.size;
    const std::optional<std::uint64_t> size = root.kind == Kind::shared && kernel_
                                                  ? kernel_->shared.static_bytes
                                                  : size_of(root, facts_, kernel_, layout_);
    return size && end <= *size;
}

} // namespace

std::vector<Bundle> find_accesses(llvm::Function& function, const ModuleFacts& facts,
                                  const KernelFacts* kernel, bool joins) {
    return AccessFinder{function, facts, kernel, joins}.run();
}

std::optional<std::uint64_t> size_of(const Root& root, const ModuleFacts& facts,
                                     const KernelFacts* kernel, const llvm::DataLayout& layout) {
    switch (root.kind) {
    case Kind::local:
        if (const auto size = llvm::cast<llvm::AllocaInst>(root.value)->getAllocationSize(layout))
            return size->getFixedValue();
        return std::nullopt;
    case Kind::variable: {
        const std::string name = root.value->getName().substr(4).str(); // "sym."
        const auto found = facts.variables.find(name);
        if (found == facts.variables.end() || !found->second->size_bytes()) return std::nullopt;
        return found->second->size_bytes();
    }
    case Kind::parameters:
        return kernel ? std::optional<std::uint64_t>{kernel->info.param_bytes} : std::nullopt;
    case Kind::shared:
        if (!kernel || kernel->shared.has_dynamic) return std::nullopt;
        return kernel->shared.static_bytes;
    default: return std::nullopt;
    }
}

} // namespace lathe::soft::jit
