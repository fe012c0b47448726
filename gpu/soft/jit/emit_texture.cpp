// SPDX-License-Identifier: MIT
// tex, tld4, txq, suq, istypep: calls of the run time with coordinates, offsets and slopes on the
// stack. Surfaces are in emit_surface.cpp.
#include "gpu/soft/jit/texture_operands.h"
#include "gpu/soft/jit/warp/marks.h"
#include "gpu/soft/rt/abi.h"

#include <llvm/ADT/STLFunctionalExtras.h>

namespace lathe::soft::jit {

namespace {

/// Coordinate components of an offset or a slope: directions have three.
std::size_t axes(const Geometry& g) { return g.code & 15; }

/// Optional operands behind the others: texel offsets. Comparisons of depth have no counterpart
/// in the driver API, which knows no depth textures to compare with.
void optional_operands(FunctionLowering& f, const Instruction& i, std::size_t index, Geometry& g,
                       Value* words) {
    for (; f.has_operand(i, index); ++index) {
        if (!std::holds_alternative<ptx::Vector>(f.operand(i, index).value))
            f.fail(i, "depth comparison does not exist on the software device");
        if (g.code & (kTextureCube | kTextureOffset)) f.fail(i, "too many operands");
        store_components(f, i, index, ptx::Type::s32, axes(g), words, 4);
        g.code |= kTextureOffset;
    }
}

Value* real_of(FunctionLowering& f, Value* word) {
    return f.b.CreateBitCast(word, f.b.getFloatTy());
}

using Words = llvm::function_ref<Value*(unsigned)>;

/// The four words that the run time left at `place`.
auto words_at(FunctionLowering& f, Value* place) {
    return [&f, place](unsigned k) -> Value* {
        auto* type = f.b.getInt32Ty();
        return f.b.CreateLoad(type, f.b.CreateConstGEP1_32(type, place, k));
    };
}

/// Writes four words of the run time as `type`; textures are never partly resident.
void write_texels(FunctionLowering& f, const Instruction& i, Words word, ptx::Type type) {
    auto& b = f.b;
    auto half = [&](unsigned k) {
        return b.CreateBitCast(b.CreateFPTrunc(real_of(f, word(k)), b.getHalfTy()), b.getInt16Ty());
    };
    const Operand& destination = f.operand(i, 0);
    const auto list = components(destination);
    const bool pairs = type == ptx::Type::f16x2;
    if (list.size() > (pairs ? 2 : 4)) f.fail(i, "too many results");
    for (unsigned k = 0; k < list.size(); ++k) {
        if (pairs) {
            Value* low = b.CreateZExt(half(2 * k), b.getInt32Ty());
            Value* high = b.CreateShl(b.CreateZExt(half(2 * k + 1), b.getInt32Ty()), 16);
            f.write(list[k], b.CreateOr(low, high), ptx::Type::b32);
        } else if (type == ptx::Type::f16) {
            f.write(list[k], half(k), type);
        } else {
            f.write(list[k], f.cast_bits(word(k), f.llvm_type(type)), type);
        }
    }
    if (!destination.second.empty()) f.write_second(destination, b.getTrue());
}

/// tex.2d by coordinates, the commonest read: a mark that warps make one call.
void emit_tex_of_warp(FunctionLowering& f, const Instruction& i, std::size_t at) {
    auto& b = f.b;
    const auto given = components(f.operand(i, at));
    if (given.size() < 2) f.fail(i, "2 coordinates expected");
    auto* word = b.getInt32Ty();
    Value* texels = f.mark(
        warp::kTexture2D, llvm::StructType::get(word, word, word, word),
        {object_of(f, i, 1), f.read(given[0], ptx::Type::f32), f.read(given[1], ptx::Type::f32)});
    write_texels(f, i, [&](unsigned k) { return b.CreateExtractValue(texels, k); }, f.type(i, 0));
}

void emit_tex(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    Geometry g = geometry_of(f, i);
    const ptx::Type type = f.type(i, 0), coordinate_type = f.type(i, 1);
    const bool real = coordinate_type == ptx::Type::f32;
    std::size_t at = coordinates_index(f, i, 1);
    Value* texture = object_of(f, i, 1);
    if (g.code & kTextureCube && !real) f.fail(i, "cube maps are read by directions (f32)");
    const bool plain = g.code == 2 && real && !i.has("level") && !i.has("grad");
    if (plain && f.in_warp() && i.operands.size() == at + 1) return emit_tex_of_warp(f, i, at);
    Value* words = coordinates(f, i, at++, coordinate_type, g);
    Value* level = llvm::ConstantFP::get(b.getFloatTy(), 0.0);
    if (i.has("level")) {
        level = f.read(i, at++, real ? ptx::Type::f32 : ptx::Type::s32);
        if (!real) level = b.CreateSIToFP(level, b.getFloatTy());
    } else if (i.has("grad")) {
        store_components(f, i, at++, ptx::Type::f32, axes(g), words, 8);
        store_components(f, i, at++, ptx::Type::f32, axes(g), words, 12);
        g.code |= kTextureGradient;
    }
    optional_operands(f, i, at, g, words);
    auto* result = f.stack(llvm::ArrayType::get(b.getInt32Ty(), 4), 16, "texel");
    f.call_runtime("lathe_rt_tex", b.getVoidTy(),
                   {texture, b.getInt32(g.code), b.getInt32(real), words, level, result});
    write_texels(f, i, words_at(f, result), type);
}

void emit_tld4(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    Geometry g = geometry_of(f, i);
    const std::uint32_t component = i.has("g") ? 1 : i.has("b") ? 2 : i.has("a") ? 3 : 0;
    if (axes(g) != 2 && !(g.code & kTextureCube)) f.fail(i, "tld4 reads 2d and cube textures");
    const std::size_t at = coordinates_index(f, i, 1);
    Value* texture = object_of(f, i, 1);
    Value* words = coordinates(f, i, at, ptx::Type::f32, g);
    optional_operands(f, i, at + 1, g, words);
    auto* result = f.stack(llvm::ArrayType::get(b.getInt32Ty(), 4), 16, "texels");
    f.call_runtime("lathe_rt_tld4", b.getVoidTy(),
                   {texture, b.getInt32(g.code), b.getInt32(component), words, result});
    write_texels(f, i, words_at(f, result), f.type(i, 0));
}

void emit_query(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    // In the order of TextureQuery.
    static constexpr const char* kQueries[] = {"width",
                                               "height",
                                               "depth",
                                               "channel_data_type",
                                               "channel_order",
                                               "normalized_coords",
                                               "array_size",
                                               "num_mipmap_levels",
                                               "num_samples",
                                               "memory_layout",
                                               "force_unnormalized_coords",
                                               "filter_mode",
                                               "addr_mode_0",
                                               "addr_mode_1",
                                               "addr_mode_2"};
    for (std::uint32_t k = 0; k < std::size(kQueries); ++k) {
        if (!i.has(kQueries[k])) continue;
        Value* level = i.has("level") ? f.read(i, 2, ptx::Type::u32) : b.getInt32(0);
        Value* answer = f.call_runtime("lathe_rt_txq", b.getInt32Ty(),
                                       {object_of(f, i, 1), b.getInt32(k), level});
        f.write(i, answer, ptx::Type::b32);
        return;
    }
    f.fail(i, "unknown query");
}

void emit_type_test(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    Value* answer = b.getInt32(0); // there are no sampler objects
    bool known = i.types.size() == 1 && i.types[0] == ptx::Type::samplerref;
    for (auto [type, surface] :
         {std::pair{ptx::Type::texref, 0u}, std::pair{ptx::Type::surfref, 1u}}) {
        if (i.types.size() != 1 || i.types[0] != type) continue;
        known = true;
        answer = f.call_runtime("lathe_rt_istypep", b.getInt32Ty(),
                                {f.read(i, 1, ptx::Type::b64), b.getInt32(surface)});
    }
    if (!known) f.fail(i, "istypep asks for texref, samplerref or surfref");
    f.write(i, b.CreateICmpNE(answer, b.getInt32(0)), ptx::Type::pred);
}

} // namespace

bool emit_texture(FunctionLowering& f, const Instruction& i) {
    switch (i.opcode) {
    case Opcode::tex: emit_tex(f, i); return true;
    case Opcode::tld4: emit_tld4(f, i); return true;
    case Opcode::txq:
    case Opcode::suq: emit_query(f, i); return true;
    case Opcode::istypep: emit_type_test(f, i); return true;
    default: return emit_surface(f, i);
    }
}

} // namespace lathe::soft::jit
