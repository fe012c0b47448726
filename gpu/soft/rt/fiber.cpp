// SPDX-License-Identifier: MIT
#include "gpu/soft/rt/fiber.h"

#include "gpu/soft/rt/fiber_sanitizer.h"
#include "gpu/soft/rt/page.h"

#include <atomic>
#include <bit>
#include <cstdio>
#include <memory>
#include <sys/mman.h>

namespace lathe::soft {

namespace {

// A guard page costs two memory maps, of which the kernel allows a process 65530 by default; the
// arena needs them, too. Beyond half of them stacks go without a guard.
bool guard_allowed() {
    static const std::size_t limit = [] {
        std::size_t maps = 65530;
        if (FILE* f = std::fopen("/proc/sys/vm/max_map_count", "r")) {
            if (std::fscanf(f, "%zu", &maps) != 1) maps = 65530;
            std::fclose(f);
        }
        return maps / 4;
    }();
    static std::atomic<std::size_t> made{0};
    return made.fetch_add(1, std::memory_order_relaxed) < limit;
}
} // namespace

bool Stack::in_guard(std::uintptr_t p) const {
    auto bottom = reinterpret_cast<std::uintptr_t>(low);
    return guarded && p >= bottom - kPage && p < bottom;
}

bool Stack::holds(std::uintptr_t p) const {
    auto bottom = reinterpret_cast<std::uintptr_t>(low);
    return p >= bottom && p < bottom + bytes;
}

StackPool::~StackPool() {
    for (Stack* stack : all_) {
        end_stack(*stack);
        munmap(stack->low - kPage, stack->bytes + kPage);
        delete stack;
    }
}

Stack* StackPool::take(std::size_t bytes) {
    bytes = std::bit_ceil(std::max(bytes, kSmallestStack));
    unsigned order = static_cast<unsigned>(std::bit_width(bytes)) - 17;
    if (order >= std::size(free_)) return nullptr;
    auto& list = free_[order];
    if (!list.empty()) {
        Stack* stack = list.back();
        list.pop_back();
        return stack;
    }
    void* p = mmap(nullptr, bytes + kPage, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (p == MAP_FAILED) return nullptr;
    auto stack = std::make_unique<Stack>();
    stack->low = static_cast<std::byte*>(p) + kPage;
    stack->bytes = bytes;
    stack->guarded = guard_allowed() && mprotect(p, kPage, PROT_NONE) == 0;
    std::size_t stagger = all_.size() * 192 % 3840;
    stack->top = stack->low + bytes - 64 - stagger;
    begin_stack(*stack);
    all_.push_back(stack.get());
    return stack.release();
}

void StackPool::give(Stack* stack) {
    unsigned order = static_cast<unsigned>(std::bit_width(stack->bytes)) - 17;
    free_[order].push_back(stack);
}

} // namespace lathe::soft
