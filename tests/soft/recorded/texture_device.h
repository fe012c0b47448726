// SPDX-License-Identifier: MIT
// Arrays, mipmapped arrays, texture and surface objects for cases, through the driver's table.
#pragma once

#include "tests/soft/recorded/session.h"
#include "tests/soft/textures/read_kernels.h"

#include <array>
#include <vector>

namespace lathe::recorded {

using test::Read;

struct Float4 {
    float x = 0, y = 0, z = 0, w = 0;
};

struct ArrayShape {
    std::array<std::size_t, 3> size{1, 0, 0}; ///< as cuArray3DCreate takes them
    CUarray_format format = CU_AD_FORMAT_FLOAT;
    unsigned channels = 4, flags = 0;

    std::size_t texel_bytes() const;
    std::size_t bytes() const; ///< of level 0
};

class Array {
public:
    Array(Session& session, const ArrayShape& shape, const std::vector<unsigned char>& data);
    ~Array();
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;
    CUarray get() const { return array_; }
    CUDA_RESOURCE_DESC resource() const;
    std::vector<unsigned char> read() const;

private:
    CUarray array_ = nullptr;
    ArrayShape shape_;
};

/// Levels by cuMipmappedArrayCreate, which the driver's table does not have.
class Mipmaps {
public:
    /// data[level] is dense.
    Mipmaps(Session& session, const ArrayShape& shape,
            const std::vector<std::vector<unsigned char>>& data);
    ~Mipmaps();
    Mipmaps(const Mipmaps&) = delete;
    Mipmaps& operator=(const Mipmaps&) = delete;
    CUDA_RESOURCE_DESC resource() const;

private:
    CUmipmappedArray array_ = nullptr;
};

class Texture {
public:
    Texture(Session& session, const CUDA_RESOURCE_DESC& resource, const CUDA_TEXTURE_DESC& how,
            const CUDA_RESOURCE_VIEW_DESC* view = nullptr);
    ~Texture();
    Texture(Texture&& other) noexcept : texture_{std::exchange(other.texture_, 0)} {}
    Texture(const Texture&) = delete;
    Texture& operator=(const Texture&) = delete;
    CUtexObject get() const { return texture_; }

private:
    CUtexObject texture_ = 0;
};

class Surface {
public:
    explicit Surface(const CUDA_RESOURCE_DESC& resource);
    ~Surface();
    Surface(const Surface&) = delete;
    Surface& operator=(const Surface&) = delete;
    CUsurfObject get() const { return surface_; }

private:
    CUsurfObject surface_ = 0;
};

CUDA_TEXTURE_DESC description(CUfilter_mode filter, bool normalized,
                              CUaddress_mode mode = CU_TR_ADDRESS_MODE_CLAMP);

template <class T> std::vector<unsigned char> bytes_of(const std::vector<T>& values) {
    const auto* const first = reinterpret_cast<const unsigned char*>(values.data());
    return {first, first + values.size() * sizeof(T)};
}

/// What the kernels of textures/read_kernels.h read.
std::vector<Float4> read(Session& session, const Texture& texture, Read kind,
                         const std::vector<Float4>& at, const std::vector<float>& levels = {},
                         const std::vector<Float4>& slopes = {});

/// One channel (0 to 3), or all of them one after another (-1), as a part.
Part channel(std::string label, const std::vector<Float4>& values, int which,
             Tolerance tolerance = {});

/// Numbers in [0, 1) with 16 bits, always the same.
std::vector<float> noise(std::size_t count, unsigned seed);

} // namespace lathe::recorded
