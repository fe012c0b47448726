// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/warp/records.h"

#include "gpu/soft/jit/provenance.h"
#include "gpu/soft/jit/warp/marks.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

namespace lathe::soft::jit::warp {

namespace {

constexpr std::int64_t kLongest = 64; ///< bytes of a record

struct Span {
    std::int64_t begin, end;
    bool overlaps(const Span& other) const { return begin < other.end && other.begin < end; }
};

struct Found {
    const llvm::Instruction* access;
    Span span;
};

/// Accesses of one base that may become a record.
struct Open {
    const llvm::Value* base;
    std::int64_t bytes;
    bool writes;
    std::vector<Found> parts;
    std::vector<Span> written; ///< of the same base, behind the first load

    bool fits(const Span& span) const {
        std::int64_t low = span.begin, high = span.end;
        for (const Found& part : parts) {
            low = std::min(low, part.span.begin);
            high = std::max(high, part.span.end);
            if (part.span.overlaps(span) || (part.span.begin - span.begin) % bytes != 0)
                return false;
        }
        const auto touches = [&](const Span& other) { return other.overlaps(span); };
        return high - low <= kLongest && std::none_of(written.begin(), written.end(), touches);
    }
};

/// Whether a call neither touches memory that a kernel sees nor waits.
bool is_harmless(const llvm::Instruction& i) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
    if (!call || !call->getCalledFunction()) return false;
    const llvm::StringRef callee = call->getCalledFunction()->getName();
    return callee == kCheck || callee == kCount || callee == kWatch ||
           llvm::isa<llvm::DbgInfoIntrinsic>(i);
}

class RecordFinder {
public:
    explicit RecordFinder(const llvm::DataLayout& layout) : layout_{layout} {}

    std::vector<Record> run(const llvm::BasicBlock& block) {
        for (const llvm::Instruction& i : block) visit(i);
        close([](const Open&) { return true; });
        return std::move(records_);
    }

private:
    void visit(const llvm::Instruction& i) {
        if (!i.mayReadOrWriteMemory() || is_harmless(i)) return;
        const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i);
        const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i);
        const bool simple = load ? load->isSimple() : store && store->isSimple();
        if (!simple) {
            if (i.mayWriteToMemory() || i.isAtomic() || i.isVolatile())
                close([](const Open&) { return true; });
            else // reads something
                close([](const Open& open) { return open.writes; });
            return;
        }
        const llvm::Type* type = load ? load->getType() : store->getValueOperand()->getType();
        const auto bytes = static_cast<std::int64_t>(
            layout_.getTypeStoreSize(const_cast<llvm::Type*>(type)).getFixedValue());
        const Place place = place_of(const_cast<llvm::Value*>(llvm::getLoadStorePointerOperand(&i)),
                                     layout_, false);
        const Span span{place.offset, place.offset + bytes};
        const bool is_constant = load && load->hasMetadata(llvm::LLVMContext::MD_invariant_load);
        if (!is_constant) pass(place.base, span, store != nullptr);
        const bool plain = (type->isIntegerTy() && type->getIntegerBitWidth() == 8u * bytes) ||
                           type->isFloatingPointTy();
        if (plain && bytes <= 8) add(i, {place.base, bytes, store != nullptr, {}, {}}, span);
    }

    /// What is open must be able to move beyond this access.
    void pass(const llvm::Value* base, const Span& span, bool writes) {
        close([&](Open& open) {
            if (open.writes) {
                const auto touches = [&](const Found& part) { return part.span.overlaps(span); };
                return open.base != base ||
                       std::any_of(open.parts.begin(), open.parts.end(), touches);
            }
            if (!writes) return false;
            open.written.push_back(span);
            return open.base != base;
        });
    }

    void add(const llvm::Instruction& i, Open like, const Span& span) {
        for (Open& open : open_) {
            const bool same =
                open.base == like.base && open.bytes == like.bytes && open.writes == like.writes;
            if (!same || !open.fits(span)) continue;
            open.parts.push_back({&i, span});
            return;
        }
        like.parts.push_back({&i, span});
        open_.push_back(std::move(like));
    }

    template <class Test> void close(Test test) {
        for (std::size_t k = 0; k < open_.size();) {
            if (!test(open_[k])) {
                ++k;
                continue;
            }
            finish(open_[k]);
            open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(k));
        }
    }

    void finish(Open& open) {
        if (open.writes && open.parts.size() < 2) return;
        Record record;
        record.bytes = static_cast<std::uint64_t>(open.bytes);
        record.writes = open.writes;
        record.at = (open.writes ? open.parts.back() : open.parts.front()).access;
        std::sort(open.parts.begin(), open.parts.end(),
                  [](const Found& x, const Found& y) { return x.span.begin < y.span.begin; });
        for (const Found& part : open.parts) {
            const std::int64_t index =
                (part.span.begin - open.parts.front().span.begin) / open.bytes;
            record.parts.push_back({part.access, static_cast<unsigned>(index)});
            if (part.access == record.at) record.index_of_at = static_cast<unsigned>(index);
        }
        records_.push_back(std::move(record));
    }

    const llvm::DataLayout& layout_;
    std::vector<Open> open_;
    std::vector<Record> records_;
};

} // namespace

std::vector<Record> find_records(const llvm::BasicBlock& block, const llvm::DataLayout& layout) {
    return RecordFinder{layout}.run(block);
}

} // namespace lathe::soft::jit::warp
