// SPDX-License-Identifier: MIT
// Every element format of the driver: reads as it is, as normalised floats, in sRGB, by a view.
#include "tests/soft/textures/texture_test.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace lathe::test {
namespace {

struct Element {
    const char* name;
    CUarray_format format;
    unsigned bytes;
    bool is_signed, real;
};
const Element kElements[] = {
    {"u8", CU_AD_FORMAT_UNSIGNED_INT8, 1, false, false},
    {"u16", CU_AD_FORMAT_UNSIGNED_INT16, 2, false, false},
    {"u32", CU_AD_FORMAT_UNSIGNED_INT32, 4, false, false},
    {"s8", CU_AD_FORMAT_SIGNED_INT8, 1, true, false},
    {"s16", CU_AD_FORMAT_SIGNED_INT16, 2, true, false},
    {"s32", CU_AD_FORMAT_SIGNED_INT32, 4, true, false},
    {"half", CU_AD_FORMAT_HALF, 2, true, true},
    {"float", CU_AD_FORMAT_FLOAT, 4, true, true},
};

constexpr int kWidth = 5, kHeight = 3;

double half_value(unsigned bits) {
    const double sign = bits & 0x8000 ? -1 : 1;
    const int exponent = static_cast<int>(bits >> 10 & 31),
              fraction = static_cast<int>(bits & 1023);
    if (exponent == 0) return sign * std::ldexp(fraction, -24);
    return sign * std::ldexp(1024 + fraction, exponent - 25);
}

class Formats : public TextureTest {
protected:
    /// Bytes of pseudo-random texels; floats and halves are made finite.
    static std::vector<unsigned char> bytes_for(const Element& e, unsigned channels) {
        std::vector<unsigned char> bytes(kWidth * kHeight * channels * e.bytes);
        unsigned state = 12345;
        for (auto& b : bytes) {
            state = state * 1664525 + 1013904223;
            b = static_cast<unsigned char>(state >> 24);
        }
        bytes[0] = e.is_signed && !e.real ? 0x80 : 0xff; // the ends of the range
        for (std::size_t i = e.bytes - 1; e.real && i < bytes.size(); i += e.bytes)
            bytes[i] &= 0xbf; // no exponent of ones only
        return bytes;
    }
    static std::int64_t integer_at(const Element& e, const unsigned char* p) {
        std::uint32_t v = 0;
        std::memcpy(&v, p, e.bytes);
        const unsigned shift = 32 - 8 * e.bytes;
        if (e.is_signed) return static_cast<std::int32_t>(v << shift) >> shift;
        return v;
    }
    /// The least signed integer is a little below -1; reads give -1 at least, after they filter.
    static double real_at(const Element& e, const unsigned char* p) {
        const auto bits = static_cast<std::uint32_t>(integer_at(e, p));
        if (e.format == CU_AD_FORMAT_HALF) return half_value(bits & 0xffff);
        if (e.format == CU_AD_FORMAT_FLOAT) return std::bit_cast<float>(bits);
        const double most = std::ldexp(1.0, static_cast<int>(8 * e.bytes) - e.is_signed) - 1;
        return static_cast<double>(integer_at(e, p)) / most;
    }
};

const char* kWords = R"(extern "C" __global__ void words(cudaTextureObject_t t, int4* out) {
    out[threadIdx.x] = tex2D<int4>(t, threadIdx.x % 5 + 0.5f, threadIdx.x / 5 + 0.5f);
})";

TEST_F(Formats, ReadAsTheyAre) {
    CUfunction words = function(load(kWords), "words");
    for (const Element& e : kElements)
        for (unsigned channels : {1u, 2u, 4u}) {
            if (e.real) continue;
            SCOPED_TRACE(testing::Message() << e.name << " x " << channels);
            const auto bytes = bytes_for(e, channels);
            CUarray a = array(descriptor({kWidth, kHeight, 0}, e.format, channels));
            upload(a, bytes.data());
            CUDA_TEXTURE_DESC desc = how(CU_TR_FILTER_MODE_POINT, false);
            desc.flags |= CU_TRSF_READ_AS_INTEGER;
            Buffer<Int4> out{kWidth * kHeight};
            CHECK_CU(launch(words, shape(1, kWidth * kHeight), texture(of(a), desc), out.get()));
            const auto got = out.read();
            for (std::size_t i = 0; i < got.size(); ++i)
                for (unsigned c = 0; c < channels; ++c)
                    ASSERT_EQ(got[i][static_cast<int>(c)],
                              static_cast<std::int32_t>(
                                  integer_at(e, &bytes[(i * channels + c) * e.bytes])));
        }
}

TEST_F(Formats, ReadAsFloats) {
    for (const Element& e : kElements)
        for (unsigned channels : {1u, 2u, 4u})
            for (CUfilter_mode filter : {CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR}) {
                if (!e.real && e.bytes == 4) continue; // never promoted
                SCOPED_TRACE(testing::Message() << e.name << " x " << channels << ' ' << filter);
                const auto bytes = bytes_for(e, channels);
                CUarray a = array(descriptor({kWidth, kHeight, 0}, e.format, channels));
                upload(a, bytes.data());
                std::vector<Float4> at;
                for (int i = 0; i < 64; ++i)
                    at.push_back({static_cast<float>(i % 7 * 1024 + 129) / 1024,
                                  static_cast<float>(i % 3 * 1024 + 901) / 1024});
                const auto got = read(texture(of(a), how(filter, false)), Read::d2, at);
                for (std::size_t i = 0; i < at.size(); ++i)
                    for (unsigned c = 0; c < channels; ++c) {
                        Model model;
                        model.size = {kWidth, kHeight, 1};
                        model.filter = filter;
                        double largest = 0;
                        model.texel = [&](int x, int y, int) {
                            const auto texel = static_cast<std::size_t>(y * kWidth + x);
                            const double v = real_at(e, &bytes[(texel * channels + c) * e.bytes]);
                            largest = std::max(largest, std::fabs(v));
                            return v;
                        };
                        const double read = model.read({at[i].x, at[i].y, 0}),
                                     expected = e.real ? read : std::max(read, -1.0);
                        ASSERT_NEAR(got[i][static_cast<int>(c)], expected, 1e-6 * largest);
                    }
            }
}

// UNORM and SNORM arrays are read as floats whatever the flags say.
TEST_F(Formats, NormalisedFormatsOfArrays) {
    const CUarray_format formats[] = {CU_AD_FORMAT_UNORM_INT8X1, CU_AD_FORMAT_UNORM_INT16X1,
                                      CU_AD_FORMAT_SNORM_INT8X1, CU_AD_FORMAT_SNORM_INT16X1};
    const Element* elements[] = {&kElements[0], &kElements[1], &kElements[3], &kElements[4]};
    for (int row = 0; row < 4; ++row)
        for (unsigned k = 0; k < 3; ++k) {
            const unsigned channels = 1u << k;
            const Element& e = *elements[row];
            const auto bytes = bytes_for(e, channels);
            const auto format = static_cast<CUarray_format>(formats[row] + k);
            CUarray a = array(descriptor({kWidth, kHeight, 0}, format, channels));
            upload(a, bytes.data());
            CUDA_TEXTURE_DESC desc = how(CU_TR_FILTER_MODE_POINT, false);
            desc.flags |= CU_TRSF_READ_AS_INTEGER;
            const auto got = read(texture(of(a), desc), Read::d2, {{0.5f, 0.5f}, {4.5f, 2.5f}});
            for (unsigned c = 0; c < channels; ++c) {
                EXPECT_NEAR(got[0][static_cast<int>(c)],
                            std::max(real_at(e, &bytes[c * e.bytes]), -1.0), 1e-6);
                EXPECT_NEAR(got[1][static_cast<int>(c)],
                            std::max(real_at(e, &bytes[(14 * channels + c) * e.bytes]), -1.0),
                            1e-6);
            }
            CUDA_ARRAY3D_DESCRIPTOR wrong =
                descriptor({kWidth, 0, 0}, format, channels == 4 ? 1 : 4);
            EXPECT_EQ(cuArray3DCreate(&a, &wrong), CUDA_ERROR_INVALID_VALUE);
        }
}

TEST_F(Formats, SrgbIsMadeLinearBeforeFilters) {
    std::vector<unsigned char> bytes(16 * 4);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i * 41);
    CUarray a = array(descriptor({16, 0, 0}, CU_AD_FORMAT_UNSIGNED_INT8, 4));
    upload(a, bytes.data());
    for (CUfilter_mode filter : {CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR}) {
        CUDA_TEXTURE_DESC desc = how(filter, true);
        desc.flags |= CU_TRSF_SRGB;
        std::vector<Float4> at;
        for (int i = 0; i < 40; ++i) at.push_back({static_cast<float>(i * 412 + 1) / 16384});
        const auto got = read(texture(of(a), desc), Read::d1, at);
        for (std::size_t i = 0; i < at.size(); ++i)
            for (int c = 0; c < 4; ++c) {
                Model model;
                model.axes = 1;
                model.size = {16, 1, 1};
                model.filter = filter;
                model.normalized = true;
                model.texel = [&](int x, int, int) {
                    const double v = bytes[static_cast<std::size_t>(x * 4 + c)] / 255.0;
                    if (c == 3) return v; // alpha is linear as it is
                    return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
                };
                EXPECT_NEAR(got[i][c], model.read({at[i].x, 0, 0}), 2e-6);
            }
    }
}

// Border colours of integers are their bits.
TEST_F(Formats, BordersOfIntegers) {
    CUfunction words = function(load(R"(extern "C" __global__ void words(cudaTextureObject_t t,
            int4* out) { *out = tex2D<int4>(t, -1.0f, 0.5f); })"),
                                "words");
    std::vector<int> data(kWidth * kHeight * 4, 1);
    CUarray a = array(descriptor({kWidth, kHeight, 0}, CU_AD_FORMAT_SIGNED_INT32, 4));
    upload(a, data.data());
    CUDA_TEXTURE_DESC desc = how(CU_TR_FILTER_MODE_POINT, false, CU_TR_ADDRESS_MODE_BORDER);
    for (int c = 0; c < 4; ++c) desc.borderColor[c] = std::bit_cast<float>(c * 100 - 150);
    Buffer<Int4> out{1};
    CHECK_CU(launch(words, shape(1, 1), texture(of(a), desc), out.get()));
    for (int c = 0; c < 4; ++c) EXPECT_EQ(out.read()[0][c], c * 100 - 150);
}

TEST_F(Formats, ViewsReinterpret) {
    std::vector<unsigned> data(kWidth * kHeight);
    for (std::size_t i = 0; i < data.size(); ++i)
        data[i] = 0x3f800000u + static_cast<unsigned>(i << 18);
    CUarray a = array(descriptor({kWidth, kHeight, 0}, CU_AD_FORMAT_UNSIGNED_INT32, 1));
    upload(a, data.data());
    CUDA_RESOURCE_VIEW_DESC view{};
    view.format = CU_RES_VIEW_FORMAT_FLOAT_1X32;
    view.width = kWidth;
    view.height = kHeight;
    auto got =
        read(texture(of(a), how(CU_TR_FILTER_MODE_POINT, false), &view), Read::d2, {{3.5f, 1.5f}});
    EXPECT_EQ(got[0].x, std::bit_cast<float>(data[8]));
    view.format = CU_RES_VIEW_FORMAT_UINT_4X8; // the same bytes as four normalised channels
    got =
        read(texture(of(a), how(CU_TR_FILTER_MODE_POINT, false), &view), Read::d2, {{3.5f, 1.5f}});
    for (int c = 0; c < 4; ++c) EXPECT_NEAR(got[0][c], (data[8] >> (8 * c) & 255) / 255.0, 1e-6);
}

} // namespace
} // namespace lathe::test
