// SPDX-License-Identifier: MIT
// tex.2d, suld.b.2d and sust.b.2d of all lanes in one call of the run time, coordinates and values
// as rows of lanes.
#include "gpu/soft/jit/warp/widener.h"
#include "gpu/soft/rt/image_warp.h"

#include <llvm/IR/Constants.h>

namespace lathe::soft::jit::warp {

namespace {
const llvm::Align kRowAlign{4};
} // namespace

llvm::AllocaInst* Widener::rows(const llvm::CallBase& i, unsigned first, unsigned count) {
    auto* word = b.getInt32Ty();
    llvm::AllocaInst* all =
        stack(llvm::ArrayType::get(word, std::uint64_t{count} * width_), "rows");
    for (unsigned k = 0; k < count; ++k)
        b.CreateAlignedStore(vector(i.getArgOperand(first + k)),
                             b.CreateConstGEP1_32(word, all, k * width_), kRowAlign);
    return all;
}

void Widener::for_each_object(const Value* object, const std::function<void(Value*, Value*)>& f) {
    if (shapes_.is_uniform(object)) return f(scalar(object), b.CreateZExt(mask_, b.getInt32Ty()));
    const Spilled objects = spill(object);
    for_each_lane(
        mask_, [&](Value* index) { f(lane(objects, index), b.CreateShl(b.getInt32(1), index)); });
}

void Widener::emit_texture_2d(const llvm::CallBase& i) { // (object, x, y)
    auto* word = b.getInt32Ty();
    llvm::AllocaInst* coordinates = rows(i, 1, 2);
    llvm::AllocaInst* channels = stack(llvm::ArrayType::get(word, 4 * width_), "channels");
    for_each_object(i.getArgOperand(0), [&](Value* object, Value* lanes) {
        set_place(first_lane(lanes));
        call_runtime("lathe_rt_tex_warp", b.getVoidTy(),
                     {object, lanes, b.getInt32(width_), coordinates, channels});
    });
    std::vector<Value*> parts;
    for (unsigned k = 0; k < 4; ++k)
        parts.push_back(b.CreateAlignedLoad(
            vector_type(word), b.CreateConstGEP1_32(word, channels, k * width_), kRowAlign));
    parts_[&i] = std::move(parts);
}

void Widener::emit_surface_2d(const llvm::CallBase& i) { // (object, x, y, access, 4 words)
    const auto* packed = llvm::cast<llvm::ConstantInt>(i.getArgOperand(3));
    const auto access = SurfaceAccess::unpacked(static_cast<std::uint32_t>(packed->getZExtValue()));
    auto* word = b.getInt32Ty();
    llvm::AllocaInst* coordinates = rows(i, 1, 2);
    llvm::AllocaInst* values =
        access.store ? rows(i, 4, access.count)
                     : stack(llvm::ArrayType::get(word, access.count * width_), "elements");
    for_each_object(i.getArgOperand(0), [&](Value* object, Value* lanes) {
        set_place(b.getInt32(0));
        call_runtime(
            "lathe_rt_surface_warp", b.getVoidTy(),
            {object, lanes, b.getInt32(width_), b.getInt32(access.packed()), coordinates, values});
    });
    std::vector<Value*> parts(4, llvm::Constant::getNullValue(vector_type(word)));
    for (unsigned k = 0; k < access.count && !access.store; ++k)
        parts[k] = b.CreateAlignedLoad(vector_type(word),
                                       b.CreateConstGEP1_32(word, values, k * width_), kRowAlign);
    parts_[&i] = std::move(parts);
}

} // namespace lathe::soft::jit::warp
