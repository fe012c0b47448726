// SPDX-License-Identifier: MIT
// Streams that capture: operations become nodes, events carry a capture to other streams, and what
// cannot be captured is refused. Written from the driver API's manual; they run on a GPU, too.
#include "tests/soft/drv/graph_test.h"

#include <algorithm>
#include <thread>

namespace lathe::test {
namespace {

class Captures : public GraphTest {
protected:
    void begin(CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED) {
        GRAPH_CHECK(cuStreamBeginCapture(stream_, mode));
    }
    CUresult end(CUstream stream) {
        CUgraph made = nullptr;
        const CUresult result = api().cuStreamEndCapture(stream, &made);
        if (result == CUDA_SUCCESS) {
            api().cuGraphDestroy(graph_);
            graph_ = made;
        } else {
            EXPECT_EQ(made, nullptr);
        }
        return result;
    }
    CUstreamCaptureStatus status(CUstream stream) {
        CUstreamCaptureStatus found = CU_STREAM_CAPTURE_STATUS_NONE;
        EXPECT_EQ(api().cuStreamIsCapturing(stream, &found), CUDA_SUCCESS);
        return found;
    }
    void expect_invalid(CUstream stream) {
        EXPECT_EQ(status(stream), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
        EXPECT_EQ(launch_add(stream, 0, 1), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
        EXPECT_EQ(end(stream), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
        EXPECT_EQ(status(stream), CU_STREAM_CAPTURE_STATUS_NONE);
        ASSERT_EQ(launch_add(stream, 0, 1), CUDA_SUCCESS) << "the stream runs again";
        EXPECT_EQ(api().cuStreamSynchronize(stream), CUDA_SUCCESS);
    }
};

TEST_F(Captures, OperationsBecomeNodesInTheirOrder) {
    int from = 4, to = 0;
    EXPECT_EQ(status(stream_), CU_STREAM_CAPTURE_STATUS_NONE);
    begin();
    EXPECT_EQ(status(stream_), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    GRAPH_CHECK(cuMemcpyHtoDAsync(x_, &from, sizeof from, stream_));
    ASSERT_EQ(launch_add(stream_, 0, 1), CUDA_SUCCESS);
    GRAPH_CHECK(cuMemcpyDtoDAsync(x_ + 4, x_, sizeof from, stream_));
    GRAPH_CHECK(cuMemsetD32Async(x_ + 8, 9, 2, stream_));
    GRAPH_CHECK(cuMemcpyDtoHAsync(&to, x_ + 4, sizeof to, stream_));
    ASSERT_EQ(end(stream_), CUDA_SUCCESS);
    EXPECT_EQ(read(), std::vector<int>(64, 0)) << "nothing ran";
    EXPECT_EQ(to, 0);
    ASSERT_EQ(nodes(graph_).size(), 5u);
    EXPECT_EQ(edge_count(graph_), 4u);
    const CUgraphExec exec = ready(graph_);
    run(exec);
    EXPECT_EQ(to, 5);
    EXPECT_EQ(read(2), 9);
    from = 10; // read when launched
    run(exec);
    EXPECT_EQ(to, 11);
}

TEST_F(Captures, ForksAndJoinsByEvents) {
    const CUevent fork = event(), join = event();
    begin();
    ASSERT_EQ(launch_add(stream_, 0, 3), CUDA_SUCCESS);
    GRAPH_CHECK(cuEventRecord(fork, stream_));
    GRAPH_CHECK(cuStreamWaitEvent(other_, fork, 0));
    EXPECT_EQ(status(other_), CU_STREAM_CAPTURE_STATUS_ACTIVE);
    ASSERT_EQ(launch_times(other_, 1, 0, 2), CUDA_SUCCESS);
    ASSERT_EQ(launch_times(stream_, 2, 0, 5), CUDA_SUCCESS);
    GRAPH_CHECK(cuEventRecord(join, other_));
    GRAPH_CHECK(cuStreamWaitEvent(stream_, join, 0));
    ASSERT_EQ(launch_times(stream_, 3, 1, 7), CUDA_SUCCESS);
    ASSERT_EQ(end(stream_), CUDA_SUCCESS);
    EXPECT_EQ(status(other_), CU_STREAM_CAPTURE_STATUS_NONE);
    EXPECT_EQ(nodes(graph_).size(), 4u);
    EXPECT_EQ(edge_count(graph_), 4u);
    run(ready(graph_));
    const auto x = read();
    EXPECT_EQ(x[1], 6);
    EXPECT_EQ(x[2], 15);
    EXPECT_EQ(x[3], 42);
}

TEST_F(Captures, HostFunctionsAreNodes) {
    int calls = 0;
    begin();
    ASSERT_EQ(launch_add(stream_, 0, 1), CUDA_SUCCESS);
    GRAPH_CHECK(cuLaunchHostFunc(stream_, [](void* n) { ++*static_cast<int*>(n); }, &calls));
    ASSERT_EQ(end(stream_), CUDA_SUCCESS);
    const Nodes all = nodes(graph_);
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(std::count_if(all.begin(), all.end(),
                            [&](CUgraphNode n) { return type(n) == CU_GRAPH_NODE_TYPE_HOST; }),
              1);
    run(ready(graph_), 3);
    EXPECT_EQ(calls, 3);
    EXPECT_EQ(read(0), 3);
}

TEST_F(Captures, AGraphIsNotLaunchedInto) {
    add(graph_, {}, 0, 1);
    const CUgraphExec inner = ready(graph_);
    begin();
    EXPECT_EQ(api().cuGraphLaunch(inner, stream_), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    expect_invalid(stream_);
    run(inner);
    EXPECT_EQ(read(0), 2) << "once by expect_invalid, once by the graph";
}

TEST_F(Captures, ExternalEventsAreNodes) {
    const CUevent done = event();
    begin();
    ASSERT_EQ(launch_add(stream_, 0, 1), CUDA_SUCCESS);
    GRAPH_CHECK(cuEventRecordWithFlags(done, stream_, CU_EVENT_RECORD_EXTERNAL));
    ASSERT_EQ(end(stream_), CUDA_SUCCESS);
    const Nodes all = nodes(graph_);
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(
        std::count_if(all.begin(), all.end(),
                      [&](CUgraphNode n) { return type(n) == CU_GRAPH_NODE_TYPE_EVENT_RECORD; }),
        1);
    run(ready(graph_));
    GRAPH_CHECK(cuEventSynchronize(done));
}

TEST_F(Captures, TheyCanBeAskedAndChanged) {
    begin();
    ASSERT_EQ(launch_add(stream_, 0, 1), CUDA_SUCCESS);
    CUstreamCaptureStatus found = CU_STREAM_CAPTURE_STATUS_NONE;
    cuuint64_t id = 0;
    CUgraph graph = nullptr;
    const CUgraphNode* tails = nullptr;
    std::size_t count = 0;
    GRAPH_CHECK(cuStreamGetCaptureInfo(stream_, &found, &id, &graph, &tails, nullptr, &count));
    EXPECT_EQ(found, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    EXPECT_NE(id, 0u);
    ASSERT_EQ(count, 1u);
    EXPECT_EQ(type(tails[0]), CU_GRAPH_NODE_TYPE_KERNEL);
    // A node put in by hand, behind which the capture goes on.
    CUgraphNode node = times(graph, {tails[0]}, 1, 0, 8);
    GRAPH_CHECK(cuStreamUpdateCaptureDependencies(stream_, &node, nullptr, 1,
                                                  CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    ASSERT_EQ(launch_times(stream_, 2, 1, 2), CUDA_SUCCESS);
    ASSERT_EQ(end(stream_), CUDA_SUCCESS);
    EXPECT_EQ(graph_, graph);
    run(ready(graph_));
    EXPECT_EQ(read(2), 16);
}

TEST_F(Captures, WaitsAndQueriesAreRefused) {
    for (int k = 0; k < 3; ++k) {
        begin();
        ASSERT_EQ(launch_add(stream_, 0, 1), CUDA_SUCCESS);
        const CUresult result = k == 0   ? api().cuStreamSynchronize(stream_)
                                : k == 1 ? api().cuStreamQuery(stream_)
                                         : api().cuCtxSynchronize();
        EXPECT_EQ(result, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) << k;
        expect_invalid(stream_);
    }
    const CUevent captured = event();
    begin();
    GRAPH_CHECK(cuEventRecord(captured, stream_));
    EXPECT_EQ(api().cuEventQuery(captured), CUDA_ERROR_CAPTURED_EVENT);
    expect_invalid(stream_);
}

TEST_F(Captures, TheLegacyStreamIsLeftAlone) {
    EXPECT_EQ(api().cuStreamBeginCapture(nullptr, CU_STREAM_CAPTURE_MODE_RELAXED),
              CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    CUstream blocking = nullptr;
    GRAPH_CHECK(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
    GRAPH_CHECK(cuStreamBeginCapture(blocking, CU_STREAM_CAPTURE_MODE_RELAXED));
    EXPECT_EQ(launch_add(nullptr, 0, 1), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    expect_invalid(blocking);
    // Streams that do not wait for it can capture beside it.
    begin();
    EXPECT_EQ(launch_add(nullptr, 5, 1), CUDA_SUCCESS);
    ASSERT_EQ(launch_add(stream_, 6, 1), CUDA_SUCCESS);
    EXPECT_EQ(end(stream_), CUDA_SUCCESS);
    EXPECT_EQ(read(5), 1);
    EXPECT_EQ(read(6), 0);
    GRAPH_CHECK(cuStreamDestroy(blocking));
}

TEST_F(Captures, BeginAndEndBelongTogether) {
    EXPECT_EQ(end(stream_), CUDA_ERROR_ILLEGAL_STATE);
    begin();
    EXPECT_EQ(api().cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_RELAXED),
              CUDA_ERROR_ILLEGAL_STATE);
    ASSERT_EQ(end(stream_), CUDA_SUCCESS);
    EXPECT_TRUE(nodes(graph_).empty());
    // One that joined cannot end it.
    const CUevent fork = event();
    begin();
    ASSERT_EQ(launch_add(stream_, 0, 1), CUDA_SUCCESS);
    GRAPH_CHECK(cuEventRecord(fork, stream_));
    GRAPH_CHECK(cuStreamWaitEvent(other_, fork, 0));
    EXPECT_EQ(end(other_), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    EXPECT_NE(end(stream_), CUDA_ERROR_ILLEGAL_STATE);
    EXPECT_EQ(status(other_), CU_STREAM_CAPTURE_STATUS_NONE);
}

TEST_F(Captures, ForksThatAreNotJoinedAreRefused) {
    const CUevent fork = event();
    begin();
    ASSERT_EQ(launch_add(stream_, 0, 1), CUDA_SUCCESS);
    GRAPH_CHECK(cuEventRecord(fork, stream_));
    GRAPH_CHECK(cuStreamWaitEvent(other_, fork, 0));
    ASSERT_EQ(launch_add(other_, 0, 1), CUDA_SUCCESS);
    EXPECT_EQ(end(stream_), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    EXPECT_EQ(status(stream_), CU_STREAM_CAPTURE_STATUS_NONE);
    EXPECT_EQ(status(other_), CU_STREAM_CAPTURE_STATUS_NONE);
}

TEST_F(Captures, WhatIsOutsideCannotBeWaitedFor) {
    const CUevent outside = event();
    GRAPH_CHECK(cuEventRecord(outside, other_));
    begin();
    EXPECT_EQ(api().cuStreamWaitEvent(stream_, outside, 0), CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    expect_invalid(stream_);
}

TEST_F(Captures, TwoDoNotBecomeOne) {
    const CUevent first = event();
    begin();
    ASSERT_EQ(launch_add(stream_, 0, 1), CUDA_SUCCESS);
    GRAPH_CHECK(cuEventRecord(first, stream_));
    GRAPH_CHECK(cuStreamBeginCapture(other_, CU_STREAM_CAPTURE_MODE_RELAXED));
    EXPECT_EQ(api().cuStreamWaitEvent(other_, first, 0), CUDA_ERROR_STREAM_CAPTURE_MERGE);
    end(stream_);
    end(other_);
    EXPECT_EQ(status(stream_), CU_STREAM_CAPTURE_STATUS_NONE);
    EXPECT_EQ(status(other_), CU_STREAM_CAPTURE_STATUS_NONE);
}

TEST_F(Captures, OnlyRelaxedOnesEndInAnotherThread) {
    CUcontext context = nullptr;
    GRAPH_CHECK(cuCtxGetCurrent(&context));
    for (const auto mode : {CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_RELAXED}) {
        begin(mode);
        ASSERT_EQ(launch_add(stream_, 0, 1), CUDA_SUCCESS);
        CUresult there = CUDA_ERROR_UNKNOWN;
        std::thread{[&] {
            api().cuCtxSetCurrent(context);
            CUgraph made = nullptr;
            there = api().cuStreamEndCapture(stream_, &made);
            if (made) api().cuGraphDestroy(made);
        }}.join();
        if (mode == CU_STREAM_CAPTURE_MODE_RELAXED) {
            EXPECT_EQ(there, CUDA_SUCCESS);
        } else {
            EXPECT_EQ(there, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
            end(stream_);
        }
        EXPECT_EQ(status(stream_), CU_STREAM_CAPTURE_STATUS_NONE);
    }
}

TEST_F(Captures, ThreadsExchangeTheirModes) {
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    GRAPH_CHECK(cuThreadExchangeStreamCaptureMode(&mode));
    EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
    GRAPH_CHECK(cuThreadExchangeStreamCaptureMode(&mode));
    EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_RELAXED);
}

} // namespace
} // namespace lathe::test
