// SPDX-License-Identifier: MIT
// Which file of a library is opened, and what is said where there is none. "libm" stands for one.
#include "gpu/libraries/library.h"
#include "tests/temp_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace lathe::gpu {
namespace {

namespace fs = std::filesystem;

constexpr CudaLibraryName kMath{"Mathematics", "libm.so", {6, 6}, "mathematics", "LATHE_TEST_LIBM"};
constexpr CudaLibraryName kNone{
    "Nothing", "libnothing.so", {2, 1}, "nothing", "LATHE_TEST_NOTHING"};

std::string problem_of(const CudaLibraryName& name) {
    try {
        Library{name};
        return "opened";
    } catch (const LibraryMissing& e) { return e.what(); }
}

class LibraryTest : public testing::Test {
protected:
    void TearDown() override {
        unsetenv(kMath.environment);
        unsetenv(kNone.environment);
        set_library_hint({});
    }
};

TEST_F(LibraryTest, WhatTheProcessHasOpenIsTaken) {
    const Library library{kMath};
    EXPECT_EQ(library.path().filename(), "libm.so.6");
    double (*cosine)(double) = nullptr;
    library.find(cosine, "cos");
    EXPECT_EQ(cosine(0.0), 1.0);
    library.find_optional(cosine, "no_such_function");
    EXPECT_EQ(cosine, nullptr);
}

TEST_F(LibraryTest, AMissingFunctionIsNamed) {
    const Library library{kMath};
    double (*function)(double) = nullptr;
    try {
        library.find(function, "no_such_function");
        FAIL();
    } catch (const LibraryMissing& e) {
        EXPECT_NE(std::string{e.what()}.find("libm.so.6 has no no_such_function"),
                  std::string::npos)
            << e.what();
    }
}

TEST_F(LibraryTest, AMissingLibraryNamesPackagesAndTheVariable) {
    const std::string text = problem_of(kNone);
    EXPECT_TRUE(text.starts_with("Nothing was not found: ")) << text;
    for (const char* part : {"libnothing.so.2", "libnothing.so.1", "pip install nvidia-nothing ",
                             "nvidia-nothing-cu12", "CUDA_HOME", "LATHE_TEST_NOTHING"})
        EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
}

TEST_F(LibraryTest, TheEnvironmentsFileIsTheOnlyOne) {
    setenv(kMath.environment, "/nonexistent/libm.so.6", 1);
    EXPECT_NE(problem_of(kMath).find("/nonexistent/libm.so.6"), std::string::npos);
}

TEST_F(LibraryTest, WheelsBelowTheHintComeBeforeTheLoadersPath) {
    const test::TempFolder folder;
    const fs::path wheel = folder.path() / "nvidia/cu13/lib";
    fs::create_directories(wheel);
    // No library, so that opening it fails with its name in the message.
    std::ofstream{wheel / "libnothing.so.2"} << "no library";
    set_library_hint(folder.path());
    const std::string text = problem_of(kNone);
    const std::size_t first = text.find((wheel / "libnothing.so.2").string());
    ASSERT_NE(first, std::string::npos) << text;
    EXPECT_LT(first, text.find("libnothing.so.1")) << text;
}

} // namespace
} // namespace lathe::gpu
