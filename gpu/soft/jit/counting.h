// SPDX-License-Identifier: MIT
// Counters by source line, off unless asked for (rt/counters.h). As checks of accesses do, marks go
// into optimised scalar code, where the memory that an access is for is still known; the widener
// lowers them (warp/counters.cpp). Code that runs single threads counts its blocks only.
#pragma once

#include "gpu/soft/jit/module_facts.h"
#include "gpu/soft/rt/counters.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace lathe::soft::jit {

/// A sum of slots times constants.
using SlotSum = std::vector<std::pair<std::uint32_t, std::int64_t>>;

/// What a piece of code counts; grows while the code is made.
class CounterSites {
public:
    std::uint32_t slot() { return slots(1); }
    std::uint32_t slots(std::uint32_t count) {
        return std::exchange(table_.slots, table_.slots + count);
    }
    /// The row of a place, nothing where it has no line.
    void add(const llvm::DILocation* place, Counter counter, const SlotSum& sum,
             std::int64_t factor = 1, bool by_threads = false);
    /// The different places of a block's instructions. Of a line that reaches memory or other
    /// threads (`function` being all code of it), only blocks where it does: the rest are addresses
    /// and the like, moved to where the compiler liked them.
    using Places = std::vector<const llvm::DILocation*>;
    static std::map<const llvm::BasicBlock*, Places> places(const llvm::Function& function);
    /// What a thread does in a block for a line.
    struct Work {
        const llvm::DILocation* line = nullptr;
        std::int64_t instructions = 0; ///< marks and the like are none
        std::int64_t flops = 0, double_flops = 0;
    };
    static std::vector<Work> work(const llvm::BasicBlock& block);
    /// Adds it for a block that `runs` so often, by so many lanes.
    void add(const Work& work, const SlotSum& runs, const SlotSum& lanes, bool by_threads = false);
    /// Keeps the table in the module as text, so that it stays with the code.
    void write(llvm::Module& module, std::string_view kernel) const;

private:
    CounterTable table_;
    std::map<CounterRow, std::uint32_t> rows_;
};

constexpr const char* kCounterTable = "lathe.counters"; ///< the symbol that write() makes
CounterTablePtr read_counter_table(const char* text);

/// What kCount marks say of an access.
enum class CountedSpace : std::uint32_t { global, shared, unknown, atomic };

/// Attached to the parts of a vector access: an access of its own node, bytes in all, bytes before
/// this part; and to other accesses of a known space. PTX `space` as CountedSpace, or ~0 for one
/// that is not counted.
constexpr const char* kAccessMetadata = "lathe.access";
void note_access(llvm::Instruction& i, llvm::MDNode* id, std::uint32_t bytes, std::uint32_t offset,
                 std::uint32_t space);
llvm::MDNode* new_access(llvm::LLVMContext& context);

/// Puts marks (warp::kCount) before the accesses of a kernel that is going to be widened.
void mark_counted(llvm::Function& body, const ModuleFacts& facts, const KernelFacts& kernel);
/// Counts the blocks of a function that runs single threads.
void count_threads(llvm::Function& function, CounterSites& sites);

} // namespace lathe::soft::jit
