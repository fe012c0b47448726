// SPDX-License-Identifier: MIT
// Kernels with many branches: what lives across all of their joins stays in memory, and keeps its
// values.
#include "gpu/soft/jit/warp/promotion.h"

#include "tests/soft/jit/mini_runtime.h"
#include "tests/soft/support/nvrtc.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>

namespace lathe::soft::test {
namespace {

/// A row of `count` diamonds. "long" is changed in each; each has a "short" slot of its own.
std::string diamonds(unsigned count) {
    std::string slots, blocks;
    for (unsigned k = 0; k < count; ++k) {
        slots += fmt::format("  %short{} = alloca i32\n", k);
        blocks += fmt::format(R"(
top{0}:
  %x{0} = load i32, ptr %long
  %is{0} = icmp sgt i32 %x{0}, {0}
  store i32 %x{0}, ptr %short{0}
  br i1 %is{0}, label %more{0}, label %end{0}
more{0}:
  %y{0} = mul i32 %x{0}, {0}
  store i32 %y{0}, ptr %short{0}
  store i32 %y{0}, ptr %long
  br label %end{0}
end{0}:
  %z{0} = load i32, ptr %short{0}
  store i32 %z{0}, ptr %out
  br label %top{1})",
                              k, k + 1);
    }
    return fmt::format(R"(define void @f(ptr %out, i32 %start) {{
  %long = alloca i32
{}
  store i32 %start, ptr %long
  br label %top0
{}
top{}:
  %last = load i32, ptr %long
  store i32 %last, ptr %out
  ret void
}})",
                       slots, blocks, count);
}

/// The names of the slots of `diamonds(count)` that are still there after promotion.
std::vector<std::string> kept_of(unsigned count) {
    llvm::LLVMContext context;
    llvm::SMDiagnostic problem;
    const std::unique_ptr<llvm::Module> module =
        llvm::parseAssemblyString(diamonds(count), problem, context);
    if (!module) throw std::runtime_error{problem.getMessage().str()};
    llvm::Function& function = *module->getFunction("f");
    std::vector<llvm::AllocaInst*> slots;
    for (llvm::Instruction& i : function.getEntryBlock())
        if (auto* slot = llvm::dyn_cast<llvm::AllocaInst>(&i)) slots.push_back(slot);
    jit::warp::promote_slots(function, slots);
    EXPECT_FALSE(llvm::verifyModule(*module));
    std::vector<std::string> kept;
    for (llvm::Instruction& i : function.getEntryBlock())
        if (llvm::isa<llvm::AllocaInst>(i)) kept.push_back(i.getName().str());
    return kept;
}

TEST(Promotion, SlotsOfManyJoinsStayInMemory) {
    const auto most = static_cast<unsigned>(jit::warp::kMostJoins);
    EXPECT_EQ(kept_of(most / 2), std::vector<std::string>{});
    EXPECT_EQ(kept_of(most), std::vector<std::string>{});
    EXPECT_EQ(kept_of(2 * most), std::vector<std::string>{"long"});
}

// An interpreter: each thread has its own next instruction in every pass of a loop.
TEST(Promotion, ValuesSurviveManyBranches) {
    if (!lathe::test::has_nvrtc()) GTEST_SKIP() << "NVRTC was not found";
    constexpr std::uint32_t kCases = 48, kPasses = 40, kThreads = 96;
    std::string cases;
    for (std::uint32_t k = 0; k < kCases; ++k)
        cases += fmt::format(
            "case {0}: a = a * {1} + b; if (a & 4) b ^= c >> {2}; c += a + {0}; break;\n", k,
            2 * k + 3, k % 7);
    const std::string source = fmt::format(R"(
extern "C" __global__ void interpret(unsigned* out) {{
    unsigned a = threadIdx.x, b = 1, c = 2, next = threadIdx.x * 2654435761u;
    for (int pass = 0; pass < {}; ++pass) {{
        switch ((next >> 16) % {}) {{ {} }}
        next = next * 1664525u + 1013904223u;
    }}
    out[threadIdx.x] = a ^ b ^ c;
}})",
                                           kPasses, kCases, cases);
    std::vector<std::uint32_t> expected(kThreads);
    for (std::uint32_t t = 0; t < kThreads; ++t) {
        std::uint32_t a = t, b = 1, c = 2, next = t * 2654435761u;
        for (std::uint32_t pass = 0; pass < kPasses; ++pass) {
            const std::uint32_t k = (next >> 16) % kCases;
            a = a * (2 * k + 3) + b;
            if (a & 4) b ^= c >> k % 7;
            c += a + k;
            next = next * 1664525u + 1013904223u;
        }
        expected[t] = a ^ b ^ c;
    }
    const std::string text = lathe::test::compile_to_ptx(source.c_str(), "interpret.cu", {});
    for (const ExecutionMode mode : {ExecutionMode{false}, {true, 16}, {true, 32}}) {
        std::vector<std::uint32_t> out(kThreads);
        const Shape shape{{1, 1, 1}, {kThreads, 1, 1}};
        const Outcome outcome = Program{text, mode}.run(shape, out.data());
        EXPECT_EQ(outcome.width, mode.by_warps ? mode.width : 1);
        EXPECT_EQ(out, expected) << outcome.width << " lanes";
    }
}

} // namespace
} // namespace lathe::soft::test
