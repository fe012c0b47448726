// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/counting.h"

#include "gpu/soft/jit/flops.h"
#include "gpu/soft/jit/provenance.h"
#include "gpu/soft/jit/warp/marks.h"
#include "gpu/soft/rt/abi.h"

#include <fmt/format.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IRBuilder.h>

#include <iterator>
#include <sstream>

namespace lathe::soft::jit {

namespace {

using llvm::Value;

constexpr std::uint32_t kNotCounted = ~0u;

CounterRow row_of(const llvm::DILocation& place, bool by_threads) {
    CounterRow row{place.getFilename().str(), place.getLine(), {}, by_threads};
    for (const llvm::DILocation* call = place.getInlinedAt(); call; call = call->getInlinedAt())
        row.inlined_at += fmt::format("{}{}:{}", row.inlined_at.empty() ? "" : ";",
                                      call->getFilename().str(), call->getLine());
    return row;
}

struct Noted {
    const llvm::Metadata* id = nullptr;
    std::uint32_t bytes = 0, offset = 0, space = kNotCounted;
};

std::optional<Noted> noted(const llvm::Instruction& i) {
    const llvm::MDNode* node = i.getMetadata(kAccessMetadata);
    if (!node || node->getNumOperands() != 4) return {};
    const auto number = [&](unsigned k) {
        return static_cast<std::uint32_t>(
            llvm::mdconst::extract<llvm::ConstantInt>(node->getOperand(k))->getZExtValue());
    };
    return Noted{node->getOperand(0).get(), number(1), number(2), number(3)};
}

/// Its own marks, and what is no code.
bool is_mark(const llvm::Instruction& i) {
    if (llvm::isa<llvm::PHINode, llvm::DbgInfoIntrinsic>(i) || i.isLifetimeStartOrEnd())
        return true;
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    return callee && (callee->getName() == warp::kCheck || callee->getName() == warp::kWatch ||
                      callee->getName() == warp::kCount);
}

/// Whether others could tell that the instruction ran. (Loads that counters see have a mark.)
bool acts(const llvm::Instruction& i) {
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i);
        store && llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(store->getPointerOperand())))
        return false; // a local variable: the table of sinf()'s rare path
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
    if (!call) return i.mayWriteToMemory();
    const llvm::Function* callee = call->getCalledFunction();
    return !llvm::isa<llvm::IntrinsicInst>(i) &&
           !(callee &&
             (callee->getName() == warp::kCheck || callee->getName() == warp::kLinearTid ||
              callee->getName() == warp::kWatch || callee->doesNotAccessMemory()));
}

class Marks {
public:
    Marks(llvm::Function& body, const ModuleFacts& facts, const KernelFacts& kernel)
        : body_{body}, facts_{facts}, origins_{body, &kernel},
          layout_{body.getParent()->getDataLayout()} {}

    void run() {
        for (llvm::BasicBlock& block : body_) {
            std::set<const llvm::Metadata*> seen; // vector accesses of the block
            for (llvm::Instruction& i : llvm::make_early_inc_range(block)) visit(i, seen);
        }
    }

private:
    void visit(llvm::Instruction& i, std::set<const llvm::Metadata*>& seen) {
        if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(i)) {
            Value* place = i.getOperand(0);
            const auto* type =
                llvm::isa<llvm::AtomicRMWInst>(i) ? i.getType() : i.getOperand(1)->getType();
            return mark(i, place, size_of(type), CountedSpace::atomic);
        }
        if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&i)) { // cp.async
            const auto* bytes = llvm::dyn_cast<llvm::ConstantInt>(copy->getLength());
            if (!bytes || bytes->getZExtValue() > 16) return;
            const auto size = static_cast<std::uint32_t>(bytes->getZExtValue());
            mark_by_origin(i, copy->getSource(), size);
            mark_by_origin(i, copy->getDest(), size);
            return;
        }
        Value* place = llvm::getLoadStorePointerOperand(&i);
        if (!place) return;
        const auto* type = llvm::isa<llvm::LoadInst>(i) ? i.getType() : i.getOperand(0)->getType();
        const auto part = noted(i);
        if (!part) return mark_by_origin(i, place, size_of(type));
        if (part->space == kNotCounted || !seen.insert(part->id).second) return;
        if (part->offset) {
            llvm::IRBuilder<> b{&i};
            place = b.CreateConstGEP1_64(b.getInt8Ty(), place, ~std::uint64_t{part->offset} + 1);
        }
        const auto space = static_cast<CountedSpace>(part->space);
        if (space == CountedSpace::unknown) return mark_by_origin(i, place, part->bytes);
        mark(i, place, part->bytes, space);
    }

    std::uint32_t size_of(const llvm::Type* type) const {
        return static_cast<std::uint32_t>(
            layout_.getTypeStoreSize(const_cast<llvm::Type*>(type)).getFixedValue());
    }

    void mark_by_origin(llvm::Instruction& at, Value* place, std::uint32_t size) {
        const Value* known = place;
        if (const auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(place);
            gep && gep->hasAllConstantIndices())
            known = gep->getPointerOperand(); // perhaps ours, which the analysis has not seen
        const Root root = origins_.of(known);
        switch (root.kind) {
        case Root::Kind::parameter: return mark(at, place, size, CountedSpace::global);
        case Root::Kind::shared: return mark(at, place, size, CountedSpace::shared);
        case Root::Kind::variable: {
            const auto found =
                root.value ? facts_.variables.find(name_of(*root.value)) : facts_.variables.end();
            const bool constant =
                found != facts_.variables.end() && found->second->space == ptx::Space::constant;
            if (!constant) mark(at, place, size, CountedSpace::global);
            return;
        }
        case Root::Kind::unvisited:
        case Root::Kind::number:
        case Root::Kind::loaded:
        case Root::Kind::unknown: return mark(at, place, size, CountedSpace::unknown);
        default: // local memory and parameters
            return;
        }
    }

    static std::string name_of(const Value& variable) {
        llvm::StringRef name = variable.getName();
        name.consume_front("sym.");
        return name.str();
    }

    void mark(llvm::Instruction& at, Value* place, std::uint32_t size, CountedSpace space) {
        llvm::IRBuilder<> b{&at};
        auto* type = llvm::FunctionType::get(b.getVoidTy(),
                                             {b.getPtrTy(), b.getInt32Ty(), b.getInt32Ty()}, false);
        b.CreateCall(body_.getParent()->getOrInsertFunction(warp::kCount, type),
                     {place, b.getInt32(static_cast<std::uint32_t>(space)), b.getInt32(size)});
    }

    llvm::Function& body_;
    const ModuleFacts& facts_;
    Provenance origins_;
    const llvm::DataLayout& layout_;
};

} // namespace

void CounterSites::add(const llvm::DILocation* place, Counter counter, const SlotSum& sum,
                       std::int64_t factor, bool by_threads) {
    if (!place || place->getLine() == 0) return;
    const auto [known, is_new] =
        rows_.emplace(row_of(*place, by_threads), static_cast<std::uint32_t>(table_.rows.size()));
    if (is_new) table_.rows.push_back(known->first);
    for (const auto& [slot, times] : sum)
        table_.terms.push_back({known->second, counter, slot, times * factor});
}

std::map<const llvm::BasicBlock*, CounterSites::Places>
CounterSites::places(const llvm::Function& function) {
    std::map<CounterRow, std::map<const llvm::BasicBlock*, const llvm::DILocation*>> all, acting;
    for (const llvm::BasicBlock& block : function) {
        for (const llvm::Instruction& i : block) {
            if (llvm::isa<llvm::PHINode, llvm::DbgInfoIntrinsic>(i)) continue;
            const llvm::DILocation* place = i.getDebugLoc().get();
            if (!place || place->getLine() == 0) continue;
            const CounterRow row = row_of(*place, false);
            all[row].emplace(&block, place);
            if (acts(i)) acting[row].emplace(&block, place);
        }
    }
    for (auto& [row, blocks] : acting) all[row] = std::move(blocks);
    std::map<const llvm::BasicBlock*, Places> found;
    for (const auto& [row, blocks] : all)
        for (const auto& [block, place] : blocks) found[block].push_back(place);
    return found;
}

std::vector<CounterSites::Work> CounterSites::work(const llvm::BasicBlock& block) {
    std::map<CounterRow, Work> found;
    for (const llvm::Instruction& i : block) {
        const llvm::DILocation* place = i.getDebugLoc().get();
        if (is_mark(i) || !place || place->getLine() == 0) continue;
        Work& work = found[row_of(*place, false)];
        work.line = place;
        ++work.instructions;
        const Flops flops = flops_of(i);
        work.flops += flops.all;
        work.double_flops += flops.doubles;
    }
    std::vector<Work> all;
    for (const auto& [row, work] : found) all.push_back(work);
    return all;
}

void CounterSites::add(const Work& work, const SlotSum& runs, const SlotSum& lanes,
                       bool by_threads) {
    add(work.line, Counter::instructions, runs, work.instructions, by_threads);
    add(work.line, Counter::thread_instructions, lanes, work.instructions, by_threads);
    if (work.flops) add(work.line, Counter::flops, lanes, work.flops, by_threads);
    if (work.double_flops)
        add(work.line, Counter::double_flops, lanes, work.double_flops, by_threads);
}

void CounterSites::write(llvm::Module& module, std::string_view kernel) const {
    std::string text = fmt::format("{}\n{} {} {}\n", kernel, table_.slots, table_.rows.size(),
                                   table_.terms.size());
    const auto to = std::back_inserter(text);
    for (const CounterRow& row : table_.rows)
        fmt::format_to(to, "{} {} {}\t{}\n", row.line, int{row.by_threads}, row.file,
                       row.inlined_at);
    for (const CounterTerm& term : table_.terms)
        fmt::format_to(to, "{} {} {} {}\n", term.row, static_cast<unsigned>(term.counter),
                       term.slot, term.factor);
    auto* data = llvm::ConstantDataArray::getString(module.getContext(), text, true);
    new llvm::GlobalVariable{module, data->getType(), true, llvm::GlobalValue::ExternalLinkage,
                             data,   kCounterTable};
}

CounterTablePtr read_counter_table(const char* text) {
    if (!text) return nullptr;
    auto table = std::make_shared<CounterTable>();
    std::istringstream in{text};
    std::size_t rows = 0, terms = 0;
    std::getline(in, table->kernel);
    in >> table->slots >> rows >> terms;
    table->rows.resize(rows);
    table->terms.resize(terms);
    for (CounterRow& row : table->rows) {
        in >> row.line >> row.by_threads;
        in.get();
        std::getline(in, row.file, '\t');
        std::getline(in, row.inlined_at);
    }
    for (CounterTerm& term : table->terms) {
        unsigned counter = 0;
        in >> term.row >> counter >> term.slot >> term.factor;
        term.counter = static_cast<Counter>(counter);
    }
    return table;
}

llvm::MDNode* new_access(llvm::LLVMContext& context) {
    return llvm::MDNode::getDistinct(context, {});
}

void note_access(llvm::Instruction& i, llvm::MDNode* id, std::uint32_t bytes, std::uint32_t offset,
                 std::uint32_t space) {
    llvm::LLVMContext& context = i.getContext();
    const auto number = [&](std::uint32_t n) -> llvm::Metadata* {
        return llvm::ConstantAsMetadata::get(
            llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), n));
    };
    i.setMetadata(kAccessMetadata,
                  llvm::MDNode::get(context, {id, number(bytes), number(offset), number(space)}));
}

void mark_counted(llvm::Function& body, const ModuleFacts& facts, const KernelFacts& kernel) {
    Marks{body, facts, kernel}.run();
}

void count_threads(llvm::Function& function, CounterSites& sites) {
    Value* counters = nullptr;
    llvm::BasicBlock& entry = function.getEntryBlock();
    const auto all = CounterSites::places(function);
    for (llvm::BasicBlock& block : function) {
        const auto places = all.find(&block);
        const std::vector<CounterSites::Work> works = CounterSites::work(block);
        if (places == all.end() && works.empty()) continue;
        if (!counters) {
            llvm::IRBuilder<> start{&*entry.getFirstNonPHIOrDbgOrAlloca()};
            Value* field = start.CreateConstGEP1_64(start.getInt8Ty(), function.getArg(0),
                                                    offsetof(ThreadContext, counters));
            counters = start.CreateLoad(start.getPtrTy(), field);
        }
        auto at = block.getFirstInsertionPt();
        if (&block == &entry)
            at = std::next(llvm::cast<llvm::Instruction>(counters)->getIterator());
        llvm::IRBuilder<> b{&block, at};
        const std::uint32_t slot = sites.slot();
        Value* place = b.CreateConstGEP1_64(b.getInt64Ty(), counters, slot);
        b.CreateStore(b.CreateAdd(b.CreateLoad(b.getInt64Ty(), place), b.getInt64(1)), place);
        for (const CounterSites::Work& work : works)
            sites.add(work, {{slot, 1}}, {{slot, 1}}, true);
        if (places == all.end()) continue;
        for (const llvm::DILocation* line : places->second) {
            sites.add(line, Counter::executions, {{slot, 1}}, 1, true);
            sites.add(line, Counter::lanes, {{slot, 1}}, 1, true);
        }
    }
}

} // namespace lathe::soft::jit
