// SPDX-License-Identifier: MIT
// Records of lanes that lie side by side (records.h): whole vectors from the first lane's first
// part to the last lane's last one, and shuffles. No byte beyond is read but of the block of memory
// that an aligned record lies in, and none that no part writes is written.
#include "gpu/soft/jit/warp/interleave.h"
#include "gpu/soft/jit/warp/widener.h"

#include <llvm/Support/MathExtras.h>

#include <algorithm>

namespace lathe::soft::jit::warp {

namespace {

constexpr unsigned kMostParts = 8;

llvm::Type* type_of(const llvm::Instruction& access) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(&access);
    return store ? store->getValueOperand()->getType() : access.getType();
}

const Value* pointer_of(const Record& record) {
    return llvm::getLoadStorePointerOperand(record.at);
}

llvm::Align align_of(const llvm::Instruction& access) {
    return llvm::getLoadStoreAlignment(const_cast<llvm::Instruction*>(&access));
}

std::int64_t distance(const Record& record, unsigned index) {
    return (std::int64_t{index} - record.index_of_at) * static_cast<std::int64_t>(record.bytes);
}

/// Whether parts p and p + 1 make up eight bytes.
bool is_pair(const Record& record, std::size_t p) {
    return record.bytes == 4 && p + 1 < record.parts.size() &&
           record.parts[p + 1].index == record.parts[p].index + 1;
}

} // namespace

void Widener::collect_records(const llvm::BasicBlock& source) {
    records_ = find_records(source, layout_);
    record_of_.clear();
    for (std::size_t k = 0; k < records_.size(); ++k)
        for (const Record::Part& part : records_[k].parts) record_of_[part.access] = k;
}

// Parts of the size of one that lie between the beginnings of two lanes' records, where these are
// accessed together; else 0.
unsigned Widener::parts_together(const Record& record) const {
    const Shape s = shape(pointer_of(record));
    const auto bytes = static_cast<std::int64_t>(record.bytes);
    if (lanes_ == Lanes::some || s.is_even()) return 0;
    if (s.is_linear()) {
        if (s.stride <= bytes || s.stride % bytes != 0 || s.stride > kMostParts * bytes) return 0;
        const auto parts = static_cast<unsigned>(s.stride / bytes);
        if (record.span() > parts || 4 * record.parts.size() < parts) return 0;
        // Gaps are left out by masks; those of before AVX-512 are slower than lane by lane.
        llvm::Type* piece =
            llvm::FixedVectorType::get(type_of(*record.at), piece_length(record, width_));
        const bool by_masks = target_.isLegalMaskedScatter(piece, align_of(*record.at)) &&
                              target_.isLegalMaskedStore(piece, align_of(*record.at));
        const bool has_gaps = record.parts.size() < parts;
        return record.writes && has_gaps && !by_masks ? 0 : parts;
    }
    if (!s.hopeful || record.parts.size() < 2) return 0;
    // x[i - 1], x[i] and x[i + 1] are three rows.
    if (is_mostly_row(pointer_of(record), record.bytes)) return 0;
    if (record.is_dense() && record.span() <= kMostParts) return record.span();
    return 0;
}

// Elements of a register, or of the lanes that lie side by side.
unsigned Widener::piece_length(const Record& record, unsigned lanes) const {
    const auto bits = target_.getRegisterBitWidth(llvm::TargetTransformInfo::RGK_FixedWidthVector)
                          .getFixedValue();
    const auto most = static_cast<unsigned>(bits / (8 * record.bytes));
    return std::max(1u, std::min(most, lanes));
}

// Whether an access is done with its record. The values of loads are known from the first one on.
bool Widener::emit_in_record(const llvm::Instruction& i) {
    const auto found = record_of_.find(&i);
    if (found == record_of_.end()) return false;
    const Record& record = records_[found->second];
    if (!record.writes && &i != record.at) return values_.count(&i) != 0;
    const unsigned parts = parts_together(record);
    if (!parts) return gather_pairs(record);
    if (&i != record.at) return true;
    Value* together = nullptr; ///< null: all lanes run, and their records lie side by side
    Firsts first;
    if (shape(pointer_of(record)).is_linear()) {
        first = firsts(pointer_of(record));
        if (!llvm::isa<llvm::Constant>(mask_)) together = is_full(mask_);
    } else {
        const Row row = find_row(pointer_of(record), parts * record.bytes);
        first = row.firsts;
        together = b.CreateAnd(is_full(mask_), row.found);
    }
    for (Value*& each : first)
        each = b.CreateConstGEP1_64(b.getInt8Ty(), each,
                                    static_cast<std::uint64_t>(distance(record, 0)));
    if (record.writes) {
        std::vector<Value*> values;
        for (const Record::Part& part : record.parts)
            values.push_back(vector(llvm::cast<llvm::StoreInst>(part.access)->getValueOperand()));
        const auto whole = [&] { return store_records(record, parts, first, values), Values{}; };
        const auto each = [&] { return store_parts(record), Values{}; };
        together ? usually(together, whole, each) : whole();
        return true;
    }
    const auto whole = [&] { return load_records(record, parts, first); };
    const Values values =
        together ? usually(together, whole, [&] { return load_parts(record); }) : whole();
    set_parts(record, values);
    return true;
}

void Widener::set_parts(const Record& record, const Values& values) {
    for (std::size_t p = 0; p < values.size(); ++p) set(*record.parts[p].access, values[p]);
}

// Whether there are pairs, which are then gathered. Not where each part of the lanes may be a row.
bool Widener::gather_pairs(const Record& record) {
    const Shape s = shape(pointer_of(record));
    const bool may_be_row = !s.is_varying() || s.hopeful;
    if (record.writes || (may_be_row && !is_no_row(pointer_of(record), record.bytes)) ||
        !can_gather(record))
        return false;
    bool found = false;
    for (std::size_t p = 0; p < record.parts.size(); ++p) found |= is_pair(record, p);
    if (found) set_parts(record, gather_parts(record));
    return found;
}

Widener::Values Widener::load_records(const Record& record, unsigned parts, const Firsts& firsts) {
    const auto lanes = static_cast<unsigned>(width_ / firsts.size());
    std::vector<Values> strips; // by part
    for (std::size_t r = 0; r < firsts.size(); ++r)
        strips.push_back(is_same(firsts, r) ? strips.back()
                                            : load_records_at(record, parts, firsts[r], lanes));
    Values all;
    for (std::size_t p = 0; p < record.parts.size(); ++p) {
        Values in_turn;
        for (const Values& strip : strips) in_turn.push_back(strip[p]);
        all.push_back(
            b.CreateBitCast(concatenate(in_turn), vector_type(type_of(*record.parts[p].access))));
    }
    return all;
}

Widener::Values Widener::load_records_at(const Record& record, unsigned parts, Value* first,
                                         unsigned lanes) {
    const unsigned length = piece_length(record, lanes), used = (lanes - 1) * parts + record.span();
    auto* type = llvm::FixedVectorType::get(type_of(*record.at), length);
    const llvm::Align align = align_of(*record.parts[0].access);
    // An aligned record lies in one page, so what is not used of the last one may be read.
    const std::uint64_t size = parts * record.bytes;
    const bool may_read_whole = llvm::isPowerOf2_64(size) && align.value() >= size;
    bool is_constant = true;
    for (const Record::Part& part : record.parts)
        is_constant &= part.access->hasMetadata(llvm::LLVMContext::MD_invariant_load);
    const auto load = [&](unsigned from) -> Value* {
        const std::uint64_t offset = from * record.bytes;
        auto* piece = b.CreateAlignedLoad(type, b.CreateConstGEP1_64(b.getInt8Ty(), first, offset),
                                          llvm::commonAlignment(align, offset));
        if (is_constant)
            piece->setMetadata(llvm::LLVMContext::MD_invariant_load,
                               llvm::MDNode::get(b.getContext(), {}));
        return piece;
    };
    Pieces pieces;
    for (unsigned from = 0; from < lanes * parts; from += length) {
        if (from >= used) {
            pieces.push_back(llvm::PoisonValue::get(type));
        } else if (from + length <= used || may_read_whole) {
            pieces.push_back(load(from));
        } else { // what ends with the last part
            const unsigned back = from + length - used;
            std::vector<int> order(length, llvm::PoisonMaskElem);
            for (unsigned k = 0; k + back < length; ++k) order[k] = static_cast<int>(k + back);
            pieces.push_back(b.CreateShuffleVector(load(from - back), order));
        }
    }
    std::vector<bool> wanted(parts);
    for (const Record::Part& part : record.parts) wanted[part.index] = true;
    const std::vector<Pieces> sorted = deinterleave(b, pieces, wanted);
    Values all;
    for (const Record::Part& part : record.parts) all.push_back(concatenate(sorted[part.index]));
    return all;
}

bool Widener::can_gather(const Record& record) const {
    return std::all_of(record.parts.begin(), record.parts.end(), [&](const Record::Part& part) {
        return can_gather(part.access->getType(), align_of(*part.access));
    });
}

// Two parts of four bytes, side by side, are gathered as one of eight: that takes as long as one.
Widener::Values Widener::gather_parts(const Record& record) {
    const auto& at = llvm::cast<llvm::LoadInst>(*record.at);
    Value* places = vector(at.getPointerOperand());
    Value* mask = mask_vector(mask_);
    Values all;
    const auto gather = [&](llvm::Type* type, std::size_t p) {
        const Record::Part& part = record.parts[p];
        const auto offset = static_cast<std::uint64_t>(distance(record, part.index));
        Value* place = b.CreateGEP(b.getInt8Ty(), places, b.getInt64(offset));
        return b.CreateMaskedGather(vector_type(type), place, align_of(*part.access), mask);
    };
    const auto type = [&](std::size_t p) { return type_of(*record.parts[p].access); };
    for (std::size_t p = 0; p < record.parts.size(); ++p) {
        if (!is_pair(record, p)) {
            all.push_back(gather(type(p), p));
            continue;
        }
        Value* pair = gather(b.getInt64Ty(), p);
        for (const std::uint64_t bits : {0u, 32u}) {
            Value* half = b.CreateTrunc(b.CreateLShr(pair, bits), vector_type(b.getInt32Ty()));
            all.push_back(b.CreateBitCast(half, vector_type(type(p + bits / 32))));
        }
        ++p;
    }
    return all;
}

// Part by part, and lane by lane where the processor has no gathers.
Widener::Values Widener::load_parts(const Record& record) {
    const auto& at = llvm::cast<llvm::LoadInst>(*record.at);
    const bool by_index = has_linear_index(at.getPointerOperand(), record.bytes);
    if (!by_index && may_gather(at) && can_gather(record)) return gather_parts(record);
    std::vector<llvm::AllocaInst*> arrays;
    for (const Record::Part& part : record.parts) arrays.push_back(results(part.access->getType()));
    const Parts parts = by_index ? parts_of_place(at.getPointerOperand()) : Parts{};
    const Spilled place = by_index ? Spilled{} : spill(at.getPointerOperand());
    for_each_lane(mask_, [&](Value* index) {
        Value* here = by_index ? of_lane(at.getPointerOperand(), parts, index) : lane(place, index);
        for (std::size_t p = 0; p < arrays.size(); ++p) {
            const Record::Part& part = record.parts[p];
            const auto offset = static_cast<std::uint64_t>(distance(record, part.index));
            put(arrays[p], index,
                b.CreateAlignedLoad(part.access->getType(),
                                    b.CreateConstGEP1_64(b.getInt8Ty(), here, offset),
                                    align_of(*part.access)));
        }
    });
    Values all;
    for (std::size_t p = 0; p < arrays.size(); ++p)
        all.push_back(collect(arrays[p], record.parts[p].access->getType()));
    return all;
}

void Widener::store_records(const Record& record, unsigned parts, const Firsts& firsts,
                            const Values& values) {
    const auto lanes = static_cast<unsigned>(width_ / firsts.size());
    const unsigned length = piece_length(record, lanes);
    const llvm::Align align = align_of(*record.parts[0].access);
    llvm::Type* element = type_of(*record.at);
    for (std::size_t r = 0; r < firsts.size(); ++r) {
        std::vector<Pieces> sorted(parts);
        for (std::size_t p = 0; p < values.size(); ++p) {
            Value* all = b.CreateBitCast(values[p], vector_type(element));
            for (unsigned from = 0; from < lanes; from += length) {
                std::vector<int> order(length);
                for (unsigned k = 0; k < length; ++k)
                    order[k] = static_cast<int>(r * lanes + from + k);
                sorted[record.parts[p].index].push_back(b.CreateShuffleVector(all, order));
            }
        }
        const Pieces pieces = interleave(b, sorted);
        for (unsigned n = 0; n < pieces.size(); ++n) {
            const std::uint64_t offset = std::uint64_t{n} * length * record.bytes;
            Value* place = b.CreateConstGEP1_64(b.getInt8Ty(), firsts[r], offset);
            const llvm::Align of_piece = llvm::commonAlignment(align, offset);
            if (record.parts.size() == parts) {
                b.CreateAlignedStore(pieces[n], place, of_piece);
                continue;
            }
            std::vector<llvm::Constant*> written;
            for (unsigned k = 0; k < length; ++k)
                written.push_back(b.getInt1(!sorted[(n * length + k) % parts].empty()));
            b.CreateMaskedStore(pieces[n], place, of_piece, llvm::ConstantVector::get(written));
        }
    }
}

void Widener::store_parts(const Record& record) {
    for (const Record::Part& part : record.parts)
        store_scatter(*llvm::cast<llvm::StoreInst>(part.access), mask_);
}

} // namespace lathe::soft::jit::warp
