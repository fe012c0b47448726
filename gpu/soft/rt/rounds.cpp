// SPDX-License-Identifier: MIT
// Warps that wait for each other at barriers of the whole block alone: code that returns at a
// barrier is called again when all warps have come to one (jit/warp/rounds.h).
#include "gpu/soft/rt/block.h"
#include "gpu/soft/rt/fiber_sanitizer.h"

#include <algorithm>
#include <numeric>

namespace lathe::soft {

namespace {

/// From what a warp keeps to that of the next one: not so that all lie in the same cache sets.
std::size_t pitch_of_kept(const KernelCode& code) {
    constexpr std::size_t kSets = 4096;
    return code.kept_bytes % kSets ? code.kept_bytes : code.kept_bytes + kKeptAlignment;
}

} // namespace

void BlockRunner::run_rounds(std::uint64_t first, std::uint64_t count) {
    const std::uint32_t(&size)[3] = launch_->block;
    const std::uint32_t threads = launch_->threads();
    round_warps_ = 0;
    for (std::uint32_t thread = 0; thread < threads; thread += code_.width) {
        const std::uint32_t row = thread / size[0];
        round_[round_warps_++].place = {{thread % size[0], row % size[1], row / size[1]},
                                        thread,
                                        std::min(code_.width, threads - thread)};
    }
    run_on_one_stack(first, count, rounds_begin, pitch_of_kept(code_) * round_warps_);
    if (kept_by_checked_) stacks_.give(std::exchange(kept_by_checked_, nullptr));
}

void BlockRunner::place_kept() {
    for (std::uint32_t w = 0; w < round_warps_; ++w) {
        round_[w].step = code_.step;
        round_[w].kept = reinterpret_cast<std::uint32_t*>(kept_ + pitch_of_kept(code_) * w);
    }
}

__attribute__((no_sanitize("thread"))) void BlockRunner::rounds_begin(void* p) {
    auto& self = *static_cast<BlockRunner*>(p);
    arrived(*self.threads_[0].stack);
    Launch& l = *self.launch_;
    self.place_kept();
    for (; self.loop_block_ < self.loop_end_; ++self.loop_block_) {
        if (l.stopped.load(std::memory_order_relaxed)) break;
        const std::uint64_t block = l.block_at(self.loop_block_);
        self.fill(self.threads_[0].context, self.place_of(block), 0, self.shared_base_[0]);
        if (self.shuffles_) self.random_ = Random{l.order.seed, block};
        self.run_block_in_rounds();
        if (self.kept_by_checked_) self.place_kept();
    }
    self.outcome_ = Outcome::finished;
    self.leave_for_main();
}

void BlockRunner::run_block_in_rounds() {
    ThreadContext& context = threads_[0].context;
    std::uint32_t left = round_warps_;
    for (std::uint32_t w = 0; w < left; ++w) {
        *round_[w].kept = kStepBegins;
        round_order_[w] = static_cast<std::uint8_t>(w);
    }
    while (left > 0) {
        if (shuffles_) order_at_random(left);
        std::uint32_t waiting = 0;
        for (std::uint32_t k = 0; k < left; ++k) {
            const std::uint8_t number = round_order_[k];
            RoundWarp& warp = round_[number];
            warp.step(&context, &warp.place, warp.kept);
            if (*warp.kept == kStepWraps) run_checked(warp);
            round_order_[waiting] = number;
            waiting += *warp.kept != kStepEnded;
        }
        left = waiting;
    }
}

void BlockRunner::order_at_random(std::uint32_t warps) {
    for (std::uint32_t k = warps; k > 1; --k)
        std::swap(round_order_[k - 1], round_order_[random_.below(k)]);
}

/// The warp begins, by code that expects 32-bit indices to wrap.
void BlockRunner::run_checked(RoundWarp& warp) {
    const KernelCode& code = launch_->checked_code();
    const std::size_t pitch = pitch_of_kept(code);
    if (code.step && !kept_by_checked_) kept_by_checked_ = stacks_.take(pitch * round_warps_);
    if (!code.step || !kept_by_checked_) {
        stop(threads_[0],
             {.code = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
              .message = "no code or no memory for a warp whose 32-bit indices wrap"},
             0);
    }
    warp.step = code.step;
    warp.kept = reinterpret_cast<std::uint32_t*>(kept_by_checked_->low +
                                                 pitch * static_cast<std::size_t>(&warp - round_));
    *warp.kept = kStepBegins;
    warp.step(&threads_[0].context, &warp.place, warp.kept);
}

} // namespace lathe::soft
