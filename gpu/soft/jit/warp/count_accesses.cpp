// SPDX-License-Identifier: MIT
// What accesses of a warp count: sectors of global memory, bank conflicts, atomics at one address.
// Most follows from how often the block ran; the rest is tested here, or asked of the run time.
#include "engine/core/memory_model.h"
#include "gpu/soft/jit/count_calls.h"
#include "gpu/soft/jit/warp/widener.h"

#include <llvm/IR/MDBuilder.h>

namespace lathe::soft::jit::warp {

namespace {

constexpr std::uint32_t kAllLanes = ~0u;

/// Degree of strips of all lanes (or of one row), where it is the same at every alignment.
std::optional<unsigned> degree_of_rows(std::int64_t stride, unsigned strip, std::int64_t pitch,
                                       std::uint32_t size) {
    std::optional<unsigned> degree;
    for (std::uint64_t first = 0; first < 4; first += std::min(size, 4u)) {
        std::uint64_t addresses[kWarpLanes];
        for (unsigned k = 0; k < kWarpLanes; ++k)
            addresses[k] = (1ull << 40) + first + static_cast<std::uint64_t>(stride) * (k % strip) +
                           static_cast<std::uint64_t>(pitch) * (k / strip);
        const unsigned found = bank_degree(addresses, kAllLanes, size);
        if (degree && *degree != found) return {};
        degree = found;
    }
    return degree;
}

// How many sectors a row has that does not reach into one more because of where it begins.
std::uint32_t sectors_of_row(unsigned lanes, std::int64_t stride, std::uint32_t size) {
    return 1 + ((lanes - 1) * static_cast<std::uint32_t>(stride) + size - 1) / kSectorBytes;
}

} // namespace

// (address, CountedSpace, bytes)
void Widener::emit_count(const llvm::CallBase& i) {
    const auto space = static_cast<CountedSpace>(constant_of(i, 1));
    const auto site = count_sites_.find(&i);
    if (site != count_sites_.end()) return emit_count(i, site->second);
    const std::uint32_t first = sites_->slot();
    if (space == CountedSpace::unknown)
        for (int k = 0; k < 4; ++k) sites_->slot();
    count_sites_[&i] = first;
    describe(i, first);
    emit_count(i, first);
}

// How many sectors or what degree a row of all lanes has; what it costs beyond that goes into the
// site's own slot.
Widener::RowCount Widener::row_count(CountedSpace space, std::int64_t stride,
                                     std::uint32_t size) const {
    const auto step = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(static_cast<std::uint64_t>(stride < 0 ? -stride : stride), 64));
    if (space == CountedSpace::atomic) return {1, false, true};
    if (space == CountedSpace::shared) {
        const auto degree = degree_of_rows(stride, kWarpLanes, 0, size);
        return {degree.value_or(0), !degree, degree == 1u};
    }
    if (step > kSectorBytes) return {kWarpLanes, false, false}; // aligned: a sector for each lane
    const std::uint32_t reach = (kWarpLanes - 1) * step + size - 1;
    return {1 + reach / kSectorBytes, false, false};
}

// The terms of an access.
void Widener::describe(const llvm::CallBase& i, std::uint32_t slot) {
    const llvm::DILocation* line = i.getDebugLoc().get();
    const BlockCounts& n = block_counts_[current_];
    const Shape s = shape(i.getArgOperand(0));
    const std::uint32_t size = constant_of(i, 2);
    const auto space = static_cast<CountedSpace>(constant_of(i, 1));
    const auto add = [&](Counter counter, const SlotSum& sum, std::int64_t factor = 1) {
        sites_->add(line, counter, sum, factor);
    };
    Counter counter = Counter::sectors;
    switch (space) {
    case CountedSpace::global:
        add(Counter::global_accesses, n.runs);
        add(Counter::ideal_sectors, n.whole, size); // 32 lanes of `size` bytes
        add(Counter::ideal_sectors, {{n.ideal.at(size), 1}});
        break;
    case CountedSpace::shared:
        add(Counter::shared_accesses, n.runs);
        counter = Counter::bank_conflict_degree;
        break;
    case CountedSpace::atomic:
        add(Counter::atomics, n.runs);
        counter = Counter::atomics_serialised;
        if (s.is_uniform()) return add(counter, n.lanes);
        break;
    case CountedSpace::unknown:
        add(Counter::sectors, {{slot, 1}});
        add(Counter::global_accesses, {{slot + 1, 1}});
        add(Counter::ideal_sectors, {{slot + 2, 1}});
        add(Counter::bank_conflict_degree, {{slot + 3, 1}});
        add(Counter::shared_accesses, {{slot + 4, 1}});
        return;
    }
    if (s.is_uniform()) return add(counter, n.runs);
    add(counter, {{slot, 1}});
    if (s.is_affine()) {
        const RowCount row = row_count(space, s.stride, size);
        add(counter, row.holds_for_some ? n.runs : n.whole, row.least);
    } else if (const auto degree = degree_of_strips(space, s, size)) {
        add(counter, *degree == 1 ? n.runs : n.whole, *degree);
    } else if (s.is_strips() && counts_rows(space, s)) {
        add(counter, n.whole, least_of_rows(space, s, size));
    } else if (s.hopeful && counts_rows(space, s)) {
        add(counter, n.whole, least_of_rows(space, s, size));
    }
}

// Whether rows that are only known when running are counted without a call.
bool Widener::counts_rows(CountedSpace space, const Shape& s) const {
    if (!options_.has_strips()) return space != CountedSpace::atomic;
    return space == CountedSpace::global && (options_.strips() == 2 || s.pitch == 0) &&
           s.stride >= 0 && s.stride <= kSectorBytes;
}

std::uint32_t Widener::least_of_rows(CountedSpace space, const Shape& s, std::uint32_t size) const {
    if (!options_.has_strips()) return row_count(space, size, size).least;
    const std::int64_t stride = s.is_strips() ? s.stride : size;
    return (s.pitch == 0 ? 1 : 2) * sectors_of_row(options_.strip, stride, size);
}

// A bit: rows (one or two) have as few sectors as they can, and none in common.
Value* Widener::are_apart(const Firsts& firsts, std::int64_t stride, std::uint32_t size) {
    auto* i64 = b.getInt64Ty();
    const std::uint64_t span = sectors_of_row(options_.strip, stride, size) * kSectorBytes;
    const std::uint64_t bytes = (options_.strip - 1) * static_cast<std::uint64_t>(stride) + size;
    const std::uint64_t room = span - bytes;
    const bool is_aligned = room + std::min(size, kSectorBytes) >= kSectorBytes; // to its size
    Value* apart = b.getTrue();
    Value* begin = b.getInt64(0);
    std::vector<Value*> rows;
    for (Value* first : firsts) rows.push_back(b.CreatePtrToInt(first, i64));
    for (Value* first : rows) {
        Value* within = b.CreateAnd(first, b.getInt64(kSectorBytes - 1));
        if (room == 0) begin = b.CreateOr(begin, within);
        if (room != 0 && !is_aligned)
            apart = b.CreateAnd(apart, b.CreateICmpULE(within, b.getInt64(room)));
    }
    if (room == 0 && !is_aligned) apart = b.CreateICmpEQ(begin, b.getInt64(0));
    if (rows.size() == 1) return apart;
    Value* far = b.CreateAdd(b.CreateSub(rows[1], rows[0]), b.getInt64(span - 1));
    return b.CreateAnd(apart, b.CreateICmpUGT(far, b.getInt64(2 * (span - 1))));
}

// Of all lanes, where strips lie at a known distance.
std::optional<unsigned> Widener::degree_of_strips(CountedSpace space, const Shape& s,
                                                  std::uint32_t size) const {
    if (space != CountedSpace::shared || !s.is_strips() || !s.pitch) return {};
    return degree_of_rows(s.stride, options_.strip, *s.pitch, size);
}

void Widener::call_count(const llvm::CallBase& i, std::uint32_t slot, std::uint32_t minus) {
    const Value* address = i.getArgOperand(0);
    const auto space = static_cast<CountedSpace>(constant_of(i, 1));
    const CountedWhat what = space == CountedSpace::global    ? CountedWhat::sectors
                             : space == CountedSpace::shared  ? CountedWhat::banks
                             : space == CountedSpace::unknown ? CountedWhat::any
                                                              : CountedWhat::atomics;
    Value *size = i.getArgOperand(2), *kind = b.getInt32(static_cast<std::uint32_t>(what));
    Value* mask = b.CreateZExt(mask_, b.getInt32Ty());
    auto* i64 = b.getInt64Ty();
    const Shape s = shape(address);
    if (s.is_affine()) {
        Value* first = b.CreatePtrToInt(scalar(address), i64);
        Value* stride = b.getInt64(static_cast<std::uint64_t>(s.stride));
        call_runtime("lathe_jit_count_row", b.getVoidTy(),
                     {counter(slot), first, stride, size, mask, kind, b.getInt32(minus)});
        return;
    }
    if (!counted_lanes_) counted_lanes_ = stack(vector_type(i64), "counted");
    // Lanes that are off hold anything.
    const auto freeze = [&](Value* v) { return b.CreateFreeze(v); };
    Value* addresses = s.is_strips() ? nullptr : freeze(as_vector(address));
    std::vector<Value*> of_strips;
    for (unsigned r = 0; s.is_strips() && r < options_.strips(); ++r)
        of_strips.push_back(freeze(b.CreatePtrToInt(strip(address, r), i64)));
    const auto call = [&](Value* memo) -> Value* {
        if (!addresses && space != CountedSpace::unknown) {
            for (unsigned r = 0; r < of_strips.size(); ++r)
                b.CreateStore(of_strips[r], b.CreateConstGEP1_64(i64, counted_lanes_, r));
            call_runtime("lathe_jit_count_strips", b.getVoidTy(),
                         {counter(slot), counted_lanes_, b.getInt32(options_.strip),
                          b.getInt64(static_cast<std::uint64_t>(s.stride)), size, mask, kind,
                          b.getInt32(minus), memo});
            return nullptr;
        }
        Value* all = addresses ? addresses : spread_strips(of_strips, s.stride, 0);
        b.CreateStore(all, counted_lanes_);
        call_runtime("lathe_jit_count_lanes", b.getVoidTy(),
                     {counter(slot), counted_lanes_, size, mask, kind, b.getInt32(minus), memo});
        return nullptr;
    };
    if (space == CountedSpace::unknown) {
        call(llvm::ConstantPointerNull::get(b.getPtrTy()));
        return;
    }
    // Most accesses have the same pattern again and again.
    std::uint32_t& memo = memos_.try_emplace({&i, minus}, 0).first->second;
    if (!memo) memo = sites_->slots(kMemoSlots);
    const auto load = [&](llvm::Type* type, std::uint32_t at) {
        auto* known = b.CreateAlignedLoad(type, counter(memo + at), llvm::Align{8});
        counting_code_.insert(known);
        return known;
    };
    Value* first = addresses ? b.CreateExtractElement(addresses, std::uint64_t{0}) : of_strips[0];
    Value* same = b.getTrue();
    if (addresses) {
        Value* distances = b.CreateSub(addresses, splat(first));
        same = b.CreateICmpEQ(distances, load(vector_type(i64), 0));
        same = is_full(b.CreateBitCast(same, mask_type_));
    }
    for (unsigned r = 1; r < of_strips.size(); ++r) { // strides never change
        Value* known = load(i64, r * options_.strip);
        same = b.CreateAnd(same, b.CreateICmpEQ(b.CreateSub(of_strips[r], first), known));
    }
    Value* place = b.CreateShl(b.CreateAnd(first, b.getInt64(kSectorBytes - 1)), kMemoPlaceShift);
    Value* key = b.CreateOr(b.CreateOr(place, b.CreateZExt(mask, i64)), b.getInt64(kMemoUsed));
    Value* known = b.CreateAnd(same, b.CreateICmpEQ(key, load(i64, kMemoKey)));
    usually(
        known,
        [&]() -> Value* {
            bump(slot, load(i64, kMemoCount));
            return nullptr;
        },
        [&] { return call(counter(memo)); });
}

void Widener::emit_count(const llvm::CallBase& i, std::uint32_t slot) {
    const Value* address = i.getArgOperand(0);
    const std::uint32_t size = constant_of(i, 2);
    const auto space = static_cast<CountedSpace>(constant_of(i, 1));
    const Shape s = shape(address);
    if (space == CountedSpace::unknown) return call_count(i, slot, 0);
    if (s.is_uniform()) return;
    const auto call = [&] { call_count(i, slot, 0); };
    // A row of sectors that does not begin with one may need one more.
    const auto add_if_unaligned = [&](Value* first, std::int64_t stride) {
        const auto step = static_cast<std::uint64_t>(stride < 0 ? -stride : stride);
        if (space != CountedSpace::global || step > kSectorBytes) return;
        const std::uint64_t reach = (kWarpLanes - 1) * step + size - 1;
        const std::uint64_t room = kSectorBytes - 1 - reach % kSectorBytes;
        if (room + std::min(size, kSectorBytes) >= kSectorBytes) return; // aligned to its size
        Value* lowest = b.CreatePtrToInt(first, b.getInt64Ty());
        if (stride < 0) lowest = b.CreateSub(lowest, b.getInt64((kWarpLanes - 1) * step));
        Value* within = b.CreateAnd(lowest, b.getInt64(kSectorBytes - 1));
        count_where(b.CreateICmpUGT(within, b.getInt64(room)), [&] { bump(slot, b.getInt64(1)); });
    };
    if (s.is_affine()) {
        const RowCount row = row_count(space, s.stride, size);
        if (row.holds_for_some) return;
        if (row.depends) return call();
        if (space == CountedSpace::shared && llvm::isa<llvm::Constant>(mask_)) return;
        return count_by_mask([&] { add_if_unaligned(scalar(address), s.stride); }, call);
    }
    if (const auto degree = degree_of_strips(space, s, size)) {
        if (*degree != 1) count_by_mask([] {}, call);
        return;
    }
    if (!counts_rows(space, s) || (!s.is_strips() && !s.hopeful)) return call();
    const std::int64_t stride = s.is_strips() ? s.stride : size;
    const std::uint32_t least = least_of_rows(space, s, size);
    const auto call_beyond = [&]() -> Value* {
        call_count(i, slot, least);
        return nullptr;
    };
    if (options_.has_strips()) {
        return count_by_mask(
            [&] {
                Row row =
                    s.is_strips() ? Row{b.getTrue(), firsts(address)} : find_row(address, size);
                if (s.pitch == 0) row.firsts.resize(1); // all strips have the same
                Value* usual = b.CreateAnd(row.found, are_apart(row.firsts, stride, size));
                usually(usual, [] { return nullptr; }, call_beyond);
            },
            call);
    }
    count_by_mask(
        [&] {
            const Row row = find_row(address, size);
            usually(
                row.found,
                [&]() -> Value* {
                    add_if_unaligned(row.firsts[0], size);
                    return nullptr;
                },
                call_beyond);
        },
        call);
}

} // namespace lathe::soft::jit::warp
