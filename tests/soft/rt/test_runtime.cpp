// SPDX-License-Identifier: MIT
// The run time without a compiler: arena, registry, and blocks whose "kernels" are C++ functions
// that call what compiled code calls.
#include "gpu/soft/rt/abi.h"
#include "gpu/soft/rt/arena.h"
#include "gpu/soft/rt/block.h"
#include "gpu/soft/rt/executor.h"
#include "gpu/soft/rt/fault.h"
#include "gpu/soft/rt/registry.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <random>
#include <thread>

namespace lathe::soft {
namespace {

TEST(Registry, FindsDescribesAndRefusesOverlap) {
    Registry r;
    EXPECT_TRUE(r.add({.begin = 0x100000, .bytes = 100}));
    EXPECT_TRUE(r.add({.begin = 0x100064, .bytes = 10}));
    EXPECT_FALSE(r.add({.begin = 0x100063, .bytes = 1}));
    EXPECT_FALSE(r.add({.begin = 0xfffff, .bytes = 2}));
    EXPECT_TRUE(r.covers(0x100000, 100));
    EXPECT_FALSE(r.covers(0x100000, 101)); // two allocations side by side are not one
    EXPECT_EQ(r.find(0x10006e), std::nullopt);
    EXPECT_EQ(r.nearest(0x10006e, 16)->begin, 0x100064u);
    EXPECT_EQ(r.nearest(0x200000, 16), std::nullopt);
    EXPECT_EQ(r.remove(0x100001), std::nullopt);
    EXPECT_TRUE(r.remove(0x100000));
}

TEST(CodeToCome, IsCompiledWhenAKernelHasRunForSomeTime) {
    using namespace std::chrono_literals;
    CodeToCome code;
    int compiles = 0;
    code.compile = [&] { ++compiles; };
    code.runs_for(CodeToCome::kPays - 2ns); // a launch, so far
    code.runs_for(CodeToCome::kPays - 1ns);
    code.ran_for(CodeToCome::kPays - 1ns);
    EXPECT_EQ(compiles, 0);
    code.ran_for(1ns); // the next one
    EXPECT_EQ(compiles, 1);
    code.runs_for(CodeToCome::kPays);
    code.ran_for(CodeToCome::kPays);
    EXPECT_EQ(compiles, 1);
}

/// Runs a C++ function as a kernel through a small executor.
class Blocks : public testing::Test {
protected:
    Blocks() { install_fault_handler(); }

    CUresult run(KernelEntry entry, std::uint32_t blocks, std::uint32_t threads, void* argument,
                 bool fibers = true, bool cooperative = false) {
        auto launch = std::make_shared<Launch>();
        info_ = {};
        info_.name = "test";
        info_.needs_fibers = fibers;
        info_.static_shared_bytes = 1024;
        info_.param_bytes = 8;
        launch->info = &info_;
        launch->first_code.entry = entry;
        launch->first_code.fibers = fibers;
        launch->grid[0] = blocks;
        launch->block[0] = threads;
        launch->cooperative = cooperative;
        launch->first_code.later = later_;
        std::memcpy(launch->reserve_parameters(), &argument, 8);
        auto command = std::make_shared<Command>(launch);
        executor_.submit(command, {});
        executor_.wait(command);
        return command->result();
    }

    KernelInfo info_;
    std::shared_ptr<CodeToCome> later_;
    Executor executor_{3};
};

template <class T> T& argument(ThreadContext* t) {
    T* p;
    std::memcpy(&p, t->params, sizeof p);
    return *p;
}

TEST_F(Blocks, EveryThreadRunsOnce) {
    for (bool fibers : {false, true}) {
        std::vector<std::atomic<int>> counts(100 * 70);
        EXPECT_EQ(run(
                      [](ThreadContext* t) {
                          ++argument<std::vector<std::atomic<int>>>(
                              t)[t->ctaid[0] * 70 + t->tid[0]];
                      },
                      100, 70, &counts, fibers),
                  CUDA_SUCCESS);
        for (auto& count : counts) EXPECT_EQ(count, 1);
    }
}

TEST_F(Blocks, BetterCodeIsAskedForWhileALongLaunchRuns) {
    later_ = std::make_shared<CodeToCome>();
    std::atomic<int> done{0}, asked_for_after{-1};
    later_->compile = [&] { asked_for_after = done.load(); };
    const auto sleeps = [](ThreadContext* t) {
        std::this_thread::sleep_for(CodeToCome::kPays / 5);
        ++argument<std::atomic<int>>(t);
    };
    EXPECT_EQ(run(sleeps, 100, 1, &done, false), CUDA_SUCCESS);
    EXPECT_GE(asked_for_after, 1);
    EXPECT_LT(asked_for_after, 100);
}

TEST_F(Blocks, BarriersSeparatePhases) {
    std::atomic<int> wrong{0};
    EXPECT_EQ(run(
                  [](ThreadContext* t) {
                      auto* shared = reinterpret_cast<std::uint32_t*>(t->shared);
                      std::uint32_t n = t->ntid[0];
                      for (std::uint32_t round = 0; round < 20; ++round) {
                          shared[t->tid[0]] = t->tid[0] + round;
                          lathe_rt_barrier_sync(t, 0, 0);
                          if (shared[(t->tid[0] + 1) % n] != (t->tid[0] + 1) % n + round)
                              ++argument<std::atomic<int>>(t);
                          lathe_rt_barrier_sync(t, 0, 0);
                      }
                  },
                  12, 200, &wrong),
              CUDA_SUCCESS);
    EXPECT_EQ(wrong, 0);
}

TEST_F(Blocks, BarrierReductionsAndNamedBarriers) {
    std::atomic<int> wrong{0};
    EXPECT_EQ(run(
                  [](ThreadContext* t) {
                      auto& bad = argument<std::atomic<int>>(t);
                      std::uint32_t odd = t->tid[0] & 1;
                      bad += lathe_rt_barrier_red(t, 0, 0, 0, odd) != 48;
                      bad += lathe_rt_barrier_red(t, 0, 0, 1, odd) != 0;
                      bad += lathe_rt_barrier_red(t, 0, 0, 2, odd) != 1;
                      bad += lathe_rt_barrier_red(t, 3, 96, 1, 1) != 1;
                      // One warp produces, two wait: bar.arrive does not stop the producer.
                      if (t->warpid == 0) lathe_rt_barrier_arrive(t, 5, 96);
                      else lathe_rt_barrier_sync(t, 5, 96);
                  },
                  4, 96, &wrong),
              CUDA_SUCCESS);
    EXPECT_EQ(wrong, 0);
}

TEST_F(Blocks, WarpOperationsFollowTheManual) {
    std::atomic<int> wrong{0};
    EXPECT_EQ(
        run(
            [](ThreadContext* t) {
                auto& bad = argument<std::atomic<int>>(t);
                std::uint32_t lane = t->laneid, ok = 9;
                bad += lathe_rt_shfl(t, ~0u, 0, lane, 3, 0, &ok) != (lane < 3 ? lane : lane - 3);
                bad += ok != (lane >= 3);
                bad +=
                    lathe_rt_shfl(t, ~0u, 1, lane, 5, 31, &ok) != (lane + 5 < 32 ? lane + 5 : lane);
                bad += lathe_rt_shfl(t, ~0u, 2, lane, 7, 31, &ok) != (lane ^ 7);
                bad += lathe_rt_shfl(t, ~0u, 3, lane, 40, 31, &ok) != 8;
                // Sub-warps of 8: c = ((32 - 8) << 8) | 31
                bad += lathe_rt_shfl(t, ~0u, 3, lane, 2, 24u << 8 | 31, &ok) != (lane & ~7u) + 2;
                bad += lathe_rt_shfl(t, ~0u, 1, lane, 4, 24u << 8 | 31, &ok) !=
                       ((lane & 7) < 4 ? lane + 4 : lane);
                bad += lathe_rt_ballot(t, ~0u, lane % 3 == 0) != 0x49249249u;
                std::uint32_t all = 9;
                bad += lathe_rt_match(t, ~0u, lane / 16, 0, nullptr) !=
                       (lane < 16 ? 0xffffu : 0xffff0000u);
                bad += lathe_rt_match(t, ~0u, 5, 1, &all) != ~0u || all != 1;
                bad += lathe_rt_match(t, ~0u, lane / 16, 1, &all) != 0 || all != 0;
                bad += lathe_rt_redux(t, ~0u, 0, 0, lane) != 496;
                bad += lathe_rt_redux(t, ~0u, 1, 1, lane - 10) != static_cast<std::uint32_t>(-10);
                bad += lathe_rt_redux(t, ~0u, 1, 0, lane - 10) != 0;
                // Two masks at a time in one warp.
                std::uint32_t half = lane < 16 ? 0xffffu : 0xffff0000u;
                bad += lathe_rt_redux(t, half, 2, 0, lane) != (lane < 16 ? 15 : 31);
                if (lane % 2) bad += lathe_rt_activemask(t) != 0xaaaaaaaau;
                std::uint32_t mine = lane * lane, everyone[32];
                lathe_rt_warp_gather(t, ~0u, &mine, 4, everyone);
                for (std::uint32_t i = 0; i < 32; ++i) bad += everyone[i] != i * i;
            },
            3, 64, &wrong),
        CUDA_SUCCESS);
    EXPECT_EQ(wrong, 0);
}

TEST_F(Blocks, LanesThatEndedAreNotWaitedFor) {
    std::atomic<int> wrong{0};
    EXPECT_EQ(run(
                  [](ThreadContext* t) {
                      if (t->laneid >= 20) lathe_rt_exit(t);
                      lathe_rt_barrier_sync(t, 0, 0);
                      if (lathe_rt_ballot(t, ~0u, 1) != 0xfffffu) ++argument<std::atomic<int>>(t);
                  },
                  5, 64, &wrong),
              CUDA_SUCCESS);
    EXPECT_EQ(wrong, 0);
}

TEST_F(Blocks, ExitInTheMiddleOfAPlainLoop) {
    std::atomic<int> count{0};
    EXPECT_EQ(run(
                  [](ThreadContext* t) {
                      if (t->tid[0] % 3 == 1) lathe_rt_exit(t);
                      ++argument<std::atomic<int>>(t);
                  },
                  7, 100, &count, false),
              CUDA_SUCCESS);
    EXPECT_EQ(count, 7 * 67);
}

TEST_F(Blocks, FaultTrapAndDeadlockEndTheLaunchOnly) {
    for (bool fibers : {false, true})
        EXPECT_EQ(run(
                      [](ThreadContext* t) {
                          if (t->tid[0] == 9) *(&argument<volatile int>(t)) = 1;
                      },
                      4, 32, reinterpret_cast<void*>(64), fibers),
                  CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(last_fault().thread[0], 9u);
    EXPECT_EQ(last_fault().address, 64u);
    EXPECT_EQ(run([](ThreadContext* t) { lathe_rt_trap(t); }, 4, 32, nullptr),
              CUDA_ERROR_LAUNCH_FAILED);
    EXPECT_EQ(run(
                  [](ThreadContext* t) {
                      if (t->laneid) lathe_rt_warp_sync(t, ~0u);
                      else lathe_rt_barrier_sync(t, 0, 0);
                  },
                  1, 32, nullptr),
              CUDA_ERROR_LAUNCH_FAILED);
    EXPECT_NE(last_fault().message.find("31 threads at a warp operation"), std::string::npos)
        << last_fault().message;
    EXPECT_EQ(run([](ThreadContext* t) { lathe_rt_warp_sync(t, 2u << t->laneid); }, 1, 32, nullptr),
              CUDA_ERROR_LAUNCH_FAILED);
    std::atomic<int> count{0};
    EXPECT_EQ(run([](ThreadContext* t) { ++argument<std::atomic<int>>(t); }, 10, 10, &count),
              CUDA_SUCCESS);
    EXPECT_EQ(count, 100);
}

TEST_F(Blocks, SpinningBlocksOfACooperativeGridMeet) {
    std::atomic<std::uint32_t> arrived{0};
    EXPECT_EQ(run(
                  [](ThreadContext* t) {
                      auto& count = argument<std::atomic<std::uint32_t>>(t);
                      if (t->tid[0] == 0) ++count;
                      while (count.load() < t->nctaid[0]) lathe_rt_backedge(t);
                  },
                  3 * 16, 64, &arrived, true, true),
              CUDA_SUCCESS);
    EXPECT_EQ(arrived, 48u);
}

TEST(Executor, CommandsFollowTheirOrder) {
    Executor executor{2};
    std::vector<int> order;
    CommandPtr last;
    for (int i = 0; i < 500; ++i) {
        CommandPtr command;
        if (i % 3 == 0) {
            command = std::make_shared<Command>();
        } else {
            auto kind = i % 3 == 1 ? Command::Kind::action : Command::Kind::host_function;
            command = std::make_shared<Command>(kind, [&order, i] {
                order.push_back(i); // no lock: the order is what keeps threads apart
                return CUDA_SUCCESS;
            });
        }
        executor.submit(command, std::span{&last, 1});
        last = command;
    }
    executor.wait(last);
    EXPECT_EQ(order.size(), 333u);
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(Executor, LongChainsOfMarkers) {
    Executor executor{1};
    std::atomic<bool> go{false};
    CommandPtr last = std::make_shared<Command>(Command::Kind::action, [&] {
        while (!go) std::this_thread::yield();
        return CUDA_SUCCESS;
    });
    executor.submit(last, {});
    for (int i = 0; i < 200000; ++i) {
        auto marker = std::make_shared<Command>();
        executor.submit(marker, std::span{&last, 1});
        last = marker;
    }
    go = true;
    executor.wait(last);
    EXPECT_TRUE(last->done());
}

} // namespace
} // namespace lathe::soft
