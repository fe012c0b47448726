// SPDX-License-Identifier: MIT
// Graphs made node by node: their shape, what they do when launched, and changes between launches.
// Written from the driver API's manual; they run on a GPU, too (LATHE_DEVICE=hardware).
#include "tests/soft/drv/graph_test.h"

#include <algorithm>

namespace lathe::test {
namespace {

class Graphs : public GraphTest {};

TEST_F(Graphs, ADiamondRunsInItsOrder) {
    const CUgraphNode a = add(graph_, {}, 0, 1);
    const CUgraphNode b = times(graph_, {a}, 1, 0, 2);
    const CUgraphNode c = times(graph_, {a}, 2, 0, 3);
    const CUgraphNode d = times(graph_, {b, c}, 3, 2, 10);
    EXPECT_NE(d, nullptr);
    const CUgraphExec exec = ready(graph_);
    EXPECT_EQ(read(0), 0) << "nothing runs before the launch";
    run(exec);
    EXPECT_EQ(read(3), 30);
    run(exec, 4);
    const auto x = read();
    EXPECT_EQ(x[0], 5);
    EXPECT_EQ(x[1], 10);
    EXPECT_EQ(x[3], 150);
}

TEST_F(Graphs, EdgesThatAreAddedLaterCount) {
    const CUgraphNode last = times(graph_, {}, 2, 1, 5);
    const CUgraphNode middle = times(graph_, {}, 1, 0, 5);
    const CUgraphNode first = add(graph_, {}, 0, 1);
    const CUgraphNode from[] = {first, middle}, to[] = {middle, last};
    GRAPH_CHECK(cuGraphAddDependencies(graph_, from, to, nullptr, 2));
    EXPECT_EQ(api().cuGraphAddDependencies(graph_, from, to, nullptr, 1), CUDA_ERROR_INVALID_VALUE)
        << "an edge twice";
    run(ready(graph_));
    EXPECT_EQ(read(2), 25);
    GRAPH_CHECK(cuGraphRemoveDependencies(graph_, from, to, nullptr, 2));
    EXPECT_EQ(edge_count(graph_), 0u);
    EXPECT_EQ(api().cuGraphRemoveDependencies(graph_, from, to, nullptr, 1),
              CUDA_ERROR_INVALID_VALUE)
        << "an edge that is not there";
}

TEST_F(Graphs, TheirShapeCanBeAsked) {
    const CUgraphNode a = add(graph_, {}, 0, 1), b = add(graph_, {a}, 1, 1),
                      c = add(graph_, {a, b}, 2, 1);
    Nodes all = nodes(graph_), expected = {a, b, c};
    std::sort(all.begin(), all.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(all, expected);
    std::size_t count = 0;
    GRAPH_CHECK(cuGraphGetRootNodes(graph_, nullptr, &count));
    ASSERT_EQ(count, 1u);
    CUgraphNode root = nullptr;
    GRAPH_CHECK(cuGraphGetRootNodes(graph_, &root, &count));
    EXPECT_EQ(root, a);
    EXPECT_EQ(edge_count(graph_), 3u);
    std::array<CUgraphNode, 3> from{}, to{};
    count = 3;
    GRAPH_CHECK(cuGraphGetEdges(graph_, from.data(), to.data(), nullptr, &count));
    for (std::size_t k = 0; k < 3; ++k)
        EXPECT_TRUE((from[k] == a && (to[k] == b || to[k] == c)) || (from[k] == b && to[k] == c));
    GRAPH_CHECK(cuGraphNodeGetDependencies(c, nullptr, nullptr, &count));
    EXPECT_EQ(count, 2u);
    // More room than nodes: the rest is null, and the count says how many there are.
    std::array<CUgraphNode, 4> dependents{a, a, a, a};
    count = 4;
    GRAPH_CHECK(cuGraphNodeGetDependentNodes(b, dependents.data(), nullptr, &count));
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(dependents[0], c);
    EXPECT_EQ(dependents[1], nullptr);
    EXPECT_EQ(dependents[3], nullptr);
    GRAPH_CHECK(cuGraphDestroyNode(b));
    EXPECT_EQ(edge_count(graph_), 1u);
    EXPECT_EQ(nodes(graph_).size(), 2u);
}

TEST_F(Graphs, Types) {
    CUcontext context = nullptr;
    GRAPH_CHECK(cuCtxGetCurrent(&context));
    CUgraphNode node = nullptr;
    CUDA_MEMSET_NODE_PARAMS fill{};
    fill.dst = x_;
    fill.value = 7;
    fill.elementSize = 4;
    fill.width = 4;
    fill.height = 1;
    GRAPH_CHECK(cuGraphAddMemsetNode(&node, graph_, nullptr, 0, &fill, context));
    EXPECT_EQ(type(node), CU_GRAPH_NODE_TYPE_MEMSET);
    CUDA_MEMSET_NODE_PARAMS kept{};
    GRAPH_CHECK(cuGraphMemsetNodeGetParams(node, &kept));
    EXPECT_EQ(kept.dst, x_);
    EXPECT_EQ(kept.value, 7u);
    EXPECT_EQ(kept.width, 4u);
    const CUgraphNode filled = node;
    CUDA_MEMCPY3D copy{};
    copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = x_;
    copy.dstDevice = x_ + 32;
    copy.WidthInBytes = 16;
    copy.Height = copy.Depth = 1;
    GRAPH_CHECK(cuGraphAddMemcpyNode(&node, graph_, &filled, 1, &copy, context));
    EXPECT_EQ(type(node), CU_GRAPH_NODE_TYPE_MEMCPY);
    EXPECT_EQ(type(add(graph_, {node}, 8, 1)), CU_GRAPH_NODE_TYPE_KERNEL);
    GRAPH_CHECK(cuGraphAddEmptyNode(&node, graph_, nullptr, 0));
    EXPECT_EQ(type(node), CU_GRAPH_NODE_TYPE_EMPTY);
    run(ready(graph_));
    const auto x = read();
    EXPECT_EQ(x[0], 7);
    EXPECT_EQ(x[3], 7);
    EXPECT_EQ(x[4], 0);
    EXPECT_EQ(x[8], 8);
    EXPECT_EQ(x[11], 7);
}

TEST_F(Graphs, ArgumentsAreCopied) {
    CUgraphNode node = nullptr;
    {
        Kernel kernel{function("add"), x_, {0, 1, 0}};
        GRAPH_CHECK(cuGraphAddKernelNode(&node, graph_, nullptr, 0, &kernel.params));
        kernel.numbers[1] = 1000;
    }
    run(ready(graph_));
    EXPECT_EQ(read(0), 1);
    CUDA_KERNEL_NODE_PARAMS kept{};
    GRAPH_CHECK(cuGraphKernelNodeGetParams(node, &kept));
    EXPECT_EQ(kept.gridDimX, 1u);
    EXPECT_EQ(*static_cast<int*>(kept.kernelParams[2]), 1);
    Kernel other{function("add"), x_, {0, 10, 0}};
    GRAPH_CHECK(cuGraphKernelNodeSetParams(node, &other.params));
    run(ready(graph_));
    EXPECT_EQ(read(0), 11);
}

TEST_F(Graphs, ExecutableOnesHaveParametersOfTheirOwn) {
    const CUgraphNode node = add(graph_, {}, 0, 1);
    const CUgraphExec first = ready(graph_), second = ready(graph_);
    Kernel kernel{function("add"), x_, {0, 100, 0}};
    GRAPH_CHECK(cuGraphExecKernelNodeSetParams(second, node, &kernel.params));
    run(first);
    EXPECT_EQ(read(0), 1);
    run(second);
    EXPECT_EQ(read(0), 101);
    GRAPH_CHECK(cuGraphNodeSetEnabled(second, node, 0));
    run(second);
    EXPECT_EQ(read(0), 101);
    GRAPH_CHECK(cuGraphNodeSetEnabled(second, node, 1));
    run(second);
    EXPECT_EQ(read(0), 201);
}

TEST_F(Graphs, UpdatesTakeOverTheParametersOfAnother) {
    add(graph_, {add(graph_, {}, 0, 1)}, 1, 1);
    const CUgraphExec exec = ready(graph_);
    CUgraph other = nullptr;
    GRAPH_CHECK(cuGraphCreate(&other, 0));
    const CUgraphNode first = add(other, {}, 0, 5);
    add(other, {first}, 1, 7);
    CUgraphExecUpdateResultInfo info{};
    GRAPH_CHECK(cuGraphExecUpdate(exec, other, &info));
    EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
    run(exec);
    EXPECT_EQ(read(0), 5);
    EXPECT_EQ(read(1), 7);
    add(other, {first}, 2, 1);
    EXPECT_EQ(api().cuGraphExecUpdate(exec, other, &info), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    run(exec);
    EXPECT_EQ(read(0), 10) << "as before";
    EXPECT_EQ(read(2), 0);
    GRAPH_CHECK(cuGraphDestroy(other));
}

TEST_F(Graphs, ExecutableOnesOutliveTheirGraph) {
    CUgraph own = nullptr;
    GRAPH_CHECK(cuGraphCreate(&own, 0));
    add(own, {}, 0, 3);
    const CUgraphExec exec = ready(own);
    GRAPH_CHECK(cuGraphDestroy(own));
    GRAPH_CHECK(cuGraphUpload(exec, stream_));
    run(exec, 2);
    EXPECT_EQ(read(0), 6);
}

TEST_F(Graphs, Clones) {
    const CUgraphNode a = add(graph_, {}, 0, 1), b = times(graph_, {a}, 1, 0, 4);
    CUgraph clone = nullptr;
    GRAPH_CHECK(cuGraphClone(&clone, graph_));
    CUgraphNode cloned = nullptr;
    GRAPH_CHECK(cuGraphNodeFindInClone(&cloned, b, clone));
    EXPECT_NE(cloned, b);
    Kernel kernel{function("times"), x_, {1, 0, 9}};
    GRAPH_CHECK(cuGraphKernelNodeSetParams(cloned, &kernel.params));
    run(ready(clone));
    EXPECT_EQ(read(1), 9);
    run(ready(graph_));
    EXPECT_EQ(read(1), 8);
    GRAPH_CHECK(cuGraphDestroy(clone));
}

TEST_F(Graphs, ChildrenRunWhereTheirNodeIs) {
    CUgraph child = nullptr;
    GRAPH_CHECK(cuGraphCreate(&child, 0));
    times(child, {times(child, {}, 1, 0, 2)}, 2, 1, 3);
    const CUgraphNode before = add(graph_, {}, 0, 1);
    CUgraphNode node = nullptr;
    GRAPH_CHECK(cuGraphAddChildGraphNode(&node, graph_, &before, 1, child));
    EXPECT_EQ(type(node), CU_GRAPH_NODE_TYPE_GRAPH);
    times(graph_, {node}, 3, 2, 5);
    CUgraph inner = nullptr;
    GRAPH_CHECK(cuGraphChildGraphNodeGetGraph(node, &inner));
    EXPECT_NE(inner, child) << "the node has a clone";
    EXPECT_EQ(nodes(inner).size(), 2u);
    GRAPH_CHECK(cuGraphDestroy(child));
    run(ready(graph_));
    EXPECT_EQ(read(3), 30);
}

TEST_F(Graphs, HostFunctionsRunInOrder) {
    struct Seen {
        int value = 0, calls = 0;
        int* from;
    } seen;
    void* pinned = nullptr;
    GRAPH_CHECK(cuMemHostAlloc(&pinned, sizeof(int), 0));
    seen.from = static_cast<int*>(pinned);
    *seen.from = -1;
    CUcontext context = nullptr;
    GRAPH_CHECK(cuCtxGetCurrent(&context));
    const CUgraphNode a = add(graph_, {}, 0, 21);
    CUDA_MEMCPY3D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcDevice = x_;
    copy.dstHost = pinned;
    copy.WidthInBytes = sizeof(int);
    copy.Height = copy.Depth = 1;
    CUgraphNode copied = nullptr, called = nullptr;
    GRAPH_CHECK(cuGraphAddMemcpyNode(&copied, graph_, &a, 1, &copy, context));
    CUDA_HOST_NODE_PARAMS host{};
    host.fn = [](void* p) {
        auto& s = *static_cast<Seen*>(p);
        s.value = *s.from;
        ++s.calls;
    };
    host.userData = &seen;
    GRAPH_CHECK(cuGraphAddHostNode(&called, graph_, &copied, 1, &host));
    EXPECT_EQ(type(called), CU_GRAPH_NODE_TYPE_HOST);
    run(ready(graph_), 2);
    EXPECT_EQ(seen.value, 42);
    EXPECT_EQ(seen.calls, 2);
    GRAPH_CHECK(cuMemFreeHost(pinned));
}

TEST_F(Graphs, EventsOrderGraphsAndStreams) {
    const CUevent middle = event();
    CUgraphNode recorded = nullptr, waited = nullptr;
    const CUgraphNode a = add(graph_, {}, 0, 1);
    GRAPH_CHECK(cuGraphAddEventRecordNode(&recorded, graph_, &a, 1, middle));
    EXPECT_EQ(type(recorded), CU_GRAPH_NODE_TYPE_EVENT_RECORD);
    CUgraph second = nullptr;
    GRAPH_CHECK(cuGraphCreate(&second, 0));
    GRAPH_CHECK(cuGraphAddEventWaitNode(&waited, second, nullptr, 0, middle));
    EXPECT_EQ(type(waited), CU_GRAPH_NODE_TYPE_WAIT_EVENT);
    times(second, {waited}, 1, 0, 6);
    const CUgraphExec records = ready(graph_), waits = ready(second);
    GRAPH_CHECK(cuGraphLaunch(records, stream_));
    GRAPH_CHECK(cuGraphLaunch(waits, other_));
    GRAPH_CHECK(cuStreamSynchronize(other_));
    EXPECT_EQ(read(1), 6);
    GRAPH_CHECK(cuGraphDestroy(second));
}

TEST_F(Graphs, LaunchesOfOneFollowEachOther) {
    CUgraphNode last = nullptr;
    for (int k = 0; k < 100; ++k) last = add(graph_, last ? Nodes{last} : Nodes{}, 0, 1);
    const CUgraphExec exec = ready(graph_);
    run(exec, 20);
    EXPECT_EQ(read(0), 2000);
}

TEST_F(Graphs, WhatMakesNoSenseIsRefused) {
    constexpr auto invalid = CUDA_ERROR_INVALID_VALUE;
    CUgraph made = nullptr, other = nullptr;
    EXPECT_EQ(api().cuGraphCreate(&made, 1), invalid);
    EXPECT_EQ(api().cuGraphCreate(nullptr, 0), invalid);
    GRAPH_CHECK(cuGraphCreate(&other, 0));
    const CUgraphNode a = add(graph_, {}, 0, 1);
    const CUgraphNode foreign = add(other, {}, 0, 1);
    EXPECT_EQ(api().cuGraphAddDependencies(graph_, &a, &foreign, nullptr, 1), invalid);
    CUgraphNode node = nullptr;
    EXPECT_EQ(api().cuGraphAddEmptyNode(&node, graph_, &foreign, 1), invalid);
    EXPECT_EQ(api().cuGraphAddEmptyNode(&node, graph_, nullptr, 1), invalid);
    Kernel kernel{function("add"), x_, {0, 1, 0}};
    kernel.params.blockDimX = 5000;
    EXPECT_EQ(api().cuGraphAddKernelNode(&node, graph_, nullptr, 0, &kernel.params), invalid);
    CUDA_KERNEL_NODE_PARAMS params{};
    GRAPH_CHECK(cuGraphAddEmptyNode(&node, graph_, nullptr, 0));
    EXPECT_EQ(api().cuGraphKernelNodeGetParams(node, &params), invalid) << "no kernel node";
    GRAPH_CHECK(cuGraphDestroy(other));
}

TEST_F(Graphs, CirclesAreFoundWhenMadeReady) {
    const CUgraphNode a = add(graph_, {}, 0, 1), b = add(graph_, {a}, 1, 1);
    GRAPH_CHECK(cuGraphAddDependencies(graph_, &b, &a, nullptr, 1));
    CUgraphExec exec = nullptr;
    CUDA_GRAPH_INSTANTIATE_PARAMS params{};
    EXPECT_NE(api().cuGraphInstantiateWithParams(&exec, graph_, &params), CUDA_SUCCESS);
    EXPECT_EQ(params.result_out, CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE);
}

} // namespace
} // namespace lathe::test
