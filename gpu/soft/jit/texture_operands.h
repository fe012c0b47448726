// SPDX-License-Identifier: MIT
// What texture and surface instructions share: geometries, objects, coordinates, boundary modes.
#pragma once

#include "gpu/soft/jit/lowering.h"

namespace lathe::soft::jit {

struct Geometry {
    std::uint32_t code = 1;      ///< abi.h: dimensions and TextureGeometry
    std::size_t coordinates = 1; ///< words, layer included
};

/// The geometry among the modifiers; fails where there is none that exists here.
Geometry geometry_of(FunctionLowering& f, const Instruction& i);

/// The handle: the base of the bracketed operand. A .texref or .surfref variable counts as the
/// object it holds.
Value* object_of(FunctionLowering& f, const Instruction& i, std::size_t index);

/// Index of the coordinates behind the object at `index`. Fails where a sampler stands between.
std::size_t coordinates_index(FunctionLowering& f, const Instruction& i, std::size_t index);

/// Stores the first `count` components of an operand as words of `type` into words[first...];
/// `integers` of them, at the front, are integers whatever the type.
void store_components(FunctionLowering& f, const Instruction& i, std::size_t index, ptx::Type type,
                      std::size_t count, Value* words, unsigned first, std::size_t integers = 0);

/// A place for the words of an instruction with its coordinates in it.
Value* coordinates(FunctionLowering& f, const Instruction& i, std::size_t index, ptx::Type type,
                   const Geometry& g);

/// The components of an operand: those of a vector, else the operand itself.
std::span<const Operand> components(const Operand& operand);

bool emit_surface(FunctionLowering& f, const Instruction& i);

} // namespace lathe::soft::jit
