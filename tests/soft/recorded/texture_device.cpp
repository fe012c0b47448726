// SPDX-License-Identifier: MIT
#include "tests/soft/recorded/texture_device.h"

#include "engine/core/error.h"

#include <algorithm>
#include <cstring>
#include <random>

namespace lathe::recorded {
namespace {

template <class F> F needed(const char* name) {
    auto* const found = reinterpret_cast<F>(gpu::driver().find_symbol(name));
    if (!found) throw Error{std::string{name} + " is not in this driver"};
    return found;
}

void checked(CUresult code, const char* routine) {
    if (code != CUDA_SUCCESS) throw gpu::Error{routine, code};
}

/// Dense host memory to or from the whole of an array.
CUDA_MEMCPY3D whole(CUarray array, std::size_t texel_bytes) {
    CUDA_ARRAY3D_DESCRIPTOR d{};
    CU_TRY(cuArray3DGetDescriptor(&d, array));
    CUDA_MEMCPY3D copy{};
    copy.WidthInBytes = d.Width * texel_bytes;
    copy.Height = std::max<std::size_t>(d.Height, 1);
    copy.Depth = std::max<std::size_t>(d.Depth, 1);
    return copy;
}

void fill(CUarray array, std::size_t texel_bytes, const std::vector<unsigned char>& data) {
    CUDA_MEMCPY3D copy = whole(array, texel_bytes);
    if (data.size() < copy.WidthInBytes * copy.Height * copy.Depth)
        throw Error{"a case gives too little data for its array"};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = data.data();
    copy.srcPitch = copy.WidthInBytes;
    copy.srcHeight = copy.Height;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    CU_TRY(cuMemcpy3D(&copy));
}

CUDA_ARRAY3D_DESCRIPTOR descriptor(const ArrayShape& s) {
    return {s.size[0], s.size[1], s.size[2], s.format, s.channels, s.flags};
}

} // namespace

std::size_t ArrayShape::texel_bytes() const {
    switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8: return channels;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF: return std::size_t{2} * channels;
    default: return std::size_t{4} * channels;
    }
}

std::size_t ArrayShape::bytes() const {
    return texel_bytes() * size[0] * std::max<std::size_t>(size[1], 1) *
           std::max<std::size_t>(size[2], 1);
}

Array::Array(Session& session, const ArrayShape& shape, const std::vector<unsigned char>& data)
    : shape_{shape} {
    const CUDA_ARRAY3D_DESCRIPTOR d = descriptor(shape);
    session.note(data.data(), data.size());
    session.note(shape.size.data(), sizeof shape.size);
    session.note_value(shape.format);
    session.note_value(shape.channels);
    session.note_value(shape.flags);
    CU_TRY(cuArray3DCreate(&array_, &d));
    try {
        fill(array_, shape.texel_bytes(), data);
    } catch (...) {
        gpu::driver().cuArrayDestroy(array_);
        throw;
    }
}
Array::~Array() { gpu::driver().cuArrayDestroy(array_); }

CUDA_RESOURCE_DESC Array::resource() const {
    CUDA_RESOURCE_DESC r{};
    r.resType = CU_RESOURCE_TYPE_ARRAY;
    r.res.array.hArray = array_;
    return r;
}

std::vector<unsigned char> Array::read() const {
    std::vector<unsigned char> data(shape_.bytes());
    CUDA_MEMCPY3D copy = whole(array_, shape_.texel_bytes());
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcArray = array_;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = data.data();
    copy.dstPitch = copy.WidthInBytes;
    copy.dstHeight = copy.Height;
    CU_TRY(cuMemcpy3D(&copy));
    return data;
}

Mipmaps::Mipmaps(Session& session, const ArrayShape& shape,
                 const std::vector<std::vector<unsigned char>>& data) {
    using Create = CUresult (*)(CUmipmappedArray*, const CUDA_ARRAY3D_DESCRIPTOR*, unsigned);
    using GetLevel = CUresult (*)(CUarray*, CUmipmappedArray, unsigned);
    auto* const create = needed<Create>("cuMipmappedArrayCreate");
    auto* const get_level = needed<GetLevel>("cuMipmappedArrayGetLevel");
    needed<CUresult (*)(CUmipmappedArray)>("cuMipmappedArrayDestroy");
    const CUDA_ARRAY3D_DESCRIPTOR d = descriptor(shape);
    session.note(shape.size.data(), sizeof shape.size);
    checked(create(&array_, &d, static_cast<unsigned>(data.size())), "cuMipmappedArrayCreate");
    for (unsigned level = 0; level < data.size(); ++level) {
        CUarray array = nullptr;
        checked(get_level(&array, array_, level), "cuMipmappedArrayGetLevel");
        session.note(data[level].data(), data[level].size());
        fill(array, shape.texel_bytes(), data[level]);
    }
}
Mipmaps::~Mipmaps() { needed<CUresult (*)(CUmipmappedArray)>("cuMipmappedArrayDestroy")(array_); }

CUDA_RESOURCE_DESC Mipmaps::resource() const {
    CUDA_RESOURCE_DESC r{};
    r.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
    r.res.mipmap.hMipmappedArray = array_;
    return r;
}

Texture::Texture(Session& session, const CUDA_RESOURCE_DESC& resource, const CUDA_TEXTURE_DESC& how,
                 const CUDA_RESOURCE_VIEW_DESC* view) {
    session.note_value(how);
    CU_TRY(cuTexObjectCreate(&texture_, &resource, &how, view));
}
Texture::~Texture() {
    if (texture_) gpu::driver().cuTexObjectDestroy(texture_);
}

Surface::Surface(const CUDA_RESOURCE_DESC& resource) {
    CU_TRY(cuSurfObjectCreate(&surface_, &resource));
}
Surface::~Surface() { gpu::driver().cuSurfObjectDestroy(surface_); }

CUDA_TEXTURE_DESC description(CUfilter_mode filter, bool normalized, CUaddress_mode mode) {
    CUDA_TEXTURE_DESC d;
    std::memset(&d, 0, sizeof d); // its bytes are hashed
    for (CUaddress_mode& each : d.addressMode) each = mode;
    d.filterMode = filter;
    d.flags = normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0;
    return d;
}

std::vector<Float4> read(Session& session, const Texture& texture, Read kind,
                         const std::vector<Float4>& at, const std::vector<float>& levels,
                         const std::vector<Float4>& slopes) {
    const char* const name = !slopes.empty()   ? "read_grad"
                             : !levels.empty() ? "read_level"
                                               : "read";
    CUfunction const f = session.compiled(test::kReadKernels, name);
    const Memory places = session.upload(at), out{at.size() * sizeof(Float4)},
                 level = session.upload(levels.empty() ? std::vector<float>(1) : levels),
                 slope = session.upload(slopes.empty() ? std::vector<Float4>(2) : slopes);
    session.launch(f, {{static_cast<unsigned>(at.size() + 127) / 128, 1, 1}, {128, 1, 1}},
                   texture.get(), static_cast<int>(kind), static_cast<int>(at.size()), places.get(),
                   level.get(), slope.get(), out.get());
    return out.read<Float4>(at.size());
}

Part channel(std::string label, const std::vector<Float4>& values, int which, Tolerance tolerance) {
    std::vector<float> chosen;
    for (const Float4& v : values)
        for (int c = 0; c < 4; ++c)
            if (which < 0 || which == c) chosen.push_back((&v.x)[c]);
    return part(std::move(label), Type::f32, chosen, tolerance);
}

std::vector<float> noise(std::size_t count, unsigned seed) {
    std::mt19937 random{seed};
    std::vector<float> values(count);
    for (float& value : values) value = static_cast<float>(random() >> 16) / 65536;
    return values;
}

} // namespace lathe::recorded
