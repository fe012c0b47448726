// SPDX-License-Identifier: MIT
// Where the addresses of a function come from: each value is traced through additions, casts,
// selects and phis to what it may point into.
#pragma once

#include "gpu/soft/jit/module_facts.h"
#include "gpu/soft/rt/access.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Operator.h>

namespace lathe::soft::jit {

struct Root {
    enum class Kind : std::uint8_t {
        unvisited,
        number,     ///< no address
        loaded,     ///< 64 bits from somewhere (`value`): a number, or an address
        context,    ///< the ThreadContext, tables of ours: our own code
        parameters, ///< of the kernel
        frame,      ///< packed parameters and results of a .func
        parameter,  ///< eight bytes of the kernel's parameters
        shared,
        variable, ///< of the module
        local,    ///< of a thread
        unknown
    };
    Kind kind = Kind::unvisited;
    std::uint32_t slot = 0;             ///< of a parameter: KernelInfo::pointers; else a seen range
    bool is_guess = false;              ///< it may be a number
    const llvm::Value* value = nullptr; ///< of a variable

    bool operator==(const Root&) const = default;
    bool is_place() const { return kind >= Kind::context; }
};

class Provenance {
public:
    /// `kernel` is null for a .func by itself.
    Provenance(const llvm::Function& function, const KernelFacts* kernel);

    /// Of a pointer, or an integer.
    Root of(const llvm::Value* value) const;

private:
    Root transfer(const llvm::Operator& value) const;
    Root load(const llvm::Operator& value) const;

    const llvm::DataLayout& layout_;
    const KernelFacts* kernel_;
    llvm::DenseMap<const llvm::Value*, Root> roots_;
};

/// An address as something and a number of bytes. Where the something was extended from 32 bits
/// (addresses of shared memory) the sum is exact as long as it does not leave the 32 bits.
struct Place {
    llvm::Value* base = nullptr;
    std::int64_t offset = 0;
};
Place place_of(llvm::Value* address, const llvm::DataLayout& layout, bool through_extensions);

} // namespace lathe::soft::jit
