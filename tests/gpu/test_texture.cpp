// SPDX-License-Identifier: MIT
// CUDA arrays, textures and surfaces against values worked out on the host.
#include "gpu/driver/check.h"
#include "gpu/launch.h"
#include "tests/gpu/device_test.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace lathe::gpu {
namespace {

constexpr const char* kSource = R"(
extern "C" __global__ void sample(cudaTextureObject_t t, const float2* at, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2D<float>(t, at[i].x, at[i].y);
}
extern "C" __global__ void sample4(cudaTextureObject_t t, const float2* at, float4* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2D<float4>(t, at[i].x, at[i].y);
}
extern "C" __global__ void add_one(cudaSurfaceObject_t s, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= width) return;
    float v;
    surf2Dread(&v, s, x * (int)sizeof(float), y);
    surf2Dwrite(v + 1, s, x * (int)sizeof(float), y);
}
extern "C" __global__ void paint(cudaSurfaceObject_t s, int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width) surf2Dwrite(make_uchar4(x, y, x + y, 255), s, x * 4, y);
}
extern "C" __global__ void paint4(cudaSurfaceObject_t s, int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width) surf2Dwrite(make_float4(x, y, x * y, -1), s, x * 16, y);
}
)";

constexpr int kWidth = 19; // no multiple of anything
constexpr int kHeight = 11;

struct Float2 {
    float x, y;
};
struct Float4 {
    float x, y, z, w;
    bool operator==(const Float4&) const = default;
};

class TextureTest : public DeviceTest {
protected:
    void SetUp() override {
        DeviceTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        module_ = compile_module(kSource);
        for (int i = 0; i < kWidth * kHeight; ++i)
            image_.push_back(static_cast<float>((i * 37) % 101) / 4);
    }

    static CudaArray array_of(CUarray_format format, unsigned channels) {
        return CudaArray{
            {.width = kWidth, .height = kHeight, .format = format, .channels = channels}};
    }
    CudaArray float_array() const {
        CudaArray array = array_of(CU_AD_FORMAT_FLOAT, 1);
        array.copy_from_host(image_.data());
        return array;
    }
    template <class T>
    std::vector<T> sample(const char* kernel, const TextureObject& texture,
                          const std::vector<Float2>& at) const {
        DeviceBuffer places{at.size() * sizeof(Float2)};
        DeviceBuffer out{at.size() * sizeof(T)};
        copy_to_device(places.span<Float2>(), at);
        const auto n = static_cast<unsigned>(at.size());
        launch(module_.kernel(kernel), {blocks_for({n}, {64}), {64}}, texture, places, out,
               static_cast<int>(n));
        std::vector<T> values(at.size());
        copy_to_host(values, out.span<T>());
        return values;
    }
    float at_clamped(int x, int y) const {
        return image_[std::clamp(y, 0, kHeight - 1) * kWidth + std::clamp(x, 0, kWidth - 1)];
    }

    Module module_;
    std::vector<float> image_;
};

TEST_F(TextureTest, ArraysRoundTripWithAndWithoutGaps) {
    CudaArray array = float_array();
    EXPECT_EQ(array.row_bytes(), kWidth * sizeof(float));
    EXPECT_EQ(array.bytes(), image_.size() * sizeof(float));
    std::vector<float> back(image_.size());
    array.copy_to_host(back.data());
    EXPECT_EQ(back, image_);

    constexpr int kPitch = 32;
    std::vector<float> padded(kPitch * kHeight, -7);
    array.copy_to_host(padded.data(), kPitch * sizeof(float));
    for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kPitch; ++x)
            ASSERT_EQ(padded[y * kPitch + x], x < kWidth ? at_clamped(x, y) : -7) << x << "," << y;
}

TEST_F(TextureTest, ArraysCopyToDeviceMemoryAndToEachOther) {
    const Stream stream{StreamConfig{}};
    CudaArray a = float_array();
    CudaArray b = array_of(CU_AD_FORMAT_FLOAT, 1);
    b.copy_from(a, stream);
    DeviceBuffer linear{a.bytes()};
    b.copy_to_device(linear.address(), 0, stream);
    CudaArray c = array_of(CU_AD_FORMAT_FLOAT, 1);
    c.copy_from_device(linear.address(), 0, stream);
    PinnedBuffer back{a.bytes()};
    c.copy_to_host(back.data(), 0, stream);
    stream.synchronize();
    EXPECT_TRUE(std::equal(image_.begin(), image_.end(), back.span<float>().begin()));
    EXPECT_THROW(array_of(CU_AD_FORMAT_FLOAT, 4).copy_from(a, stream), lathe::Error);
}

TEST_F(TextureTest, WrapAsksForTheShape) {
    const CudaArray array = array_of(CU_AD_FORMAT_UNSIGNED_INT8, 4);
    const CudaArray borrowed = CudaArray::wrap(array.get());
    EXPECT_EQ(borrowed.config().width, static_cast<std::size_t>(kWidth));
    EXPECT_EQ(borrowed.config().height, static_cast<std::size_t>(kHeight));
    EXPECT_EQ(borrowed.config().format, CU_AD_FORMAT_UNSIGNED_INT8);
    EXPECT_EQ(borrowed.config().channels, 4u);
    EXPECT_TRUE(borrowed.config().surface_load_store);
    EXPECT_EQ(borrowed.element_bytes(), 4u);
}

TEST_F(TextureTest, PointSamplesAreElementsClampedAtTheEdge) {
    const CudaArray array = float_array();
    const TextureObject texture{array};
    std::vector<Float2> at;
    std::vector<float> expected;
    for (int y = -2; y < kHeight + 2; ++y)
        for (int x = -2; x < kWidth + 2; ++x) {
            at.push_back({x + 0.25f, y + 0.75f});
            expected.push_back(at_clamped(x, y));
        }
    EXPECT_EQ(sample<float>("sample", texture, at), expected);
}

TEST_F(TextureTest, BorderIsTheBorderColour) {
    const CudaArray array = float_array();
    TextureConfig config;
    config.address_mode.fill(CU_TR_ADDRESS_MODE_BORDER);
    config.border_color = {42, 0, 0, 0};
    const TextureObject texture{array, config};
    const auto got = sample<float>("sample", texture, {{-1, 3}, {2.5f, 3.5f}, {2, kHeight + 1.f}});
    EXPECT_EQ(got, (std::vector<float>{42, at_clamped(2, 3), 42}));
}

TEST_F(TextureTest, LinearFilterWithEighthBitWeights) {
    const CudaArray array = float_array();
    TextureConfig config;
    config.filter = CU_TR_FILTER_MODE_LINEAR;
    const TextureObject texture{array, config};
    std::vector<Float2> at;
    std::vector<float> expected;
    for (int i = 0; i < 300; ++i) {
        const float x = 0.1f + 0.061f * static_cast<float>(i);
        const float y = 10.7f - 0.034f * static_cast<float>(i);
        at.push_back({x, y});
        const float bx = x - 0.5f;
        const float by = y - 0.5f;
        const int ix = static_cast<int>(std::floor(bx));
        const int iy = static_cast<int>(std::floor(by));
        const float fx = bx - static_cast<float>(ix);
        const float fy = by - static_cast<float>(iy);
        expected.push_back(
            (1 - fy) * ((1 - fx) * at_clamped(ix, iy) + fx * at_clamped(ix + 1, iy)) +
            fy * ((1 - fx) * at_clamped(ix, iy + 1) + fx * at_clamped(ix + 1, iy + 1)));
    }
    const auto got = sample<float>("sample", texture, at);
    // Weights have 8 bits after the point; the values differ by 25 at most.
    for (std::size_t i = 0; i < at.size(); ++i)
        ASSERT_NEAR(got[i], expected[i], 2 * 25.0 / 256) << at[i].x << "," << at[i].y;
}

TEST_F(TextureTest, WrapAndMirrorWithNormalizedCoordinates) {
    const CudaArray array = float_array();
    TextureConfig config;
    config.normalized_coordinates = true;
    config.address_mode = {CU_TR_ADDRESS_MODE_WRAP, CU_TR_ADDRESS_MODE_MIRROR,
                           CU_TR_ADDRESS_MODE_CLAMP};
    const TextureObject texture{array, config};
    const auto place = [](int x, int y) {
        return Float2{(static_cast<float>(x) + 0.5f) / kWidth,
                      (static_cast<float>(y) + 0.5f) / kHeight};
    };
    const auto got = sample<float>(
        "sample", texture,
        {place(3, 4), place(kWidth + 3, 4), place(-1, 4), place(3, kHeight), place(3, -3)});
    EXPECT_EQ(got,
              (std::vector<float>{at_clamped(3, 4), at_clamped(3, 4), at_clamped(kWidth - 1, 4),
                                  at_clamped(3, kHeight - 1), at_clamped(3, 2)}));
}

TEST_F(TextureTest, BytesReadAsFractions) {
    CudaArray array = array_of(CU_AD_FORMAT_UNSIGNED_INT8, 4);
    std::vector<unsigned char> bytes(array.bytes());
    std::iota(bytes.begin(), bytes.end(), static_cast<unsigned char>(3));
    array.copy_from_host(bytes.data());
    const TextureObject texture{array};
    const auto got = sample<Float4>("sample4", texture, {{5.5f, 2.5f}});
    const unsigned char* b = &bytes[(2 * kWidth + 5) * 4];
    EXPECT_FLOAT_EQ(got[0].x, b[0] / 255.f);
    EXPECT_FLOAT_EQ(got[0].y, b[1] / 255.f);
    EXPECT_FLOAT_EQ(got[0].z, b[2] / 255.f);
    EXPECT_FLOAT_EQ(got[0].w, b[3] / 255.f);
}

TEST_F(TextureTest, PitchedMemoryIsATexture) {
    const int alignment = Device{0}.attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT);
    const std::size_t row = kWidth * sizeof(float);
    const std::size_t pitch = (row + alignment - 1) / alignment * alignment;
    DeviceBuffer memory{pitch * kHeight};
    for (int y = 0; y < kHeight; ++y)
        copy_to_device(memory.address() + y * pitch, &image_[y * kWidth], row);
    const TextureObject texture{LinearTexture{
        .address = memory.address(), .width = kWidth, .height = kHeight, .pitch_bytes = pitch}};
    const auto got = sample<float>("sample", texture, {{0.5f, 0.5f}, {18.5f, 10.5f}, {7.5f, 3.5f}});
    EXPECT_EQ(got, (std::vector<float>{at_clamped(0, 0), at_clamped(18, 10), at_clamped(7, 3)}));
}

TEST_F(TextureTest, SurfacesReadAndWrite) {
    const CudaArray array = float_array();
    const SurfaceObject surface{array};
    launch(module_.kernel("add_one"), {{1, kHeight}, {32}}, surface, kWidth, kHeight);
    std::vector<float> got(image_.size());
    array.copy_to_host(got.data());
    for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], image_[i] + 1);
}

TEST_F(TextureTest, SurfacesOfFourChannels) {
    const CudaArray bytes = array_of(CU_AD_FORMAT_UNSIGNED_INT8, 4);
    launch(module_.kernel("paint"), {{1, kHeight}, {32}}, SurfaceObject{bytes}, kWidth);
    std::vector<unsigned char> b(bytes.bytes());
    bytes.copy_to_host(b.data());
    const CudaArray floats = array_of(CU_AD_FORMAT_FLOAT, 4);
    const SurfaceObject surface{floats};
    launch(module_.kernel("paint4"), {{1, kHeight}, {32}}, surface, kWidth);
    std::vector<Float4> f(kWidth * kHeight);
    floats.copy_to_host(f.data());
    for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x) {
            const int i = y * kWidth + x;
            ASSERT_EQ(b[4 * i], x);
            ASSERT_EQ(b[4 * i + 1], y);
            ASSERT_EQ(b[4 * i + 2], x + y);
            ASSERT_EQ(b[4 * i + 3], 255);
            ASSERT_EQ(f[i], (Float4{static_cast<float>(x), static_cast<float>(y),
                                    static_cast<float>(x * y), -1}));
        }
}

TEST_F(TextureTest, ASurfaceNeedsAnArrayMadeForIt) {
    const CudaArray plain{{.width = 4, .height = 4, .surface_load_store = false}};
    EXPECT_THROW(SurfaceObject{plain}, lathe::Error);
}

} // namespace
} // namespace lathe::gpu
