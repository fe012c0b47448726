// SPDX-License-Identifier: MIT
// tex, tld4, txq, suld, sust, suq: calls of the run time with coordinates on the stack.
// Textures and surfaces are 64-bit objects; a .texref variable counts as the object it holds.
#include "gpu/soft/jit/floats.h"

#include <fmt/format.h>

namespace lathe::soft::jit {

namespace {

struct Geometry {
    std::uint32_t code = 1;      ///< abi.h: dimensions, +16 layered, +32 cube
    std::size_t coordinates = 1; ///< words, layer included
};

Geometry geometry(FunctionLowering& f, const Instruction& i) {
    struct Row {
        const char* name;
        Geometry geometry;
    };
    static constexpr Row kRows[] = {
        {"1d", {1, 1}},   {"2d", {2, 2}},    {"3d", {3, 3}},     {"a1d", {17, 2}},
        {"a2d", {18, 3}}, {"cube", {34, 3}}, {"acube", {50, 4}},
    };
    for (const Row& row : kRows) {
        if (i.has(row.name)) return row.geometry;
    }
    f.fail(i, "this texture geometry does not exist on the software device");
}

/// The object: the base of the bracketed operand.
Value* object(FunctionLowering& f, const Instruction& i, std::size_t index) {
    auto& b = f.b;
    const auto* address = std::get_if<ptx::Address>(&f.operand(i, index).value);
    if (address) {
        if (const auto* symbol = std::get_if<ptx::Symbol>(&address->base)) {
            return b.CreateLoad(b.getInt64Ty(), f.symbol_pointer(symbol->name));
        }
    }
    return f.read(i, index, ptx::Type::b64);
}

/// Index of the coordinates behind the object at `index` (a sampler may stand between them).
std::size_t coordinates_index(const Instruction& i, std::size_t index) {
    const auto* address = std::get_if<ptx::Address>(&i.operands[index].value);
    return index + std::max<std::size_t>(1, address ? address->bracketed : 1);
}

/// Coordinates as words of `type`; the layer stays an integer.
Value* coordinates(FunctionLowering& f, const Instruction& i, std::size_t index, ptx::Type type,
                   const Geometry& g) {
    auto& b = f.b;
    auto* place = f.stack(llvm::ArrayType::get(b.getInt32Ty(), 4), 4, "coordinates");
    const Operand& operand = f.operand(i, index);
    const auto* list = std::get_if<ptx::Vector>(&operand.value);
    const std::size_t given = list ? list->items.size() : 1;
    if (given < g.coordinates) {
        f.fail(i, fmt::format("{} coordinates, {} expected", given, g.coordinates));
    }
    for (std::size_t k = 0; k < g.coordinates; ++k) {
        const Operand& item = list ? list->items[k] : operand;
        const bool layer = g.code >= 16 && g.code != 34 && k == 0;
        Value* word = f.as_int(f.read(item, layer ? ptx::Type::u32 : type));
        b.CreateStore(word, b.CreateConstGEP1_32(b.getInt32Ty(), place, static_cast<unsigned>(k)));
    }
    return place;
}

void write_texels(FunctionLowering& f, const Instruction& i, Value* result, ptx::Type type) {
    auto& b = f.b;
    const auto* list = std::get_if<ptx::Vector>(&i.operands[0].value);
    const std::size_t count = list ? list->items.size() : 1;
    for (std::size_t k = 0; k < count; ++k) {
        Value* word = b.CreateLoad(
            b.getInt32Ty(), b.CreateConstGEP1_32(b.getInt32Ty(), result, static_cast<unsigned>(k)));
        const bool half = f.bits_of(type) == 16;
        Value* value = half && type == ptx::Type::f16
                           ? b.CreateBitCast(b.CreateFPTrunc(b.CreateBitCast(word, b.getFloatTy()),
                                                             b.getHalfTy()),
                                             b.getInt16Ty())
                           : f.cast_bits(word, f.llvm_type(type));
        f.write(list ? list->items[k] : i.operands[0], value, type);
    }
}

/// Mip level of tex.grad: log2 of the longer footprint in texels.
Value* gradient_level(FunctionLowering& f, const Instruction& i, Value* texture, std::size_t index,
                      const Geometry& g) {
    auto& b = f.b;
    auto* real = b.getFloatTy();
    Value* longest = llvm::ConstantFP::get(real, 0.0);
    const std::size_t dimensions = g.code & 15;
    for (std::size_t d = 0; d < 2; ++d) {
        const Operand& operand = f.operand(i, index + d);
        const auto* list = std::get_if<ptx::Vector>(&operand.value);
        Value* square = llvm::ConstantFP::get(real, 0.0);
        for (std::size_t k = 0; k < dimensions; ++k) {
            Value* size = f.call_runtime("lathe_rt_txq", b.getInt32Ty(),
                                         {texture, b.getInt32(static_cast<std::uint32_t>(k))});
            Value* slope = f.read(list ? list->items[k] : operand, ptx::Type::f32);
            Value* texels = b.CreateFMul(slope, b.CreateUIToFP(size, real));
            square = b.CreateFAdd(square, b.CreateFMul(texels, texels));
        }
        longest = b.CreateBinaryIntrinsic(llvm::Intrinsic::maxnum, longest, square);
    }
    Value* level =
        b.CreateFMul(llvm::ConstantFP::get(real, 0.5), approximate(f, Opcode::lg2, longest, true));
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::maxnum, level,
                                   llvm::ConstantFP::get(real, 0.0));
}

void emit_tex(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const Geometry g = geometry(f, i);
    const ptx::Type type = f.type(i, 0), coordinate_type = f.type(i, 1);
    const std::size_t at = coordinates_index(i, 1);
    Value* texture = object(f, i, 1);
    Value* place = coordinates(f, i, at, coordinate_type, g);
    Value* level = llvm::ConstantFP::get(b.getFloatTy(), 0.0);
    if (i.has("level")) level = f.read(i, at + 1, ptx::Type::f32);
    if (i.has("grad")) level = gradient_level(f, i, texture, at + 1, g);
    auto* result = f.stack(llvm::ArrayType::get(b.getInt32Ty(), 4), 16, "texel");
    const bool real = type == ptx::Type::f32 || type == ptx::Type::f16;
    f.call_runtime("lathe_rt_tex", b.getVoidTy(),
                   {texture, b.getInt32(g.code), b.getInt32(coordinate_type == ptx::Type::f32),
                    place, level, b.getInt32(real), result});
    write_texels(f, i, result, type);
}

void emit_tld4(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const ptx::Type type = f.type(i, 0);
    const std::uint32_t component = i.has("g") ? 1 : i.has("b") ? 2 : i.has("a") ? 3 : 0;
    if (!i.has("2d")) f.fail(i, "tld4 exists for 2d textures");
    Value* place = coordinates(f, i, coordinates_index(i, 1), ptx::Type::f32, {2, 2});
    auto* result = f.stack(llvm::ArrayType::get(b.getInt32Ty(), 4), 16, "texels");
    f.call_runtime("lathe_rt_tld4", b.getVoidTy(),
                   {object(f, i, 1), b.getInt32(component), place,
                    b.getInt32(type == ptx::Type::f32), result});
    write_texels(f, i, result, type);
}

std::uint32_t boundary(const Instruction& i) { return i.has("clamp") ? 1 : i.has("zero") ? 2 : 0; }

/// suld, sust in the .b form: x in bytes, no conversion.
void emit_surface(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    const Geometry g = geometry(f, i);
    const ptx::Type type = f.type(i, 0);
    const bool load = i.opcode == Opcode::suld;
    if (!i.has("b")) f.fail(i, "only the unformatted (.b) surface accesses exist");
    const std::size_t at = load ? 1 : 0;
    const std::size_t coordinates_at = coordinates_index(i, at);
    const Operand& data = f.operand(i, load ? 0 : coordinates_at + 1);
    const auto* list = std::get_if<ptx::Vector>(&data.value);
    const std::size_t count = list ? list->items.size() : 1;
    auto* values = f.stack(llvm::ArrayType::get(b.getInt64Ty(), 4), 16, "values");
    auto slot = [&](std::size_t k) {
        return b.CreateConstGEP1_32(b.getInt64Ty(), values, static_cast<unsigned>(k));
    };
    for (std::size_t k = 0; k < count && !load; ++k) {
        Value* v = f.as_int(f.read(list ? list->items[k] : data, type));
        b.CreateStore(b.CreateZExt(v, b.getInt64Ty()), slot(k));
    }
    f.call_runtime(load ? "lathe_rt_suld" : "lathe_rt_sust", b.getVoidTy(),
                   {object(f, i, at), b.getInt32(g.code), b.getInt32(boundary(i)),
                    coordinates(f, i, coordinates_at, ptx::Type::s32, g),
                    b.getInt32(ptx::bytes_of(type)), b.getInt32(static_cast<std::uint32_t>(count)),
                    values});
    for (std::size_t k = 0; k < count && load; ++k) {
        Value* v = f.cast_bits(b.CreateLoad(b.getInt64Ty(), slot(k)), f.llvm_type(type));
        f.write(list ? list->items[k] : data, v, type);
    }
}

void emit_query(FunctionLowering& f, const Instruction& i) {
    auto& b = f.b;
    static constexpr const char* kQueries[] = {"width",         "height",
                                               "depth",         "channel_data_type",
                                               "channel_order", "normalized_coords",
                                               "array_size",    "num_mipmap_levels"};
    for (std::uint32_t k = 0; k < std::size(kQueries); ++k) {
        if (!i.has(kQueries[k])) continue;
        Value* answer =
            f.call_runtime("lathe_rt_txq", b.getInt32Ty(), {object(f, i, 1), b.getInt32(k)});
        f.write(i, answer, ptx::Type::b32);
        return;
    }
    f.fail(i, "unknown query");
}

} // namespace

bool emit_texture(FunctionLowering& f, const Instruction& i) {
    switch (i.opcode) {
    case Opcode::tex:
        emit_tex(f, i);
        return true;
    case Opcode::tld4:
        emit_tld4(f, i);
        return true;
    case Opcode::suld:
    case Opcode::sust:
        emit_surface(f, i);
        return true;
    case Opcode::txq:
    case Opcode::suq:
        emit_query(f, i);
        return true;
    default:
        return false;
    }
}

} // namespace lathe::soft::jit
