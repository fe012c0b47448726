// SPDX-License-Identifier: MIT
// How many low bits of a function's addresses are known to be zero. Scaled indices keep what their
// root has; the roots are stacks, variables, shared memory, and pointers among the parameters,
// which are taken as aligned here: the run time says of each launch whether they are
// (ParameterRange::rooms).
#pragma once

#include "gpu/soft/jit/provenance.h"

#include <llvm/IR/Function.h>

#include <cstdint>

namespace lathe::soft::jit {

/// Low bits of a value that are zero: for certain, and where the parameters in `slots` (a bit each)
/// are multiples of kMostAlignment.
struct ZeroBits {
    std::uint8_t certain = 0, assumed = 0;
    std::uint64_t slots = 0;

    bool operator==(const ZeroBits&) const = default;
};

class Alignments {
public:
    /// `origins` must be of the same function, and outlive this.
    Alignments(const llvm::Function& function, const ModuleFacts& facts, const Provenance& origins);

    /// Of an integer or a pointer.
    ZeroBits of(const llvm::Value* value) const;

private:
    ZeroBits transfer(const llvm::Operator& value) const;
    ZeroBits address(const llvm::GEPOperator& step) const;

    const ModuleFacts& facts_;
    const Provenance& origins_;
    const llvm::DataLayout& layout_;
    llvm::DenseMap<const llvm::Value*, ZeroBits> known_;
};

} // namespace lathe::soft::jit
