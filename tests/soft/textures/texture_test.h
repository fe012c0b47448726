// SPDX-License-Identifier: MIT
// What the tests of textures share: arrays with data, texture and surface objects, a kernel with
// every read.
#pragma once

#include "tests/soft/rt/driver_test.h"
#include "tests/soft/textures/model.h"
#include "tests/soft/textures/read_kernels.h"

namespace lathe::test {

struct Float4 {
    float x = 0, y = 0, z = 0, w = 0;
    float operator[](int i) const { return (&x)[i]; }
};
struct Int4 {
    int x = 0, y = 0, z = 0, w = 0;
    int operator[](int i) const { return (&x)[i]; }
};

class TextureTest : public DriverTest {
protected:
    /// Width, height, depth as cuArray3DCreate takes them.
    using Size = std::array<std::size_t, 3>;

    static CUDA_ARRAY3D_DESCRIPTOR descriptor(Size size, CUarray_format format, unsigned channels,
                                              unsigned flags = 0) {
        return {size[0], size[1], size[2], format, channels, flags};
    }

    CUarray array(const CUDA_ARRAY3D_DESCRIPTOR& d) {
        CUarray a = nullptr;
        EXPECT_EQ(cuArray3DCreate(&a, &d), CUDA_SUCCESS) << latheSoftGetLastErrorText();
        return a;
    }

    /// A copy of the whole array from or to dense host memory.
    static CUDA_MEMCPY3D whole(CUarray a) {
        CUDA_ARRAY3D_DESCRIPTOR d{};
        EXPECT_EQ(cuArray3DGetDescriptor(&d, a), CUDA_SUCCESS);
        CUDA_MEMCPY3D c{};
        c.WidthInBytes = d.Width * texel_bytes(d);
        c.Height = std::max<std::size_t>(d.Height, 1);
        c.Depth = std::max<std::size_t>(d.Depth, 1);
        return c;
    }
    static std::size_t texel_bytes(const CUDA_ARRAY3D_DESCRIPTOR& d) {
        const auto f = static_cast<unsigned>(d.Format);
        const unsigned channel = f >= 0xc0 ? (((f - 0xc0) / 3) % 2 ? 2 : 1)
                                 : f == CU_AD_FORMAT_UNSIGNED_INT8 || f == CU_AD_FORMAT_SIGNED_INT8
                                     ? 1
                                 : f == CU_AD_FORMAT_UNSIGNED_INT16 ||
                                         f == CU_AD_FORMAT_SIGNED_INT16 || f == CU_AD_FORMAT_HALF
                                     ? 2
                                     : 4;
        return std::size_t{channel} * d.NumChannels;
    }
    void upload(CUarray a, const void* from) {
        CUDA_MEMCPY3D c = whole(a);
        c.srcMemoryType = CU_MEMORYTYPE_HOST;
        c.srcHost = from;
        c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        c.dstArray = a;
        EXPECT_EQ(cuMemcpy3D(&c), CUDA_SUCCESS) << latheSoftGetLastErrorText();
    }
    void download(void* to, CUarray a) {
        CUDA_MEMCPY3D c = whole(a);
        c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
        c.srcArray = a;
        c.dstMemoryType = CU_MEMORYTYPE_HOST;
        c.dstHost = to;
        EXPECT_EQ(cuMemcpy3D(&c), CUDA_SUCCESS) << latheSoftGetLastErrorText();
    }

    static CUDA_RESOURCE_DESC of(CUarray a) {
        CUDA_RESOURCE_DESC r{};
        r.resType = CU_RESOURCE_TYPE_ARRAY;
        r.res.array.hArray = a;
        return r;
    }
    static CUDA_RESOURCE_DESC of(CUmipmappedArray a) {
        CUDA_RESOURCE_DESC r{};
        r.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
        r.res.mipmap.hMipmappedArray = a;
        return r;
    }
    static CUDA_TEXTURE_DESC how(CUfilter_mode filter, bool normalized,
                                 CUaddress_mode mode = CU_TR_ADDRESS_MODE_CLAMP) {
        CUDA_TEXTURE_DESC d{};
        for (CUaddress_mode& m : d.addressMode) m = mode;
        d.filterMode = filter;
        d.flags = normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0;
        return d;
    }
    CUtexObject texture(const CUDA_RESOURCE_DESC& r, const CUDA_TEXTURE_DESC& d,
                        const CUDA_RESOURCE_VIEW_DESC* view = nullptr) {
        CUtexObject t = 0;
        EXPECT_EQ(cuTexObjectCreate(&t, &r, &d, view), CUDA_SUCCESS) << latheSoftGetLastErrorText();
        return t;
    }
    CUsurfObject surface(CUarray a) {
        const CUDA_RESOURCE_DESC r = of(a);
        CUsurfObject s = 0;
        EXPECT_EQ(cuSurfObjectCreate(&s, &r), CUDA_SUCCESS) << latheSoftGetLastErrorText();
        return s;
    }

    /// Reads at (x, y, z) in layer w, mip level `level` where `by_level`, by slopes where given.
    std::vector<Float4> read(CUtexObject t, Read kind, const std::vector<Float4>& at,
                             const std::vector<float>& levels = {},
                             const std::vector<Float4>& slopes = {}) {
        if (!reads_) reads_ = load(kReadKernels, {});
        const unsigned blocks = static_cast<unsigned>((at.size() + 127) / 128);
        Buffer<Float4> places{at}, out{at.size()};
        Buffer<float> level{levels.empty() ? std::vector<float>(1) : levels};
        Buffer<Float4> slope{slopes.empty() ? std::vector<Float4>(2) : slopes};
        const int how = !slopes.empty() ? 2 : !levels.empty() ? 1 : 0;
        const char* name = how == 0 ? "read" : how == 1 ? "read_level" : "read_grad";
        EXPECT_EQ(launch(function(reads_, name), shape(blocks, 128), t, static_cast<int>(kind),
                         static_cast<int>(at.size()), places.get(), level.get(), slope.get(),
                         out.get()),
                  CUDA_SUCCESS);
        EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS) << last_fault().message;
        return out.read();
    }

private:
    CUmodule reads_ = nullptr;
};

} // namespace lathe::test
