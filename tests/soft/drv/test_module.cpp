// SPDX-License-Identifier: MIT
// What modules are loaded from, and what loading says.
#include "tests/soft/rt/driver_test.h"
#include "tests/temp_folder.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <unistd.h>

namespace lathe::test {
namespace {

using Module = DriverTest;

constexpr const char* kModuleSource =
    "extern \"C\" __global__ void k(int* x, int n) { x[threadIdx.x] += n * 3; }";

TEST_F(Module, LogsAndTimesGoWhereTheOptionsSay) {
    char errors[256], info[256];
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_INFO_LOG_BUFFER,  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_LOG_VERBOSE,      CU_JIT_WALL_TIME};
    void* values[] = {errors,
                      reinterpret_cast<void*>(sizeof errors),
                      info,
                      reinterpret_cast<void*>(sizeof info),
                      reinterpret_cast<void*>(1),
                      nullptr};
    CUmodule module = nullptr;
    const std::string ptx = compile_to_ptx(kModuleSource, "k.cu", {});
    CHECK_CU(cuModuleLoadDataEx(&module, ptx.c_str(), 6, options, values));
    EXPECT_STREQ(errors, "");
    EXPECT_NE(std::string{info}.find("k: 12 bytes of parameters"), std::string::npos) << info;
    EXPECT_EQ(reinterpret_cast<std::size_t>(values[3]), std::strlen(info));
    float milliseconds = 0;
    std::memcpy(&milliseconds, &values[5], sizeof milliseconds);
    EXPECT_GT(milliseconds, 0.0f);
    CHECK_CU(cuModuleUnload(module));

    values[1] = reinterpret_cast<void*>(sizeof errors);
    std::string bad = ptx;
    bad.replace(bad.find("mad.lo"), 6, "mud.lo");
    EXPECT_EQ(cuModuleLoadDataEx(&module, bad.c_str(), 2, options, values), CUDA_ERROR_INVALID_PTX);
    EXPECT_GT(std::strlen(errors), 10u);

    char tiny[8];
    std::memset(tiny, 'x', sizeof tiny);
    values[0] = tiny;
    values[1] = reinterpret_cast<void*>(4);
    EXPECT_EQ(cuModuleLoadDataEx(&module, bad.c_str(), 2, options, values), CUDA_ERROR_INVALID_PTX);
    EXPECT_EQ(tiny[3], '\0');
    EXPECT_EQ(tiny[4], 'x');
}

TEST_F(Module, OptionsAreChecked) {
    CUmodule module = nullptr;
    const std::string ptx = compile_to_ptx(kModuleSource, "k.cu", {});
    CUjit_option option = static_cast<CUjit_option>(9999);
    void* value = nullptr;
    EXPECT_EQ(cuModuleLoadDataEx(&module, ptx.c_str(), 1, nullptr, &value),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuModuleLoadDataEx(&module, ptx.c_str(), 1, &option, nullptr),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuModuleLoadDataEx(&module, ptx.c_str(), 1, &option, &value),
              CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Module, TheBestCodeIsThereAtTheFirstLaunchWhereItIsAskedFor) {
    const char* mode = std::getenv("LATHE_SOFT_MODE");
    if (mode && std::string_view{mode} == "scalar") GTEST_SKIP() << "vectors are not wanted";
    // Each thread reads what its neighbour writes: one after another they count, side by side all
    // but the first read 0. A number of its own keeps the object cache out of it.
    const std::string source = R"(extern "C" __global__ void k(int* x, int never) {
        const int i = threadIdx.x;
        x[i + 1] = x[i] + 1;
        if (never == )" + std::to_string(getpid()) +
                               "77) x[0] = 5; }";
    latheSoftBestCodeBegin();
    CUfunction f = kernel(source);
    latheSoftBestCodeEnd();
    Buffer<int> x{9};
    CHECK_CU(launch(f, shape(1, 8), x.get(), 0));
    CHECK_CU(cuCtxSynchronize());
    EXPECT_EQ(x.read(), (std::vector<int>{0, 1, 1, 1, 1, 1, 1, 1, 1}));
}

TEST_F(Module, ImagesThatAreNone) {
    CUmodule module = nullptr;
    EXPECT_EQ(cuModuleLoadData(&module, nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuModuleLoadData(nullptr, ""), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuModuleLoadData(&module, ""), CUDA_ERROR_INVALID_IMAGE);
    EXPECT_EQ(cuModuleLoadData(&module, reinterpret_cast<void*>(64)), CUDA_ERROR_INVALID_IMAGE);
    EXPECT_EQ(cuModuleLoadData(&module, "\x7f\x45\x4c\x46\x02"), CUDA_ERROR_NO_BINARY_FOR_GPU);
    EXPECT_EQ(cuModuleLoadData(&module, "words"), CUDA_ERROR_INVALID_PTX);
    EXPECT_EQ(cuModuleLoad(&module, "/no/such/file"), CUDA_ERROR_FILE_NOT_FOUND);
    EXPECT_EQ(cuModuleLoad(&module, "/tmp"), CUDA_ERROR_FILE_NOT_FOUND);
}

class FatBinary : public DriverTest {
protected:
    void SetUp() override {
#ifndef LATHE_TEST_FATBINARY
        GTEST_SKIP() << "no fatbinary tool";
#else
        DriverTest::SetUp();
        if (!context_) return;
        std::ofstream{folder_ / "k.ptx"} << compile_to_ptx(kModuleSource, "k.cu", {});
#endif
    }
    std::string make([[maybe_unused]] const std::string& compression) {
        const std::string path = folder_ / "k.fatbin";
#ifdef LATHE_TEST_FATBINARY
        const std::string command =
            LATHE_TEST_FATBINARY " --64 --create=" + path + " " + compression +
            " --image3=kind=ptx,sm=75,file=" + (folder_ / "k.ptx").string() + " 2>/dev/null";
        if (std::system(command.c_str()) != 0) return {};
#endif
        return path;
    }
    void expect_works(CUmodule module) {
        Buffer<int> x{std::vector<int>{1, 2}};
        CHECK_CU(launch(function(module, "k"), shape(1, 2), x.get(), 2));
        EXPECT_EQ(x.read(), (std::vector<int>{7, 8}));
        CHECK_CU(cuModuleUnload(module));
    }
    static std::string read(const std::string& path) {
        std::ifstream file{path, std::ios::binary};
        return {std::istreambuf_iterator<char>{file}, {}};
    }

    const TempFolder folder_;
};

TEST_F(FatBinary, PtxInsideOfOneIsFound) {
    unsigned loaded = 0;
    for (const char* compression :
         {"--compress=false", "--compress-mode=speed", "--compress-mode=size", ""}) {
        const std::string path = make(compression);
        if (path.empty()) continue; // the tool is too old for this one
        ++loaded;
        CUmodule module = nullptr;
        CHECK_CU(cuModuleLoad(&module, path.c_str())) << compression;
        expect_works(module);
        const std::string bytes = read(path);
        CHECK_CU(cuModuleLoadFatBinary(&module, bytes.data()));
        expect_works(module);
        const struct {
            unsigned magic, version;
            const void *data, *file;
        } wrapper{0x466243b1, 1, bytes.data(), nullptr};
        CHECK_CU(cuModuleLoadData(&module, &wrapper));
        expect_works(module);
    }
    EXPECT_GT(loaded, 1u);
}

TEST_F(FatBinary, DamagedOnesAreRefused) {
    for (const char* compression :
         {"--compress=false", "--compress-mode=speed", "--compress-mode=size"}) {
        const std::string path = make(compression);
        if (path.empty()) continue;
        const std::string good = read(path);
        for (std::size_t i = 0; i < good.size(); i += i < 96 ? 1 : 31) { // headers, then samples
            std::string bad = good;
            bad[i] = static_cast<char>(bad[i] ^ (1 << (i % 8)));
            std::ofstream{folder_ / "bad.fatbin", std::ios::binary} << bad;
            CUmodule module = nullptr; // any answer but a crash
            if (cuModuleLoad(&module, (folder_ / "bad.fatbin").c_str()) == CUDA_SUCCESS)
                cuModuleUnload(module);
            if (i % 4) continue;
            std::ofstream{folder_ / "bad.fatbin", std::ios::binary} << good.substr(0, i);
            EXPECT_NE(cuModuleLoad(&module, (folder_ / "bad.fatbin").c_str()), CUDA_SUCCESS) << i;
        }
    }
}

} // namespace
} // namespace lathe::test
