// SPDX-License-Identifier: MIT
// What fuzzing found (tests/fuzz/findings) is loaded through the driver again: refused or taken,
// and no crash. Files end in .ptx where they are text.
#include "gpu/soft/drv/cuda_abi.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

TEST(Findings, LoadWithoutACrash) {
    namespace fs = std::filesystem;
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator{LATHE_TEST_FINDINGS})
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    ASSERT_FALSE(files.empty());
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    CUcontext context{};
    ASSERT_EQ(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
    for (const fs::path& path : files) {
        SCOPED_TRACE(path.filename());
        std::ifstream file{path, std::ios::binary};
        const std::string image{std::istreambuf_iterator<char>{file}, {}};
        CUmodule module{};
        if (cuModuleLoad(&module, path.c_str()) == CUDA_SUCCESS) cuModuleUnload(module); // by size
        if (cuModuleLoadData(&module, image.c_str()) != CUDA_SUCCESS) continue;
        unsigned count = 0;
        ASSERT_EQ(cuModuleGetFunctionCount(&count, module), CUDA_SUCCESS);
        std::vector<CUfunction> functions(count);
        cuModuleEnumerateFunctions(functions.data(), count, module); // compiles them all
        EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
    }
    EXPECT_EQ(cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
}
