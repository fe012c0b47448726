// SPDX-License-Identifier: MIT
// Records: what one thread accesses side by side. The parts of a vector access (ld.v4), or fields
// of a structure that are read, or written, in one straight line of code. Where the records of
// lanes lie side by side, too, memory is accessed by whole vectors, and the parts are sorted out by
// shuffles (interleave.h) instead of being gathered one by one.
#pragma once

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instruction.h>

#include <cstdint>
#include <vector>

namespace lathe::soft::jit::warp {

struct Record {
    struct Part {
        const llvm::Instruction* access; ///< a simple load, or a simple store
        unsigned index;                  ///< bytes from the first part / bytes of a part
    };
    std::vector<Part> parts; ///< ascending, all of one size
    std::uint64_t bytes = 0; ///< of a part
    bool writes = false;
    /// Where all of them can be done at once: the first load, the last store.
    const llvm::Instruction* at = nullptr;
    unsigned index_of_at = 0;

    /// Parts that the thread's bytes from the first one to the last one would have.
    unsigned span() const { return parts.back().index + 1; }
    bool is_dense() const { return span() == parts.size(); }
};

/// The records of a block, loads of a single element among them. No load moves up beyond a write,
/// no store down beyond an access, that may touch the same bytes of the thread, nor any beyond
/// what orders memory.
std::vector<Record> find_records(const llvm::BasicBlock& block, const llvm::DataLayout& layout);

} // namespace lathe::soft::jit::warp
