// SPDX-License-Identifier: MIT
// Barriers and warp operations: calls of the run time.
#include "gpu/soft/jit/lowering.h"
#include "gpu/soft/jit/warp/marks.h"
#include "gpu/soft/jit/watching.h"

namespace lathe::soft::jit {

namespace {

/// The member mask; forms without .sync work on the lanes that are there.
Value* members(FunctionLowering& f, const Instruction& i, std::size_t index) {
    if (i.has("sync") && f.has_operand(i, index)) return f.read(i, index, ptx::Type::b32);
    return f.call_runtime("lathe_rt_activemask", f.b.getInt32Ty());
}

Value* flag(FunctionLowering& f, Value* predicate) {
    return f.b.CreateZExt(predicate, f.b.getInt32Ty());
}

void emit_barrier(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    if (i.has("warp")) { // bar.warp.sync mask
        Value* members = f.read(i, 0, ptx::Type::b32);
        watch_sync(f, i, members); // before those wait that come first
        f.call_runtime("lathe_rt_warp_sync", b.getVoidTy(), {members});
        return;
    }
    if (i.has("cluster")) { // a cluster is one block here
        if (i.has("wait")) return;
        f.call_runtime("lathe_rt_barrier_sync", b.getVoidTy(), {b.getInt32(0), b.getInt32(0)});
        return;
    }
    const bool reduces = i.has("red");
    const std::size_t first = reduces ? 1 : 0;
    Value* id = f.has_operand(i, first) ? f.read(i, first, ptx::Type::u32) : b.getInt32(0);
    const std::size_t count = i.operands.size() - (reduces ? 1 : 0); // less the predicate
    Value* threads = count > first + 1 ? f.read(i, first + 1, ptx::Type::u32) : b.getInt32(0);
    if (reduces) {
        Value* predicate = flag(f, f.read(i, i.operands.size() - 1, ptx::Type::pred));
        const std::uint32_t op = i.has("popc") ? 0 : i.has("and") ? 1 : 2;
        Value* result = f.call_runtime("lathe_rt_barrier_red", b.getInt32Ty(),
                                       {id, threads, b.getInt32(op), predicate});
        if (i.has("popc")) {
            f.write(i, result, ptx::Type::u32);
        } else {
            f.write(i, b.CreateICmpNE(result, b.getInt32(0)), ptx::Type::pred);
        }
        return;
    }
    f.call_runtime(i.has("arrive") ? "lathe_rt_barrier_arrive" : "lathe_rt_barrier_sync",
                   b.getVoidTy(), {id, threads});
}

/// shfl.sync.mode.b32 d|p, a, b, c, mask
void emit_shuffle(FunctionLowering& f, const Instruction& i) {
    const std::uint32_t mode = i.has("up") ? 0 : i.has("down") ? 1 : i.has("bfly") ? 2 : 3;
    Value* mask = members(f, i, 4);
    const auto [value, in_range] =
        f.shuffle(mask, mode, f.read(i, 1, ptx::Type::b32), f.read(i, 2, ptx::Type::b32),
                  f.read(i, 3, ptx::Type::b32));
    f.write(i, value, ptx::Type::b32);
    f.write_second(i.operands[0], in_range);
}

/// vote.sync.mode d, {!}a, mask: all built on the ballot.
void emit_vote(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    Value* mask = members(f, i, 2);
    Value* votes = f.call_runtime("lathe_rt_ballot", b.getInt32Ty(),
                                  {mask, flag(f, f.read(i, 1, ptx::Type::pred))});
    if (i.has("ballot")) {
        f.write(i, votes, ptx::Type::b32);
        return;
    }
    Value* all = b.CreateICmpEQ(votes, mask);
    Value* none = b.CreateICmpEQ(votes, b.getInt32(0));
    f.write(i,
            i.has("all")   ? all
            : i.has("any") ? b.CreateNot(none)
                           : b.CreateOr(all, none), // uni
            ptx::Type::pred);
}

void emit_match(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const ptx::Type type = f.type(i);
    const bool all = i.has("all");
    Value* value = b.CreateZExt(f.read(i, 1, type), b.getInt64Ty());
    if (all && f.in_warp()) {
        auto* pair = llvm::StructType::get(b.getInt32Ty(), b.getInt1Ty());
        Value* both = f.mark(warp::kMatchAll, pair, {f.read(i, 2, ptx::Type::b32), value});
        f.write(i, b.CreateExtractValue(both, 0), ptx::Type::b32);
        f.write_second(i.operands[0], b.CreateExtractValue(both, 1));
        return;
    }
    auto* equal = f.stack(b.getInt32Ty(), 0, "all_equal");
    Value* lanes = f.call_runtime("lathe_rt_match", b.getInt32Ty(),
                                  {f.read(i, 2, ptx::Type::b32), value, b.getInt32(all), equal});
    f.write(i, lanes, ptx::Type::b32);
    if (!all) return;
    f.write_second(i.operands[0],
                   b.CreateICmpNE(b.CreateLoad(b.getInt32Ty(), equal), b.getInt32(0)));
}

void emit_reduce(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const ptx::Type type = f.type(i);
    const std::uint32_t op = i.has("add")   ? 0
                             : i.has("min") ? 1
                             : i.has("max") ? 2
                             : i.has("and") ? 3
                             : i.has("or")  ? 4
                                            : 5;
    Value* value = f.as_int(f.read(i, 1, type));
    bool is_signed = is_signed_integer(type);
    if (type == ptx::Type::f32) {
        // Floats in the order of integers, negative ones upside down. A NaN goes to the end that
        // loses, with .NaN to the end that wins; both ends decode to a NaN.
        is_signed = true;
        if (i.has("abs")) value = b.CreateAnd(value, b.getInt32(0x7fffffff));
        Value* is_nan =
            b.CreateICmpUGT(b.CreateAnd(value, b.getInt32(0x7fffffff)), b.getInt32(0x7f800000));
        value = b.CreateXor(value, b.CreateAnd(b.CreateAShr(value, 31), b.getInt32(0x7fffffff)));
        const bool at_top = i.has("min") != i.has("NaN");
        value = b.CreateSelect(is_nan, b.getInt32(at_top ? 0x7fffffff : 0x80000000), value);
    }
    Value* result = f.call_runtime(
        "lathe_rt_redux", b.getInt32Ty(),
        {f.read(i, 2, ptx::Type::b32), b.getInt32(op), b.getInt32(is_signed), value});
    if (type == ptx::Type::f32) {
        result = b.CreateXor(result, b.CreateAnd(b.CreateAShr(result, 31), b.getInt32(0x7fffffff)));
    }
    f.write(i, f.cast_bits(result, f.llvm_type(type)), type);
}

/// elect.sync d|p, mask: the lowest lane of the mask.
void emit_elect(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    Value* mask = f.read(i, 1, ptx::Type::b32);
    f.call_runtime("lathe_rt_warp_sync", b.getVoidTy(), {mask});
    Value* leader = b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, mask, b.getFalse());
    Value* lane = b.CreateAnd(f.linear_tid(), b.getInt32(31));
    f.write(i, leader, ptx::Type::b32);
    f.write_second(i.operands[0], b.CreateICmpEQ(leader, lane));
}

} // namespace

std::pair<Value*, Value*> FunctionLowering::shuffle(Value* mask, std::uint32_t mode, Value* value,
                                                    Value* by, Value* c) {
    if (in_warp()) {
        auto* pair = llvm::StructType::get(b.getInt32Ty(), b.getInt1Ty());
        Value* both = mark(warp::kShuffle, pair, {mask, b.getInt32(mode), value, by, c});
        return {b.CreateExtractValue(both, 0), b.CreateExtractValue(both, 1)};
    }
    auto* in_range = stack(b.getInt32Ty(), 0, "in_range");
    Value* result = call_runtime("lathe_rt_shfl", b.getInt32Ty(),
                                 {mask, b.getInt32(mode), value, by, c, in_range});
    return {result, b.CreateICmpNE(b.CreateLoad(b.getInt32Ty(), in_range), b.getInt32(0))};
}

bool emit_warp(FunctionLowering& f, const Instruction& i) {
    switch (i.opcode) {
    case Opcode::bar:
    case Opcode::barrier: emit_barrier(f, i); return true;
    case Opcode::shfl: emit_shuffle(f, i); return true;
    case Opcode::vote: emit_vote(f, i); return true;
    case Opcode::match: emit_match(f, i); return true;
    case Opcode::redux: emit_reduce(f, i); return true;
    case Opcode::elect: emit_elect(f, i); return true;
    case Opcode::activemask:
        f.write(i, f.call_runtime("lathe_rt_activemask", f.b.getInt32Ty()), ptx::Type::b32);
        return true;
    default: return false;
    }
}

} // namespace lathe::soft::jit
