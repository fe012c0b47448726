// SPDX-License-Identifier: MIT
// What tests of graphs share: the driver's functions by name (gpu/driver has those that we need
// ourselves), kernels, memory. They run on either device.
#pragma once

#include "gpu/compiler.h"
#include "tests/gpu/device_test.h"

#include <array>
#include <memory>
#include <vector>

namespace lathe::test {

#define LATHE_TEXT_OF(x) #x
#define LATHE_TEXT(x) LATHE_TEXT_OF(x)
#define LATHE_GRAPH_FUNCTIONS(F)                                                                   \
    F(cuModuleGetFunction)                                                                         \
    F(cuMemAlloc)                                                                                  \
    F(cuMemFree)                                                                                   \
    F(cuMemcpyHtoD)                                                                                \
    F(cuMemcpyDtoH)                                                                                \
    F(cuMemcpyHtoDAsync)                                                                           \
    F(cuMemcpyDtoHAsync)                                                                           \
    F(cuMemcpyDtoDAsync)                                                                           \
    F(cuMemsetD32)                                                                                 \
    F(cuMemsetD32Async)                                                                            \
    F(cuMemHostAlloc)                                                                              \
    F(cuMemFreeHost)                                                                               \
    F(cuLaunchKernel)                                                                              \
    F(cuLaunchHostFunc)                                                                            \
    F(cuCtxGetCurrent)                                                                             \
    F(cuCtxSetCurrent)                                                                             \
    F(cuCtxSynchronize)                                                                            \
    F(cuStreamCreate)                                                                              \
    F(cuStreamDestroy)                                                                             \
    F(cuStreamSynchronize)                                                                         \
    F(cuStreamQuery)                                                                               \
    F(cuStreamWaitEvent)                                                                           \
    F(cuEventCreate)                                                                               \
    F(cuEventDestroy)                                                                              \
    F(cuEventRecord)                                                                               \
    F(cuEventRecordWithFlags)                                                                      \
    F(cuEventQuery)                                                                                \
    F(cuEventSynchronize)                                                                          \
    F(cuGraphCreate)                                                                               \
    F(cuGraphDestroy)                                                                              \
    F(cuGraphClone)                                                                                \
    F(cuGraphNodeFindInClone)                                                                      \
    F(cuGraphGetNodes)                                                                             \
    F(cuGraphGetRootNodes)                                                                         \
    F(cuGraphGetEdges)                                                                             \
    F(cuGraphNodeGetDependencies)                                                                  \
    F(cuGraphNodeGetDependentNodes)                                                                \
    F(cuGraphAddDependencies)                                                                      \
    F(cuGraphRemoveDependencies)                                                                   \
    F(cuGraphDestroyNode)                                                                          \
    F(cuGraphNodeGetType)                                                                          \
    F(cuGraphAddKernelNode)                                                                        \
    F(cuGraphKernelNodeGetParams)                                                                  \
    F(cuGraphKernelNodeSetParams)                                                                  \
    F(cuGraphAddMemcpyNode)                                                                        \
    F(cuGraphAddMemsetNode)                                                                        \
    F(cuGraphMemsetNodeGetParams)                                                                  \
    F(cuGraphAddHostNode)                                                                          \
    F(cuGraphAddChildGraphNode)                                                                    \
    F(cuGraphChildGraphNodeGetGraph)                                                               \
    F(cuGraphAddEmptyNode)                                                                         \
    F(cuGraphAddMemAllocNode)                                                                      \
    F(cuGraphMemAllocNodeGetParams)                                                                \
    F(cuGraphAddMemFreeNode)                                                                       \
    F(cuGraphMemFreeNodeGetParams)                                                                 \
    F(cuDeviceGetGraphMemAttribute)                                                                \
    F(cuDeviceSetGraphMemAttribute)                                                                \
    F(cuDeviceGraphMemTrim)                                                                        \
    F(cuMemAllocAsync)                                                                             \
    F(cuMemFreeAsync)                                                                              \
    F(cuGraphAddEventRecordNode)                                                                   \
    F(cuGraphAddEventWaitNode)                                                                     \
    F(cuGraphInstantiate)                                                                          \
    F(cuGraphInstantiateWithParams)                                                                \
    F(cuGraphExecDestroy)                                                                          \
    F(cuGraphExecUpdate)                                                                           \
    F(cuGraphExecKernelNodeSetParams)                                                              \
    F(cuGraphExecMemsetNodeSetParams)                                                              \
    F(cuGraphNodeSetEnabled)                                                                       \
    F(cuGraphUpload)                                                                               \
    F(cuGraphLaunch)                                                                               \
    F(cuStreamBeginCapture)                                                                        \
    F(cuStreamEndCapture)                                                                          \
    F(cuStreamIsCapturing)                                                                         \
    F(cuStreamGetCaptureInfo)                                                                      \
    F(cuStreamUpdateCaptureDependencies)                                                           \
    F(cuThreadExchangeStreamCaptureMode)

/// The symbols of the open driver.
struct GraphApi {
#define LATHE_MEMBER(name)                                                                         \
    decltype(&::name) name =                                                                       \
        reinterpret_cast<decltype(&::name)>(gpu::driver().find_symbol(LATHE_TEXT(name)));
    LATHE_GRAPH_FUNCTIONS(LATHE_MEMBER)
#undef LATHE_MEMBER
};

#define GRAPH_CHECK(call) ASSERT_EQ(api().call, CUDA_SUCCESS)

class GraphTest : public gpu::DeviceTest {
protected:
    void SetUp() override {
        gpu::DeviceTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        // add(x, i, n): x[i] += n; times(x, i, from, n): x[i] = x[from] * n
        const auto compiled = gpu::compile_or_throw({.source = R"(
            extern "C" __global__ void add(int* x, int i, int n) { x[i] += n; }
            extern "C" __global__ void times(int* x, int i, int from, int n) { x[i] = x[from] * n; }
            )",
                                                     .name = "graph.cu"});
        module_ = std::make_unique<gpu::Module>(compiled);
        GRAPH_CHECK(cuMemAlloc(&x_, 64 * sizeof(int)));
        GRAPH_CHECK(cuMemsetD32(x_, 0, 64));
        GRAPH_CHECK(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING));
        GRAPH_CHECK(cuStreamCreate(&other_, CU_STREAM_NON_BLOCKING));
        GRAPH_CHECK(cuGraphCreate(&graph_, 0));
    }
    void TearDown() override {
        if (!module_) return;
        for (CUgraphExec exec : execs_) api().cuGraphExecDestroy(exec);
        for (CUevent event : events_) api().cuEventDestroy(event);
        api().cuGraphDestroy(graph_);
        api().cuStreamDestroy(stream_);
        api().cuStreamDestroy(other_);
        api().cuCtxSynchronize();
        api().cuMemFree(x_);
    }

    static const GraphApi& api() {
        static const GraphApi functions;
        return functions;
    }

    CUfunction function(const char* name) {
        CUfunction found = nullptr;
        EXPECT_EQ(api().cuModuleGetFunction(&found, module_->get(), name), CUDA_SUCCESS);
        return found;
    }

    /// Parameters of a kernel node; they live as long as this.
    struct Kernel {
        CUdeviceptr x;
        std::array<int, 3> numbers;
        std::array<void*, 4> pointers{};
        CUDA_KERNEL_NODE_PARAMS params{};

        Kernel(CUfunction f, CUdeviceptr memory, std::array<int, 3> given)
            : x{memory}, numbers{given} {
            pointers = {&x, &numbers[0], &numbers[1], &numbers[2]};
            params.func = f;
            params.gridDimX = params.gridDimY = params.gridDimZ = 1;
            params.blockDimX = params.blockDimY = params.blockDimZ = 1;
            params.kernelParams = pointers.data();
        }
        Kernel(const Kernel&) = delete;
        Kernel& operator=(const Kernel&) = delete;
    };

    using Nodes = std::vector<CUgraphNode>;

    CUgraphNode add(CUgraph graph, const Nodes& after, int i, int n) {
        Kernel kernel{function("add"), x_, {i, n, 0}};
        CUgraphNode node = nullptr;
        EXPECT_EQ(
            api().cuGraphAddKernelNode(&node, graph, after.data(), after.size(), &kernel.params),
            CUDA_SUCCESS);
        return node;
    }
    CUgraphNode times(CUgraph graph, const Nodes& after, int i, int from, int n) {
        Kernel kernel{function("times"), x_, {i, from, n}};
        CUgraphNode node = nullptr;
        EXPECT_EQ(
            api().cuGraphAddKernelNode(&node, graph, after.data(), after.size(), &kernel.params),
            CUDA_SUCCESS);
        return node;
    }
    /// The same as launches.
    CUresult launch_add(CUstream stream, int i, int n) {
        Kernel kernel{function("add"), x_, {i, n, 0}};
        return api().cuLaunchKernel(kernel.params.func, 1, 1, 1, 1, 1, 1, 0, stream,
                                    kernel.pointers.data(), nullptr);
    }
    CUresult launch_times(CUstream stream, int i, int from, int n) {
        Kernel kernel{function("times"), x_, {i, from, n}};
        return api().cuLaunchKernel(kernel.params.func, 1, 1, 1, 1, 1, 1, 0, stream,
                                    kernel.pointers.data(), nullptr);
    }

    CUevent event() {
        CUevent made = nullptr;
        EXPECT_EQ(api().cuEventCreate(&made, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
        events_.push_back(made);
        return made;
    }
    CUgraphExec ready(CUgraph graph) {
        CUgraphExec exec = nullptr;
        EXPECT_EQ(api().cuGraphInstantiate(&exec, graph, 0), CUDA_SUCCESS);
        execs_.push_back(exec);
        return exec;
    }
    void run(CUgraphExec exec, int times = 1) {
        for (int k = 0; k < times; ++k) GRAPH_CHECK(cuGraphLaunch(exec, stream_));
        GRAPH_CHECK(cuStreamSynchronize(stream_));
    }
    std::vector<int> read() {
        std::vector<int> values(64);
        EXPECT_EQ(api().cuMemcpyDtoH(values.data(), x_, 64 * sizeof(int)), CUDA_SUCCESS);
        return values;
    }
    int read(std::size_t i) { return read()[i]; }
    CUgraphNodeType type(CUgraphNode node) {
        CUgraphNodeType found = CU_GRAPH_NODE_TYPE_CONDITIONAL;
        EXPECT_EQ(api().cuGraphNodeGetType(node, &found), CUDA_SUCCESS);
        return found;
    }
    Nodes nodes(CUgraph graph) {
        std::size_t count = 0;
        EXPECT_EQ(api().cuGraphGetNodes(graph, nullptr, &count), CUDA_SUCCESS);
        Nodes all(count);
        EXPECT_EQ(api().cuGraphGetNodes(graph, all.data(), &count), CUDA_SUCCESS);
        return all;
    }
    std::size_t edge_count(CUgraph graph) {
        std::size_t count = 0;
        EXPECT_EQ(api().cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &count), CUDA_SUCCESS);
        return count;
    }

    std::unique_ptr<gpu::Module> module_;
    CUdeviceptr x_ = 0; ///< 64 zeroes
    CUstream stream_ = nullptr, other_ = nullptr;
    CUgraph graph_ = nullptr;
    std::vector<CUgraphExec> execs_;
    std::vector<CUevent> events_;
};

} // namespace lathe::test
