// SPDX-License-Identifier: MIT
// suld, sust, sured: calls of the run time with coordinates and values on the stack.
#include "gpu/soft/jit/texture_operands.h"
#include "gpu/soft/jit/warp/marks.h"
#include "gpu/soft/rt/image_warp.h"

namespace lathe::soft::jit {

namespace {

std::uint32_t boundary(const Instruction& i) { return i.has("clamp") ? 1 : i.has("zero") ? 2 : 0; }

/// Coordinates of surfaces are integers: words that the run time takes as such.
Value* surface_coordinates(FunctionLowering& f, const Instruction& i, std::size_t index,
                           const Geometry& g) {
    if (g.code & kTextureCube) f.fail(i, "surfaces of cube maps are layered ones (a2d)");
    return coordinates(f, i, index, ptx::Type::s32, g);
}

/// suld.b.2d, sust.b.2d, the commonest accesses: a mark that warps make one call.
void emit_access_of_warp(FunctionLowering& f, const Instruction& i, std::size_t coordinates_at,
                         std::span<const Operand> data) {
    auto& b = f.b;
    auto* word = b.getInt32Ty();
    const ptx::Type type = f.type(i, 0);
    const bool load = i.opcode == Opcode::suld;
    const auto place = components(f.operand(i, coordinates_at));
    if (place.size() < 2) f.fail(i, "2 coordinates expected");
    const SurfaceAccess access{ptx::bytes_of(type), static_cast<std::uint32_t>(data.size()),
                               boundary(i), !load};
    std::vector<Value*> arguments{object_of(f, i, load ? 1 : 0), f.read(place[0], ptx::Type::s32),
                                  f.read(place[1], ptx::Type::s32), b.getInt32(access.packed())};
    for (std::size_t k = 0; k < 4; ++k)
        arguments.push_back(load || k >= data.size()
                                ? b.getInt32(0)
                                : f.cast_bits(f.as_int(f.read(data[k], type)), word));
    Value* read = f.mark(warp::kSurface2D, llvm::StructType::get(word, word, word, word),
                         std::move(arguments));
    for (unsigned k = 0; k < data.size() && load; ++k)
        f.write(data[k], f.cast_bits(b.CreateExtractValue(read, k), f.llvm_type(type)), type);
}

/// suld.b, sust.b: x in bytes, no conversion. sust.p: x in texels, words become channels.
void emit_access(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const Geometry g = geometry_of(f, i);
    const ptx::Type type = f.type(i, 0);
    const bool load = i.opcode == Opcode::suld, formatted = i.has("p");
    const std::size_t at = load ? 1 : 0, coordinates_at = coordinates_index(f, i, at);
    const auto data = components(f.operand(i, load ? 0 : coordinates_at + 1));
    if (data.size() > 4) f.fail(i, "a surface access has at most 4 elements");
    const bool words = ptx::bytes_of(type) <= 4 && data.size() != 3;
    if (f.in_warp() && g.code == 2 && !formatted && words)
        return emit_access_of_warp(f, i, coordinates_at, data);
    auto* values = f.stack(llvm::ArrayType::get(b.getInt64Ty(), 4), 16, "values");
    auto slot = [&](std::size_t k) {
        return b.CreateConstGEP1_32(b.getInt64Ty(), values, static_cast<unsigned>(k));
    };
    for (std::size_t k = 0; k < data.size() && !load; ++k) {
        Value* v = f.as_int(f.read(data[k], type));
        b.CreateStore(b.CreateZExt(v, b.getInt64Ty()), slot(k));
    }
    Value* count = b.getInt32(static_cast<std::uint32_t>(data.size()));
    Value* object = object_of(f, i, at);
    Value* place = surface_coordinates(f, i, coordinates_at, g);
    if (formatted) {
        if (ptx::bytes_of(type) != 4) f.fail(i, "sust.p has 32-bit elements");
        f.call_runtime("lathe_rt_sust_formatted", b.getVoidTy(),
                       {object, b.getInt32(g.code), b.getInt32(boundary(i)), place, count, values});
        return;
    }
    f.call_runtime(load ? "lathe_rt_suld" : "lathe_rt_sust", b.getVoidTy(),
                   {object, b.getInt32(g.code), b.getInt32(boundary(i)), place,
                    b.getInt32(ptx::bytes_of(type)), count, values});
    for (std::size_t k = 0; k < data.size() && load; ++k) {
        Value* v = f.cast_bits(b.CreateLoad(b.getInt64Ty(), slot(k)), f.llvm_type(type));
        f.write(data[k], v, type);
    }
}

void emit_reduction(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    static constexpr const char* kOperations[] = {"add", "min", "max", "and", "or"};
    std::uint32_t operation = 0;
    while (operation < std::size(kOperations) && !i.has(kOperations[operation])) ++operation;
    if (operation == std::size(kOperations)) f.fail(i, "unknown operation");
    const ptx::Type type = f.type(i, 0);
    if (ptx::bytes_of(type) < 4) f.fail(i, "sured has 32-bit and 64-bit elements");
    const std::uint32_t kind = (is_signed_integer(type) ? kReduceSigned : 0u) |
                               (ptx::bytes_of(type) == 8 ? kReduceWide : 0u) |
                               (i.has("p") ? kReduceFormatted : 0u);
    const Geometry g = geometry_of(f, i);
    const std::size_t at = coordinates_index(f, i, 0);
    Value* value = b.CreateZExt(f.as_int(f.read(i, at + 1, type)), b.getInt64Ty());
    f.call_runtime("lathe_rt_sured", b.getVoidTy(),
                   {object_of(f, i, 0), b.getInt32(g.code), b.getInt32(boundary(i)),
                    surface_coordinates(f, i, at, g), b.getInt32(operation), b.getInt32(kind),
                    value});
}

} // namespace

bool emit_surface(FunctionLowering& f, const Instruction& i) {
    switch (i.opcode) {
    case Opcode::suld:
    case Opcode::sust: emit_access(f, i); return true;
    case Opcode::sured: emit_reduction(f, i); return true;
    default: return false;
    }
}

} // namespace lathe::soft::jit
