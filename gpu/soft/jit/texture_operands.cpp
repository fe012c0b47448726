// SPDX-License-Identifier: MIT
#include "gpu/soft/jit/texture_operands.h"

#include "gpu/soft/rt/abi.h"

#include <fmt/format.h>

namespace lathe::soft::jit {

Geometry geometry_of(FunctionLowering& f, const Instruction& i) {
    struct Row {
        const char* name;
        Geometry geometry;
    };
    static constexpr Row kRows[] = {
        {"1d", {1, 1}},
        {"2d", {2, 2}},
        {"3d", {3, 3}},
        {"a1d", {1 | kTextureLayered, 2}},
        {"a2d", {2 | kTextureLayered, 3}},
        {"cube", {3 | kTextureCube, 3}},
        {"acube", {3 | kTextureCube | kTextureLayered, 4}},
    };
    for (const Row& row : kRows) {
        if (i.has(row.name)) return row.geometry;
    }
    f.fail(i, "this texture geometry does not exist on the software device");
}

Value* object_of(FunctionLowering& f, const Instruction& i, std::size_t index) {
    auto& b = f.b;
    const auto* address = std::get_if<ptx::Address>(&f.operand(i, index).value);
    if (address) {
        if (const auto* symbol = std::get_if<ptx::Symbol>(&address->base)) {
            return b.CreateLoad(b.getInt64Ty(), f.symbol_pointer(symbol->name));
        }
    }
    return f.read(i, index, ptx::Type::b64);
}

std::size_t coordinates_index(FunctionLowering& f, const Instruction& i, std::size_t index) {
    const auto* address = std::get_if<ptx::Address>(&f.operand(i, index).value);
    if (address && address->bracketed > 1)
        f.fail(i, "separate samplers (texmode_independent) do not exist on the software device");
    return index + 1;
}

std::span<const Operand> components(const Operand& operand) {
    if (const auto* list = std::get_if<ptx::Vector>(&operand.value)) return list->items;
    return {&operand, 1};
}

void store_components(FunctionLowering& f, const Instruction& i, std::size_t index, ptx::Type type,
                      std::size_t count, Value* words, unsigned first, std::size_t integers) {
    auto& b = f.b;
    const auto given = components(f.operand(i, index));
    if (given.size() < count)
        f.fail(i, fmt::format("{} coordinates, {} expected", given.size(), count));
    for (std::size_t k = 0; k < count; ++k) {
        Value* word = f.as_int(f.read(given[k], k < integers ? ptx::Type::u32 : type));
        b.CreateStore(
            word, b.CreateConstGEP1_32(b.getInt32Ty(), words, first + static_cast<unsigned>(k)));
    }
}

Value* coordinates(FunctionLowering& f, const Instruction& i, std::size_t index, ptx::Type type,
                   const Geometry& g) {
    Value* words = f.stack(llvm::ArrayType::get(f.b.getInt32Ty(), 16), 4, "coordinates");
    store_components(f, i, index, type, g.coordinates, words, 0, g.code & kTextureLayered ? 1 : 0);
    return words;
}

} // namespace lathe::soft::jit
