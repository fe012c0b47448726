// SPDX-License-Identifier: MIT
// What is made and destroyed over and over leaves nothing behind: memory, launches, modules,
// textures, graphs, contexts and pools on many threads, and mistakes. A hundredth of the cycles
// unless LATHE_ENDURANCE=1 (ninja endurance).
#include "gpu/cuda_array.h"
#include "gpu/driver/check.h"
#include "gpu/event.h"
#include "gpu/graph.h"
#include "gpu/launch.h"
#include "gpu/memory_pool.h"
#include "gpu/texture.h"
#include "tests/gpu/device_test.h"
#include "tests/gpu/footprint.h"

#include <array>
#include <exception>
#include <list>
#include <optional>
#include <thread>
#include <vector>

namespace lathe::gpu {
namespace {

using test::cycles;
using test::growth;

constexpr const char* kFill = R"(
    extern "C" __global__ void fill(int* x, int n, int value) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] = value;
    })";

class Endurance : public DeviceTest {
protected:
    /// Less than the machine has free, so that it matters to nobody what other processes take.
    static void SetUpTestSuite() { setenv("LATHE_SOFT_MEMORY_MB", "1024", 0); }
    void SetUp() override {
        DeviceTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        best_.emplace(); // no code waits to be compiled while memory is looked at
        module_ = compile_module(kFill);
        fill_ = module_.kernel("fill");
    }

    void run_fill(CUdeviceptr x, std::size_t bytes, StreamView stream, int value = 1) const {
        const int n = static_cast<int>(bytes / sizeof(int));
        launch(fill_, {blocks_for({static_cast<unsigned>(n)}, {64}), {64}, 0, stream}, x, n, value);
    }

    std::optional<BestCodeScope> best_;
    Module module_;
    Kernel fill_;
};

std::size_t size_of(std::size_t i) { return 64 + i * 772 % 16'384; }

// What the machine has free for the device is the smaller, the more others have.
TEST_F(Endurance, MemoryOfOthersIsNotTheDevices) {
    const std::size_t before = test::Footprint::now().device_bytes;
    const std::vector<char> others(std::size_t{128} << 20, 1);
    EXPECT_EQ(test::Footprint::now().device_bytes, before);
}

// The check itself: what one cycle in four forgets is found, what is forgotten once is not.
TEST_F(Endurance, ALeakWouldBeSeen) {
    std::list<std::array<char, 40>> forgotten;
    EXPECT_NE(growth(1000,
                     [&](std::size_t i) {
                         if (i % 4 == 0) forgotten.emplace_back();
                     })
                  .find("bytes of the heap"),
              std::string::npos);
    bool once = false;
    EXPECT_EQ(growth(1000,
                     [&](std::size_t i) {
                         if (i == 500 && !std::exchange(once, true))
                             forgotten.resize(forgotten.size() + 5000);
                     }),
              "");
    std::vector<DeviceBuffer> kept;
    EXPECT_NE(growth(100, [&](std::size_t) { kept.emplace_back(256); }), "");
}

TEST_F(Endurance, AllocateLaunchFree) {
    const auto cycle = [this](std::size_t i) {
        const DeviceBuffer x{size_of(i)};
        run_fill(x.address(), x.bytes(), StreamView::legacy(), static_cast<int>(i));
        if (i % 16 != 0) return; // else the end of x waits
        int got = 0;
        copy_to_host(&got, x.address(), sizeof got);
        ASSERT_EQ(got, static_cast<int>(i));
    };
    EXPECT_EQ(growth(cycles(100'000), cycle), "");
}

TEST_F(Endurance, AllocateLaunchFreeInOrder) {
    const Stream stream{StreamConfig{}};
    const auto cycle = [&](std::size_t i) {
        const DeviceBuffer x = DeviceBuffer::in_order(size_of(i), stream);
        run_fill(x.address(), x.bytes(), stream);
        if (i % 64 == 0) stream.synchronize();
    };
    EXPECT_EQ(growth(cycles(100'000), cycle), "");
}

TEST_F(Endurance, PoolsOnTwoStreams) {
    const auto pool = make_device_pool();
    const auto pinned = make_pinned_pool();
    const Stream a{StreamConfig{}}, b{StreamConfig{}};
    // How many blocks wait for their stream at once is a matter of pace, and 16 at the most: the
    // pools have as many from the start.
    {
        std::list<PooledMemory<DeviceBuffer>> most;
        std::list<PooledMemory<PinnedBuffer>> most_pinned;
        for (std::size_t i = 0; i < 64; ++i)
            most.push_back(DevicePool::allocate(pool, std::size_t{64} << i % 4));
        for (std::size_t i = 0; i < 16; ++i)
            most_pinned.push_back(PinnedPool::allocate(pinned, 64));
    }
    const auto cycle = [&](std::size_t i) {
        const Stream& stream = i % 3 ? a : b;
        auto x = DevicePool::allocate(pool, std::size_t{64} << i % 4); // soon enough of each size
        auto host = PinnedPool::allocate(pinned, 64);
        x.begin_use(stream);
        host.begin_use(stream);
        run_fill(x.memory().address(), x.bytes(), stream);
        copy_to_host(host.memory().data(), x.memory().address(), 64, stream);
        host.end_use(stream);
        x.end_use(stream);
        if (i % 16 != 0) return;
        a.synchronize();
        b.synchronize();
    };
    EXPECT_EQ(growth(cycles(100'000), cycle), "");
}

TEST_F(Endurance, StreamsAndEvents) {
    const DeviceBuffer x{256};
    const auto cycle = [&](std::size_t) {
        const Stream first{StreamConfig{}}, second{StreamConfig{}};
        Event done{EventConfig{}};
        run_fill(x.address(), x.bytes(), first);
        done.record(first);
        second.wait_event(done);
        second.add_host_function([] {});
        second.synchronize();
    };
    EXPECT_EQ(growth(cycles(100'000), cycle), "");
}

TEST_F(Endurance, Modules) {
    std::vector<CompileResult> sources;
    for (int k = 0; k < 4; ++k) // in different code, with variables
        sources.push_back(
            compile_or_throw({.source = "__device__ int table[" + std::to_string(100 << k) + "]; " +
                                        std::string{kFill} +
                                        "extern \"C\" __global__ void look(int* x) { *x = table[" +
                                        std::to_string(k) + "]; }",
                              .name = "test.cu"}));
    const DeviceBuffer x{256};
    const auto cycle = [&](std::size_t i) {
        const Module module{sources[i % sources.size()]};
        launch(module.kernel("look"), {}, x.address());
        ASSERT_GT(module.global("table").bytes(), 0u);
    };
    EXPECT_EQ(growth(cycles(10'000), cycle), "");
}

TEST_F(Endurance, ArraysAndTextures) {
    const std::vector<float> host(64 * 32, 1.0f);
    const auto cycle = [&](std::size_t) {
        CudaArray array{{.width = 64, .height = 32}};
        array.copy_from_host(host.data());
        const TextureObject texture{array};
        const SurfaceObject surface{array};
    };
    EXPECT_EQ(growth(cycles(20'000), cycle), "");
}

TEST_F(Endurance, Graphs) {
    const DeviceBuffer x{1024};
    const Stream stream{StreamConfig{}};
    const auto capture = [&](int value) {
        StreamCapture captured{stream};
        run_fill(x.address(), x.bytes(), stream, value);
        stream.add_host_function([] {});
        fill_units(x.address(), 7, 4, 1, stream);
        return captured.end();
    };
    const auto cycle = [&](std::size_t i) {
        Graph graph = capture(1);
        graph.add_empty(graph.nodes());
        GraphExec exec{graph};
        exec.launch(stream);
        ASSERT_TRUE(exec.update(graph));
        if (i % 4 == 0) stream.synchronize(); // else both end before their launch does
        const StreamCapture dropped{stream};
        run_fill(x.address(), x.bytes(), stream);
    };
    EXPECT_EQ(growth(cycles(20'000), cycle), "");
}

TEST_F(Endurance, Mistakes) {
    const auto cycle = [&](std::size_t i) {
        EXPECT_THROW(DeviceBuffer{std::size_t{1} << 60}, Error);
        EXPECT_THROW((void)module_.kernel("nothing"), Error);
        EXPECT_THROW((void)module_.global("nothing"), Error);
        EXPECT_THROW(launch(fill_, {{1}, {4096}}, CUdeviceptr{0}, 0, 0), Error);
        if (i % 8 == 0) {
            EXPECT_THROW(Module{std::string_view{".version 7.5\n.entry f() { nothing; }"}}, Error);
        }
        const Stream stream{StreamConfig{}};
        StreamCapture capture{stream};
        EXPECT_THROW(stream.synchronize(), Error); // makes it invalid
        EXPECT_THROW((void)capture.end(), Error);
    };
    EXPECT_EQ(growth(cycles(20'000), cycle), "");
}

/// A context with a bit of everything, used and ended, with what is in it before or after it.
void live_in_a_context(const CompileResult& code, std::size_t i) {
    const Context context = Context::create(Device{0});
    {
        const Module module{code};
        const Kernel fill = module.kernel("fill");
        const Stream stream{StreamConfig{}};
        const auto pool = make_device_pool();
        for (std::size_t k = 0; k < 4; ++k) {
            auto x = DevicePool::allocate(pool, 256 + 64 * k);
            launch(fill, {{1}, {64}, 0, stream}, x.memory().address(), 64, 3);
        }
        const DeviceBuffer x{1024};
        launch(fill, {{1}, {64}, 0, StreamView::per_thread()}, x.address(), 64, 4);
        if (i % 2) stream.synchronize();
        if (i % 4 == 0) context.destroy(); // its objects leave the driver alone then
    }
    if (context.is_alive()) context.destroy();
}

TEST_F(Endurance, ContextsAndPoolsOnSixteenThreads) {
    const CompileResult code = compile_or_throw({.source = kFill, .name = "test.cu"});
    const auto shared = make_device_pool();
    const std::size_t each = 5;
    const auto cycle = [&](std::size_t) {
        std::array<std::exception_ptr, 16> failed;
        std::vector<std::thread> threads;
        for (std::size_t t = 0; t < failed.size(); ++t)
            threads.emplace_back([&, t] {
                try {
                    const Context primary = Context::primary();
                    for (std::size_t i = 0; i < each; ++i) {
                        live_in_a_context(code, t + i);
                        primary.make_current();
                        auto block = DevicePool::allocate(shared, size_of(t * i));
                        run_fill(block.memory().address(), block.bytes(), StreamView::per_thread());
                        StreamView::per_thread().synchronize();
                    }
                } catch (...) { failed[t] = std::current_exception(); }
            });
        for (std::thread& thread : threads) thread.join();
        for (const std::exception_ptr& failure : failed)
            if (failure) std::rethrow_exception(failure);
        shared->free_held(); // as many as threads met there
    };
    EXPECT_EQ(growth(cycles(300), cycle), "");
}

} // namespace
} // namespace lathe::gpu
