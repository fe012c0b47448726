// SPDX-License-Identifier: MIT
// Objects of the caller's that graphs keep. They run on a GPU, too (LATHE_DEVICE=hardware), whose
// driver may end an object on a thread of its own: tests wait for that.
#include "tests/soft/drv/graph_test.h"

#include <atomic>
#include <chrono>
#include <thread>

namespace lathe::test {
namespace {

struct Kept {
    std::atomic<int> ended{0};
    std::atomic<int> called{0};
};

void end(void* data) { ++static_cast<Kept*>(data)->ended; }
void call(void* data) { ++static_cast<Kept*>(data)->called; }

class UserObjects : public GraphTest {
protected:
    CUuserObject object(unsigned references = 1) {
        CUuserObject made = nullptr;
        EXPECT_EQ(gpu::driver().cuUserObjectCreate(&made, &kept_, end, references,
                                                   CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
                  CUDA_SUCCESS);
        return made;
    }
    CUresult keep(CUuserObject object, unsigned count = 1,
                  unsigned flags = CU_GRAPH_USER_OBJECT_MOVE) {
        return gpu::driver().cuGraphRetainUserObject(graph_, object, count, flags);
    }
    bool has_ended() {
        for (int k = 0; k < 2000 && !kept_.ended; ++k)
            std::this_thread::sleep_for(std::chrono::milliseconds{5});
        return kept_.ended == 1;
    }
    void forget_graph() {
        EXPECT_EQ(api().cuGraphDestroy(graph_), CUDA_SUCCESS);
        EXPECT_EQ(api().cuGraphCreate(&graph_, 0), CUDA_SUCCESS);
    }

    Kept kept_;
};

TEST_F(UserObjects, EndWithTheLastReference) {
    const CUuserObject made = object(2);
    ASSERT_EQ(gpu::driver().cuUserObjectRelease(made, 1), CUDA_SUCCESS);
    EXPECT_EQ(kept_.ended, 0);
    ASSERT_EQ(gpu::driver().cuUserObjectRelease(made, 1), CUDA_SUCCESS);
    EXPECT_TRUE(has_ended());
}

TEST_F(UserObjects, LiveAsLongAsTheirGraph) {
    const CUuserObject made = object();
    ASSERT_EQ(keep(made, 2, 0), CUDA_SUCCESS);
    ASSERT_EQ(gpu::driver().cuUserObjectRelease(made, 1), CUDA_SUCCESS);
    EXPECT_EQ(kept_.ended, 0);
    forget_graph();
    EXPECT_TRUE(has_ended());
}

TEST_F(UserObjects, LiveAsLongAsCopiesOfTheirGraph) {
    ASSERT_EQ(keep(object()), CUDA_SUCCESS);
    CUgraph clone = nullptr;
    GRAPH_CHECK(cuGraphClone(&clone, graph_));
    const CUgraphExec exec = ready(graph_);
    forget_graph();
    EXPECT_EQ(kept_.ended, 0);
    GRAPH_CHECK(cuGraphDestroy(clone));
    EXPECT_EQ(kept_.ended, 0);
    GRAPH_CHECK(cuGraphExecDestroy(exec));
    execs_.clear();
    EXPECT_TRUE(has_ended());
}

TEST_F(UserObjects, LiveAsLongAsALaunch) {
    const CUDA_HOST_NODE_PARAMS params{call, &kept_};
    CUgraphNode node = nullptr;
    GRAPH_CHECK(cuGraphAddHostNode(&node, graph_, nullptr, 0, &params));
    ASSERT_EQ(keep(object()), CUDA_SUCCESS);
    const CUgraphExec exec = ready(graph_);
    forget_graph();
    std::atomic<bool> open{false};
    GRAPH_CHECK(cuLaunchHostFunc(
        stream_,
        [](void* gate) {
            while (!static_cast<std::atomic<bool>*>(gate)->load())
                std::this_thread::sleep_for(std::chrono::milliseconds{1});
        },
        &open));
    GRAPH_CHECK(cuGraphLaunch(exec, stream_));
    GRAPH_CHECK(cuGraphExecDestroy(exec));
    execs_.clear();
    EXPECT_EQ(kept_.called, 0);
    EXPECT_EQ(kept_.ended, 0) << "the launch has not run";
    open = true;
    GRAPH_CHECK(cuStreamSynchronize(stream_));
    EXPECT_EQ(kept_.called, 1);
    EXPECT_TRUE(has_ended());
}

TEST_F(UserObjects, AnUpdateKeepsTheOthers) {
    Kept other;
    ASSERT_EQ(keep(object()), CUDA_SUCCESS);
    add(graph_, {}, 0, 1);
    const CUgraphExec exec = ready(graph_);
    forget_graph();
    add(graph_, {}, 0, 2);
    CUuserObject made = nullptr;
    ASSERT_EQ(
        gpu::driver().cuUserObjectCreate(&made, &other, end, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC),
        CUDA_SUCCESS);
    ASSERT_EQ(keep(made), CUDA_SUCCESS);
    CUgraphExecUpdateResultInfo info{};
    GRAPH_CHECK(cuGraphExecUpdate(exec, graph_, &info));
    forget_graph();
    EXPECT_EQ(other.ended, 0) << "the executable graph keeps it now";
    GRAPH_CHECK(cuGraphExecDestroy(exec));
    execs_.clear();
    EXPECT_TRUE(has_ended());
    for (int k = 0; k < 2000 && !other.ended; ++k)
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
    EXPECT_EQ(other.ended, 1);
}

TEST_F(UserObjects, WrongUseIsRefused) {
    CUuserObject made = nullptr;
    const auto create = gpu::driver().cuUserObjectCreate;
    const auto wrong = CUDA_ERROR_INVALID_VALUE;
    EXPECT_EQ(create(&made, &kept_, end, 0, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC), wrong);
    EXPECT_EQ(create(&made, &kept_, end, 1, 0), wrong);
    EXPECT_EQ(create(nullptr, &kept_, end, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC), wrong);
    made = object();
    EXPECT_EQ(keep(made, 0), wrong);
    EXPECT_EQ(keep(made, 1, 2), wrong);
    EXPECT_EQ(gpu::driver().cuUserObjectRelease(made, 1), CUDA_SUCCESS);
    EXPECT_TRUE(has_ended());
}

} // namespace
} // namespace lathe::test
