// SPDX-License-Identifier: MIT
// Surfaces: reads and writes of each shape and element size, inside and outside; formatted stores.
#include "tests/soft/recorded/texture_device.h"

#include <fmt/format.h>

#include <algorithm>

namespace lathe::recorded {
namespace {

/// A kernel for each boundary mode: each thread writes one element and reads another one.
std::string access_source(const std::string& element, const std::string& mode) {
    return fmt::format(R"(
typedef {} T;
#define MODE cudaBoundaryMode{}
extern "C" __global__ void write(cudaSurfaceObject_t s, int kind, int n, const int4* at, const T* data) {{
    const int i = threadIdx.x;
    if (i >= n) return;
    const int x = at[i].x * (int)sizeof(T), y = at[i].y, z = at[i].z;
    switch (kind) {{
    case 0: surf1Dwrite(data[i], s, x, MODE); break;
    case 1: surf2Dwrite(data[i], s, x, y, MODE); break;
    case 2: surf3Dwrite(data[i], s, x, y, z, MODE); break;
    case 3: surf1DLayeredwrite(data[i], s, x, z, MODE); break;
    case 4: surf2DLayeredwrite(data[i], s, x, y, z, MODE); break;
    }}
}}
extern "C" __global__ void read(cudaSurfaceObject_t s, int kind, int n, const int4* at, T* data) {{
    const int i = threadIdx.x;
    if (i >= n) return;
    const int x = at[i].x * (int)sizeof(T), y = at[i].y, z = at[i].z;
    switch (kind) {{
    case 0: data[i] = surf1Dread<T>(s, x, MODE); break;
    case 1: data[i] = surf2Dread<T>(s, x, y, MODE); break;
    case 2: data[i] = surf3Dread<T>(s, x, y, z, MODE); break;
    case 3: data[i] = surf1DLayeredread<T>(s, x, z, MODE); break;
    case 4: data[i] = surf2DLayeredread<T>(s, x, y, z, MODE); break;
    }}
}})",
                       element, mode);
}

struct Place {
    int x, y, z, unused;
};

/// The texels that several threads write, as shapes without rows or slices take the same x for the
/// same texel whatever y and z are: which one is last is open. Empty where there are none.
std::vector<bool> written_twice(int kind, const std::array<std::size_t, 3>& size,
                                const std::vector<Place>& places) {
    const auto length = [&](int axis) { return std::max<std::size_t>(size[axis], 1); };
    std::vector<int> times(length(0) * length(1) * length(2));
    for (const Place& p : places) {
        const std::size_t at[3] = {static_cast<std::size_t>(p.x),
                                   kind == 0 || kind == 3 ? 0 : static_cast<std::size_t>(p.y),
                                   kind == 0 ? 0 : static_cast<std::size_t>(p.z)};
        if (at[0] < length(0) && at[1] < length(1) && at[2] < length(2))
            ++times[(at[2] * length(1) + at[1]) * length(0) + at[0]];
    }
    std::vector<bool> open;
    for (const int count : times) open.push_back(count > 1);
    if (std::ranges::find(open, true) == open.end()) open.clear();
    return open;
}

void add_accesses(std::vector<Case>& cases) {
    struct Form {
        const char* name;
        int kind;
        std::array<std::size_t, 3> size;
        unsigned flags;
    };
    static constexpr Form kForms[] = {{"1d", 0, {16, 0, 0}, 0},
                                      {"2d", 1, {16, 8, 0}, 0},
                                      {"3d", 2, {8, 4, 4}, 0},
                                      {"layers1", 3, {16, 0, 3}, CUDA_ARRAY3D_LAYERED},
                                      {"layers2", 4, {8, 4, 3}, CUDA_ARRAY3D_LAYERED}};
    struct Element {
        const char* name;
        CUarray_format format;
        unsigned channels;
    };
    static constexpr Element kElements[] = {
        {"uchar1", CU_AD_FORMAT_UNSIGNED_INT8, 1},   {"uchar4", CU_AD_FORMAT_UNSIGNED_INT8, 4},
        {"ushort2", CU_AD_FORMAT_UNSIGNED_INT16, 2}, {"ushort4", CU_AD_FORMAT_UNSIGNED_INT16, 4},
        {"float1", CU_AD_FORMAT_FLOAT, 1},           {"float4", CU_AD_FORMAT_FLOAT, 4}};
    for (const Element& element : kElements)
        for (const char* mode : {"Clamp", "Zero"})
            for (const Form& form : kForms)
                cases.push_back(
                    {fmt::format("surfaces/{}/{}/{}", element.name, mode, form.name),
                     [=](Session& session) -> std::vector<Part> {
                         const ArrayShape shape{form.size, element.format, element.channels,
                                                form.flags | CUDA_ARRAY3D_SURFACE_LDST};
                         const Array array{session, shape,
                                           bytes_of(noise(shape.bytes() / 4 + 1, 9))};
                         const Surface surface{array.resource()};
                         const std::string source = access_source(element.name, mode);
                         // Inside, and one or two outside: no element is written twice, unless
                         // outside of a clamped surface, where nothing is written here.
                         std::vector<Place> inside, around;
                         const auto size = [&](int axis) {
                             return static_cast<int>(std::max<std::size_t>(form.size[axis], 1));
                         };
                         const bool clamps = mode[0] == 'C';
                         for (int i = 0; i < 96; ++i) {
                             const Place p{i % (size(0) + 4) - 2, i / 5 % (size(1) + 2) - 1,
                                           i / 7 % (size(2) + 2) - 1, 0};
                             around.push_back(p);
                             const bool in = p.x >= 0 && p.x < size(0) && p.y >= 0 &&
                                             p.y < size(1) && p.z >= 0 && p.z < size(2);
                             bool twice = false;
                             for (const Place& q : inside)
                                 twice |= p.x == q.x && p.y == q.y && p.z == q.z;
                             if ((in || !clamps) && !twice) inside.push_back(p);
                         }
                         const std::size_t bytes = shape.texel_bytes();
                         const Memory reads = session.upload(around), got{96 * bytes};
                         session.launch(session.compiled(source, "read"), {{1, 1, 1}, {96, 1, 1}},
                                        surface.get(), form.kind, 96, reads.get(), got.get());
                         const Memory writes = session.upload(inside),
                                      data = session.upload(bytes_of(noise(96 * 4, 10)));
                         session.launch(session.compiled(source, "write"), {{1, 1, 1}, {96, 1, 1}},
                                        surface.get(), form.kind, static_cast<int>(inside.size()),
                                        writes.get(), data.get());
                         Part written = part("written", Type::b8, array.read());
                         if (!clamps) written.open = written_twice(form.kind, form.size, inside);
                         const auto each = [&](const std::vector<bool>& texels) {
                             std::vector<bool> open;
                             for (const bool one : texels) open.insert(open.end(), bytes, one);
                             return open;
                         };
                         written.open = each(written.open);
                         return {part("read", Type::b8, got.read<unsigned char>(96 * bytes)),
                                 std::move(written)};
                     }});
}

/// sust.p converts; sured computes in place. One thread an element, so that the order is no matter.
void add_formatted(std::vector<Case>& cases) {
    struct Store {
        const char *name, *text;
        CUarray_format format;
        unsigned channels;
    };
    static constexpr Store kStores[] = {
        {"p/float", "sust.p.2d.b32.trap [%s, {%x, 0}], %v;", CU_AD_FORMAT_FLOAT, 1},
        {"p/half", "sust.p.2d.b32.trap [%s, {%x, 0}], %v;", CU_AD_FORMAT_HALF, 1},
        {"p/u8", "sust.p.2d.b32.trap [%s, {%x, 0}], %v;", CU_AD_FORMAT_UNSIGNED_INT8, 1},
        {"p/s8", "sust.p.2d.b32.trap [%s, {%x, 0}], %v;", CU_AD_FORMAT_SIGNED_INT8, 1},
        {"p/u16", "sust.p.2d.b32.trap [%s, {%x, 0}], %v;", CU_AD_FORMAT_UNSIGNED_INT16, 1},
        {"p/s16", "sust.p.2d.b32.trap [%s, {%x, 0}], %v;", CU_AD_FORMAT_SIGNED_INT16, 1},
        {"p/u32", "sust.p.2d.b32.trap [%s, {%x, 0}], %v;", CU_AD_FORMAT_UNSIGNED_INT32, 1},
        {"p/s32", "sust.p.2d.b32.trap [%s, {%x, 0}], %v;", CU_AD_FORMAT_SIGNED_INT32, 1},
        {"b/add", "sured.b.add.2d.u32.trap [%s, {%b, 0}], %v;", CU_AD_FORMAT_UNSIGNED_INT32, 1},
        {"b/min", "sured.b.min.2d.s32.trap [%s, {%b, 0}], %v;", CU_AD_FORMAT_SIGNED_INT32, 1},
        {"b/max", "sured.b.max.2d.u32.trap [%s, {%b, 0}], %v;", CU_AD_FORMAT_UNSIGNED_INT32, 1},
        {"b/and", "sured.b.and.2d.b32.trap [%s, {%b, 0}], %v;", CU_AD_FORMAT_UNSIGNED_INT32, 1},
        {"b/or", "sured.b.or.2d.b32.trap [%s, {%b, 0}], %v;", CU_AD_FORMAT_UNSIGNED_INT32, 1}};
    for (const Store& store : kStores)
        cases.push_back({fmt::format("surfaces/formatted/{}", store.name),
                         [=](Session& session) -> std::vector<Part> {
                             const ArrayShape shape{{64, 1, 0},
                                                    store.format,
                                                    store.channels,
                                                    CUDA_ARRAY3D_SURFACE_LDST};
                             const Array array{session, shape, bytes_of(noise(64, 11))};
                             const Surface surface{array.resource()};
                             const std::string text = fmt::format(R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 surface, .param .u64 in) {{
    .reg .b32 %x, %b, %v;
    .reg .b64 %s, %in, %o;
    ld.param.u64 %s, [surface];
    ld.param.u64 %in, [in];
    mov.u32 %x, %tid.x;
    shl.b32 %b, %x, 2;
    cvt.u64.u32 %o, %b;
    add.u64 %in, %in, %o;
    ld.global.b32 %v, [%in];
    {}
    ret;
}}
)",
                                                                  store.text);
                             std::vector<std::uint32_t> values;
                             for (std::uint32_t k = 0; k < 64; ++k)
                                 values.push_back(k % 3 == 0   ? k * 9973 - 250000u
                                                  : k % 3 == 1 ? 0x3f800000u + k * 65537
                                                               : k * 0x05071133u);
                             const Memory in = session.upload(values);
                             session.launch(session.function(text, "k"), {{1, 1, 1}, {64, 1, 1}},
                                            surface.get(), in.get());
                             return {part("written", Type::b8, array.read())};
                         }});
}

} // namespace

void add_surface_cases(std::vector<Case>& cases) {
    add_accesses(cases);
    add_formatted(cases);
}

} // namespace lathe::recorded
