// SPDX-License-Identifier: MIT
// Stacks and switches between them: what lets one OS thread run the threads of a block that wait
// for each other. x86-64 System V only; the switch itself is fiber.S.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

extern "C" {
/// Saves the callee-saved registers, stores the stack pointer in *save, continues at `load`.
void lathe_soft_switch(void** save, void* load);
/// As lathe_soft_switch, but continues in entry(argument) on a fresh stack. entry must not return.
void lathe_soft_switch_new(void** save, void* stack_top, void (*entry)(void*), void* argument);
/// Continues at `load`, leaving the running stack for good.
[[noreturn]] void lathe_soft_jump(void* load);
/// Restarts at the top of a stack (also the running one) in entry(argument).
[[noreturn]] void lathe_soft_restart(void* stack_top, void (*entry)(void*), void* argument);
}

namespace lathe::soft {

/// Memory for one fiber; the page below `low` has no access (unless `guarded` is false).
struct Stack {
    std::byte* low = nullptr;
    std::size_t bytes = 0;
    void* top = nullptr; ///< 16-byte aligned, staggered so that stacks do not share cache sets
    bool guarded = false;
    void* sanitizer = nullptr; ///< what fiber_sanitizer.h keeps; null in other builds

    bool in_guard(std::uintptr_t p) const;
    bool holds(std::uintptr_t p) const;
};

/// The stacks of one worker, kept for reuse by size. Used by one thread at a time.
class StackPool {
public:
    StackPool() = default;
    ~StackPool();
    StackPool(const StackPool&) = delete;
    StackPool& operator=(const StackPool&) = delete;

    /// A stack of at least `bytes` (rounded up to a power of two, 64 KiB or more).
    /// Null where the system gives no memory.
    Stack* take(std::size_t bytes);
    void give(Stack* stack);

private:
    std::vector<Stack*> all_;
    std::vector<Stack*> free_[24]; ///< by log2 of the size
};

} // namespace lathe::soft
