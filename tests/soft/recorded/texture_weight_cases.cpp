// SPDX-License-Identifier: MIT
// How a device rounds the weights of filters and the fractions of mip levels, which level it takes
// from slopes; gathers, linear and pitched memory, answers to queries.
#include "tests/soft/recorded/texture_device.h"
#include "tests/soft/textures/model.h"

#include <fmt/format.h>

#include <cmath>

namespace lathe::recorded {
namespace {

using Places = std::vector<Float4>;

/// One texel is 1, its neighbours are 0: what is read is the weight.
void add_weights(std::vector<Case>& cases) {
    for (const bool normalized : {false, true}) {
        const std::string how = normalized ? "normalized" : "texels";
        const auto texture_of = [=](Session& session, const Array& array) {
            return Texture{session, array.resource(),
                           description(CU_TR_FILTER_MODE_LINEAR, normalized)};
        };
        for (const bool bytes : {false, true})
            cases.push_back(
                {fmt::format("textures/weights/1d/{}/{}", how, bytes ? "u8" : "float"),
                 [=](Session& session) -> std::vector<Part> {
                     const ArrayShape shape{
                         {4, 0, 0}, bytes ? CU_AD_FORMAT_UNSIGNED_INT8 : CU_AD_FORMAT_FLOAT, 1, 0};
                     const Array array{session, shape,
                                       bytes ? std::vector<unsigned char>{0, 0, 255, 0}
                                             : bytes_of(std::vector<float>{0, 0, 1, 0})};
                     const Texture texture = texture_of(session, array);
                     Places at; // from the middle of texel 1 to that of texel 2
                     for (int i = 0; i <= 2048; ++i) {
                         const float x = 1.5f + static_cast<float>(i) / 2048;
                         at.push_back({normalized ? x / 4 : x});
                     }
                     return {channel("weight", read(session, texture, Read::d1, at), 0,
                                     {1.0 / 256 + 1e-6})};
                 }});
        cases.push_back({"textures/weights/2d/" + how, [=](Session& session) -> std::vector<Part> {
                             const ArrayShape shape{{4, 4, 0}, CU_AD_FORMAT_FLOAT, 1, 0};
                             std::vector<float> data(16);
                             data[10] = 1;
                             const Array array{session, shape, bytes_of(data)};
                             const Texture texture = texture_of(session, array);
                             Places at;
                             for (int j = 0; j < 32; ++j)
                                 for (int i = 0; i < 32; ++i) {
                                     const float x = 1.5f + static_cast<float>(i * 33 + j) / 1056;
                                     const float y = 1.5f + static_cast<float>(j) / 32;
                                     at.push_back({normalized ? x / 4 : x, normalized ? y / 4 : y});
                                 }
                             return {channel("weight", read(session, texture, Read::d2, at), 0,
                                             {2.0 / 256 + 1e-6})};
                         }});
        cases.push_back(
            {"textures/weights/3d/" + how, [=](Session& session) -> std::vector<Part> {
                 const ArrayShape shape{{4, 4, 4}, CU_AD_FORMAT_FLOAT, 1, 0};
                 std::vector<float> data(64);
                 data[2 * 16 + 10] = 1;
                 const Array array{session, shape, bytes_of(data)};
                 const Texture texture = texture_of(session, array);
                 Places at;
                 for (int k = 0; k < 8; ++k)
                     for (int j = 0; j < 8; ++j)
                         for (int i = 0; i < 8; ++i) {
                             const float s = normalized ? 0.25f : 1;
                             const auto f = [&](int n, int d) {
                                 return s * (1.5f + static_cast<float>(n) / static_cast<float>(d));
                             };
                             at.push_back({f(9 * i + j, 72), f(9 * j + k, 72), f(9 * k + i, 72)});
                         }
                 return {channel("weight", read(session, texture, Read::d3, at), 0,
                                 {3.0 / 256 + 1e-6})};
             }});
    }
}

/// Levels whose texels are all the level's number: what is read is the level with its fraction.
std::vector<std::vector<unsigned char>> numbered_levels(int edge, int levels, int layers) {
    std::vector<std::vector<unsigned char>> data;
    for (int level = 0; level < levels; ++level) {
        const int side = std::max(edge >> level, 1);
        data.push_back(bytes_of(std::vector<float>(static_cast<std::size_t>(side * side * layers),
                                                   static_cast<float>(level))));
    }
    return data;
}

CUDA_TEXTURE_DESC mipmapped(bool blends_levels) {
    CUDA_TEXTURE_DESC how = description(CU_TR_FILTER_MODE_LINEAR, true);
    how.mipmapFilterMode = blends_levels ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
    how.maxMipmapLevelClamp = 100;
    return how;
}

void add_levels(std::vector<Case>& cases) {
    const ArrayShape shape{{32, 32, 0}, CU_AD_FORMAT_FLOAT, 1, 0};
    std::vector<float> levels;
    for (int i = -64; i < 1200; ++i) levels.push_back(static_cast<float>(i * 5 + i % 3) / 1000);
    const Places middle(levels.size(), Float4{0.37f, 0.61f});
    struct Setting {
        const char* name;
        bool blends;
        float bias, least, most;
    };
    for (const Setting s : {Setting{"linear", true, 0, 0, 100},
                            {"point", false, 0, 0, 100},
                            {"linear/bias", true, 0.7f, 0, 100},
                            {"linear/bias_down", true, -1.3f, 0, 100},
                            {"point/bias", false, 0.3f, 0, 100},
                            {"linear/clamp", true, 0, 0.27f, 3.4f},
                            {"point/clamp", false, 0, 0.6f, 3.4f}})
        cases.push_back(
            {fmt::format("textures/levels/{}", s.name), [=](Session& session) -> std::vector<Part> {
                 const Mipmaps mipmaps{session, shape, numbered_levels(32, 6, 1)};
                 CUDA_TEXTURE_DESC how = mipmapped(s.blends);
                 how.mipmapLevelBias = s.bias;
                 how.minMipmapLevelClamp = s.least;
                 how.maxMipmapLevelClamp = s.most;
                 const Texture texture{session, mipmaps.resource(), how};
                 return {channel("level", read(session, texture, Read::d2, middle, levels), 0,
                                 s.blends ? Tolerance{1.0 / 256 + 1e-6} : Tolerance{})};
             }});
    // Slopes along one axis, along both, of two directions; small, large, zero, no numbers.
    cases.push_back({"textures/levels/slopes", [=](Session& session) -> std::vector<Part> {
                         const Mipmaps mipmaps{session, shape, numbered_levels(32, 6, 1)};
                         const Texture texture{session, mipmaps.resource(), mipmapped(true)};
                         Places at, slopes;
                         for (int i = 0; i < 800; ++i) {
                             const auto slope = [&](int k) {
                                 return static_cast<float>(k * 31 % 97) / 388 - 0.1f;
                             };
                             at.push_back({0.37f, 0.61f});
                             const int kind = i % 4;
                             const float along = std::exp2(static_cast<float>(i) / 133.0f - 6.0f);
                             slopes.push_back({kind == 0   ? along
                                               : kind == 1 ? 0
                                                           : slope(i),
                                               kind == 1   ? along
                                               : kind == 0 ? 0
                                                           : slope(i + 7)});
                             slopes.push_back(kind < 2    ? Float4{}
                                              : kind == 2 ? Float4{}
                                                          : Float4{slope(3 * i + 1), slope(5 * i)});
                         }
                         // Logarithms are tables: two steps of a level's 8 bits.
                         return {channel("level", read(session, texture, Read::d2, at, {}, slopes),
                                         0, {2.0 / 256})};
                     }});
    cases.push_back(
        {"textures/levels/slopes_of_cubes", [=](Session& session) -> std::vector<Part> {
             const ArrayShape cube{{32, 32, 6}, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP};
             const Mipmaps mipmaps{session, cube, numbered_levels(32, 6, 6)};
             const Texture texture{session, mipmaps.resource(), mipmapped(true)};
             Places at, slopes;
             for (int face = 0; face < 6; ++face)
                 for (int i = 0; i < 32; ++i) {
                     const test::FacePlace p{face, 0.2 + 0.02 * i, 0.9 - 0.022 * i};
                     const double ds = (i % 4 + 1) / 32.0, dt = i % 3 / 32.0;
                     const auto a = test::point_on_face(p),
                                b = test::point_on_face({face, p.s + ds, p.t + dt});
                     const auto f = [](double x) { return static_cast<float>(x); };
                     at.push_back({f(a[0]), f(a[1]), f(a[2])});
                     slopes.push_back({f(b[0] - a[0]), f(b[1] - a[1]), f(b[2] - a[2])});
                     slopes.push_back({});
                 }
             return {channel("level", read(session, texture, Read::cube, at, {}, slopes), 0,
                             {2.0 / 256})};
         }});
    for (const bool blends : {false, true})
        cases.push_back(
            {fmt::format("textures/levels/with_texels/{}", blends ? "linear" : "point"),
             [=](Session& session) -> std::vector<Part> {
                 std::vector<std::vector<unsigned char>> data;
                 for (unsigned level = 0; level < 6; ++level)
                     data.push_back(bytes_of(noise((32u >> level) * (32u >> level), level)));
                 const Mipmaps mipmaps{session, shape, data};
                 CUDA_TEXTURE_DESC how = mipmapped(blends);
                 if (!blends) how.filterMode = CU_TR_FILTER_MODE_POINT;
                 const Texture texture{session, mipmaps.resource(), how};
                 Places at;
                 std::vector<float> asked;
                 for (int i = 0; i < 256; ++i) {
                     at.push_back({static_cast<float>(i * 1111 % 32768 / 4 * 4 + 1) / 32768,
                                   static_cast<float>(i * 733 % 16384 / 4 * 4 + 1) / 16384});
                     asked.push_back(static_cast<float>(i * 97 % 640) / 128 + 0.001f);
                 }
                 return {channel("x", read(session, texture, Read::d2, at, asked), 0,
                                 blends ? Tolerance{3.0 / 256 + 1e-6} : Tolerance{})};
             }});
}

// Its `query` runs no more; it stays while a recording is of this text.
const char* const kOthers = R"(
extern "C" __global__ void gather(cudaTextureObject_t t, int n, const float4* at, float4* out) {
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    const float x = at[i].x, y = at[i].y;
    out[4 * i] = tex2Dgather<float4>(t, x, y, 0);
    out[4 * i + 1] = tex2Dgather<float4>(t, x, y, 1);
    out[4 * i + 2] = tex2Dgather<float4>(t, x, y, 2);
    out[4 * i + 3] = tex2Dgather<float4>(t, x, y, 3);
}
extern "C" __global__ void fetch(cudaTextureObject_t t, int n, const float4* at, float4* out) {
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) out[i] = tex1Dfetch<float4>(t, (int)at[i].x);
}
extern "C" __global__ void query(cudaTextureObject_t t, unsigned* out) {
    asm volatile("txq.width.b32 %0, [%1];" : "=r"(out[0]) : "l"(t));
    asm volatile("txq.height.b32 %0, [%1];" : "=r"(out[1]) : "l"(t));
    asm volatile("txq.depth.b32 %0, [%1];" : "=r"(out[2]) : "l"(t));
    asm volatile("txq.array_size.b32 %0, [%1];" : "=r"(out[3]) : "l"(t));
    asm volatile("txq.num_mipmap_levels.b32 %0, [%1];" : "=r"(out[4]) : "l"(t));
    asm volatile("txq.channel_data_type.b32 %0, [%1];" : "=r"(out[5]) : "l"(t));
    asm volatile("txq.channel_order.b32 %0, [%1];" : "=r"(out[6]) : "l"(t));
})";

std::vector<Float4> other(Session& session, const char* kernel, const Texture& texture,
                          const Places& at, std::size_t results) {
    CUfunction const f = session.compiled(kOthers, kernel);
    const Memory places = session.upload(at), out{results * at.size() * sizeof(Float4)};
    session.launch(f, {{static_cast<unsigned>(at.size() + 127) / 128, 1, 1}, {128, 1, 1}},
                   texture.get(), static_cast<int>(at.size()), places.get(), out.get());
    return out.read<Float4>(results * at.size());
}

void add_others(std::vector<Case>& cases) {
    for (const bool normalized : {false, true})
        for (const CUaddress_mode mode :
             {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_BORDER, CU_TR_ADDRESS_MODE_WRAP})
            cases.push_back(
                {fmt::format("textures/gather/{}/{}", normalized ? "normalized" : "texels",
                             static_cast<int>(mode)),
                 [=](Session& session) -> std::vector<Part> {
                     const ArrayShape shape{
                         {16, 8, 0}, CU_AD_FORMAT_FLOAT, 4, CUDA_ARRAY3D_TEXTURE_GATHER};
                     const Array array{session, shape, bytes_of(noise(512, 6))};
                     const Texture texture{session, array.resource(),
                                           description(CU_TR_FILTER_MODE_POINT, normalized, mode)};
                     Places at; // steps of 1/512 texel around a texel's middle, and all over
                     for (int i = 0; i < 256; ++i) {
                         const float x = i < 64 ? 4.5f + static_cast<float>(i - 32) / 512
                                                : static_cast<float>(i * 37 % 640) / 32 - 2 + 0.01f;
                         const float y =
                             i < 64 ? 3.3f : static_cast<float>(i * 53 % 384) / 32 - 2 + 0.01f;
                         at.push_back({normalized ? x / 16 : x, normalized ? y / 8 : y});
                     }
                     return {channel("xyzw", other(session, "gather", texture, at, 4), -1)};
                 }});
    cases.push_back({"textures/linear_memory", [](Session& session) -> std::vector<Part> {
                         const Memory data = session.upload(noise(4 * 64, 7));
                         CUDA_RESOURCE_DESC r{};
                         r.resType = CU_RESOURCE_TYPE_LINEAR;
                         r.res.linear.devPtr = data.get();
                         r.res.linear.format = CU_AD_FORMAT_FLOAT;
                         r.res.linear.numChannels = 4;
                         r.res.linear.sizeInBytes = 16 * 64;
                         const Texture texture{session, r,
                                               description(CU_TR_FILTER_MODE_POINT, false)};
                         Places at;
                         for (int i = -8; i < 72; ++i) at.push_back({static_cast<float>(i)});
                         return {channel("xyzw", other(session, "fetch", texture, at, 1), -1)};
                     }});
    for (const bool blends : {false, true})
        cases.push_back({fmt::format("textures/pitched_memory/{}", blends ? "linear" : "point"),
                         [=](Session& session) -> std::vector<Part> {
                             const Memory data = session.upload(noise(128 * 8, 8));
                             CUDA_RESOURCE_DESC r{};
                             r.resType = CU_RESOURCE_TYPE_PITCH2D;
                             r.res.pitch2D.devPtr = data.get();
                             r.res.pitch2D.format = CU_AD_FORMAT_FLOAT;
                             r.res.pitch2D.numChannels = 1;
                             r.res.pitch2D.width = 100;
                             r.res.pitch2D.height = 8;
                             r.res.pitch2D.pitchInBytes = 512;
                             const Texture texture{session, r,
                                                   description(blends ? CU_TR_FILTER_MODE_LINEAR
                                                                      : CU_TR_FILTER_MODE_POINT,
                                                               false)};
                             Places at;
                             for (int i = 0; i < 256; ++i)
                                 at.push_back({static_cast<float>(i * 177 % 1100) / 10 - 4.97f,
                                               static_cast<float>(i * 53 % 120) / 10 - 1.98f});
                             return {channel("x", read(session, texture, Read::d2, at), 0,
                                             blends ? Tolerance{2.0 / 256 + 1e-6} : Tolerance{})};
                         }});
}

/// One query a case, each in a module of its own: a GPU's driver refuses some.
void add_queries(std::vector<Case>& cases) {
    const ArrayShape asked[] = {{{16, 8, 0}, CU_AD_FORMAT_FLOAT, 4, 0},
                                {{12, 0, 0}, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0},
                                {{8, 4, 6}, CU_AD_FORMAT_HALF, 2, 0},
                                {{8, 4, 3}, CU_AD_FORMAT_SIGNED_INT16, 4, CUDA_ARRAY3D_LAYERED}};
    for (const char* what : {"width", "height", "depth", "array_size", "num_mipmap_levels",
                             "channel_data_type", "channel_order"})
        for (const ArrayShape& shape : asked)
            cases.push_back(
                {fmt::format("textures/query/{}/{}x{}x{}", what, shape.size[0], shape.size[1],
                             shape.size[2]),
                 [=](Session& session) -> std::vector<Part> {
                     const Array array{session, shape, std::vector<unsigned char>(shape.bytes())};
                     const Texture texture{session, array.resource(),
                                           description(CU_TR_FILTER_MODE_POINT, false)};
                     CUfunction const f = session.compiled(
                         fmt::format("extern \"C\" __global__ void query(cudaTextureObject_t t, "
                                     "unsigned* out) {{ asm volatile(\"txq.{}.b32 %0, [%1];\" : "
                                     "\"=r\"(out[0]) : \"l\"(t)); }}",
                                     what),
                         "query");
                     const Memory out{4};
                     session.launch(f, {}, texture.get(), out.get());
                     return {part("", Type::b32, out.read<std::uint32_t>(1))};
                 }});
}

} // namespace

void add_texture_weight_cases(std::vector<Case>& cases) {
    add_weights(cases);
    add_levels(cases);
    add_others(cases);
    add_queries(cases);
}

} // namespace lathe::recorded
