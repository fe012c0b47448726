// SPDX-License-Identifier: MIT
// What LLVM needs to compile for the host and can keep between kernels: making it anew takes as
// long as compiling a small kernel.
#pragma once

#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace lathe::soft::jit {

/// What a compile is worth. Code of both kinds gives the same bits.
enum class Effort : std::uint8_t {
    quick, ///< the least time to compile, for what runs until better code is there
    full
};

/// A context, a target machine, the passes' analyses and the code generator. Modules compiled with
/// it are made in `context`. Not thread-safe: take() lends one to a thread at a time.
class Toolchain {
public:
    struct GiveBack {
        void operator()(Toolchain* toolchain) const;
    };
    using Lease = std::unique_ptr<Toolchain, GiveBack>;
    /// One that no other thread uses.
    static Lease take(Effort effort);

    ~Toolchain();
    Toolchain(const Toolchain&) = delete;
    Toolchain& operator=(const Toolchain&) = delete;

    /// Runs passes over a module, with the analyses they ask for.
    void run(llvm::ModulePassManager& passes, llvm::Module& module);
    /// ELF object of the module; stays until the next one.
    std::string_view generate_code(llvm::Module& module);

    llvm::LLVMContext context;
    const std::unique_ptr<llvm::TargetMachine> machine;

private:
    Toolchain(std::string cpu, Effort effort);
    void make_code_generator();

    std::string cpu_;
    Effort effort_;
    unsigned uses_ = 0; ///< the context keeps every constant: it is left after some kernels
    llvm::LoopAnalysisManager loops_;
    llvm::FunctionAnalysisManager functions_;
    llvm::CGSCCAnalysisManager components_;
    llvm::ModuleAnalysisManager modules_;
    llvm::SmallVector<char, 0> object_;
    llvm::raw_svector_ostream stream_{object_};
    llvm::legacy::PassManager code_generator_;
};

/// Tells LLVM of the host's processors: before it is asked for what compiles or prints their code.
/// Thread-safe.
void register_host();
/// The processor that code is made for, an LLVM name, and what it has beyond that name.
std::string target_name();
const std::string& target_features();
/// True where a * b + c with one rounding is an instruction.
bool has_fused_multiply_add();
/// AVX-512: a rounding that belongs to one instruction, of vectors of 16 floats and of single ones.
bool has_rounding_in_instructions();
/// True where it has 512-bit vectors with masks.
bool has_wide_vectors();

} // namespace lathe::soft::jit
