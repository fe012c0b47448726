// SPDX-License-Identifier: MIT
// Texture reads: every shape, filter and address mode; formats; layers and cube maps. What filters
// and levels weigh exactly is in texture_weight_cases.cpp.
//
// Tolerance of linear filters: texels lie in [0, 1), and the CUDA guide gives weights 8 bits of
// fraction, so two devices that round them to either side differ by 1/256 an axis.
#include "tests/soft/recorded/texture_device.h"
#include "tests/soft/textures/forms.h"
#include "tests/soft/textures/model.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace lathe::recorded {
namespace {

using Places = std::vector<Float4>;

using test::Form;
using test::kForms;

struct Mode {
    const char* name;
    CUaddress_mode mode;
};
constexpr Mode kModes[] = {{"wrap", CU_TR_ADDRESS_MODE_WRAP},
                           {"clamp", CU_TR_ADDRESS_MODE_CLAMP},
                           {"mirror", CU_TR_ADDRESS_MODE_MIRROR},
                           {"border", CU_TR_ADDRESS_MODE_BORDER}};

Tolerance linear(int axes) { return {axes / 256.0 + 1e-6}; }

/// Places inside and around, ten bits of fraction, none at a texel's edge; layers -1 to 4.
Places places(const Form& form, bool normalized) {
    Places at;
    for (int i = 0; i < 256; ++i) {
        const auto coordinate = [&](std::size_t size, int step) {
            const int n = static_cast<int>(std::max<std::size_t>(size, 1));
            const int in_1024ths = (i * step) % (n * 5 * 1024) - n * 2 * 1024;
            const float x = static_cast<float>(in_1024ths / 4 * 4 + 1) / 1024;
            return normalized ? x / static_cast<float>(n) : x;
        };
        at.push_back({coordinate(form.size[0], 3331), coordinate(form.size[1], 1777),
                      coordinate(form.size[2], 977), static_cast<float>(i % 6 - 1)});
    }
    return at;
}

void add_forms(std::vector<Case>& cases) {
    for (const Form& form : kForms)
        for (const bool normalized : {false, true})
            for (const bool blends : {false, true})
                for (const Mode& mode : kModes)
                    cases.push_back(
                        {fmt::format("textures/{}/{}/{}/{}", form.name,
                                     normalized ? "normalized" : "texels",
                                     blends ? "linear" : "point", mode.name),
                         [=](Session& session) -> std::vector<Part> {
                             const ArrayShape shape{form.size, CU_AD_FORMAT_FLOAT, 4, form.flags};
                             const Array array{session, shape,
                                               bytes_of(noise(shape.bytes() / 4, 3))};
                             CUDA_TEXTURE_DESC how = description(blends ? CU_TR_FILTER_MODE_LINEAR
                                                                        : CU_TR_FILTER_MODE_POINT,
                                                                 normalized, mode.mode);
                             for (int c = 0; c < 4; ++c)
                                 how.borderColor[c] = 0.25f + 0.125f * static_cast<float>(c);
                             const Texture texture{session, array.resource(), how};
                             const auto got =
                                 read(session, texture, form.kind, places(form, normalized));
                             if (!blends) return {channel("xyzw", got, -1)};
                             return {channel("x", got, 0, linear(form.axes))};
                         }});
}

/// Coordinates that are no places: not a number, infinite, far away, edges of texels.
void add_odd_places(std::vector<Case>& cases) {
    const float inf = std::numeric_limits<float>::infinity();
    Places at;
    for (const float x : {std::nanf(""), inf,        -inf,        1e10f,         -1e10f, 3e38f,
                          -0.0f,         0.0f,       1.0f,        2.0f,          1e-40f, -1e-40f,
                          0x1p-24f,      -0x1p-24f,  0.99999994f, 1.9999999f,    15.0f,  15.999999f,
                          16.0f,         8388608.5f, 16777216.0f, 2147483648.0f, -1.0f,  -0.5f})
        for (const float y : {0.5f, std::nanf(""), inf, 7.9999995f}) {
            at.push_back({x, y, 0, 0});
            at.push_back({y, x, 0, 0});
        }
    for (const bool normalized : {false, true})
        for (const bool blends : {false, true})
            for (const Mode& mode : kModes)
                cases.push_back({fmt::format("textures/odd_places/{}/{}/{}",
                                             normalized ? "normalized" : "texels",
                                             blends ? "linear" : "point", mode.name),
                                 [=](Session& session) -> std::vector<Part> {
                                     const ArrayShape shape{{16, 8, 0}, CU_AD_FORMAT_FLOAT, 1, 0};
                                     const Array array{session, shape, bytes_of(noise(128, 4))};
                                     CUDA_TEXTURE_DESC how =
                                         description(blends ? CU_TR_FILTER_MODE_LINEAR
                                                            : CU_TR_FILTER_MODE_POINT,
                                                     normalized, mode.mode);
                                     how.borderColor[0] = 0.5f;
                                     const Texture texture{session, array.resource(), how};
                                     return {channel("x", read(session, texture, Read::d2, at), 0,
                                                     blends ? linear(2) : Tolerance{})};
                                 }});
}

struct Format {
    const char* name;
    CUarray_format format;
    std::size_t channel_bytes;
    bool blends; ///< can be filtered
};
constexpr Format kFormats[] = {
    {"u8", CU_AD_FORMAT_UNSIGNED_INT8, 1, true},    {"s8", CU_AD_FORMAT_SIGNED_INT8, 1, true},
    {"u16", CU_AD_FORMAT_UNSIGNED_INT16, 2, true},  {"s16", CU_AD_FORMAT_SIGNED_INT16, 2, true},
    {"half", CU_AD_FORMAT_HALF, 2, true},           {"float", CU_AD_FORMAT_FLOAT, 4, true},
    {"u32", CU_AD_FORMAT_UNSIGNED_INT32, 4, false}, {"s32", CU_AD_FORMAT_SIGNED_INT32, 4, false}};

/// 1024 texels of one row in which all bytes occur, and for halves no NaN.
std::vector<unsigned char> texels(const Format& format, unsigned channels) {
    std::vector<unsigned char> data(1024 * channels * format.channel_bytes);
    for (std::size_t k = 0; k < data.size() / format.channel_bytes; ++k)
        for (std::size_t b = 0; b < format.channel_bytes; ++b) {
            std::size_t value = k * (b ? 77 : 1) + (k >> 8) * 13;
            if (b == format.channel_bytes - 1 && format.format == CU_AD_FORMAT_HALF)
                value = value % 0x7c | (k % 2 ? 0x80 : 0);
            if (b == format.channel_bytes - 1 && format.format == CU_AD_FORMAT_FLOAT)
                value = 0x38 + k % 10;
            data[k * format.channel_bytes + b] = static_cast<unsigned char>(value);
        }
    return data;
}

const char* const kIntegers = R"(
extern "C" __global__ void read(cudaTextureObject_t t, int n, uint4* out) {
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) out[i] = tex2D<uint4>(t, i + 0.5f, 0.5f);
})";

void add_formats(std::vector<Case>& cases) {
    for (const Format& format : kFormats)
        for (const unsigned channels : {1u, 2u, 4u}) {
            const std::string name = fmt::format("textures/formats/{}x{}", format.name, channels);
            const ArrayShape shape{{1024, 1, 0}, format.format, channels, 0};
            cases.push_back(
                {name + "/bits", [=](Session& session) -> std::vector<Part> {
                     const Array array{session, shape, texels(format, channels)};
                     CUDA_TEXTURE_DESC how = description(CU_TR_FILTER_MODE_POINT, false);
                     how.flags |= CU_TRSF_READ_AS_INTEGER;
                     const Texture texture{session, array.resource(), how};
                     CUfunction const f = session.compiled(kIntegers, "read");
                     const Memory out{16 * 1024};
                     session.launch(f, {{8, 1, 1}, {128, 1, 1}}, texture.get(), 1024, out.get());
                     return {part("xyzw", Type::b32, out.read<std::uint32_t>(4096))};
                 }});
            if (!format.blends) continue;
            for (const bool srgb : {false, true}) {
                if (srgb && format.format != CU_AD_FORMAT_UNSIGNED_INT8) continue;
                for (const bool blends : {false, true})
                    cases.push_back(
                        {fmt::format("{}{}/{}", name, srgb ? "/srgb" : "",
                                     blends ? "linear" : "point"),
                         [=](Session& session) -> std::vector<Part> {
                             const Array array{session, shape, texels(format, channels)};
                             CUDA_TEXTURE_DESC how = description(blends ? CU_TR_FILTER_MODE_LINEAR
                                                                        : CU_TR_FILTER_MODE_POINT,
                                                                 false);
                             if (srgb) how.flags |= CU_TRSF_SRGB;
                             const Texture texture{session, array.resource(), how};
                             Places at;
                             for (int i = 0; i < 1024; ++i) {
                                 const float step = blends ? static_cast<float>(i % 16) / 16 : 0.5f;
                                 at.push_back({static_cast<float>(i) + step, 0.5f});
                             }
                             const auto got = read(session, texture, Read::d2, at);
                             // Halves reach 65504: a 256th of the difference of two.
                             const double range = format.format == CU_AD_FORMAT_HALF ? 2 * 65504.0
                                                  : format.format == CU_AD_FORMAT_FLOAT ? 32
                                                                                        : 2;
                             const double weight = blends ? range / 256 : 0;
                             if (!srgb)
                                 return {channel("x", got, 0, {weight}),
                                         channel("w", got, 3, {weight})};
                             // CUDA says nothing of the conversion from sRGB. GPUs do it by a table
                             // that keeps Direct3D's bound, half a step of the eight bits: at least
                             // this much, as the curve is flattest where it begins and, beside its
                             // values, where it ends.
                             const Tolerance curve{weight + 0.5 / 255 / 12.92,
                                                   0.5 / 255 * 2.4 / 1.055};
                             return {
                                 channel("x", got, 0, curve),
                                 channel("w", got, 3, channels == 4 ? Tolerance{weight} : curve)};
                         }});
            }
        }
}

constexpr int kEdge = 8;

/// All faces with their edges and corners, and directions where two or three axes are equal.
Places directions(int cubes) {
    Places at;
    int i = 0;
    const auto put = [&](double x, double y, double z) {
        const double length = 0.5 + i % 4;
        at.push_back({static_cast<float>(x * length), static_cast<float>(y * length),
                      static_cast<float>(z * length), static_cast<float>(i % (cubes + 2) - 1)});
        ++i;
    };
    for (int face = 0; face < 6; ++face)
        for (const double s : {0.01, 0.03, 0.06, 0.2, 0.43, 0.71, 0.95, 0.99})
            for (const double t : {0.02, 0.04, 0.3, 0.57, 0.93, 0.985}) {
                const auto p = test::point_on_face({face, s, t});
                put(p[0], p[1], p[2]);
            }
    for (const double x : {-1.0, 0.0, 1.0})
        for (const double y : {-1.0, 0.0, 1.0})
            for (const double z : {-1.0, 0.0, 1.0})
                if (x != 0 || y != 0 || z != 0) put(x, y, z);
    return at;
}

void add_cubes(std::vector<Case>& cases) {
    for (const bool layered : {false, true})
        for (const bool blends : {false, true})
            for (const bool seams : {false, true})
                cases.push_back(
                    {fmt::format("textures/cube{}/{}{}", layered ? "s" : "",
                                 blends ? "linear" : "point", seams ? "/seamless" : ""),
                     [=](Session& session) -> std::vector<Part> {
                         const ArrayShape shape{{kEdge, kEdge, layered ? 12u : 6u},
                                                CU_AD_FORMAT_FLOAT,
                                                1,
                                                CUDA_ARRAY3D_CUBEMAP |
                                                    (layered ? CUDA_ARRAY3D_LAYERED : 0u)};
                         const Array array{session, shape, bytes_of(noise(shape.bytes() / 4, 5))};
                         CUDA_TEXTURE_DESC how = description(
                             blends ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT, true);
                         if (seams) how.flags |= CU_TRSF_SEAMLESS_CUBEMAP;
                         const Texture texture{session, array.resource(), how};
                         const auto got = read(session, texture, layered ? Read::cubes : Read::cube,
                                               directions(layered ? 2 : 1));
                         return {channel("x", got, 0, blends ? linear(2) : Tolerance{})};
                     }});
}

} // namespace

void add_texture_weight_cases(std::vector<Case>& cases);

void add_texture_cases(std::vector<Case>& cases) {
    add_forms(cases);
    add_odd_places(cases);
    add_formats(cases);
    add_cubes(cases);
    add_texture_weight_cases(cases);
}

} // namespace lathe::recorded
