// SPDX-License-Identifier: MIT
// Running blocks on one OS thread. A kernel whose threads never wait is a plain loop; otherwise
// each CUDA thread is a fiber and a first-in first-out queue holds those that can go on. When the
// queue is empty and threads are left, they wait for something that cannot come: a deadlock,
// reported with the places where they wait.
#pragma once

#include "gpu/soft/rt/abi.h"
#include "gpu/soft/rt/fiber_sanitizer.h"
#include "gpu/soft/rt/launch.h"
#include "gpu/soft/rt/watch/block_watch.h"

#include <csignal>
#include <memory>
#include <optional>
#include <utility>

namespace lathe::soft {

constexpr std::uint32_t kMaxThreads = 1024; ///< of a block, and of a worker at one time
constexpr std::uint32_t kWarp = 32;
constexpr std::uint32_t kMaxShared = 64u << 10; ///< of a block, with opt-in
constexpr std::uint32_t kDefaultShared = 48u << 10;
constexpr std::uint32_t kMaxResidentBlocks = 16;
constexpr std::uint32_t kBarriers = 16;

enum class Wait : std::uint8_t { none, barrier, warp_operation, active_mask };

/// A CUDA thread with what it needs to wait. `context` comes first: the code's pointer is ours.
struct ThreadFiber {
    ThreadContext context;
    void* sp = nullptr; ///< where it goes on; null before its first run
    Stack* stack = nullptr;
    ThreadFiber* next = nullptr; ///< in the list that it is in: a barrier's or those that can go on
    Wait wait = Wait::none;
    bool done = false;
    std::uintptr_t wait_pc = 0;
    std::uint32_t wait_id = 0;   ///< barrier number, or kind of warp operation
    std::uint32_t wait_mask = 0; ///< of a warp operation
    std::uint64_t operand[2] = {0, 0};
    std::uint32_t result[2] = {0, 0};
    std::uint32_t votes[3] = {0, 0, 0}; ///< of its last barrier: count, all, any
    std::uint32_t spins = 0;
    std::uint32_t lanes = 1; ///< threads that it stands for and that have not ended
    std::uint32_t mask = 1;  ///< of those, by their place in the warp
};

struct Warp {
    std::uint32_t live = 0;     ///< lanes that have not ended
    std::uint32_t waiting = 0;  ///< lanes in a warp operation
    std::uint32_t runnable = 0; ///< number of lanes that do not wait
    std::uint32_t asking = 0;   ///< lanes that wait for their active mask
};

/// First in, first out, through `next`.
struct FiberList {
    ThreadFiber *first = nullptr, *last = nullptr;

    void push(ThreadFiber* fiber) {
        fiber->next = nullptr;
        (first ? last->next : first) = fiber;
        last = fiber;
    }
    ThreadFiber* pop() {
        ThreadFiber* fiber = first;
        if (fiber) first = fiber->next;
        return fiber;
    }
    /// One of them, by its place.
    ThreadFiber* take(std::uint32_t index) {
        ThreadFiber *before = nullptr, *fiber = first;
        for (; index > 0; --index) before = std::exchange(fiber, fiber->next);
        (before ? before->next : first) = fiber->next;
        if (last == fiber) last = before;
        return fiber;
    }
    std::uint32_t count() const {
        std::uint32_t n = 0;
        for (const ThreadFiber* fiber = first; fiber; fiber = fiber->next) ++n;
        return n;
    }
    void append(const FiberList& others) {
        if (!others.first) return;
        (first ? last->next : first) = others.first;
        last = others.last;
    }
};

struct Barrier {
    std::uint32_t arrived = 0;
    std::uint32_t expected = 0; ///< 0: every live thread of the block
    std::uint32_t popc = 0, all = 1, any = 0;
    bool reduces = false; ///< some of those who wait want to know what the others brought
    FiberList waiting;
};

class BlockRunner;

struct BlockState {
    BlockRunner* runner = nullptr;
    ThreadFiber* threads = nullptr; ///< by linear index
    std::uint32_t count = 0, live = 0;
    std::uint32_t stacks = 0; ///< fibers: threads, or warps of a launch by warps
    bool fibers = false;
    bool by_warps = false;       ///< a fiber is a warp, not a thread
    BlockWatch* watch = nullptr; ///< of code that is watched
    Warp warps[kMaxThreads / 8];
    Barrier barriers[kBarriers];

    Warp& warp_of(const ThreadContext& t) { return warps[t.warpid]; }
};

/// Why control came back from the stacks of the kernel.
enum class Outcome : std::uint8_t { idle, finished, fault, stopped, out_of_memory };

/// What the signal handler saw.
struct Fault {
    int signal = 0;
    std::uintptr_t pc = 0, sp = 0, address = 0;
    bool is_write = false;
    bool known = true; ///< false: the processor gave no address (a non-canonical one)
};

/// The executing half of one worker thread.
class BlockRunner {
public:
    explicit BlockRunner(unsigned index, unsigned count);
    ~BlockRunner();

    /// Runs blocks [first, first + count) of the grid; stops early when the launch is stopped.
    void run(Launch& launch, std::uint64_t first, std::uint64_t count);

    Launch& launch() const { return *launch_; }

    /// Where code that counts adds to; null where it does not count.
    std::uint64_t* slots_of(const CounterTablePtr& table);
    /// Adds what this worker has counted of the launch to the profile.
    void give_counts();
    unsigned index() const { return index_; }

    // For the functions that kernels call:
    /// Threads of a warp have ended; those of `mask` are left.
    void keep_lanes(ThreadFiber& self, std::uint32_t mask);
    void wait(ThreadFiber& self, Wait kind, std::uintptr_t pc);
    /// Whether a fiber that has run before can go on.
    bool can_switch() const { return ready_.first && ready_.first->sp && !shuffles_; }
    /// wait() of a warp where can_switch().
    [[gnu::always_inline]] void switch_from(ThreadFiber& self, Wait kind, std::uintptr_t pc) {
        self.wait = kind;
        self.wait_pc = pc;
        ThreadFiber* next = current_ = ready_.pop();
        leaving(self.stack, *next->stack);
        lathe_soft_switch(&self.sp, next->sp);
        arrived(*self.stack);
        self.wait = Wait::none;
    }
    void release(ThreadFiber& thread);
    /// Those of a barrier at which warps only wait: each finds out for itself that it goes on.
    void release_warps(const FiberList& warps) { ready_.append(warps); }
    void yield(ThreadFiber& self);
    [[noreturn]] void end_thread(ThreadFiber& self);
    /// Ends the launch: `report` gets kernel, block and thread from here, the place from `pc`.
    /// Nothing that the callers' frames own is destroyed: they own no memory but the report's.
    [[noreturn]] void stop(ThreadFiber& self, FaultReport report, std::uintptr_t pc);
    void cancelled(ThreadFiber& self, std::uintptr_t pc);
    ThreadFiber& current() const { return *current_; }
    /// As stop, for an access of the thread `lane` threads behind the fiber's: of warps the block
    /// is run again to learn more.
    [[noreturn]] void refuse(ThreadFiber& self, FaultReport report, std::uint32_t lane,
                             std::uintptr_t pc);
    /// Where an address lies, in words: seen from the block's shared memory where that is near, or
    /// the address was worked out from there.
    std::string text_of(const ThreadContext& context, std::uintptr_t address,
                        bool from_shared = false) const;
    /// Where accesses of unknown origin were found last, for the threads that begin from now on.
    MemoryRange seen[kSeenRanges];
    /// On all workers this memory, which is freed as a whole, is not seen any more.
    static void forget_seen(std::uintptr_t begin, std::uintptr_t end);
    /// Whether an address may be one of shared memory, of any block of this worker.
    bool in_shared(std::uint64_t address) const;
    /// Whether it is one of local memory, of the running fiber or of warps that run in rounds.
    bool in_local(std::uint64_t address) const;
    std::uint64_t clock_start() const { return clock_start_; }

    // For the signal handler: true where the faulting stack is a kernel's.
    bool owns_stack(std::uintptr_t sp) const;
    [[noreturn]] void leave_with(const Fault& fault);

private:
    /// Begins to watch a block where the launch is watched.
    void watch(BlockState& block, std::uint64_t number, std::uint32_t slot);
    void run_blocks(std::uint64_t first, std::uint64_t count);
    void run_loop(std::uint64_t first, std::uint64_t count);
    void run_loop_shuffled();
    /// The fiber that goes on; null where none can.
    ThreadFiber* next_ready() {
        return shuffles_ && ready_.first ? ready_.take(random_.below(ready_.count()))
                                         : ready_.pop();
    }
    /// `body` runs them, on a stack above which there is room for what warps keep.
    void run_on_one_stack(std::uint64_t first, std::uint64_t count, void (*body)(void*),
                          std::size_t kept_bytes);
    // rounds.cpp:
    void run_rounds(std::uint64_t first, std::uint64_t count);
    void place_kept();
    void run_block_in_rounds();
    void order_at_random(std::uint32_t warps);
    void run_fibers(std::uint64_t first, std::uint32_t blocks);
    struct Place {
        std::uint32_t ctaid[3];
    };
    Place place_of(std::uint64_t block) const;
    /// Of one of threads_, for a thread of a block.
    void fill(ThreadContext& context, const Place& place, std::uint32_t thread,
              std::uint8_t* shared);
    void fill_for_launch(ThreadContext& context) const;
    bool place_shared(std::uint32_t blocks);
    void finish(ThreadFiber& self);
    void open_complete_barriers(BlockState& block);
    void resolve_active_mask(BlockState& block, std::uint32_t warp);
    void resume_warp(BlockState& block, std::uint32_t warp);
    bool resolve_partial_warps();
    void report_fault();
    void note_warp_fault(FaultReport report, const ThreadContext& place);
    void replay(Launch& launch);
    void report_deadlock();
    void complete(FaultReport& report, const ThreadFiber& thread, std::uintptr_t pc) const;
    void abandon();
    Outcome enter(void (*body)(void*), Stack* stack, void* top);
    void suspend(ThreadFiber& self, ThreadFiber* next);
    [[noreturn]] void leave_for_main();

    void enlist(); ///< among those that forget_seen reaches
    void retire();
    template <class F> void each_seen(F f);

    static void rounds_begin(void* runner);
    static void loop_begin(void* runner);
    static void loop_body(void* runner);
    static void fiber_body(void* runner);
    static void fiber_next(void* runner);
    [[noreturn]] void run_threads();

    unsigned index_, count_;
    Stack own_; ///< the OS thread's, where main_sp_ lies
    StackPool stacks_;
    std::byte* shared_ = nullptr; ///< below 4 GiB, a closed page on either side
    std::uint8_t* shared_base_[kMaxResidentBlocks] = {};
    std::unique_ptr<ThreadFiber[]> threads_;
    std::unique_ptr<BlockState[]> blocks_;
    std::vector<std::unique_ptr<BlockWatch>> watches_; ///< by resident block
    std::uint32_t resident_ = 0, live_ = 0;
    std::uint32_t filled_ = 0; ///< of threads_, those that have what is the same in all blocks
    std::atomic<std::uint32_t> contexts_{0}; ///< of threads_, those that the launch uses
    FiberList ready_;                        ///< those that can go on

    Launch* launch_ = nullptr;
    KernelCode code_;                   ///< what its blocks run
    std::uint64_t* counters_ = nullptr; ///< of that code
    std::vector<std::pair<CounterTablePtr, std::vector<std::uint64_t>>> counts_;
    ThreadFiber* current_ = nullptr;
    std::uint64_t loop_block_ = 0, loop_end_ = 0;
    std::uint32_t loop_thread_ = 0;
    bool shuffles_ = false;       ///< the launch has Order::Kind::shuffle
    Random random_;               ///< of the running block
    std::uint32_t loop_warp_ = 0; ///< its place in warp_order_
    std::uint8_t warp_order_[kMaxThreads / kWarp] = {};
    /// Of a block whose warps run in rounds.
    struct RoundWarp {
        WarpPlace place;
        StepEntry step;
        std::uint32_t* kept;
    };
    void run_checked(RoundWarp& warp);
    RoundWarp round_[kMaxThreads / 8] = {};
    std::uint32_t round_warps_ = 0;
    std::byte* kept_ = nullptr;                      ///< by those warps, above the stack
    std::uint8_t round_order_[kMaxThreads / 8] = {}; ///< of the warps that have not ended
    Stack* kept_by_checked_ = nullptr;               ///< where warps keep that run by checked code
    void* main_sp_ = nullptr;
    volatile Outcome outcome_ = Outcome::idle;
    Fault fault_;
    std::optional<FaultReport> warp_fault_; ///< of a launch by warps: the thread is not known yet
    std::uint64_t warp_fault_block_ = 0;
    std::uint64_t clock_start_ = 0;
};

/// The fiber of a context pointer.
inline ThreadFiber& fiber_of(ThreadContext* t) { return *reinterpret_cast<ThreadFiber*>(t); }

/// The call instruction before a return address.
inline std::uintptr_t pc_of(void* return_address) {
    return reinterpret_cast<std::uintptr_t>(return_address) - 1;
}

/// The runner of the calling OS thread; null outside of workers.
BlockRunner* current_runner();
void set_current_runner(BlockRunner* runner);

} // namespace lathe::soft
