// SPDX-License-Identifier: MIT
// Graphs through their wrappers; the driver's own behaviour is tested in tests/soft/drv.
#include "gpu/driver/check.h"
#include "gpu/graph.h"
#include "tests/gpu/device_test.h"

#include <array>
#include <atomic>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace lathe::gpu {
namespace {

class GraphWrapperTest : public DeviceTest {
protected:
    void SetUp() override {
        DeviceTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        module_ = compile_module(R"(
            extern "C" __global__ void add(int* x, int n) { x[threadIdx.x] += n; }
            extern "C" __global__ void times(int* x, int n) { x[threadIdx.x] *= n; })");
        add_ = module_.kernel("add");
        times_ = module_.kernel("times");
        x_ = DeviceBuffer{8 * sizeof(int)};
        fill(x_.span<int>(), 0);
        stream_ = Stream{StreamConfig{}};
    }

    GraphNode kernel(Graph& graph, const Kernel& kernel, int n,
                     std::span<const GraphNode> after = {}) {
        CUdeviceptr x = x_.address();
        std::array<void*, 3> arguments{&x, &n, nullptr};
        return graph.add_kernel(kernel, {.grid = {}, .block = {8}}, arguments.data(), after);
    }
    std::vector<int> run(const GraphExec& exec, int times = 1) {
        for (int k = 0; k < times; ++k) exec.launch(stream_);
        std::vector<int> host(8);
        copy_to_host(std::span{host}, x_.span<int>(), stream_);
        stream_.synchronize();
        return host;
    }

    Module module_;
    Kernel add_, times_;
    DeviceBuffer x_;
    Stream stream_;
};

TEST_F(GraphWrapperTest, NodesRunBehindWhatTheyWaitFor) {
    Graph graph = Graph::create();
    const GraphNode fill = graph.add_fill({x_.address(), 5, 4, 8});
    const std::array first{kernel(graph, times_, 3, std::array{fill})};
    kernel(graph, add_, 1, first);
    EXPECT_EQ(graph.nodes().size(), 3u);
    EXPECT_EQ(fill.type(), CU_GRAPH_NODE_TYPE_MEMSET);
    EXPECT_EQ(first[0].type(), CU_GRAPH_NODE_TYPE_KERNEL);
    const GraphExec exec{graph};
    EXPECT_EQ(run(exec, 3), std::vector<int>(8, 16));
}

TEST_F(GraphWrapperTest, ACaptureBecomesAGraph) {
    StreamCapture capture{stream_};
    EXPECT_TRUE(stream_.is_capturing());
    launch(add_, {.grid = {}, .block = {8}, .stream = stream_}, x_, 2);
    int calls = 0;
    stream_.add_host_function([&calls] { ++calls; });
    const Graph graph = capture.end();
    EXPECT_FALSE(stream_.is_capturing());
    EXPECT_EQ(graph.nodes().size(), 2u);
    EXPECT_EQ(run(GraphExec{graph}, 4), std::vector<int>(8, 8));
    EXPECT_EQ(calls, 4);
}

TEST_F(GraphWrapperTest, ACaptureThatIsDroppedLeavesTheStreamUsable) {
    {
        const StreamCapture capture{stream_};
        launch(add_, {.grid = {}, .block = {8}, .stream = stream_}, x_, 2);
    }
    {
        StreamCapture capture{stream_};
        EXPECT_THROW(stream_.synchronize(), Error);
        EXPECT_THROW(capture.end(), Error);
    }
    EXPECT_FALSE(stream_.is_capturing());
    launch(add_, {.grid = {}, .block = {8}, .stream = stream_}, x_, 1);
    stream_.synchronize();
}

TEST_F(GraphWrapperTest, NodesChangeInTheGraphAndInTheExecutableOne) {
    Graph graph = Graph::create();
    const GraphNode node = kernel(graph, add_, 1);
    GraphExec exec{graph};
    CUdeviceptr x = x_.address();
    int n = 10;
    std::array<void*, 3> arguments{&x, &n, nullptr};
    exec.set_kernel(node, add_, {.grid = {}, .block = {4}}, arguments.data());
    EXPECT_EQ(run(exec), (std::vector{10, 10, 10, 10, 0, 0, 0, 0}));
    exec.set_enabled(node, false);
    EXPECT_EQ(run(exec)[0], 10);
    EXPECT_EQ(run(GraphExec{graph})[0], 11) << "the graph is as it was";
    graph.set_kernel(node, times_, {.grid = {}, .block = {8}}, arguments.data());
    EXPECT_EQ(run(GraphExec{graph})[0], 110);
}

TEST_F(GraphWrapperTest, AnUpdateNeedsTheSameNodes) {
    Graph first = Graph::create(), second = Graph::create(), third = Graph::create();
    kernel(first, add_, 1);
    kernel(second, add_, 7);
    kernel(third, add_, 1, std::array{kernel(third, add_, 1)});
    GraphExec exec{first};
    EXPECT_TRUE(exec.update(second));
    EXPECT_EQ(run(exec)[0], 7);
    EXPECT_FALSE(exec.update(third));
    EXPECT_EQ(run(exec)[0], 14);
}

TEST_F(GraphWrapperTest, CopiesBetweenHostAndDevice) {
    std::vector<int> from(8), to(8);
    std::iota(from.begin(), from.end(), 1);
    const auto address = [](auto& v) { return reinterpret_cast<std::uint64_t>(v.data()); };
    Graph graph = Graph::create();
    const GraphNode up =
        graph.add_copy({CU_MEMORYTYPE_DEVICE, x_.address(), CU_MEMORYTYPE_HOST, address(from), 32});
    const GraphNode change = kernel(graph, times_, 2, std::array{up});
    graph.add_copy({CU_MEMORYTYPE_HOST, address(to), CU_MEMORYTYPE_DEVICE, x_.address(), 32},
                   std::array{change});
    run(GraphExec{graph});
    EXPECT_EQ(to, (std::vector{2, 4, 6, 8, 10, 12, 14, 16}));
    from[0] = 50;
    run(GraphExec{graph});
    EXPECT_EQ(to[0], 100);
}

TEST_F(GraphWrapperTest, HostFunctionsEndWithTheLastGraphThatMayCallThem) {
    auto kept = std::make_shared<std::atomic<int>>(0);
    const std::weak_ptr<std::atomic<int>> watch = kept;
    GraphExec exec;
    {
        Graph graph = Graph::create();
        graph.add_host_function([kept = std::move(kept)] { ++*kept; });
        exec = GraphExec{graph};
    }
    run(exec, 3);
    ASSERT_FALSE(watch.expired());
    EXPECT_EQ(*watch.lock(), 3);
    exec.launch(stream_);
    exec = {}; // while it may still run
    stream_.synchronize();
    for (int k = 0; k < 2000 && !watch.expired(); ++k) // a driver's thread may end it
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
    EXPECT_TRUE(watch.expired());
}

TEST_F(GraphWrapperTest, WrongUseIsTold) {
    Graph graph = Graph::create(), other = Graph::create();
    const GraphNode foreign = other.add_empty();
    EXPECT_THROW(graph.add_empty(std::array{foreign}), Error);
    EXPECT_THROW(graph.add_fill({x_.address(), 0, 3, 1}), Error);
    EXPECT_THROW(Graph{}.add_empty(), Error);
    EXPECT_THROW(StreamCapture{StreamView::legacy()}, Error);
    int n = 0;
    CUdeviceptr x = x_.address();
    std::array<void*, 3> arguments{&x, &n, nullptr};
    EXPECT_THROW(
        graph.add_kernel(add_, {.grid = {}, .block = {1}, .cooperative = true}, arguments.data()),
        Error);
    EXPECT_NO_THROW(run(GraphExec{graph}));
}

} // namespace
} // namespace lathe::gpu
