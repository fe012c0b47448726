// SPDX-License-Identifier: MIT
// Special registers: the thread's place, the launch's shape, clocks.
#include "gpu/soft/jit/lowering.h"
#include "gpu/soft/jit/warp/marks.h"

#include <charconv>

namespace lathe::soft::jit {

Value* FunctionLowering::context_field(std::size_t offset, llvm::Type* type) {
    Value*& cached = context_fields_[offset];
    if (!cached) {
        llvm::IRBuilder<> at{alloca_point_};
        at.SetCurrentDebugLocation(b.getCurrentDebugLocation());
        auto* load = at.CreateLoad(type, at.CreateConstGEP1_64(at.getInt8Ty(), context, offset));
        load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                          llvm::MDNode::get(module.context, {}));
        cached = load;
    }
    return cached;
}

Value* FunctionLowering::shared_base() {
    return context_field(offsetof(ThreadContext, shared), b.getPtrTy());
}

Value* FunctionLowering::linear_tid() {
    if (!linear_tid_ && in_warp()) {
        llvm::IRBuilder<>::InsertPointGuard guard{b};
        b.SetInsertPoint(alloca_point_);
        linear_tid_ = mark(warp::kLinearTid, b.getInt32Ty(), {});
    }
    if (!linear_tid_) {
        llvm::IRBuilder<> at{alloca_point_};
        linear_tid_ = at.CreateLoad(
            at.getInt32Ty(),
            at.CreateConstGEP1_64(at.getInt8Ty(), context, offsetof(ThreadContext, linear_tid)));
    }
    return linear_tid_;
}

// Inside a .func the place is worked out from the linear index, which is always current.
Value* FunctionLowering::tid(int axis) {
    if (!tid_[axis]) {
        Value* linear = linear_tid();
        Value* x = context_field(offsetof(ThreadContext, ntid), b.getInt32Ty());
        Value* y = context_field(offsetof(ThreadContext, ntid) + 4, b.getInt32Ty());
        llvm::IRBuilder<> at{alloca_point_};
        tid_[0] = at.CreateURem(linear, x);
        Value* row = at.CreateUDiv(linear, x);
        tid_[1] = at.CreateURem(row, y);
        tid_[2] = at.CreateUDiv(row, y);
    }
    return tid_[axis];
}

Value* FunctionLowering::special_register(const std::string& name) {
    auto* i32 = b.getInt32Ty();
    auto* i64 = b.getInt64Ty();
    auto field = [&](std::size_t offset) { return context_field(offset, i32); };
    const std::size_t dot = name.find('.');
    const std::string stem = name.substr(0, dot);
    int axis = -1;
    if (dot != std::string::npos && dot + 2 == name.size()) {
        constexpr std::string_view axes = "xyzw";
        const std::size_t found = axes.find(name.back());
        if (found == std::string_view::npos) return nullptr;
        axis = static_cast<int>(found);
    }
    if (axis >= 0) {
        const std::size_t step = 4 * static_cast<std::size_t>(axis);
        if (stem == "%cluster_ctaid") return b.getInt32(0);
        if (stem == "%cluster_nctaid") return b.getInt32(1);
        const bool is_tid = stem == "%tid";
        const bool is_ntid = stem == "%ntid";
        const bool is_ctaid = stem == "%ctaid" || stem == "%clusterid";
        const bool is_nctaid = stem == "%nctaid" || stem == "%nclusterid";
        if (!is_tid && !is_ntid && !is_ctaid && !is_nctaid) return nullptr;
        if (axis == 3) return b.getInt32(is_ntid || is_nctaid ? 1 : 0);
        if (is_tid) return tid(axis);
        if (is_ntid) return field(offsetof(ThreadContext, ntid) + step);
        if (is_ctaid) return field(offsetof(ThreadContext, ctaid) + step);
        return field(offsetof(ThreadContext, nctaid) + step);
    }
    auto lane = [&] { return b.CreateAnd(linear_tid(), b.getInt32(31)); };
    auto bit = [&] { return b.CreateShl(b.getInt32(1), lane()); };
    auto below = [&] { return b.CreateSub(bit(), b.getInt32(1)); };
    if (name == "%laneid") return lane();
    if (name == "%warpid") return b.CreateLShr(linear_tid(), b.getInt32(5));
    if (name == "%nwarpid") return field(offsetof(ThreadContext, nwarpid));
    if (name == "%smid") return field(offsetof(ThreadContext, smid));
    if (name == "%nsmid") return field(offsetof(ThreadContext, nsmid));
    if (name == "%gridid") return context_field(offsetof(ThreadContext, gridid), i64);
    if (name == "%lanemask_eq") return bit();
    if (name == "%lanemask_lt") return below();
    if (name == "%lanemask_le") return b.CreateOr(bit(), below());
    if (name == "%lanemask_ge") return b.CreateNot(below());
    if (name == "%lanemask_gt") return b.CreateNot(b.CreateOr(bit(), below()));
    if (name == "%clock64") return call_runtime("lathe_rt_clock64", i64);
    if (name == "%clock") return b.CreateTrunc(call_runtime("lathe_rt_clock64", i64), i32);
    if (name == "%clock_hi") {
        return b.CreateTrunc(b.CreateLShr(call_runtime("lathe_rt_clock64", i64), 32), i32);
    }
    if (name == "%globaltimer") return call_runtime("lathe_rt_globaltimer", i64);
    if (name == "%globaltimer_lo") {
        return b.CreateTrunc(call_runtime("lathe_rt_globaltimer", i64), i32);
    }
    if (name == "%globaltimer_hi") {
        return b.CreateTrunc(b.CreateLShr(call_runtime("lathe_rt_globaltimer", i64), 32), i32);
    }
    if (name == "%dynamic_smem_size") {
        return field(offsetof(ThreadContext, dynamic_shared_bytes));
    }
    if (name == "%total_smem_size" || name == "%aggr_smem_size") {
        return b.CreateAdd(field(offsetof(ThreadContext, dynamic_shared_bytes)),
                           field(offsetof(ThreadContext, static_shared_bytes)));
    }
    if (name.starts_with("%envreg")) {
        unsigned index = 0;
        std::from_chars(name.data() + 7, name.data() + name.size(), index);
        if (index >= 4) return b.getInt64(0);
        return context_field(offsetof(ThreadContext, envreg) + 8 * index, i64);
    }
    if (name == "%cluster_ctarank" || name == "%is_explicit_cluster") return b.getInt32(0);
    if (name == "%cluster_nctarank") return b.getInt32(1);
    if (name.starts_with("%pm") || name.starts_with("%reserved_smem_offset") ||
        name == "%current_graph_exec") {
        return b.getInt64(0);
    }
    return nullptr;
}

} // namespace lathe::soft::jit
