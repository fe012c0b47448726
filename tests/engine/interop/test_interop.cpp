// SPDX-License-Identifier: MIT
// Shared objects seen from CUDA, GL and the host, once as this machine does it and once with the
// copy path asked for: the same pixels both ways.
#include "engine/core/error.h"
#include "engine/interop/shared_buffer.h"
#include "engine/interop/shared_texture.h"
#include "gl/headless_context.h"
#include "gpu/driver/check.h"
#include "gpu/launch.h"
#include "tests/gpu/device_test.h"
#include "tests/gpu/other_device.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace lathe {
namespace {

constexpr const char* kSource = R"(
extern "C" __global__ void add(float* p, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] += a;
}
extern "C" __global__ void paint_bytes(cudaSurfaceObject_t s, int width, int frame) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width) surf2Dwrite(make_uchar4(x, y, frame, 255), s, x * 4, y);
}
extern "C" __global__ void paint_one(cudaSurfaceObject_t s, int width, int frame) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width) surf2Dwrite(x + 1000.f * y + frame, s, x * 4, y);
}
extern "C" __global__ void paint_floats(cudaSurfaceObject_t s, int width, int frame) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width) surf2Dwrite(make_float4(x, y, frame, 0.5f), s, x * 16, y);
}
extern "C" __global__ void add_to_texels(cudaSurfaceObject_t s, int width, float a) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= width) return;
    float v;
    surf2Dread(&v, s, x * 4, y);
    surf2Dwrite(v + a, s, x * 4, y);
}
)";

constexpr int kWidth = 37;
constexpr int kHeight = 21;

enum class Path { automatic, copy };

class InteropTest : public gpu::DeviceTest, public testing::WithParamInterface<Path> {
protected:
    void SetUp() override {
        DeviceTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        // The mode is found once a GL context, so each test has one of its own.
        if (GetParam() == Path::copy) setenv("LATHE_INTEROP", "copy", 1);
        else unsetenv("LATHE_INTEROP");
        context_.emplace();
        module_ = gpu::compile_module(kSource);
        stream_ = gpu::Stream{gpu::StreamConfig{}};
        reset_interop_stats();
    }
    void TearDown() override { unsetenv("LATHE_INTEROP"); }

    bool zero_copy() const { return interop_mode() == InteropMode::zero_copy; }
    void add(const gpu::DeviceSpan<float>& p, float a) const {
        const auto n = static_cast<unsigned>(p.size());
        gpu::launch(module_.kernel("add"), {gpu::blocks_for({n}, {128}), {128}, 0, stream_}, p, a,
                    static_cast<int>(n));
    }
    void paint(const char* kernel, const gpu::SurfaceObject& surface, int frame) const {
        gpu::launch(module_.kernel(kernel), {{2, kHeight}, {32}, 0, stream_}, surface, kWidth,
                    frame);
    }
    static std::vector<float> gl_content(const SharedBuffer& shared) {
        std::vector<float> values(shared.bytes() / sizeof(float));
        shared.buffer().download(std::as_writable_bytes(std::span{values}));
        return values;
    }
    template <class T> static std::vector<T> texels(const SharedTexture& shared) {
        const std::vector<std::byte> bytes = shared.texture().download();
        std::vector<T> values(bytes.size() / sizeof(T));
        std::memcpy(values.data(), bytes.data(), bytes.size());
        return values;
    }

    std::optional<gl::HeadlessContext> context_;
    gpu::Module module_;
    gpu::Stream stream_;
};

INSTANTIATE_TEST_SUITE_P(Paths, InteropTest, testing::Values(Path::automatic, Path::copy),
                         [](const auto& path) {
                             return path.param == Path::copy ? "copy" : "automatic";
                         });

TEST_P(InteropTest, TheModeIsKnownAndExplained) {
    const std::string reason = interop_reason();
    if (GetParam() == Path::copy) {
        EXPECT_EQ(interop_mode(), InteropMode::host_copy);
        EXPECT_NE(reason.find("LATHE_INTEROP=copy"), std::string::npos);
    } else {
        EXPECT_NE(interop_mode(), InteropMode::device_only);
        EXPECT_NE(reason.find(context_->info().renderer), std::string::npos) << reason;
    }
}

TEST_P(InteropTest, ABufferIsTheSameFromAllSides) {
    SharedBuffer shared{1000 * sizeof(float)};
    EXPECT_EQ(gl_content(shared), std::vector<float>(1000, 0)) << "zeroed";
    std::vector<float> seen_by_cuda(1000);
    {
        const Mapping mapping = shared.map(stream_);
        EXPECT_TRUE(shared.is_mapped());
        EXPECT_EQ(mapping.bytes(), shared.bytes());
        add(mapping.span<float>(), 2.5f);
        gpu::copy_to_host(seen_by_cuda, mapping.span<float>(), stream_);
        stream_.synchronize();
    }
    EXPECT_FALSE(shared.is_mapped());
    EXPECT_EQ(seen_by_cuda, std::vector<float>(1000, 2.5f));
    EXPECT_EQ(gl_content(shared), seen_by_cuda);
    if (const std::byte* host = shared.buffer().mapped()) {
        EXPECT_EQ(std::memcmp(host, seen_by_cuda.data(), shared.bytes()), 0);
    }
}

TEST_P(InteropTest, BuffersCopyNothingWhereTheyAreShared) {
    SharedBuffer a{4096};
    SharedBuffer b{8192};
    constexpr int kFrames = 20;
    for (int frame = 0; frame < kFrames; ++frame) {
        Mapping mapping{{&a, &b}, stream_};
        add(mapping.span<float>(0), 1);
        add(mapping.span<float>(1), 2);
        mapping.unmap();
    }
    EXPECT_EQ(gl_content(a), std::vector<float>(1024, kFrames));
    EXPECT_EQ(gl_content(b), std::vector<float>(2048, 2 * kFrames));
    const InteropStats stats = interop_stats();
    EXPECT_EQ(stats.maps, kFrames);
    EXPECT_EQ(stats.bytes_copied, zero_copy() ? 0u : kFrames * (4096u + 8192u));
}

TEST_P(InteropTest, GlWaitsForTheStream) {
    SharedBuffer shared{1 << 20};
    {
        const Mapping mapping = shared.map(stream_);
        gpu::StreamView{stream_}.add_host_function(
            [] { std::this_thread::sleep_for(std::chrono::milliseconds{50}); });
        add(mapping.span<float>(), 4);
    } // no synchronize: the unmap orders GL after the stream
    EXPECT_EQ(gl_content(shared), std::vector<float>((1 << 20) / 4, 4));
}

TEST_P(InteropTest, CudaSeesWhatGlWrote) {
    SharedBuffer shared{1000 * sizeof(float)};
    std::vector<float> values(1000);
    std::iota(values.begin(), values.end(), 1.f);
    for (int round = 0; round < 2; ++round) {
        shared.buffer().upload(std::as_bytes(std::span{values}));
        shared.mark_gl_written();
        const Mapping mapping = shared.map(stream_);
        add(mapping.span<float>(), 1);
        std::vector<float> got(1000);
        gpu::copy_to_host(got, mapping.span<float>(), stream_);
        stream_.synchronize();
        for (int i = 0; i < 1000; ++i) ASSERT_EQ(got[i], static_cast<float>(i + 2)) << round;
    }
}

TEST_P(InteropTest, ATextureOfBytes) {
    SharedTexture shared{kWidth, kHeight, gl::Format::rgba8};
    EXPECT_EQ(texels<unsigned char>(shared), std::vector<unsigned char>(kWidth * kHeight * 4, 0));
    for (int frame = 0; frame < 3; ++frame) {
        const Mapping mapping = shared.map(stream_);
        EXPECT_EQ(mapping.array().config().width, static_cast<std::size_t>(kWidth));
        EXPECT_EQ(mapping.array().config().height, static_cast<std::size_t>(kHeight));
        paint("paint_bytes", mapping.surface(), frame);
    }
    const auto got = texels<unsigned char>(shared);
    for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x) {
            const unsigned char* t = &got[(y * kWidth + x) * 4];
            ASSERT_EQ(t[0], x);
            ASSERT_EQ(t[1], y);
            ASSERT_EQ(t[2], 2);
            ASSERT_EQ(t[3], 255);
        }
}

TEST_P(InteropTest, TexturesOfFloats) {
    SharedTexture one{kWidth, kHeight, gl::Format::r32f};
    SharedTexture four{kWidth, kHeight, gl::Format::rgba32f};
    {
        const Mapping mapping{{&one, &four}, stream_};
        paint("paint_one", mapping.surface(0), 5);
        paint("paint_floats", mapping.surface(1), 6);
    }
    const auto a = texels<float>(one);
    const auto b = texels<float>(four);
    for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x) {
            const int i = y * kWidth + x;
            ASSERT_EQ(a[i], static_cast<float>(x + 1000 * y + 5));
            ASSERT_EQ(b[4 * i], static_cast<float>(x));
            ASSERT_EQ(b[4 * i + 1], static_cast<float>(y));
            ASSERT_EQ(b[4 * i + 2], 6);
            ASSERT_EQ(b[4 * i + 3], 0.5f);
        }
}

TEST_P(InteropTest, ATextureKeepsItsContentAndTakesGlsWrites) {
    SharedTexture shared{kWidth, kHeight, gl::Format::r32f};
    const auto add_to_texels = [&](float a) {
        const Mapping mapping = shared.map(stream_);
        gpu::launch(module_.kernel("add_to_texels"), {{2, kHeight}, {32}, 0, stream_},
                    mapping.surface(), kWidth, a);
    };
    add_to_texels(1);
    add_to_texels(2);
    EXPECT_EQ(texels<float>(shared), std::vector<float>(kWidth * kHeight, 3));
    const std::vector<float> ten(kWidth * kHeight, 10);
    shared.texture().upload(std::as_bytes(std::span{ten}));
    shared.mark_gl_written();
    add_to_texels(4);
    EXPECT_EQ(texels<float>(shared), std::vector<float>(kWidth * kHeight, 14));
}

TEST_P(InteropTest, MisuseIsRefused) {
    SharedBuffer buffer{64};
    SharedTexture texture{4, 4, gl::Format::rgba8};
    EXPECT_THROW(SharedBuffer{0}, Error);
    EXPECT_THROW(SharedTexture(4, 4, gl::Format::rgb8), Error);
    {
        const Mapping mapping{{&buffer, &texture}, stream_};
        EXPECT_THROW(buffer.map(stream_).size(), Error) << "mapped already";
        EXPECT_THROW(mapping.array(0), Error);
        EXPECT_THROW(mapping.surface(0), Error);
        EXPECT_THROW(mapping.address(1), Error);
        EXPECT_THROW(mapping.address(2), Error);
        EXPECT_TRUE(buffer.is_mapped()) << "the refusals changed nothing";
    }
    Mapping first = buffer.map(stream_);
    Mapping second = std::move(first);
    EXPECT_FALSE(first); // NOLINT: moved-from is empty
    EXPECT_EQ(second.stream(), stream_.view());
    second.unmap();
    second.unmap();
    EXPECT_FALSE(buffer.is_mapped());
}

TEST_P(InteropTest, ManyObjectsComeAndGo) {
    for (int i = 0; i < 30; ++i) {
        SharedBuffer buffer{static_cast<std::size_t>(1000 + i)};
        SharedTexture texture{3 + i, 5, gl::Format::rgba8};
        const Mapping mapping{{&buffer, &texture}, stream_};
        gpu::fill(mapping.span<unsigned char>(), 1, stream_);
    }
}

using TwoDevicesTest = gpu::DeviceTest;

TEST_F(TwoDevicesTest, EachHasAModeOfItsOwnWithOneOpenGL) {
    unsetenv("LATHE_INTEROP");
    const gl::HeadlessContext context;
    const gpu::Device first{};
    const gpu::OtherDevice pretended{{gpu::OtherDevice::kOther}}; // OpenGL draws with it
    const auto other = gpu::Device::wrap(gpu::OtherDevice::kOther);
    const std::string apart =
        "OpenGL runs on " + context.info().renderer + ", CUDA on " + first.name();
    for (int round = 0; round < 2; ++round) {
        gpu::Context::primary(first).make_current();
        EXPECT_EQ(interop_mode(), InteropMode::host_copy);
        EXPECT_EQ(interop_reason(), apart);
        gpu::Context::primary(other).make_current();
        EXPECT_NE(interop_reason(), apart);
        if (gpu::driver().is_software() && context.info().is_software) {
            EXPECT_EQ(interop_mode(), InteropMode::zero_copy) << interop_reason();
        }
    }
}

// In a process of its own: a GPU's context does not survive this.
void fault_inside_a_mapping(bool copy) {
    if (copy) setenv("LATHE_INTEROP", "copy", 1);
    gpu::Context::primary().make_current();
    const gl::HeadlessContext context;
    const gpu::Module module = gpu::compile_module(kSource);
    const gpu::Stream stream{gpu::StreamConfig{}};
    SharedBuffer shared{4096};
    {
        const Mapping mapping = shared.map(stream);
        gpu::launch(module.kernel("add"), {{1}, {1}, 0, stream}, CUdeviceptr{64}, 1.f, 1);
    }
    try {
        stream.synchronize();
        std::fprintf(stderr, "no fault seen\n");
    } catch (const gpu::Error& e) {
        std::fprintf(stderr, "the stream said %d\n", static_cast<int>(e.code()));
    }
    std::_Exit(0);
}

TEST_P(InteropTest, AFaultIsLeftForTheStreamToReport) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(fault_inside_a_mapping(GetParam() == Path::copy), testing::ExitedWithCode(0),
                "the stream said 700");
}

using DeviceOnlyTest = gpu::DeviceTest;

TEST_F(DeviceOnlyTest, WithoutGlSharedObjectsAreDeviceMemory) {
    ASSERT_EQ(interop_mode(), InteropMode::device_only);
    SharedBuffer buffer{16 * sizeof(float)};
    SharedTexture texture{4, 4, gl::Format::r32f};
    reset_interop_stats();
    EXPECT_THROW(buffer.buffer(), Error);
    EXPECT_THROW(texture.texture(), Error);
    const gpu::Stream stream{gpu::StreamConfig{}};
    {
        const Mapping mapping{{&buffer, &texture}, stream};
        gpu::fill(mapping.span<float>(0), 3.f, stream);
        EXPECT_EQ(mapping.array(1).config().width, 4u);
    }
    Mapping again = buffer.map(stream);
    std::vector<float> got(16);
    gpu::copy_to_host(got, again.span<float>());
    EXPECT_EQ(got, std::vector<float>(16, 3));
    EXPECT_EQ(interop_stats().bytes_copied, 0u);
}

} // namespace
} // namespace lathe
