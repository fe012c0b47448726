// SPDX-License-Identifier: MIT
// What is known of a PTX module before any code is made: who calls whom, where shared variables
// lie, which kernels must run as fibers.
#pragma once

#include "gpu/soft/jit/compiler.h"
#include "gpu/soft/jit/flushing.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace lathe::soft::jit {

/// Offsets of shared variables from the base of the block's shared memory, by
/// "function/variable", or "/variable" at module scope.
struct SharedLayout {
    std::map<std::string, std::uint32_t> offsets;
    std::uint32_t static_bytes = 0;
    std::uint32_t dynamic_offset = 0;
    bool has_dynamic = false; ///< variables whose size the launch says
};

struct KernelFacts {
    KernelInfo info;
    SharedLayout shared;
    const ptx::Function* function = nullptr;
    bool uses_barriers = false; ///< of the block
    bool uses_warp_operations = false;
    bool spins = false; ///< loops wait for another thread
    bool accesses_vectors = false;
    std::uint32_t instructions = 0; ///< with callees, each once
};

/// Facts of one function by itself.
struct FunctionFacts {
    std::set<std::string> symbols; ///< every symbol named: callees, variables
    std::set<std::string> callees; ///< by name
    std::uint32_t instructions = 0;
    std::uint32_t local_bytes = 0;
    bool has_rows = false; ///< asks for a thread's y
    bool uses_barriers = false;
    bool uses_warp_operations = false;
    bool accesses_vectors = false; ///< ld.v4 and the like
    bool waits = false;            ///< barrier, warp operation or spin
    bool spins = false;
    bool reads = false; ///< what other threads write
    bool calls_indirectly = false;
    bool recursive = false;
    bool address_taken = false;
    Subnormals subnormals = Subnormals::indifferent;
};

struct ModuleFacts {
    std::map<std::string, FunctionFacts> functions;
    std::vector<KernelFacts> kernels;
    /// Used by code reached through function addresses in variables: all shared variables.
    SharedLayout all_shared;
    bool functions_in_variables = false;
    /// Functions that give back what other threads write (without optimisation atomicCAS is one).
    std::set<std::string> readers;
    std::map<std::string, const ptx::Variable*> variables; ///< module scope

    /// Functions reachable from `name` (itself included).
    std::set<std::string> reachable(const std::string& name) const;
    const KernelFacts* kernel(std::string_view name) const;
};

ModuleFacts find_facts(const ptx::Module& module);

/// Labels whose loops (the text between label and backward branch) may wait for another thread:
/// the branch depends on a volatile, acquire or atomic read within. With each the iterations that
/// are worth doing before other threads get their turn.
/// A call of one of `readers` is such a read.
std::map<std::string, std::uint32_t> spinning_labels(const ptx::Function& function,
                                                     const std::set<std::string>& readers);

} // namespace lathe::soft::jit
