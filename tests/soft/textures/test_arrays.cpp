// SPDX-License-Identifier: MIT
// Arrays and mipmapped arrays: their descriptors, and copies of every shape into and out of them.
#include "tests/soft/textures/texture_test.h"

#include <numeric>

namespace lathe::test {
namespace {

class Arrays : public TextureTest {};

TEST_F(Arrays, DescriptorsComeBack) {
    for (const CUDA_ARRAY3D_DESCRIPTOR& d :
         {descriptor({7, 0, 0}, CU_AD_FORMAT_HALF, 2),
          descriptor({7, 5, 0}, CU_AD_FORMAT_SIGNED_INT16, 4, CUDA_ARRAY3D_TEXTURE_GATHER),
          descriptor({7, 5, 3}, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST),
          descriptor({7, 0, 3}, CU_AD_FORMAT_UNSIGNED_INT8, 4, CUDA_ARRAY3D_LAYERED),
          descriptor({7, 5, 3}, CU_AD_FORMAT_UNSIGNED_INT32, 2, CUDA_ARRAY3D_LAYERED),
          descriptor({6, 6, 6}, CU_AD_FORMAT_SIGNED_INT8, 1, CUDA_ARRAY3D_CUBEMAP),
          descriptor({6, 6, 18}, CU_AD_FORMAT_FLOAT, 4,
                     CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED)}) {
        CUarray a = array(d);
        CUDA_ARRAY3D_DESCRIPTOR got{};
        CUDA_ARRAY_DESCRIPTOR flat{};
        CHECK_CU(cuArray3DGetDescriptor(&got, a));
        EXPECT_EQ(got.Width, d.Width);
        EXPECT_EQ(got.Height, d.Height);
        EXPECT_EQ(got.Depth, d.Depth);
        EXPECT_EQ(got.Format, d.Format);
        EXPECT_EQ(got.NumChannels, d.NumChannels);
        EXPECT_EQ(got.Flags, d.Flags);
        CHECK_CU(cuArrayGetDescriptor(&flat, a));
        EXPECT_EQ(flat.Width, d.Width);
        EXPECT_EQ(flat.NumChannels, d.NumChannels);
        CHECK_CU(cuArrayDestroy(a));
    }
}

TEST_F(Arrays, CopiesOfEveryShape) {
    for (const CUDA_ARRAY3D_DESCRIPTOR& d :
         {descriptor({9, 0, 0}, CU_AD_FORMAT_FLOAT, 1), descriptor({9, 5, 0}, CU_AD_FORMAT_HALF, 4),
          descriptor({9, 5, 4}, CU_AD_FORMAT_UNSIGNED_INT8, 2),
          descriptor({9, 0, 4}, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED),
          descriptor({9, 5, 4}, CU_AD_FORMAT_UNSIGNED_INT8, 4, CUDA_ARRAY3D_LAYERED),
          descriptor({9, 9, 6}, CU_AD_FORMAT_UNSIGNED_INT16, 1, CUDA_ARRAY3D_CUBEMAP)}) {
        const std::size_t row = d.Width * texel_bytes(d), rows = std::max<std::size_t>(d.Height, 1),
                          slices = std::max<std::size_t>(d.Depth, 1);
        SCOPED_TRACE(testing::Message() << d.Width << " x " << d.Height << " x " << d.Depth);
        std::vector<unsigned char> bytes(row * rows * slices), back(bytes.size());
        std::iota(bytes.begin(), bytes.end(), static_cast<unsigned char>(3));
        CUarray a = array(d), b = array(d);
        upload(a, bytes.data());
        download(back.data(), a);
        EXPECT_EQ(back, bytes);

        // Through device memory with a pitch and a height of its own, in a stream.
        const std::size_t pitch = (row + 31) / 32 * 32, height = rows + 2;
        Buffer<unsigned char> memory{pitch * height * slices};
        CUDA_MEMCPY3D c = whole(a);
        c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
        c.srcArray = a;
        c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        c.dstDevice = memory.get();
        c.dstPitch = pitch;
        c.dstHeight = height;
        CHECK_CU(cuMemcpy3DAsync(&c, CU_STREAM_PER_THREAD));
        CUDA_MEMCPY3D in = whole(b);
        in.srcMemoryType = CU_MEMORYTYPE_DEVICE;
        in.srcDevice = memory.get();
        in.srcPitch = pitch;
        in.srcHeight = height;
        in.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        in.dstArray = b;
        CHECK_CU(cuMemcpy3DAsync(&in, CU_STREAM_PER_THREAD));
        CHECK_CU(cuStreamSynchronize(CU_STREAM_PER_THREAD));
        std::fill(back.begin(), back.end(), static_cast<unsigned char>(0));
        download(back.data(), b);
        EXPECT_EQ(back, bytes);

        // A part in the middle from one array to the other.
        CUDA_MEMCPY3D part{};
        part.srcMemoryType = part.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        part.srcArray = a;
        part.dstArray = b;
        part.srcXInBytes = texel_bytes(d);
        part.dstXInBytes = 2 * texel_bytes(d);
        part.srcY = rows > 1;
        part.dstZ = slices > 1;
        part.WidthInBytes = 3 * texel_bytes(d);
        part.Height = rows > 1 ? rows - 1 : 1;
        part.Depth = slices > 2 ? slices - 2 : 1;
        CHECK_CU(cuMemcpy3D(&part));
        std::vector<unsigned char> expected = bytes;
        for (std::size_t z = 0; z < part.Depth; ++z)
            for (std::size_t y = 0; y < part.Height; ++y)
                for (std::size_t x = 0; x < part.WidthInBytes; ++x)
                    expected[((z + part.dstZ) * rows + y) * row + x + part.dstXInBytes] =
                        bytes[(z * rows + y + part.srcY) * row + x + part.srcXInBytes];
        download(back.data(), b);
        EXPECT_EQ(back, expected);

        // One texel too many on each axis.
        for (int axis = 0; axis < 3; ++axis) {
            CUDA_MEMCPY3D beyond = c;
            (axis == 0 ? beyond.srcXInBytes : axis == 1 ? beyond.srcY : beyond.srcZ) = 1;
            EXPECT_EQ(cuMemcpy3D(&beyond), CUDA_ERROR_INVALID_VALUE) << axis;
        }
        CHECK_CU(cuArrayDestroy(a));
        CHECK_CU(cuArrayDestroy(b));
    }
}

TEST_F(Arrays, LevelsOfMipmappedArrays) {
    const CUDA_ARRAY3D_DESCRIPTOR d = descriptor({20, 6, 0}, CU_AD_FORMAT_FLOAT, 1);
    CUmipmappedArray m = nullptr;
    CHECK_CU(cuMipmappedArrayCreate(&m, &d, 0)); // at least one
    CUarray a = nullptr, again = nullptr;
    CHECK_CU(cuMipmappedArrayGetLevel(&a, m, 0));
    EXPECT_EQ(cuMipmappedArrayGetLevel(&again, m, 1), CUDA_ERROR_INVALID_VALUE);
    CHECK_CU(cuMipmappedArrayDestroy(m));
    CHECK_CU(cuMipmappedArrayCreate(&m, &d, 99)); // 20, 10, 5, 2, 1
    const std::size_t widths[] = {20, 10, 5, 2, 1}, heights[] = {6, 3, 1, 1, 1};
    for (unsigned level = 0; level < 5; ++level) {
        CHECK_CU(cuMipmappedArrayGetLevel(&a, m, level));
        CHECK_CU(cuMipmappedArrayGetLevel(&again, m, level));
        EXPECT_EQ(a, again);
        CUDA_ARRAY3D_DESCRIPTOR got{};
        CHECK_CU(cuArray3DGetDescriptor(&got, a));
        EXPECT_EQ(got.Width, widths[level]);
        EXPECT_EQ(got.Height, heights[level]);
        EXPECT_EQ(got.Depth, 0u);
    }
    EXPECT_EQ(cuMipmappedArrayGetLevel(&again, m, 5), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuArrayDestroy(a), CUDA_ERROR_INVALID_HANDLE);
    // A texture keeps what it reads when the array's handle is gone.
    CUDA_TEXTURE_DESC desc = how(CU_TR_FILTER_MODE_POINT, true);
    CUtexObject t = texture(of(m), desc);
    CHECK_CU(cuMipmappedArrayDestroy(m));
    EXPECT_EQ(cuMipmappedArrayDestroy(m), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuArray3DGetDescriptor(nullptr, a), CUDA_ERROR_INVALID_VALUE);
    CUDA_ARRAY3D_DESCRIPTOR got{};
    EXPECT_EQ(cuArray3DGetDescriptor(&got, a), CUDA_ERROR_INVALID_HANDLE);
    read(t, Read::d2, {{0.5f, 0.5f}});
    CHECK_CU(cuTexObjectDestroy(t));
}

} // namespace
} // namespace lathe::test
