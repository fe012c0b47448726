// SPDX-License-Identifier: MIT
// Linking PTX of separate sources.
#include "tests/soft/rt/driver_test.h"
#include "tests/temp_folder.h"

#include <cstring>
#include <fstream>

namespace lathe::test {
namespace {

constexpr const char* kMain = R"(
extern __device__ int shared_count;
extern __device__ int scale(int);
static __device__ int hidden = 10;
static __device__ __noinline__ int twist(int x) { return x + hidden; }
extern "C" __global__ void k(int* x) {
    x[threadIdx.x] = scale(x[threadIdx.x]) + twist(0);
    if (threadIdx.x == 0) atomicAdd(&shared_count, 1);
})";
constexpr const char* kScale = R"(
__device__ int shared_count = 40;
static __device__ int hidden = 1000;
static __device__ __noinline__ int twist(int x) { return x * 2 + hidden; }
__device__ int scale(int x) { return twist(x); }
extern "C" __global__ void count(int* x) { *x = shared_count; })";

class Link : public DriverTest {
protected:
    void SetUp() override {
        DriverTest::SetUp();
        if (!context_) return;
        CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
        std::copy_n(options, 2, options_);
        values_[0] = log_;
        values_[1] = reinterpret_cast<void*>(sizeof log_);
        CHECK_CU(cuLinkCreate(2, options_, values_, &state_));
    }
    void TearDown() override {
        EXPECT_TRUE(!state_ || cuLinkDestroy(state_) == CUDA_SUCCESS);
        DriverTest::TearDown();
    }
    static std::string ptx(const char* source) {
        return compile_to_ptx(source, "part.cu", {"-rdc=true", "-lineinfo"});
    }
    CUresult add(const std::string& text, const char* name) {
        return cuLinkAddData(state_, CU_JIT_INPUT_PTX, const_cast<char*>(text.c_str()),
                             text.size() + 1, name, 0, nullptr, nullptr);
    }
    CUresult complete() { return cuLinkComplete(state_, &image_, &bytes_); }

    CUlinkState state_ = nullptr;
    CUjit_option options_[2] = {};
    char log_[1024] = "";
    void* values_[2] = {};
    void* image_ = nullptr;
    std::size_t bytes_ = 0;
};

TEST_F(Link, TwoSourcesBecomeOneModule) {
    CHECK_CU(add(ptx(kMain), "main.ptx"));
    CHECK_CU(add(ptx(kScale), "scale.ptx"));
    CHECK_CU(complete()) << log_;
    ASSERT_GT(bytes_, 0u);
    const std::vector<char> image(static_cast<char*>(image_), static_cast<char*>(image_) + bytes_);
    CUmodule module = nullptr;
    CHECK_CU(cuModuleLoadData(&module, image.data()));
    Buffer<int> x{std::vector<int>{1, 2, 3}}, n{1};
    CHECK_CU(launch(function(module, "k"), shape(1, 3), x.get()));
    EXPECT_EQ(x.read(), (std::vector<int>{1012, 1014, 1016}));
    CHECK_CU(launch(function(module, "count"), shape(1, 1), n.get()));
    EXPECT_EQ(n.read()[0], 41);
    CHECK_CU(cuModuleUnload(module));
    EXPECT_EQ(add(ptx(kMain), "late.ptx"), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Link, FilesAreInputsToo) {
    const TempFolder folder;
    const std::string path = folder / "part.ptx";
    std::ofstream{path} << ptx(kScale);
    CHECK_CU(cuLinkAddFile(state_, CU_JIT_INPUT_PTX, path.c_str(), 0, nullptr, nullptr));
    CHECK_CU(add(ptx(kMain), "main.ptx"));
    CHECK_CU(complete()) << log_;
    EXPECT_EQ(cuLinkAddFile(state_, CU_JIT_INPUT_PTX, "/no/file", 0, nullptr, nullptr),
              CUDA_ERROR_FILE_NOT_FOUND);
}

TEST_F(Link, WhatIsMissingIsNamed) {
    CHECK_CU(add(ptx(kMain), "main.ptx"));
    EXPECT_EQ(complete(), CUDA_ERROR_INVALID_IMAGE);
    EXPECT_NE(std::string{log_}.find("shared_count is not defined"), std::string::npos) << log_;
    EXPECT_NE(std::string{log_}.find("scale"), std::string::npos) << log_;
}

TEST_F(Link, WhatIsThereTwiceIsNamed) {
    CHECK_CU(add(ptx(kScale), "first.ptx"));
    CHECK_CU(add(ptx(kScale), "second.ptx"));
    EXPECT_EQ(complete(), CUDA_ERROR_INVALID_IMAGE);
    EXPECT_NE(std::string{log_}.find("is defined by first.ptx and by second.ptx"),
              std::string::npos)
        << log_;
}

TEST_F(Link, BadInputs) {
    EXPECT_EQ(add("nonsense", "bad.ptx"), CUDA_ERROR_INVALID_PTX);
    EXPECT_NE(std::string{log_}.find("bad.ptx"), std::string::npos) << log_;
    char elf[] = "\x7f\x45\x4c\x46";
    EXPECT_EQ(cuLinkAddData(state_, CU_JIT_INPUT_CUBIN, elf, 4, "a", 0, nullptr, nullptr),
              CUDA_ERROR_NO_BINARY_FOR_GPU);
    EXPECT_EQ(cuLinkAddData(state_, CU_JIT_INPUT_OBJECT, elf, 4, "a", 0, nullptr, nullptr),
              CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(cuLinkAddData(state_, CU_JIT_INPUT_PTX, nullptr, 4, "a", 0, nullptr, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuLinkAddData(nullptr, CU_JIT_INPUT_PTX, elf, 4, "a", 0, nullptr, nullptr),
              CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(complete(), CUDA_ERROR_INVALID_VALUE); // nothing was added
    CUlinkState gone = nullptr;
    CHECK_CU(cuLinkCreate(0, nullptr, nullptr, &gone));
    CHECK_CU(cuLinkDestroy(gone));
    EXPECT_EQ(cuLinkDestroy(gone), CUDA_ERROR_INVALID_HANDLE);
}

} // namespace
} // namespace lathe::test
