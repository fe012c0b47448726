// SPDX-License-Identifier: MIT
// Watched accesses of a warp (watching.h left marks): one call for all lanes that run.
#include "gpu/soft/jit/warp/widener.h"
#include "gpu/soft/jit/watching.h"

namespace lathe::soft::jit::warp {

// (address, low, high, ...)
void Widener::emit_watch(const llvm::CallBase& i) {
    const Value* address = i.getArgOperand(0);
    auto* i64 = b.getInt64Ty();
    llvm::Constant* site = watch_site(*wide_.getParent(), i);
    Value* values = llvm::ConstantPointerNull::get(b.getPtrTy());
    if (has_watched_values(i)) {
        auto* row = vector_type(i64);
        if (!watched_values_) watched_values_ = stack(llvm::ArrayType::get(row, 2), "written");
        for (unsigned k = 0; k < 2; ++k) {
            if (8 * k >= constant_of(i, 3)) break;
            // Lanes that are off hold anything.
            b.CreateStore(b.CreateFreeze(vector(i.getArgOperand(1 + k))),
                          b.CreateConstGEP1_64(row, watched_values_, k));
        }
        values = watched_values_;
    }
    Value* mask = b.CreateZExt(mask_, b.getInt32Ty());
    if (shape(address).is_affine()) {
        Value* stride = b.getInt64(static_cast<std::uint64_t>(shape(address).stride));
        call_runtime("lathe_rt_watch_row", b.getVoidTy(),
                     {site, b.CreatePtrToInt(scalar(address), i64), stride, mask, values});
        return;
    }
    if (!watched_places_) watched_places_ = stack(vector_type(i64), "watched");
    b.CreateStore(b.CreateFreeze(as_vector(address)), watched_places_);
    call_runtime("lathe_rt_watch_lanes", b.getVoidTy(), {site, watched_places_, mask, values});
}

} // namespace lathe::soft::jit::warp
