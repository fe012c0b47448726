// SPDX-License-Identifier: MIT
// tex.2d of all lanes in one call of the run time, coordinates and channels as rows of lanes.
#include "gpu/soft/jit/warp/widener.h"

namespace lathe::soft::jit::warp {

void Widener::emit_texture_2d(const llvm::CallBase& i) { // (object, x, y)
    auto* real = b.getFloatTy();
    auto* word = b.getInt32Ty();
    llvm::AllocaInst* coordinates = stack(llvm::ArrayType::get(real, 2 * width_), "coordinates");
    llvm::AllocaInst* channels = stack(llvm::ArrayType::get(word, 4 * width_), "channels");
    const auto align = llvm::Align{4};
    for (unsigned axis = 0; axis < 2; ++axis)
        b.CreateAlignedStore(vector(i.getArgOperand(1 + axis)),
                             b.CreateConstGEP1_32(real, coordinates, axis * width_), align);
    Value* mask = b.CreateZExt(mask_, b.getInt32Ty());
    const auto read = [&](Value* object, Value* lanes) {
        call_runtime("lathe_rt_tex_warp", b.getVoidTy(),
                     {object, lanes, b.getInt32(width_), coordinates, channels});
    };
    const Value* object = i.getArgOperand(0);
    if (shapes_.is_uniform(object)) {
        set_place(first_lane(mask_));
        read(scalar(object), mask);
    } else {
        const Spilled objects = spill(object);
        for_each_lane(mask_, [&](Value* index) {
            set_place(index);
            read(lane(objects, index), b.CreateShl(b.getInt32(1), index));
        });
    }
    std::vector<Value*> parts;
    for (unsigned c = 0; c < 4; ++c)
        parts.push_back(b.CreateAlignedLoad(
            vector_type(word), b.CreateConstGEP1_32(word, channels, c * width_), align));
    parts_[&i] = std::move(parts);
}

} // namespace lathe::soft::jit::warp
