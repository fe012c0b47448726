// SPDX-License-Identifier: MIT
// Where files of NVIDIA's libraries are looked for, and in which order. Nothing is opened.
#include "gpu/cuda_library.h"
#include "tests/temp_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

namespace lathe::gpu {
namespace {

namespace fs = std::filesystem;
using Prefer = CudaLibraryName::Prefer;

/// Folders with two files for CUDA 13 and 12, and an environment that names these folders alone.
class CudaLibraryTest : public testing::Test {
protected:
    void SetUp() override {
        setenv("LATHE_CUDA_TOOLKIT", (folder_ / "toolkit").c_str(), 1);
        setenv("LATHE_ROOT", (folder_ / "root").c_str(), 1); // whose .venv would count
        for (const char* name : {"CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV"}) unsetenv(name);
        set_library_hint(folder_ / "site");
    }
    void TearDown() override {
        set_library_hint({});
        for (const char* name : {"LATHE_CUDA_TOOLKIT", "LATHE_ROOT", "LATHE_TEST_THING"})
            unsetenv(name);
    }
    fs::path make(const std::string& file) {
        fs::create_directories((folder_ / file).parent_path());
        std::ofstream{folder_ / file};
        return folder_ / file;
    }
    static CudaLibraryName name(Prefer prefer) {
        return {"Thing", "libthing.so", {3, 2}, "thing", "LATHE_TEST_THING", prefer};
    }
    static std::vector<fs::path> files(Prefer prefer, bool if_open = false) {
        std::vector<fs::path> found;
        for (const LibraryPlace& each : cuda_library_places(name(prefer)))
            if (each.if_open == if_open) found.push_back(each.file);
        return found;
    }

    test::TempFolder folder_;
};

TEST_F(CudaLibraryTest, TheInterpretersWheelsCountForEveryLibrary) {
    const fs::path wheel = make("site/nvidia/cu13/lib/libthing.so.3");
    for (const Prefer prefer : {Prefer::wheels, Prefer::toolkit})
        EXPECT_EQ(files(prefer).front(), wheel);
}

TEST_F(CudaLibraryTest, WhatIsPreferredComesFirst) {
    const fs::path wheel = make("site/nvidia/cu13/lib/libthing.so.3");
    const fs::path toolkit = make("toolkit/lib64/libthing.so.3");
    const std::vector<fs::path> wheels = files(Prefer::wheels), toolkits = files(Prefer::toolkit);
    EXPECT_EQ(wheels[0], wheel);
    EXPECT_EQ(wheels[1], toolkit);
    EXPECT_EQ(toolkits[0], toolkit);
    EXPECT_EQ(toolkits[1], wheel);
}

TEST_F(CudaLibraryTest, TheNewerCudaComesFirst) {
    const fs::path old = make("toolkit/lib64/libthing.so.2");
    const fs::path newer = make("site/nvidia/cu13/lib/libthing.so.3");
    const std::vector<fs::path> wanted{newer, "libthing.so.3", old, "libthing.so.2"};
    EXPECT_EQ(files(Prefer::toolkit), wanted);
    const std::vector<LibraryPlace> places = cuda_library_places(name(Prefer::toolkit));
    EXPECT_EQ(places[0].version, 13);
    EXPECT_EQ(places[2].version, 12);
}

TEST_F(CudaLibraryTest, WhatAnotherLibraryHasOpenCountsWhereWheelsAreAsGood) {
    const std::vector<fs::path> wanted{"libthing.so.3", "libthing.so.2"};
    EXPECT_EQ(files(Prefer::wheels, true), wanted);
    EXPECT_TRUE(files(Prefer::toolkit, true).empty());
}

TEST_F(CudaLibraryTest, NoneMeansNoToolkit) {
    make("toolkit/lib64/libthing.so.3");
    setenv("CUDA_HOME", (folder_ / "toolkit").c_str(), 1);
    setenv("LATHE_CUDA_TOOLKIT", "none", 1);
    const std::vector<fs::path> wanted{"libthing.so.3", "libthing.so.2"};
    EXPECT_EQ(files(Prefer::toolkit), wanted);
    unsetenv("CUDA_HOME");
}

TEST_F(CudaLibraryTest, TheEnvironmentsFileOrFolderIsTheOnlyPlace) {
    make("site/nvidia/cu13/lib/libthing.so.3");
    setenv("LATHE_TEST_THING", "/a/libthing.so", 1);
    EXPECT_EQ(files(Prefer::wheels), std::vector<fs::path>{"/a/libthing.so"});
    const fs::path own = make("own/libthing.so.3");
    setenv("LATHE_TEST_THING", own.parent_path().c_str(), 1);
    EXPECT_EQ(files(Prefer::wheels), std::vector<fs::path>{own});
    // A folder without one: the message shall name the file that is missing.
    setenv("LATHE_TEST_THING", folder_.path().c_str(), 1);
    EXPECT_EQ(files(Prefer::wheels), std::vector<fs::path>{folder_ / "libthing.so.3"});
}

TEST_F(CudaLibraryTest, ProgramsAreFoundOnPathInAToolkitAndInAWheel) {
    const std::string name = "lathe-test-program";
    EXPECT_EQ(find_cuda_program(name), fs::path{});
    const fs::path wheel = make("site/nvidia/cu13/bin/" + name);
    EXPECT_EQ(find_cuda_program(name), wheel);
    const fs::path toolkit = make("toolkit/bin/" + name);
    EXPECT_EQ(find_cuda_program(name), toolkit);
    const fs::path on_path = make("path/" + name);
    fs::permissions(on_path, fs::perms::owner_all);
    const std::string before = std::getenv("PATH");
    setenv("PATH", (on_path.parent_path().string() + ":" + before).c_str(), 1);
    EXPECT_EQ(find_cuda_program(name), on_path);
    setenv("PATH", before.c_str(), 1);
}

} // namespace
} // namespace lathe::gpu
