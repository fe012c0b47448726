// SPDX-License-Identifier: MIT
// The runner: loops, queues and what ends them. Waiting and its reasons are barrier.cpp, warp.cpp;
// warps in rounds are rounds.cpp; the texts of faults and deadlocks are diagnose.cpp.
#include "gpu/soft/rt/block.h"

#include "gpu/soft/rt/fiber_sanitizer.h"
#include "gpu/soft/rt/float_mode.h"
#include "gpu/soft/rt/page.h"
#include "gpu/soft/rt/profile.h"
#include "gpu/soft/rt/seen.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <utility>
#include <x86intrin.h>

namespace lathe::soft {

static_assert(offsetof(ThreadFiber, context) == 0);

namespace {
constexpr std::size_t kSharedRegion = kMaxShared + kMaxResidentBlocks * 256;
constexpr std::size_t kLoopStack = std::size_t{512} << 10;
constexpr std::size_t kFiberStack = std::size_t{64} << 10;

thread_local BlockRunner* t_runner __attribute__((tls_model("initial-exec"))) = nullptr;

/// Room for the frames of the code, of its checked form which a warp may call, and of what they
/// call of the run time.
std::size_t fiber_stack_bytes(const Launch& launch, const KernelCode& code) {
    const std::size_t needed = code.width > 1 ? code.frame_bytes * 2 + kFiberStack * 2
                                              : code.frame_bytes + kFiberStack / 2;
    return std::max({kFiberStack, launch.stack_bytes, needed});
}

std::uint32_t lanes(std::uint32_t count) { return count >= 32 ? ~0u : (1u << count) - 1; }
} // namespace

BlockRunner* current_runner() { return t_runner; }
void set_current_runner(BlockRunner* runner) { t_runner = runner; }

BlockRunner::BlockRunner(unsigned index, unsigned count) : index_{index}, count_{count} {
    std::size_t bytes = kSharedRegion + 2 * kPage;
    void* p = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc{};
    shared_ = static_cast<std::byte*>(p) + kPage;
    if (mprotect(shared_, kSharedRegion, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc{};
    threads_ = std::make_unique<ThreadFiber[]>(kMaxThreads);
    blocks_ = std::make_unique<BlockState[]>(kMaxResidentBlocks);
    enlist();
}

BlockRunner::~BlockRunner() {
    retire();
    munmap(shared_ - kPage, kSharedRegion + 2 * kPage);
}

// The shared memory of the last block ends at the closed page; others lie before it.
bool BlockRunner::place_shared(std::uint32_t blocks) {
    std::size_t bytes = (launch_->shared_bytes() + 255u) / 256u * 256u;
    if (bytes * blocks > kSharedRegion) return false;
    std::byte* end = shared_ + kSharedRegion;
    for (std::uint32_t i = 0; i < blocks; ++i)
        shared_base_[i] = reinterpret_cast<std::uint8_t*>(end - bytes * (blocks - i));
    return true;
}

bool BlockRunner::in_shared(std::uint64_t address) const {
    return address - reinterpret_cast<std::uintptr_t>(shared_) < kSharedRegion;
}

bool BlockRunner::in_local(std::uint64_t address) const {
    const Stack* stack = current_->stack;
    return (stack && stack->holds(address)) ||
           (kept_by_checked_ && kept_by_checked_->holds(address));
}

BlockRunner::Place BlockRunner::place_of(std::uint64_t block) const {
    const std::uint32_t(&grid)[3] = launch_->grid;
    Place place{};
    std::uint64_t left = block;
    for (std::uint32_t axis = 0; axis < 2; ++axis) {
        if (grid[axis] == 1) continue;
        // A division of 64 bits takes longer.
        const std::uint64_t rows =
            left >> 32 ? left / grid[axis] : static_cast<std::uint32_t>(left) / grid[axis];
        place.ctaid[axis] = static_cast<std::uint32_t>(left - rows * grid[axis]);
        left = rows;
    }
    place.ctaid[2] = static_cast<std::uint32_t>(left);
    return place;
}

void BlockRunner::fill(ThreadContext& c, const Place& place, std::uint32_t thread,
                       std::uint8_t* shared) {
    const Launch& l = *launch_;
    const auto number = static_cast<std::uint32_t>(&fiber_of(&c) - threads_.get());
    for (; filled_ <= number; ++filled_) fill_for_launch(threads_[filled_].context);
    std::fill_n(c.tid, 3, 0u);
    if (thread) {
        const std::uint32_t row = thread / l.block[0];
        c.tid[0] = thread - row * l.block[0];
        c.tid[2] = row / l.block[1];
        c.tid[1] = row - c.tid[2] * l.block[1];
    }
    std::copy_n(place.ctaid, 3, c.ctaid);
    c.linear_tid = thread;
    c.laneid = thread % kWarp;
    c.warpid = thread / kWarp;
    c.shared = shared;
    for (std::uint32_t k = 0; k < kSeenRanges; ++k) store_range(c.seen[k], load_range(seen[k]));
}

void BlockRunner::fill_for_launch(ThreadContext& c) const {
    const Launch& l = *launch_;
    std::memcpy(c.ntid, l.block, sizeof c.ntid);
    std::memcpy(c.nctaid, l.grid, sizeof c.nctaid);
    c.nwarpid = kMaxThreads / kWarp;
    c.smid = index_;
    c.nsmid = count_;
    c.gridid = l.grid_id;
    c.dynamic_shared_bytes = l.dynamic_shared_bytes;
    c.static_shared_bytes = l.info->static_shared_bytes;
    c.params = l.parameters();
    // Zero tells cooperative groups that the grid cannot wait for itself.
    const auto workspace = l.cooperative ? reinterpret_cast<std::uintptr_t>(l.workspace) : 0;
    c.envreg[0] = 0;
    c.envreg[1] = workspace >> 32; // cooperative groups join envreg1 (high) and envreg2 (low)
    c.envreg[2] = workspace & 0xffffffffu;
    c.envreg[3] = 0;
    c.counters = counters_;
    c.shared_room = l.shared_bytes() + std::uint64_t{1};
}

void BlockRunner::run(Launch& launch, std::uint64_t first, std::uint64_t count) {
    launch_ = &launch;
    code_ = launch.first_code.best();
    counters_ = slots_of(code_.counters);
    filled_ = 0;
    shuffles_ = launch.order.kind == Order::Kind::shuffle;
    clock_start_ = __rdtsc();
    for (MemoryRange& range : seen) store_range(range, {});
    note_own_stack(own_);
    run_blocks(first, count);
    contexts_.store(0, std::memory_order_relaxed);
    current_ = nullptr;
    launch_ = nullptr;
    if (warp_fault_) replay(launch);
}

void BlockRunner::run_blocks(std::uint64_t first, std::uint64_t count) {
    const FloatMode mode{launch_->info->flushes};
    if (code_.step) return run_rounds(first, count);
    if (!code_.fibers) return run_loop(first, count);
    if (launch_->cooperative) return run_fibers(first, static_cast<std::uint32_t>(count));
    for (std::uint64_t b = first; b < first + count; ++b) {
        if (launch_->stopped.load(std::memory_order_relaxed)) break;
        run_fibers(b, 1);
    }
}

void BlockRunner::watch(BlockState& block, std::uint64_t number, std::uint32_t slot) {
    block.watch = nullptr;
    if (!launch_->watch) return;
    if (watches_.size() <= slot) watches_.resize(slot + 1);
    if (!watches_[slot]) watches_[slot] = std::make_unique<BlockWatch>();
    block.watch = watches_[slot].get();
    block.watch->begin(*launch_, *launch_->watch, number, place_of(number).ctaid,
                       shared_base_[slot]);
}

std::uint64_t* BlockRunner::slots_of(const CounterTablePtr& table) {
    if (!table) return nullptr;
    for (auto& [known, slots] : counts_)
        if (known == table) return slots.data();
    return counts_.emplace_back(table, std::vector<std::uint64_t>(table->slots)).second.data();
}

void BlockRunner::give_counts() {
    for (const auto& [table, slots] : counts_) Profile::instance().add(table, slots);
    counts_.clear();
}

Outcome BlockRunner::enter(void (*body)(void*), Stack* stack, void* top) {
    outcome_ = Outcome::idle;
    leaving(&own_, *stack);
    lathe_soft_switch_new(&main_sp_, top, body, this);
    arrived(own_);
    return outcome_;
}

// Back to `enter` or to the loop of run_fibers.
__attribute__((no_sanitize("thread"))) void BlockRunner::leave_for_main() {
    leaving(nullptr, own_);
    lathe_soft_jump(main_sp_);
}

// --- without waiting -----------------------------------------------------------------------------

__attribute__((no_sanitize("thread"))) void BlockRunner::loop_begin(void* p) {
    arrived(*static_cast<BlockRunner*>(p)->threads_[0].stack);
    loop_body(p);
}

__attribute__((no_sanitize("thread"))) void BlockRunner::loop_body(void* p) {
    auto& self = *static_cast<BlockRunner*>(p);
    Launch& l = *self.launch_;
    ThreadContext& c = self.threads_[0].context;
    std::uint32_t threads = l.threads();
    KernelEntry entry = self.code_.entry;
    if (self.shuffles_ && self.code_.block) self.run_loop_shuffled();
    for (; self.loop_block_ < self.loop_end_; ++self.loop_block_, self.loop_thread_ = 0) {
        if (l.stopped.load(std::memory_order_relaxed)) break;
        const Place place = self.place_of(l.block_at(self.loop_block_));
        self.fill(c, place, self.loop_thread_, self.shared_base_[0]);
        if (l.watch && self.loop_thread_ == 0)
            self.watch(self.blocks_[0], l.block_at(self.loop_block_), 0);
        if (self.code_.block) {
            self.code_.block(&c, self.loop_thread_, threads - self.loop_thread_);
            continue;
        }
        while (true) {
            entry(&c);
            if (++self.loop_thread_ == threads) break;
            c.linear_tid = self.loop_thread_;
            c.laneid = self.loop_thread_ % kWarp;
            c.warpid = self.loop_thread_ / kWarp;
            if (++c.tid[0] < l.block[0]) continue;
            c.tid[0] = 0;
            if (++c.tid[1] < l.block[1]) continue;
            c.tid[1] = 0;
            ++c.tid[2];
        }
    }
    self.outcome_ = Outcome::finished;
    self.leave_for_main();
}

// An exit inside of a call comes here again: its warp goes on behind the thread.
void BlockRunner::run_loop_shuffled() {
    ThreadContext& c = threads_[0].context;
    const std::uint32_t threads = launch_->threads(), warps = (threads + kWarp - 1) / kWarp;
    for (; loop_block_ < loop_end_; ++loop_block_, loop_warp_ = 0) {
        if (launch_->stopped.load(std::memory_order_relaxed)) break;
        const std::uint64_t block = launch_->block_at(loop_block_);
        if (loop_warp_ == 0 && loop_thread_ == 0) {
            watch(blocks_[0], block, 0);
            random_ = Random{launch_->order.seed, block};
            for (std::uint32_t k = 0; k < warps; ++k) {
                const std::uint32_t at = random_.below(k + 1);
                warp_order_[k] = warp_order_[at];
                warp_order_[at] = static_cast<std::uint8_t>(k);
            }
        }
        for (; loop_warp_ < warps; ++loop_warp_, loop_thread_ = 0) {
            const std::uint32_t begin = warp_order_[loop_warp_] * kWarp;
            const std::uint32_t first = std::max(begin, loop_thread_);
            const std::uint32_t end = std::min(begin + kWarp, threads);
            if (first >= end) continue;
            fill(c, place_of(block), first, shared_base_[0]);
            code_.block(&c, first, end - first);
        }
    }
}

void BlockRunner::run_loop(std::uint64_t first, std::uint64_t count) {
    loop_thread_ = loop_warp_ = 0;
    run_on_one_stack(first, count, loop_begin, 0);
}

void BlockRunner::run_on_one_stack(std::uint64_t first, std::uint64_t count, void (*body)(void*),
                                   std::size_t kept_bytes) {
    Stack* stack =
        stacks_.take(std::max(kLoopStack, fiber_stack_bytes(*launch_, code_)) + kept_bytes);
    BlockState& block = blocks_[0];
    block.runner = this;
    block.threads = threads_.get();
    block.fibers = false;
    block.watch = nullptr;
    if (!stack || !place_shared(1)) {
        launch_->stop({.code = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                       .kernel = launch_->info->name,
                       .message = "no memory for the stack or the shared memory of a block"});
        if (stack) stacks_.give(stack);
        return;
    }
    ThreadFiber& thread = threads_[0];
    thread.stack = stack;
    thread.context.block = &block;
    current_ = &thread;
    loop_block_ = first;
    loop_end_ = first + count;
    contexts_.store(1, std::memory_order_relaxed);
    kept_ = static_cast<std::byte*>(stack->top) - kept_bytes;
    kept_ -= reinterpret_cast<std::uintptr_t>(kept_) % kKeptAlignment;
    Outcome outcome = enter(body, stack, kept_bytes ? kept_ : stack->top);
    if (outcome == Outcome::fault) report_fault();
    thread.stack = nullptr;
    current_ = nullptr;
    forget_frames(*stack);
    if (outcome != Outcome::finished) begin_stack(*stack);
    stacks_.give(stack);
}

// --- with waiting --------------------------------------------------------------------------------

void BlockRunner::run_fibers(std::uint64_t first, std::uint32_t count) {
    std::uint32_t threads = launch_->threads(), width = code_.width;
    std::uint32_t stacks = (threads + width - 1) / width;
    if (!place_shared(count) || count > kMaxResidentBlocks || count * threads > kMaxThreads) {
        launch_->stop({.code = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                       .kernel = launch_->info->name,
                       .message = "too many resident threads or too much shared memory"});
        return;
    }
    ready_ = {};
    if (shuffles_) random_ = Random{launch_->order.seed, launch_->block_at(first)};
    resident_ = count;
    live_ = count * threads;
    contexts_.store(count * stacks, std::memory_order_relaxed);
    for (std::uint32_t b = 0; b < count; ++b) {
        BlockState& block = blocks_[b];
        block.runner = this;
        block.threads = &threads_[b * stacks];
        block.count = block.live = threads;
        block.stacks = stacks;
        block.fibers = true;
        block.by_warps = width > 1;
        for (Barrier& barrier : block.barriers) barrier = {};
        for (std::uint32_t w = 0; width > 1 && w < stacks; ++w)
            block.warps[w] = {.live = 1, .waiting = 0, .runnable = 1, .asking = 0};
        for (std::uint32_t w = 0; width == 1 && w * kWarp < threads; ++w) {
            std::uint32_t in_warp = std::min(threads - w * kWarp, kWarp);
            block.warps[w] = {
                .live = lanes(in_warp), .waiting = 0, .runnable = in_warp, .asking = 0};
        }
        const Place place = place_of(launch_->block_at(first + b));
        watch(block, launch_->block_at(first + b), b);
        for (std::uint32_t t = 0; t < stacks; ++t) {
            ThreadFiber& fiber = block.threads[t];
            fill(fiber.context, place, t * width, shared_base_[b]);
            fiber.lanes = std::min(width, threads - t * width);
            fiber.mask = lanes(fiber.lanes);
            if (width > 1) fiber.context.warpid = t, fiber.context.laneid = 0;
            fiber.context.block = &block;
            fiber.sp = nullptr;
            fiber.stack = nullptr;
            fiber.wait = Wait::none;
            fiber.done = false;
            fiber.spins = 0;
            ready_.push(&fiber);
        }
    }
    while (live_ > 0) {
        ThreadFiber* thread = next_ready();
        if (!thread) {
            if (resolve_partial_warps()) continue;
            report_deadlock();
            break;
        }
        current_ = thread;
        outcome_ = Outcome::idle;
        if (thread->sp) {
            leaving(&own_, *thread->stack);
            lathe_soft_switch(&main_sp_, thread->sp);
            arrived(own_);
        } else if ((thread->stack = stacks_.take(fiber_stack_bytes(*launch_, code_)))) {
            enter(fiber_body, thread->stack, thread->stack->top);
        } else {
            outcome_ = Outcome::out_of_memory;
        }
        if (outcome_ == Outcome::fault) report_fault();
        if (outcome_ == Outcome::out_of_memory)
            launch_->stop({.code = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                           .kernel = launch_->info->name,
                           .message = "no memory for the stacks of the block's threads"});
        if (outcome_ != Outcome::idle) break;
    }
    abandon();
}

// Takes back the stacks of threads that were left in the middle.
void BlockRunner::abandon() {
    for (std::uint32_t b = 0; b < resident_; ++b) {
        BlockState& block = blocks_[b];
        for (std::uint32_t t = 0; t < block.stacks; ++t)
            if (Stack* stack = std::exchange(block.threads[t].stack, nullptr)) {
                forget_frames(*stack);
                begin_stack(*stack);
                stacks_.give(stack);
            }
    }
    current_ = nullptr;
}

__attribute__((no_sanitize("thread"))) void BlockRunner::fiber_body(void* p) {
    auto& self = *static_cast<BlockRunner*>(p);
    arrived(*self.current_->stack);
    self.run_threads();
}

// Runs the current thread, then on the same stack all that have not begun, until one is next that
// already has a stack.
__attribute__((no_sanitize("thread"))) void BlockRunner::run_threads() {
    ThreadContext& context = current_->context;
    if (code_.width > 1) code_.block(&context, context.linear_tid, current_->lanes);
    else code_.entry(&context);
    finish(*current_);
    lathe_soft_restart(current_->stack->top, fiber_next, this);
}

__attribute__((no_sanitize("thread"))) void BlockRunner::fiber_next(void* p) {
    auto& self = *static_cast<BlockRunner*>(p);
    Stack* stack = std::exchange(self.current_->stack, nullptr);
    forget_frames(*stack);
    ThreadFiber* next = self.next_ready();
    if (next && !next->sp) {
        next->stack = stack;
        self.current_ = next;
        self.run_threads();
    }
    // Nothing writes to the stack between here and the jump, so it can be given back already.
    self.stacks_.give(stack);
    self.current_ = next;
    leaving(nullptr, next ? *next->stack : self.own_);
    lathe_soft_jump(next ? next->sp : self.main_sp_);
}

void BlockRunner::wait(ThreadFiber& self, Wait kind, std::uintptr_t pc) {
    self.wait = kind;
    self.wait_pc = pc;
    BlockState& block = *self.context.block;
    if (!block.by_warps) {
        Warp& warp = block.warp_of(self.context);
        --warp.runnable;
        if (warp.runnable == 0 && warp.asking) resolve_active_mask(block, self.context.warpid);
    }
    ThreadFiber* next = next_ready();
    if (next == &self) return; // it was the only one to ask
    suspend(self, next);
    self.wait = Wait::none;
}

// Leaves `self` where it is; `next` goes on, or where it is null the loop of run_fibers.
void BlockRunner::suspend(ThreadFiber& self, ThreadFiber* next) {
    current_ = next;
    bool begins = next && !next->sp;
    if (begins && !(next->stack = stacks_.take(self.stack->bytes))) {
        outcome_ = Outcome::out_of_memory;
        leave_for_main();
    }
    leaving(self.stack, next ? *next->stack : own_);
    if (begins) lathe_soft_switch_new(&self.sp, next->stack->top, fiber_body, this);
    else lathe_soft_switch(&self.sp, next ? next->sp : main_sp_);
    arrived(*self.stack);
}

void BlockRunner::release(ThreadFiber& thread) {
    thread.wait = Wait::none;
    ++thread.context.block->warp_of(thread.context).runnable;
    ready_.push(&thread);
}

void BlockRunner::yield(ThreadFiber& self) {
    BlockState& block = *self.context.block;
    Warp& warp = block.warp_of(self.context);
    // A lane that spins may wait for lanes that ask for their mask: do not keep those for ever.
    if (warp.asking && ++self.spins % 64 == 0) resolve_active_mask(block, self.context.warpid);
    if (!ready_.first) return;
    --warp.runnable;
    release(self);
    ThreadFiber* next = next_ready();
    if (next != &self) suspend(self, next);
}

__attribute__((no_sanitize("thread"))) void BlockRunner::end_thread(ThreadFiber& self) {
    if (!self.context.block->fibers) {
        // Plain loop: go on with the next thread on the same stack, from its top.
        loop_thread_ = self.context.linear_tid + 1;
        if (loop_thread_ == launch_->threads() && !shuffles_) {
            ++loop_block_;
            loop_thread_ = 0;
        }
        forget_frames(*self.stack);
        lathe_soft_restart(self.stack->top, loop_body, this);
    }
    finish(self);
    lathe_soft_restart(self.stack->top, fiber_next, this);
}

bool BlockRunner::owns_stack(std::uintptr_t sp) const {
    return current_ && current_->stack &&
           (current_->stack->holds(sp) || current_->stack->in_guard(sp));
}

void BlockRunner::leave_with(const Fault& fault) {
    fault_ = fault;
    outcome_ = Outcome::fault;
    leave_for_main();
}

} // namespace lathe::soft
