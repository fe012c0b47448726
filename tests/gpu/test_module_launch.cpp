// SPDX-License-Identifier: MIT
#include "gpu/driver/check.h"
#include "gpu/launch.h"
#include "tests/gpu/device_test.h"

#include <algorithm>
#include <vector>

namespace lathe::gpu {
namespace {

constexpr const char* kSource = R"(
__constant__ float gain = 3;
__device__ int counter = 40;

extern "C" __global__ void scale(float* p, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] *= a * gain;
}
struct Pair { char tag; double value; };
extern "C" __global__ void mixed(char a, Pair b, short c, float* out) {
    out[0] = a; out[1] = b.tag; out[2] = (float)b.value; out[3] = c;
    atomicAdd(&counter, 2);
}
extern "C" __global__ void place(int* out) {
    int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    out[block * blockDim.x * blockDim.y * blockDim.z + thread] = block * 1000 + thread;
}
extern "C" __global__ void reverse(int* p) {
    extern __shared__ int tile[];
    int i = threadIdx.x;
    tile[i] = p[i];
    __syncthreads();
    p[i] = tile[blockDim.x - 1 - i];
}
extern "C" __global__ void nothing() {}
)";

class LaunchTest : public DeviceTest {
protected:
    void SetUp() override {
        DeviceTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        module_ = compile_module(kSource);
    }
    static std::string error_of(const std::function<void()>& f) {
        try {
            f();
            return "no error";
        } catch (const Error& e) { return e.what(); }
    }
    Module module_;
};

TEST_F(LaunchTest, ArgumentsArriveByType) {
    const std::vector<float> in{1, 2, 3, 4, 5};
    DeviceBuffer buffer{in.size() * sizeof(float)};
    copy_to_device(buffer.span<float>(), in);
    const Stream stream{StreamConfig{}};
    const Kernel scale = module_.kernel("scale");
    launch(scale, {blocks_for({5}, {4}), {4}, 0, stream}, buffer, 0.5f, 5);
    launch(scale, {{1}, {32}, 0, stream}, buffer.span<float>().subspan(1, 4), 2.0f, 1);
    std::vector<float> out(5);
    copy_to_host(out, buffer.span<float>(), stream);
    stream.synchronize();
    EXPECT_EQ(out, (std::vector<float>{1.5f, 18, 4.5f, 6, 7.5f}));
}

TEST_F(LaunchTest, StructuresAndSmallTypesKeepTheirPlaces) {
    struct Pair {
        char tag;
        double value;
    };
    DeviceBuffer out{4 * sizeof(float)};
    const Kernel mixed = module_.kernel("mixed");
    launch(mixed, {}, char{7}, Pair{9, 2.25}, short{-3}, out.span<float>().data());
    std::vector<float> got(4);
    copy_to_host(got, out.span<float>());
    EXPECT_EQ(got, (std::vector<float>{7, 9, 2.25f, -3}));

    ASSERT_TRUE(mixed.parameters_known());
    const std::vector<KernelParameter> expected{{0, 1}, {8, 16}, {24, 2}, {32, 8}};
    EXPECT_EQ(mixed.parameters(), expected);
}

TEST_F(LaunchTest, ThreeDimensions) {
    const LaunchConfig config{{2, 3, 2}, {4, 2, 3}};
    const std::size_t n = config.grid.total() * config.block.total();
    DeviceBuffer buffer{n * sizeof(int)};
    launch(module_.kernel("place"), config, buffer);
    std::vector<int> got(n);
    copy_to_host(got, buffer.span<int>());
    for (std::size_t i = 0; i < n; ++i)
        ASSERT_EQ(got[i], static_cast<int>(i / 24 * 1000 + i % 24)) << i;
}

TEST_F(LaunchTest, DynamicSharedMemory) {
    std::vector<int> in(64);
    for (int i = 0; i < 64; ++i) in[i] = i;
    DeviceBuffer buffer{64 * sizeof(int)};
    copy_to_device(buffer.span<int>(), in);
    launch(module_.kernel("reverse"), {{1}, {64}, 64 * sizeof(int)}, buffer);
    std::vector<int> out(64);
    copy_to_host(out, buffer.span<int>());
    std::reverse(in.begin(), in.end());
    EXPECT_EQ(out, in);
}

TEST_F(LaunchTest, CountAndSizesOfArgumentsAreChecked) {
    const Kernel scale = module_.kernel("scale");
    const DeviceBuffer buffer{4};
    EXPECT_EQ(error_of([&] { launch(scale, {}, buffer, 1.0f); }),
              "cuLaunchKernel failed: invalid argument - kernel scale takes 3 arguments, 2 were "
              "given");
    EXPECT_EQ(error_of([&] { launch(scale, {}, buffer, 1.0, 1); }),
              "cuLaunchKernel failed: invalid argument - argument 2 of kernel scale has 8 bytes, "
              "the parameter 4");
    EXPECT_EQ(error_of([&] { launch(module_.kernel("nothing"), {}, 1); }),
              "cuLaunchKernel failed: invalid argument - kernel nothing takes 0 arguments, 1 were "
              "given");
    launch(module_.kernel("nothing"), {});
    Context::current().synchronize();
}

TEST_F(LaunchTest, ARefusedConfigurationNamesKernelAndLimits) {
    const std::string text =
        error_of([&] { launch(module_.kernel("nothing"), {{1}, {2048}, 16}); });
    EXPECT_EQ(text.find("cuLaunchKernel failed: "), 0u) << text;
    EXPECT_NE(text.find("kernel nothing, grid (1, 1, 1), block (2048, 1, 1), shared_bytes 16; it "
                        "allows 1024 threads per block, given 2048"),
              std::string::npos)
        << text;
    EXPECT_NE(error_of([&] { launch(module_.kernel("nothing"), {{0}, {32}}); }), "no error");
    launch(module_.kernel("nothing"), {}); // the device stays usable
    Context::current().synchronize();
}

TEST_F(LaunchTest, UntypedLaunch) {
    DeviceBuffer buffer{sizeof(float)};
    fill(buffer.span<float>(), 2.0f);
    CUdeviceptr p = buffer.address();
    float a = 5;
    int n = 1;
    void* arguments[] = {&p, &a, &n};
    module_.kernel("scale").launch({}, arguments);
    float got = 0;
    copy_to_host(&got, buffer.address(), sizeof got);
    EXPECT_EQ(got, 30);
}

TEST_F(LaunchTest, UnknownKernelsNameThoseThereAre) {
    EXPECT_FALSE(module_.find_kernel("skale"));
    const std::string text = error_of([&] { module_.kernel("skale"); });
    EXPECT_EQ(text.find("cuModuleGetFunction failed: named symbol not found - kernel skale"), 0u)
        << text;
    std::vector<std::string> names = module_.kernel_names();
    if (!names.empty()) {
        std::sort(names.begin(), names.end());
        EXPECT_EQ(names,
                  (std::vector<std::string>{"mixed", "nothing", "place", "reverse", "scale"}));
        EXPECT_NE(text.find("the module has "), std::string::npos) << text;
    }
}

TEST_F(LaunchTest, GlobalsAreFoundAndWritten) {
    const DeviceSpan<std::byte> gain = module_.global("gain");
    ASSERT_EQ(gain.bytes(), sizeof(float));
    const float ten = 10;
    copy_to_device(gain.address(), &ten, sizeof ten);
    DeviceBuffer buffer{sizeof(float)};
    fill(buffer.span<float>(), 1.0f);
    launch(module_.kernel("scale"), {}, buffer, 1.0f, 1);
    float got = 0;
    copy_to_host(&got, buffer.address(), sizeof got);
    EXPECT_EQ(got, 10);
    EXPECT_FALSE(module_.find_global("nowhere"));
    EXPECT_NE(error_of([&] { module_.global("nowhere"); }).find("variable nowhere"),
              std::string::npos);
    int counter = 0;
    copy_to_host(&counter, module_.global("counter").address(), sizeof counter);
    EXPECT_EQ(counter, 40) << "each load starts afresh";
}

TEST_F(LaunchTest, AttributesAndOccupancy) {
    const Kernel reverse = module_.kernel("reverse");
    EXPECT_EQ(reverse.name(), "reverse");
    EXPECT_GE(reverse.max_threads_per_block(), 32);
    EXPECT_EQ(reverse.static_shared_bytes(), 0u);
    EXPECT_GE(reverse.max_active_blocks(64, 256), 1);
}

TEST_F(LaunchTest, BrokenImagesAreRefusedWithTheLinkersWords) {
    const std::string text = error_of([] { Module{std::string_view{"this is not PTX"}}; });
    EXPECT_EQ(text.find("cuModuleLoadDataEx failed: "), 0u) << text;
    CompileResult failed;
    failed.log = "k.cu(1): error: no\n";
    EXPECT_THROW(Module{failed}, CompileError);
}

TEST_F(LaunchTest, ManyModulesLoadAndUnload) {
    for (int i = 0; i < 20; ++i) {
        const Module module = compile_module(kSource);
        launch(module.kernel("nothing"), {});
    }
    Context::current().synchronize();
}

} // namespace
} // namespace lathe::gpu
