// SPDX-License-Identifier: MIT
// Memory that nodes of graphs allocate and free.
#include "tests/soft/drv/graph_test.h"

namespace lathe::test {
namespace {

class GraphMemory : public GraphTest {
protected:
    static constexpr std::size_t kBytes = 64 * sizeof(int);

    static CUDA_MEM_ALLOC_NODE_PARAMS params(std::size_t bytes = kBytes) {
        CUDA_MEM_ALLOC_NODE_PARAMS p{};
        p.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
        p.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
        p.bytesize = bytes;
        return p;
    }
    /// A node that allocates; its address comes back in `p`.
    CUgraphNode allocate(const Nodes& after, CUdeviceptr& p) {
        CUDA_MEM_ALLOC_NODE_PARAMS given = params();
        CUgraphNode node = nullptr;
        EXPECT_EQ(api().cuGraphAddMemAllocNode(&node, graph_, after.data(), after.size(), &given),
                  CUDA_SUCCESS);
        p = given.dptr;
        return node;
    }
    CUgraphNode fill(const Nodes& after, CUdeviceptr p, unsigned value) {
        CUDA_MEMSET_NODE_PARAMS given{p, 0, value, 4, 64, 1};
        CUcontext context = nullptr;
        EXPECT_EQ(api().cuCtxGetCurrent(&context), CUDA_SUCCESS);
        CUgraphNode node = nullptr;
        EXPECT_EQ(
            api().cuGraphAddMemsetNode(&node, graph_, after.data(), after.size(), &given, context),
            CUDA_SUCCESS);
        return node;
    }
    CUgraphNode copy(const Nodes& after, CUdeviceptr to, CUdeviceptr from) {
        CUDA_MEMCPY3D given{};
        given.srcMemoryType = given.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        given.srcDevice = from;
        given.dstDevice = to;
        given.WidthInBytes = kBytes;
        given.Height = given.Depth = 1;
        CUcontext context = nullptr;
        EXPECT_EQ(api().cuCtxGetCurrent(&context), CUDA_SUCCESS);
        CUgraphNode node = nullptr;
        EXPECT_EQ(
            api().cuGraphAddMemcpyNode(&node, graph_, after.data(), after.size(), &given, context),
            CUDA_SUCCESS);
        return node;
    }
    CUgraphNode free_node(const Nodes& after, CUdeviceptr p) {
        CUgraphNode node = nullptr;
        EXPECT_EQ(api().cuGraphAddMemFreeNode(&node, graph_, after.data(), after.size(), p),
                  CUDA_SUCCESS);
        return node;
    }
    cuuint64_t attribute(CUgraphMem_attribute which) {
        cuuint64_t value = 0;
        EXPECT_EQ(api().cuDeviceGetGraphMemAttribute(0, which, &value), CUDA_SUCCESS);
        return value;
    }
    int first(CUdeviceptr p) {
        int value = -1;
        EXPECT_EQ(api().cuMemcpyDtoH(&value, p, sizeof value), CUDA_SUCCESS);
        return value;
    }
};

TEST_F(GraphMemory, LivesBetweenItsNodesAndEveryLaunchHasItAnew) {
    CUdeviceptr p = 0, q = 0;
    const auto allocated = allocate({}, p), filled = fill({allocated}, p, 7);
    const auto copied = copy({filled}, x_, p);
    const auto freed = free_node({copied}, p);
    EXPECT_EQ(type(allocated), CU_GRAPH_NODE_TYPE_MEM_ALLOC);
    EXPECT_EQ(type(freed), CU_GRAPH_NODE_TYPE_MEM_FREE);
    CUDA_MEM_ALLOC_NODE_PARAMS found{};
    GRAPH_CHECK(cuGraphMemAllocNodeGetParams(allocated, &found));
    EXPECT_EQ(found.dptr, p);
    EXPECT_EQ(found.bytesize, kBytes);
    EXPECT_EQ(found.poolProps.location.type, CU_MEM_LOCATION_TYPE_DEVICE);
    GRAPH_CHECK(cuGraphMemFreeNodeGetParams(freed, &q));
    EXPECT_EQ(q, p);
    const auto exec = ready(graph_);
    run(exec, 3);
    EXPECT_EQ(read(), std::vector<int>(64, 7));
    EXPECT_GE(attribute(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), kBytes); // for its next launch
    EXPECT_GE(attribute(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH), kBytes);
}

TEST_F(GraphMemory, WhatALaunchLeavesIsTheProgramsToFree) {
    CUdeviceptr p = 0;
    const auto allocated = allocate({}, p);
    fill({allocated}, p, 9);
    const auto exec = ready(graph_);
    EXPECT_NE(api().cuMemFree(p), CUDA_SUCCESS); // nothing is allocated yet
    run(exec);
    EXPECT_EQ(first(p), 9);
    EXPECT_EQ(api().cuGraphLaunch(exec, stream_), CUDA_ERROR_INVALID_VALUE); // it is not free
    GRAPH_CHECK(cuMemFree(p));
    run(exec);
    EXPECT_EQ(first(p), 9);
    GRAPH_CHECK(cuMemFreeAsync(p, stream_));
    run(exec);
    GRAPH_CHECK(cuMemFreeAsync(p, stream_));
    GRAPH_CHECK(cuStreamSynchronize(stream_));
    EXPECT_GE(attribute(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), kBytes);
}

TEST_F(GraphMemory, WhatALaunchHasAllocatedIsUsedUntilItIsTrimmed) {
    GRAPH_CHECK(cuDeviceGraphMemTrim(0));
    cuuint64_t none = 0;
    GRAPH_CHECK(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &none));
    CUdeviceptr p = 0;
    const auto allocated = allocate({}, p), filled = fill({allocated}, p, 1);
    free_node({filled}, p);
    const auto exec = ready(graph_);
    EXPECT_EQ(attribute(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), 0u); // no launch has mapped any
    run(exec);
    const cuuint64_t used = attribute(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT);
    EXPECT_GE(used, kBytes);
    run(exec, 2);
    EXPECT_EQ(attribute(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), used);
    GRAPH_CHECK(cuDeviceGraphMemTrim(0));
    EXPECT_EQ(attribute(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), 0u);
    EXPECT_EQ(attribute(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH), used);
    run(exec);
    EXPECT_EQ(attribute(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), used);
    GRAPH_CHECK(cuGraphExecDestroy(exec));
    execs_.pop_back();
    EXPECT_EQ(attribute(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), used);
    GRAPH_CHECK(cuDeviceGraphMemTrim(0));
    EXPECT_EQ(attribute(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), 0u);
}

TEST_F(GraphMemory, WhatALaunchLeavesIsUsedWithoutItsGraph) {
    GRAPH_CHECK(cuDeviceGraphMemTrim(0));
    CUdeviceptr p = 0;
    const auto allocated = allocate({}, p);
    fill({allocated}, p, 6);
    const auto exec = ready(graph_);
    run(exec);
    GRAPH_CHECK(cuGraphExecDestroy(exec));
    execs_.pop_back();
    GRAPH_CHECK(cuDeviceGraphMemTrim(0));
    EXPECT_GE(attribute(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), kBytes);
    EXPECT_EQ(first(p), 6);
    GRAPH_CHECK(cuMemFree(p));
    EXPECT_GE(attribute(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), kBytes);
    GRAPH_CHECK(cuDeviceGraphMemTrim(0));
    EXPECT_EQ(attribute(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), 0u);
}

TEST_F(GraphMemory, ALaunchMayFreeWhatTheLastOneLeft) {
    CUdeviceptr p = 0;
    const auto allocated = allocate({}, p);
    fill({allocated}, p, 3);
    CUgraphExec exec = nullptr;
    GRAPH_CHECK(cuGraphInstantiate(&exec, graph_, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH));
    execs_.push_back(exec);
    run(exec, 4);
    EXPECT_EQ(first(p), 3);
    GRAPH_CHECK(cuMemFree(p));
}

TEST_F(GraphMemory, OneGraphAllocatesAndAnotherFrees) {
    CUdeviceptr p = 0;
    const auto allocated = allocate({}, p);
    fill({allocated}, p, 5);
    const auto exec = ready(graph_);
    CUgraph other = nullptr;
    GRAPH_CHECK(cuGraphCreate(&other, 0));
    CUgraphNode freed = nullptr, twice = nullptr;
    GRAPH_CHECK(cuGraphAddMemFreeNode(&freed, other, nullptr, 0, p));
    EXPECT_EQ(api().cuGraphAddMemFreeNode(&twice, other, nullptr, 0, p), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(api().cuGraphAddMemFreeNode(&twice, other, nullptr, 0, x_), CUDA_ERROR_INVALID_VALUE);
    const auto frees = ready(other);
    for (int k = 0; k < 3; ++k) {
        run(exec);
        EXPECT_EQ(first(p), 5);
        run(frees);
    }
    GRAPH_CHECK(cuGraphDestroy(other));
}

TEST_F(GraphMemory, StreamsThatCaptureMakeItsNodes) {
    CUdeviceptr p = 0;
    CUgraph captured = nullptr;
    GRAPH_CHECK(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL));
    GRAPH_CHECK(cuMemAllocAsync(&p, kBytes, stream_));
    GRAPH_CHECK(cuMemsetD32Async(p, 11, 64, stream_));
    GRAPH_CHECK(cuMemcpyDtoDAsync(x_, p, kBytes, stream_));
    GRAPH_CHECK(cuMemFreeAsync(p, stream_));
    GRAPH_CHECK(cuStreamEndCapture(stream_, &captured));
    const Nodes all = nodes(captured);
    ASSERT_EQ(all.size(), 4u);
    EXPECT_EQ(type(all[0]), CU_GRAPH_NODE_TYPE_MEM_ALLOC);
    EXPECT_EQ(type(all[3]), CU_GRAPH_NODE_TYPE_MEM_FREE);
    const auto exec = ready(captured);
    run(exec, 2);
    EXPECT_EQ(read(), std::vector<int>(64, 11));
    GRAPH_CHECK(cuGraphDestroy(captured));
    run(exec);
}

TEST_F(GraphMemory, SuchGraphsStayAsTheyAre) {
    CUdeviceptr p = 0;
    const auto allocated = allocate({}, p), filled = fill({allocated}, p, 1);
    free_node({filled}, p);
    CUgraph clone = nullptr;
    CUgraphNode node = nullptr;
    CUgraphExec second = nullptr;
    EXPECT_NE(api().cuGraphClone(&clone, graph_), CUDA_SUCCESS);
    EXPECT_NE(api().cuGraphDestroyNode(filled), CUDA_SUCCESS);
    EXPECT_NE(api().cuGraphRemoveDependencies(graph_, &allocated, &filled, nullptr, 1),
              CUDA_SUCCESS);
    CUgraph parent = nullptr;
    GRAPH_CHECK(cuGraphCreate(&parent, 0));
    EXPECT_NE(api().cuGraphAddChildGraphNode(&node, parent, nullptr, 0, graph_), CUDA_SUCCESS);
    GRAPH_CHECK(cuGraphDestroy(parent));
    CUgraphExec exec = nullptr;
    GRAPH_CHECK(cuGraphInstantiate(&exec, graph_, 0));
    EXPECT_NE(api().cuGraphInstantiate(&second, graph_, 0), CUDA_SUCCESS);
    GRAPH_CHECK(cuGraphExecDestroy(exec));
    run(ready(graph_));
}

TEST_F(GraphMemory, TrimGivesBackWhatIsNotAllocated) {
    CUdeviceptr p = 0;
    const auto allocated = allocate({}, p);
    const auto filled = fill({allocated}, p, 1);
    free_node({filled}, p);
    run(ready(graph_));
    EXPECT_GE(attribute(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT), kBytes);
    GRAPH_CHECK(cuDeviceGraphMemTrim(0));
    EXPECT_EQ(attribute(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT), 0u);
    EXPECT_GE(attribute(CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH), kBytes);
    cuuint64_t number = 0;
    GRAPH_CHECK(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, &number));
    EXPECT_EQ(attribute(CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH), 0u);
    number = 1;
    EXPECT_EQ(api().cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &number),
              CUDA_ERROR_INVALID_VALUE);
    run(execs_.back());
}

TEST_F(GraphMemory, BadArguments) {
    CUgraphNode node = nullptr;
    CUDA_MEM_ALLOC_NODE_PARAMS given = params(0);
    EXPECT_EQ(api().cuGraphAddMemAllocNode(&node, graph_, nullptr, 0, &given),
              CUDA_ERROR_INVALID_VALUE);
    given = params();
    given.poolProps.location.id = 77;
    EXPECT_EQ(api().cuGraphAddMemAllocNode(&node, graph_, nullptr, 0, &given),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(api().cuGraphAddMemAllocNode(&node, graph_, nullptr, 0, nullptr),
              CUDA_ERROR_INVALID_VALUE);
}

} // namespace
} // namespace lathe::test
