// SPDX-License-Identifier: MIT
// What of a function's accesses is checked, and where: access_checks.h puts the checks in.
#pragma once

#include "gpu/soft/jit/alignment.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instruction.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace lathe::soft::jit {

/// One access of an instruction.
struct Touch {
    llvm::Instruction* at = nullptr;
    llvm::Value* pointer = nullptr;
    std::uint64_t size = 0;
    llvm::Value* length = nullptr; ///< where the size is known late
    bool writes = false;
    std::uint32_t alignment = 1; ///< which the address must have
};

struct Member {
    std::int64_t offset = 0;
    Touch touch;
};

/// Accesses that are checked together.
struct Group {
    Root root;
    llvm::Value* base = nullptr;
    std::int64_t begin = 0, end = 0; ///< from the base
    llvm::SmallVector<Member, 4> members;

    /// The base plus `aligned` must be a multiple of `alignment`; `tests_alignment`: what is known
    /// of root and base does not say that it is. Else, for a parameter, the room for
    /// `room_alignment` does.
    std::uint32_t alignment = 1, aligned = 0, room_alignment = 1;
    bool tests_alignment = false;

    const Touch& first() const { return members.front().touch; }
    std::uint64_t bytes() const { return static_cast<std::uint64_t>(end - begin); }
};

/// Groups that are checked at one place, that of the first.
struct Bundle {
    llvm::SmallVector<Group, 2> groups;
    /// Each group lies this far from the one before: the first and the last are compared, the
    /// others lie between. Null: all are.
    llvm::Value* step = nullptr;

    llvm::Instruction* at() const { return groups.front().first().at; }
};

/// The accesses of a function that may fail, in dominator order. `joins`: up to four groups of a
/// block without anything in common may be checked at one place. `kernel` is null for a .func.
std::vector<Bundle> find_accesses(llvm::Function& function, const ModuleFacts& facts,
                                  const KernelFacts* kernel, bool joins);

/// Bytes of what an address points into, where the code alone tells.
std::optional<std::uint64_t> size_of(const Root& root, const ModuleFacts& facts,
                                     const KernelFacts* kernel, const llvm::DataLayout& layout);

} // namespace lathe::soft::jit
