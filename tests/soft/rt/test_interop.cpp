// SPDX-License-Identifier: MIT
// OpenGL objects as device memory, headless on whatever GL the machine has.
#include "tests/soft/rt/driver_test.h"

#include "gl/buffer.h"
#include "gl/error.h"
#include "gl/headless_context.h"
#include "gl/texture.h"

#include <glad/gl.h>

#include <cstring>
#include <memory>

extern "C" {
CUresult cuGLGetDevices_v2(unsigned*, CUdevice*, unsigned, unsigned);
CUresult cuGraphicsGLRegisterBuffer(CUgraphicsResource*, unsigned, unsigned);
CUresult cuGraphicsGLRegisterImage(CUgraphicsResource*, unsigned, unsigned, unsigned);
}

namespace lathe::test {
namespace {

constexpr unsigned kTexture2D = 0x0DE1;

class Interop : public DriverTest {
protected:
    void SetUp() override {
        try {
            gl_ = std::make_unique<gl::HeadlessContext>();
        } catch (const lathe::Error& e) { GTEST_SKIP() << e.what(); }
        DriverTest::SetUp();
    }

    template <class T> static std::vector<T> content(const gl::Buffer& buffer, std::size_t count) {
        std::vector<T> values(count);
        buffer.download(std::as_writable_bytes(std::span{values}));
        return values;
    }

    std::unique_ptr<gl::HeadlessContext> gl_;
};

const char* kFill = R"(extern "C" __global__ void k(int* x, int v) { x[threadIdx.x] += v; })";

TEST_F(Interop, TheDeviceIsTheContextsDevice) {
    unsigned count = 0;
    CUdevice device = -1;
    CHECK_CU(cuGLGetDevices_v2(&count, &device, 1, 1));
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(device, 0);
}

TEST_F(Interop, BuffersOfEveryKindOfStorage) {
    CUfunction f = kernel(kFill);
    enum Storage { persistent, mutable_storage, device };
    for (Storage storage : {persistent, mutable_storage, device}) {
        gl::Buffer buffer{64 * sizeof(int),
                          storage == persistent ? gl::Storage::mapped : gl::Storage::device};
        unsigned own = 0;
        if (storage == mutable_storage) {
            glCreateBuffers(1, &own);
            std::vector<int> zeros(64);
            glNamedBufferData(own, 64 * sizeof(int), zeros.data(), GL_DYNAMIC_DRAW);
            buffer = gl::Buffer::wrap(own);
        }
        CUgraphicsResource r = nullptr;
        CHECK_CU(cuGraphicsGLRegisterBuffer(&r, buffer.id(), 0));
        CUdeviceptr p = 0;
        std::size_t bytes = 0;
        EXPECT_EQ(cuGraphicsResourceGetMappedPointer(&p, &bytes, r), CUDA_ERROR_NOT_MAPPED);
        std::uint64_t before = latheSoftInteropBytesCopied();
        CUstream stream;
        CHECK_CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
        for (int frame = 1; frame <= 3; ++frame) {
            CHECK_CU(cuGraphicsMapResources(1, &r, stream));
            EXPECT_EQ(cuGraphicsMapResources(1, &r, stream), CUDA_ERROR_ALREADY_MAPPED);
            CHECK_CU(cuGraphicsResourceGetMappedPointer(&p, &bytes, r));
            EXPECT_EQ(bytes, 64 * sizeof(int));
            if (storage == persistent) {
                EXPECT_EQ(reinterpret_cast<std::byte*>(p), buffer.mapped());
            }
            Shape s = shape(1, 64);
            s.stream = stream;
            CHECK_CU(launch(f, s, p, frame));
            CHECK_CU(cuGraphicsUnmapResources(1, &r, stream)); // waits for the kernel
            EXPECT_EQ(cuGraphicsUnmapResources(1, &r, stream), CUDA_ERROR_NOT_MAPPED);
            auto values = content<int>(buffer, 64);
            EXPECT_EQ(values, std::vector<int>(64, frame * (frame + 1) / 2));
        }
        // Persistent mappings are never copied; what a software GL lets us map is not, either.
        bool copied = storage == device || (storage == mutable_storage && !gl_->info().is_software);
        EXPECT_EQ(latheSoftInteropBytesCopied() - before, copied ? 6 * 64 * sizeof(int) : 0u);
        CHECK_CU(cuGraphicsUnregisterResource(r));
        EXPECT_EQ(cuGraphicsUnregisterResource(r), CUDA_ERROR_INVALID_HANDLE);
        CHECK_CU(cuStreamDestroy(stream));
        if (own) glDeleteBuffers(1, &own);
    }
}

// The legacy stream's kernels come before an unmap in a stream that waits for it.
TEST_F(Interop, UnmapsInABlockingStreamWaitForTheLegacyStream) {
    CUfunction f = kernel(R"(extern "C" __global__ void k(int* x, int v) {
        for (long long begin = clock64(); clock64() - begin < 20000000;) {}
        x[threadIdx.x] = v;
    })");
    const gl::Buffer buffer{64 * sizeof(int), gl::Storage::mapped};
    CUgraphicsResource r = nullptr;
    CHECK_CU(cuGraphicsGLRegisterBuffer(&r, buffer.id(), 0));
    CUstream stream;
    CHECK_CU(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    for (int frame = 1; frame <= 3; ++frame) {
        CUdeviceptr p = 0;
        std::size_t bytes = 0;
        CHECK_CU(cuGraphicsMapResources(1, &r, stream));
        CHECK_CU(cuGraphicsResourceGetMappedPointer(&p, &bytes, r));
        CHECK_CU(launch(f, shape(1, 64), p, frame));
        CHECK_CU(cuGraphicsUnmapResources(1, &r, stream));
        EXPECT_EQ(content<int>(buffer, 64), std::vector<int>(64, frame));
        EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    }
    CHECK_CU(cuGraphicsUnregisterResource(r));
    CHECK_CU(cuStreamDestroy(stream));
}

TEST_F(Interop, TexturesAsArrays) {
    CUmodule m = load(R"(extern "C" __global__ void bytes(cudaSurfaceObject_t s) {
            uchar4 v = surf2Dread<uchar4>(s, threadIdx.x * 4, threadIdx.y);
            surf2Dwrite(make_uchar4(v.x + 1, threadIdx.x, threadIdx.y, 255), s, threadIdx.x * 4,
                        threadIdx.y);
        }
        extern "C" __global__ void floats(cudaSurfaceObject_t s) {
            surf2Dwrite(threadIdx.x + 100.0f * threadIdx.y, s, threadIdx.x * 4, threadIdx.y);
        })");
    constexpr unsigned w = 19, h = 11;
    for (gl::Format format : {gl::Format::rgba8, gl::Format::r32f}) {
        bool bytes = format == gl::Format::rgba8;
        gl::Texture texture{w, h, format};
        if (bytes) {
            std::vector<unsigned char> fives(w * h * 4, 5);
            texture.upload(std::as_bytes(std::span{fives}));
        }
        CUgraphicsResource r = nullptr;
        CHECK_CU(cuGraphicsGLRegisterImage(&r, texture.id(), kTexture2D,
                                           CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST));
        std::uint64_t before = latheSoftInteropBytesCopied();
        CHECK_CU(cuGraphicsMapResources(1, &r, nullptr));
        CUarray array = nullptr;
        CUdeviceptr p = 0;
        CHECK_CU(cuGraphicsSubResourceGetMappedArray(&array, r, 0, 0));
        EXPECT_EQ(cuGraphicsResourceGetMappedPointer(&p, nullptr, r),
                  CUDA_ERROR_NOT_MAPPED_AS_POINTER);
        EXPECT_EQ(cuArrayDestroy(array), CUDA_ERROR_ARRAY_IS_MAPPED);
        CUDA_ARRAY3D_DESCRIPTOR d{};
        CHECK_CU(cuArray3DGetDescriptor(&d, array));
        EXPECT_EQ(d.Width, w);
        EXPECT_EQ(d.Height, h);
        EXPECT_EQ(d.NumChannels, bytes ? 4u : 1u);
        CUDA_RESOURCE_DESC resource{};
        resource.resType = CU_RESOURCE_TYPE_ARRAY;
        resource.res.array.hArray = array;
        CUsurfObject surface = 0;
        CHECK_CU(cuSurfObjectCreate(&surface, &resource));
        CHECK_CU(launch(function(m, bytes ? "bytes" : "floats"), {{1, 1, 1}, {w, h, 1}}, surface));
        CHECK_CU(cuSurfObjectDestroy(surface));
        CHECK_CU(cuGraphicsUnmapResources(1, &r, nullptr));
        EXPECT_EQ(latheSoftInteropBytesCopied() - before, 2u * w * h * 4);
        auto texels = texture.download();
        for (unsigned y = 0; y < h; ++y)
            for (unsigned x = 0; x < w; ++x) {
                unsigned char rgba[4];
                float value;
                std::memcpy(rgba, &texels[(y * w + x) * 4], 4);
                std::memcpy(&value, rgba, 4);
                if (bytes) {
                    ASSERT_EQ(rgba[0], 6);
                    ASSERT_EQ(rgba[1], x);
                    ASSERT_EQ(rgba[2], y);
                } else {
                    ASSERT_EQ(value, static_cast<float>(x + 100 * y));
                }
            }
        // Nothing written: nothing uploaded. Nothing kept: nothing downloaded.
        CHECK_CU(cuGraphicsResourceSetMapFlags(r, CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD));
        before = latheSoftInteropBytesCopied();
        CHECK_CU(cuGraphicsMapResources(1, &r, nullptr));
        CHECK_CU(cuGraphicsUnmapResources(1, &r, nullptr));
        EXPECT_EQ(latheSoftInteropBytesCopied(), before);
        CHECK_CU(cuGraphicsUnregisterResource(r));
    }
}

TEST_F(Interop, BadNamesAndNoContext) {
    CUgraphicsResource r = nullptr;
    EXPECT_EQ(cuGraphicsGLRegisterBuffer(&r, 987654, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphicsGLRegisterImage(&r, 987654, kTexture2D, 0), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGraphicsUnregisterResource(reinterpret_cast<CUgraphicsResource>(8)),
              CUDA_ERROR_INVALID_HANDLE);
    gl::Buffer buffer{256};
    CHECK_CU(cuGraphicsGLRegisterBuffer(&r, buffer.id(), 0));
    CHECK_CU(cuGraphicsUnregisterResource(r));
    unsigned id = buffer.id();
    buffer = {};
    gl_.reset();
    EXPECT_EQ(cuGraphicsGLRegisterBuffer(&r, id, 0), CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
}

} // namespace
} // namespace lathe::test
