// SPDX-License-Identifier: MIT
// Makes a warp function of a scalar kernel: one call runs up to `width` threads side by side.
//
// Legend of the code we make:
//   uniform value     the scalar instruction, once
//   affine value      the scalar of lane 0; lanes are base + lane * stride
//   strips            a scalar for each strip (shapes.h); lanes are base of the strip + place in it
//                     * stride
//   varying value     a vector <width x T>; what lanes hold that do not run is garbage
//   mask              an integer of `width` bits: the lanes that run the block, never none
//   slot              an alloca for a value used in another block, for a phi, for the lanes that
//                     wait at a block; a register at the end (promotion.h)
//   lane loop         a loop over the bits of the mask with one scalar instruction inside
// Files: widener.cpp blocks and masks; branches.cpp their ends, phis; values.cpp operands and lane
// loops; strips.cpp what is done once for each strip; arithmetic.cpp, memory.cpp with rows.cpp and
// record_access.cpp, checks.cpp, counters.cpp with count_accesses.cpp, watch.cpp,
// calls.cpp,
// warp_operations.cpp, atomics.cpp the instructions.
#pragma once

#include "gpu/soft/jit/counting.h"
#include "gpu/soft/jit/provenance.h"
#include "gpu/soft/jit/warp/records.h"
#include "gpu/soft/jit/warp/shapes.h"

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/IRBuilder.h>

#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace lathe::soft::jit::warp {

using llvm::Value;

class Widener {
public:
    /// `scalar` is body(context, tid x, y, z, linear tid, parameters) in loop-closed form;
    /// `wide` is empty and takes the place of lane 0 and the mask besides:
    /// body(context, x, y, z, linear, parameters, i32 mask).
    /// `sites` is null where the code does not count.
    Widener(llvm::Function& scalar, llvm::Function& wide, Frontier& frontier, const Shapes& shapes,
            const ShapeOptions& options, const llvm::TargetTransformInfo& target,
            CounterSites* sites);

    /// Fills `wide`. Throws Unsupported.
    void run();

private:
    // --- blocks (widener.cpp) --------------------------------------------------------------------
    void emit_entry();
    void emit_guards();
    void emit_places();
    Value* value_at_start(const Value* value, unsigned strip);
    void emit_block(unsigned index);
    void emit_instructions(const llvm::BasicBlock& source);
    bool has_rows(unsigned index) const;
    void find_whole();
    void emit_end(const llvm::Instruction& end);
    void emit_branch(const std::vector<std::pair<unsigned, Value*>>& lanes);
    void emit_uniform_end(const llvm::Instruction& end);
    std::vector<std::pair<unsigned, Value*>> lanes_of_targets(const llvm::Instruction& end);
    struct Copy {
        llvm::AllocaInst* slot;
        Value* value;
        Value* lanes; ///< that take it, where others keep what they have; else null
    };
    using Copies = std::vector<Copy>;
    void find_copies(unsigned to, Value* lanes, Copies& copies);
    void store(const Copies& copies);
    void emit_back_edge();
    void emit_scheduler();
    void emit_turns(const std::vector<unsigned>& targets);
    void emit_end_of_barrier(unsigned behind);
    void dispatch(const std::vector<unsigned>& targets, Frontier::Exit exit);
    /// The lanes that wait at the blocks which may hold some now and pass the test.
    Value* lanes_at(const std::function<bool(unsigned block)>& test);
    llvm::AllocaInst* state(llvm::Type* type, std::uint64_t at_start, const char* name);
    void make_slots();

    // --- strips (strips.cpp) ---------------------------------------------------------------------
    /// The value of the first lane of a strip, of a value that is not varying.
    Value* strip(const Value* value, unsigned number);
    /// Whether the code that makes the value is there already.
    bool is_emitted(const Value* value) const {
        return values_.count(value) != 0 || strips_.count(value) != 0;
    }
    /// The value of lane 0 of one that is not varying.
    Value* first_of(const Value* value) {
        return shape(value).is_strips() ? strip(value, 0) : scalar(value);
    }
    unsigned bases_of(const Shape& s) const;
    std::vector<Value*> bases(const Value* value);
    void set_strips(const llvm::Instruction& i, std::vector<Value*> values);
    void emit_by_strip(const llvm::Instruction& i);
    void emit_strip_places();
    Value* join(const Value* value);
    Value* spread_strips(const std::vector<Value*>& bases, std::int64_t stride, std::int64_t pitch);
    Value* bits_of(const Value* condition);
    std::vector<Value*> running(std::vector<Value*> values);
    Value* concatenate(std::vector<Value*> parts);
    Value* part_of(Value* vector, unsigned number);
    Value* mask_of_strip(Value* mask, unsigned number);
    Value* mask_vector_of(Value* mask, unsigned lanes);

    // --- values (values.cpp) ---------------------------------------------------------------------
    /// The value of lane 0 of an affine or uniform value; of others the vector.
    Value* scalar(const Value* value);
    Value* vector(const Value* value);
    /// A vector of base + lane * stride.
    Value* spread(Value* base, std::int64_t stride);
    Value* splat(Value* v) { return b.CreateVectorSplat(width_, v); }
    Value* lane_numbers(llvm::IntegerType* type, std::int64_t stride = 1);
    llvm::FixedVectorType* vector_type(llvm::Type* element) {
        return llvm::FixedVectorType::get(element, width_);
    }
    llvm::Type* type_in_slot(const llvm::Instruction& i);
    void set(const llvm::Instruction& i, Value* value);
    Shape shape(const Value* value) const { return shapes_.of(value); }
    Value* mask_vector(Value* mask) { return mask_vector_of(mask, width_); }
    Value* mask_bits(Value* vector) { return b.CreateBitCast(b.CreateFreeze(vector), mask_type_); }
    Value* is_full(Value* mask) {
        return b.CreateICmpEQ(mask, llvm::ConstantInt::getAllOnesValue(mask_type_));
    }
    Value* first_lane(Value* mask) {
        return b.CreateZExtOrTrunc(
            b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, mask, b.getTrue()), b.getInt32Ty());
    }
    llvm::AllocaInst* stack(llvm::Type* type, const char* name);
    llvm::BasicBlock* block(const char* name);

    /// What a lane does again by itself: instructions that follow from one varying value.
    struct Step {
        const llvm::Instruction* instruction;
        unsigned operand;           ///< the one that the step before has made
        std::vector<Value*> others; ///< the operands; all but that one are uniform
    };
    /// A value laid out so that a lane loop reaches each lane's part.
    struct Spilled {
        Shape shape;
        llvm::Type* type = nullptr;
        Value* value = nullptr;       ///< scalar, bits of an i1 vector, or an array
        std::vector<Step> steps = {}; ///< from there to the value that was asked for
    };
    std::optional<Step> step_to(const Value* value);
    Spilled spill(const Value* value);
    Spilled spill_vector(Value* vector);
    Value* lane(const Spilled& spilled, Value* index);
    /// Runs `body` for each lane of the mask in ascending order.
    void for_each_lane(Value* mask, const std::function<void(Value* lane)>& body);
    /// The same, as a line of copies where all lanes run; for bodies of a few instructions.
    void for_lanes_unrolled(Value* mask, const std::function<void(Value* lane)>& body);
    /// An array that a lane loop fills, and its contents as a vector.
    llvm::AllocaInst* results(llvm::Type* element);
    void put(llvm::AllocaInst* array, Value* lane, Value* v);
    Value* collect(llvm::AllocaInst* array, llvm::Type* element);

    /// Where a row of elements begins, one for all lanes or one for each strip.
    using Firsts = std::vector<Value*>;

    // --- counters (counters.cpp, count_accesses.cpp) ---------------------------------------------
    struct BlockCounts {
        bool is_counted = false, has_accesses = false;
        std::uint32_t part = 0, part_lanes = 0;       ///< slots: runs with some lanes, those lanes
        std::map<std::uint32_t, std::uint32_t> ideal; ///< of those runs, by bytes of a lane
        SlotSum runs, lanes, whole;                   ///< whole: runs with all lanes
    };
    struct RowCount {
        std::uint32_t least; ///< with all lanes
        bool depends;        ///< on the address, so that this says nothing
        bool holds_for_some; ///< lanes, too
    };
    void plan_counters();
    void count_block();
    void count_left(Value* lanes);
    std::uint32_t count_branch(const llvm::Instruction& end,
                               const std::vector<std::pair<unsigned, Value*>>* lanes);
    Value* count_arrival();
    void count_wait(const llvm::CallBase& barrier, Value* arrival);
    void emit_count(const llvm::CallBase& i);
    void emit_count(const llvm::CallBase& i, std::uint32_t slot);
    void describe(const llvm::CallBase& i, std::uint32_t slot);
    void call_count(const llvm::CallBase& i, std::uint32_t slot, std::uint32_t minus);
    RowCount row_count(CountedSpace space, std::int64_t stride, std::uint32_t size) const;
    std::optional<unsigned> degree_of_strips(CountedSpace space, const Shape& s,
                                             std::uint32_t size) const;
    bool counts_rows(CountedSpace space, const Shape& s) const;
    std::uint32_t least_of_rows(CountedSpace space, const Shape& s, std::uint32_t size) const;
    Value* are_apart(const Firsts& firsts, std::int64_t stride, std::uint32_t size);
    void count_by_mask(llvm::function_ref<void()> all, llvm::function_ref<void()> some);
    void count_where(Value* condition, llvm::function_ref<void()> rare);
    static std::uint32_t constant_of(const llvm::CallBase& call, unsigned argument);
    Value* counter(std::uint32_t slot);
    void bump(std::uint32_t slot, Value* by);
    Value* count_of(Value* mask);
    void separate_counters();

    // --- instructions ----------------------------------------------------------------------------
    void emit(const llvm::Instruction& i);
    void emit_uniform(const llvm::Instruction& i);
    void emit_affine(const llvm::Instruction& i);
    void emit_by_lane(const llvm::Instruction& i);
    /// x / d of vectors of 32-bit integers; no lane of d is zero.
    Value* quotient(Value* x, Value* d, bool is_signed);
    Value* vector_division(const llvm::BinaryOperator& i);
    Value* vector_intrinsic(const llvm::IntrinsicInst& i);
    Value* rounded_multiply_add(const llvm::IntrinsicInst& i);
    Value* vector_address(const llvm::GetElementPtrInst& i);
    void emit_vector(const llvm::Instruction& i);
    void emit_alloca(const llvm::AllocaInst& i);
    void emit_load(const llvm::LoadInst& i);
    void emit_store(const llvm::StoreInst& i);
    /// Code for where a condition holds, as it mostly does, and for where it does not: what both
    /// give, or null where they give null.
    Value* usually(Value* condition, llvm::function_ref<Value*()> usual,
                   llvm::function_ref<Value*()> rare);
    using Values = std::vector<Value*>;
    Values usually(Value* condition, llvm::function_ref<Values()> usual,
                   llvm::function_ref<Values()> rare);
    Firsts firsts(const Value* pointer);
    bool is_same(const Firsts& firsts, std::size_t k) const;
    Value* load_rows(const llvm::LoadInst& i, const Firsts& firsts);
    // Rows that will be needed later are asked for (prefetch.cpp).
    void prefetch_rows(const llvm::LoadInst& i, const Firsts& firsts);
    void prefetch_row_of_blocks(const llvm::Instruction& i, const Firsts& firsts);
    bool is_row_of_blocks(const llvm::Instruction& i);
    void prefetch(Value* address, std::uint64_t bytes, bool writes);
    const Value* grid_step(const Value* address, std::uint64_t& scale, unsigned depth = 0) const;
    void store_rows(const llvm::StoreInst& i, const Firsts& firsts, Value* value);
    void store_by_strip(const llvm::StoreInst& i);
    Value* load_row(const llvm::LoadInst& i, const Firsts& firsts, Value* mask);
    Value* load_part_of_row(const llvm::LoadInst& i, const Firsts& firsts, Value* mask);
    bool can_gather(llvm::Type* type, llvm::Align align) const;
    bool may_gather(const llvm::LoadInst& i) const;
    Value* load_gather(const llvm::LoadInst& i, Value* mask);
    void store_row(const llvm::StoreInst& i, const Firsts& firsts, Value* mask);
    void store_part_of_row(const llvm::StoreInst& i, const Firsts& firsts, Value* mask);
    void store_by_registers(const llvm::StoreInst& i, const Firsts& firsts, Value* mask);
    void store_scatter(const llvm::StoreInst& i, Value* mask);
    struct Row {
        Value* found; ///< a bit: the lanes' addresses are those of a row of elements
        Firsts firsts;
    };
    Value* holds_for_running(Value* matches);
    /// For addresses that are not known to be a row: whether those of the lanes that run are.
    Row find_row(const Value* pointer, std::uint64_t bytes);
    const llvm::CastInst* row_index(const Value* pointer, std::uint64_t bytes, bool by_strips,
                                    unsigned least_bits = 32) const;
    struct Scaled {
        const Value* number;
        std::uint64_t scale;
    };
    std::optional<Scaled> number_of(const Value* pointer) const;
    bool is_no_row(const Value* pointer, std::uint64_t bytes) const;
    bool is_mostly_row(const Value* pointer, std::uint64_t bytes) const;
    Value* first_of_strip(const Value* value, unsigned number);
    Value* of_first_lane(const Value* value, const llvm::CastInst& index, unsigned number);
    Value* spread_firsts(const Firsts& firsts, std::int64_t stride);
    bool has_linear_index(const Value* pointer, std::uint64_t bytes) const;
    using Parts = std::map<const Value*, Spilled>;
    Parts parts_of_place(const Value* pointer);
    Value* of_lane(const Value* value, const Parts& parts, Value* lane);
    Value* load_by_index(const llvm::LoadInst& i);
    void store_by_index(const llvm::StoreInst& i);
    // Records of a thread (record_access.cpp).
    void collect_records(const llvm::BasicBlock& source);
    bool emit_in_record(const llvm::Instruction& i);
    unsigned parts_together(const Record& record) const;
    unsigned piece_length(const Record& record, unsigned lanes) const;
    Values load_records(const Record& record, unsigned parts, const Firsts& firsts);
    Values load_records_at(const Record& record, unsigned parts, Value* first, unsigned lanes);
    void set_parts(const Record& record, const Values& values);
    bool can_gather(const Record& record) const;
    bool gather_pairs(const Record& record);
    Values gather_parts(const Record& record);
    Values load_parts(const Record& record);
    void store_records(const Record& record, unsigned parts, const Firsts& firsts,
                       const Values& values);
    void store_parts(const Record& record);
    void emit_atomic(const llvm::Instruction& i);
    void emit_call(const llvm::CallBase& i);
    void emit_watch(const llvm::CallBase& i); // watch.cpp
    void emit_check(const llvm::CallBase& i);
    void emit_strips_check(const llvm::CallBase& i);
    /// Addresses of the lanes: origin + (number of the lane << shift).
    struct Indexed {
        const llvm::CastInst* index; ///< extends the number, of 32 bits or fewer
        unsigned shift;
        Value* origin;
    };
    std::optional<Indexed> find_indexed(const Value* address);
    Value* origin(const Value* value, const llvm::CastInst& index);
    Value* numbers_of(const Indexed& indexed); ///< of all lanes, 32 bits
    void emit_indexed_check(const llvm::CallBase& i, const Indexed& indexed);
    void look_closer(const llvm::CallBase& check, Value* allowed, const Indexed* indexed = nullptr);
    /// The addresses of all lanes as integers.
    Value* as_vector(const Value* pointer);
    void emit_texture_2d(const llvm::CallBase& i);
    void emit_surface_2d(const llvm::CallBase& i);
    /// Rows of 32-bit lanes on the stack, one for each argument from `first` on.
    llvm::AllocaInst* rows(const llvm::CallBase& i, unsigned first, unsigned count);
    /// Calls f(object, mask of lanes): once where all lanes name the same object.
    void for_each_object(const Value* object, const std::function<void(Value*, Value*)>& f);
    void emit_shuffle(const llvm::CallBase& i);
    void emit_permute(const llvm::CallBase& i);
    void emit_product(const llvm::CallBase& i);
    void emit_ballot(const llvm::CallBase& i);
    void emit_match(const llvm::CallBase& i, bool all);
    void emit_reduce(const llvm::CallBase& i);
    Value* reduce(Value* members, std::uint32_t operation, bool is_signed, Value* values);
    /// Ends the launch where a running lane is not in its own member mask.
    void check_members(const Value* members);
    void emit_barrier(const llvm::CallBase& i);
    void emit_together(const llvm::CallBase& i);
    void emit_bring(const llvm::CallBase& i);
    void emit_met(const llvm::CallBase& i);
    void emit_result(const llvm::CallBase& i);
    llvm::AllocaInst* meeting();
    void set_place(Value* lane);
    llvm::CallInst* call_runtime(const char* name, llvm::Type* result,
                                 std::vector<Value*> arguments);

    llvm::Function& scalar_;
    llvm::Function& wide_;
    Frontier& frontier_;
    const Shapes& shapes_;
    const ShapeOptions& options_;
    const llvm::TargetTransformInfo& target_;
    const llvm::DataLayout& layout_;
    unsigned width_;
    bool has_mask_registers_; ///< of the processor: AVX-512
    llvm::IRBuilder<> b;
    llvm::IntegerType* mask_type_;

    llvm::Instruction* alloca_point_ = nullptr;
    std::vector<llvm::BasicBlock*> blocks_;
    std::vector<llvm::AllocaInst*> waiting_;               ///< lanes that wait at a block
    llvm::DenseMap<unsigned, llvm::AllocaInst*> patience_; ///< of wait loops: iterations left
    llvm::AllocaInst* turn_ = nullptr; ///< the wait loop that gave its turn last
    llvm::BasicBlock* scheduler_ = nullptr;
    /// Lanes that came to a barrier before others of the warp, by the block where they go on.
    llvm::DenseMap<unsigned, llvm::AllocaInst*> held_;
    Value* others_to_come_ = nullptr;     ///< at a barrier: lanes at other barriers
    llvm::AllocaInst* meeting_ = nullptr; ///< WarpMeeting
    static constexpr std::uint32_t kBackEdgesPerReport = 1024;
    llvm::AllocaInst* back_edges_ = nullptr;
    llvm::DenseMap<const Value*, llvm::AllocaInst*> slots_;
    llvm::DenseMap<const Value*, Value*> values_; ///< of the current block, and constants
    llvm::DenseMap<const Value*, std::vector<Value*>> parts_; ///< of struct values
    std::map<std::pair<const Value*, unsigned>, Value*> at_start_;
    llvm::DenseMap<const Value*, std::vector<llvm::AllocaInst*>> strip_slots_;
    llvm::DenseMap<const Value*, std::vector<Value*>> strips_; ///< as values_
    std::vector<Value*> strip_places_[3];                      ///< tid x, y, z
    std::vector<Record> records_;                              ///< of the current block
    llvm::DenseMap<const llvm::Instruction*, std::size_t> record_of_;
    std::optional<Provenance> roots_; ///< where it was needed
    /// Of the running code: what prefetched addresses begin with, and the distances from there.
    std::map<const Value*, std::vector<std::int64_t>> prefetched_;
    std::vector<llvm::AllocaInst*> to_promote_;
    unsigned current_ = 0;
    Value* mask_ = nullptr; ///< of the current block
    enum class Lanes : std::uint8_t { unknown, some };
    llvm::BitVector whole_;        ///< blocks that always run with all lanes
    Lanes lanes_ = Lanes::unknown; ///< some: not all of them run the code that is being made
    Value* places_[3] = {};        ///< tid x, y, z as vectors where they are worked out

    llvm::AllocaInst *watched_places_ = nullptr, *watched_values_ = nullptr;

    CounterSites* sites_;
    Value* counters_ = nullptr; ///< the slots
    std::vector<BlockCounts> block_counts_;
    llvm::DenseMap<const llvm::Instruction*, std::uint32_t> count_sites_; ///< their own slots
    llvm::DenseSet<const llvm::Instruction*> counting_code_;
    llvm::AllocaInst* counted_lanes_ = nullptr;
    std::map<std::pair<const llvm::Instruction*, std::uint32_t>, std::uint32_t> memos_;
};

} // namespace lathe::soft::jit::warp
