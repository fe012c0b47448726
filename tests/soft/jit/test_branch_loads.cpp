// SPDX-License-Identifier: MIT
// Which loads behind branches go back into them, and which may not.
#include "gpu/soft/jit/branch_loads.h"

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/SourceMgr.h>

#include <map>
#include <string>

namespace lathe::soft::test {
namespace {

/// Loads of each block once the pass has run.
std::map<std::string, unsigned> loads_of(const std::string& text) {
    llvm::LLVMContext context;
    llvm::SMDiagnostic problem;
    const std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, problem, context);
    if (!module) {
        ADD_FAILURE() << problem.getMessage().str();
        return {};
    }
    llvm::FunctionAnalysisManager analyses;
    llvm::PassBuilder{}.registerFunctionAnalyses(analyses);
    llvm::Function& function = *module->getFunction("f");
    jit::BranchLoads{}.run(function, analyses);
    EXPECT_FALSE(llvm::verifyFunction(function));
    std::map<std::string, unsigned> loads;
    for (const llvm::BasicBlock& block : function) {
        unsigned& count = loads[block.getName().str()];
        for (const llvm::Instruction& i : block) count += llvm::isa<llvm::LoadInst>(i);
    }
    return loads;
}

/// Two branches that meet, and what stands where they do.
std::string diamond(const std::string& code) {
    return R"(define float @f(i1 %c, ptr %p, ptr %q, i64 %i) {
  br i1 %c, label %left, label %right
left:
  %pi = getelementptr float, ptr %p, i64 %i
  br label %meet
right:
  %n = ptrtoint ptr %q to i64
  br label %meet
meet:
  %at = phi ptr [ %pi, %left ], [ %q, %right ]
  %number = phi i64 [ %i, %left ], [ %n, %right ]
)" + code + "\n}";
}

TEST(BranchLoads, GoBackIntoTheirBranches) {
    auto loads = loads_of(diamond("%x = load float, ptr %at ret float %x"));
    EXPECT_EQ(loads["left"], 1u);
    EXPECT_EQ(loads["right"], 1u);
    EXPECT_EQ(loads["meet"], 0u);
    // Addresses that are worked out behind the branches, and two of them.
    loads = loads_of(diamond(R"(
  %more = add i64 %number, 16
  %far = inttoptr i64 %more to ptr
  %x = load float, ptr %at
  %y = load float, ptr %far
  %z = fadd float %x, %y
  ret float %z)"));
    EXPECT_EQ(loads["left"], 2u);
    EXPECT_EQ(loads["right"], 2u);
    EXPECT_EQ(loads["meet"], 0u);
}

TEST(BranchLoads, StayWhereTheyMayFindOtherMemory) {
    EXPECT_EQ(
        loads_of(diamond("store float 1.0, ptr %p %x = load float, ptr %at ret float %x"))["meet"],
        1u);
    EXPECT_EQ(loads_of(diamond("%x = load volatile float, ptr %at ret float %x"))["meet"], 1u);
    EXPECT_EQ(loads_of(diamond("%x = load float, ptr %p ret float %x"))["meet"], 1u);
}

TEST(BranchLoads, StayWhereABranchMayNotComeToThem) {
    const auto loads = loads_of(R"(define float @f(i1 %c, ptr %p, ptr %q) {
entry:
  br i1 %c, label %left, label %meet
left:
  br label %meet
meet:
  %at = phi ptr [ %p, %left ], [ %q, %entry ]
  %x = load float, ptr %at
  ret float %x
})");
    EXPECT_EQ(loads.at("meet"), 1u);
}

// A list that is walked: what the next iteration reads is no branch.
TEST(BranchLoads, StayInLoops) {
    const auto loads = loads_of(R"(define void @f(ptr %p) {
entry:
  br label %loop
loop:
  %at = phi ptr [ %p, %entry ], [ %next, %again ]
  %next = load ptr, ptr %at
  %is_end = icmp eq ptr %next, null
  br i1 %is_end, label %end, label %again
again:
  br label %loop
end:
  ret void
})");
    EXPECT_EQ(loads.at("loop"), 1u);
}

} // namespace
} // namespace lathe::soft::test
