// SPDX-License-Identifier: MIT
// Linking PTX of separate sources.
#include "tests/soft/rt/driver_test.h"
#include "tests/temp_folder.h"

#include <cstdint>
#include <cstring>
#include <elf.h>
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

/// An object of host code as nvcc makes it: device code in a section of its own.
std::string object(const std::string& device_code) {
    constexpr char names[] = "\0.nv_fatbin\0.shstrtab";
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_machine = EM_X86_64;
    header.e_shnum = 3;
    header.e_shstrndx = 2;
    Elf64_Shdr sections[3] = {};
    sections[1].sh_name = 1;
    sections[1].sh_offset = sizeof header;
    sections[1].sh_size = device_code.size();
    sections[2].sh_name = 12;
    sections[2].sh_offset = sizeof header + device_code.size();
    sections[2].sh_size = sizeof names;
    header.e_shoff = sections[2].sh_offset + sizeof names;
    return std::string{reinterpret_cast<const char*>(&header), sizeof header} + device_code +
           std::string{names, sizeof names} +
           std::string{reinterpret_cast<const char*>(sections), sizeof sections};
}

/// A fat binary with one entry: PTX (1), or machine code (2).
std::string fat_binary(std::string code, std::uint16_t kind = 1) {
    code.resize((code.size() + 8) / 8 * 8);
    const auto number = [](auto value) {
        return std::string{reinterpret_cast<const char*>(&value), sizeof value};
    };
    const std::string entry = number(kind) + number(std::uint16_t{0x101}) +
                              number(std::uint32_t{64}) + number(std::uint64_t{code.size()}) +
                              std::string(8, '\0') + number(std::uint32_t{0}) +
                              number(std::uint32_t{75}) + std::string(32, '\0') + code;
    return number(std::uint32_t{0xba55ed50}) + number(std::uint16_t{1}) +
           number(std::uint16_t{16}) + number(std::uint64_t{entry.size()}) + entry;
}

std::string member(const std::string& name, std::string contents) {
    const std::string size = std::to_string(contents.size());
    if (contents.size() % 2) contents += '\n';
    return name + std::string(48 - name.size(), ' ') + size + std::string(10 - size.size(), ' ') +
           "`\n" + contents;
}

TEST_F(Link, ArchivesOfObjectsAreLinked) {
    const std::string archive =
        "!<arch>\n" + member("/", "symbols") + member("//", "a_rather_long_name_of_a_file.o/\n") +
        member("host.o/", object("")) + member("/0", object(fat_binary(ptx(kScale))));
    CHECK_CU(add(ptx(kMain), "main.ptx"));
    CHECK_CU(cuLinkAddData(state_, CU_JIT_INPUT_LIBRARY, const_cast<char*>(archive.data()),
                           archive.size(), "libscale.a", 0, nullptr, nullptr));
    CHECK_CU(complete());
    CUmodule module = nullptr;
    CHECK_CU(cuModuleLoadData(&module, image_));
    Buffer<int> x{std::vector<int>{1, 2, 3, 4}};
    CHECK_CU(launch(function(module, "k"), shape(1, 4), x.get()));
    EXPECT_EQ(x.read(), (std::vector<int>{1012, 1014, 1016, 1018}));
}

TEST_F(Link, TheBarrierOfCooperativeGridsIsTheDevices) {
    // As other compilers declare them: NVRTC has declarations of its own.
    std::string text = ptx(R"(
        extern "C" __device__ unsigned long long grid_handle(unsigned);
        extern "C" __device__ unsigned grid_barrier(unsigned long long, unsigned);
        extern "C" __global__ void k(int* x) {
            const int i = blockIdx.x * blockDim.x + threadIdx.x, count = gridDim.x * blockDim.x;
            const auto grid = grid_handle(1);
            for (int step = 0; step < 20; ++step) {
                const int next = x[(i + 1) % count];
                grid_barrier(grid, 0);
                x[i] = next + 1;
                grid_barrier(grid, 0);
            }
        })");
    const auto rename = [&](const std::string& from, const std::string& to) {
        for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
            text.replace(at, from.size(), to);
    };
    rename("grid_handle", "cudaCGGetIntrinsicHandle");
    rename("grid_barrier", "cudaCGSynchronize");
    CHECK_CU(add(text, "grid.ptx"));
    CHECK_CU(complete()) << log_;
    CUmodule module = nullptr;
    CHECK_CU(cuModuleLoadData(&module, image_));
    std::vector<int> values(4 * 96), wanted(4 * 96);
    for (int i = 0; i < 4 * 96; ++i) {
        values[static_cast<std::size_t>(i)] = i;
        wanted[static_cast<std::size_t>(i)] = (i + 20) % (4 * 96) + 20;
    }
    Buffer<int> x{values};
    CUdeviceptr address = x.get();
    void* parameters[] = {&address};
    CHECK_CU(cuLaunchCooperativeKernel(function(module, "k"), 4, 1, 1, 96, 1, 1, 0, nullptr,
                                       parameters));
    CHECK_CU(cuCtxSynchronize());
    EXPECT_EQ(x.read(), wanted);
}

TEST_F(Link, ObjectsAreLinked) {
    const std::string both = object(fat_binary(ptx(kScale)) + fat_binary(ptx(kMain)));
    CHECK_CU(cuLinkAddData(state_, CU_JIT_INPUT_OBJECT, const_cast<char*>(both.data()), both.size(),
                           "both.o", 0, nullptr, nullptr));
    CHECK_CU(complete());
}

TEST_F(Link, MachineCodeIsNamed) {
    const std::string archive =
        "!<arch>\n" + member("fast.o/", object(fat_binary("machine code", 2)));
    EXPECT_EQ(cuLinkAddData(state_, CU_JIT_INPUT_LIBRARY, const_cast<char*>(archive.data()),
                            archive.size(), "libfast.a", 0, nullptr, nullptr),
              CUDA_ERROR_NO_BINARY_FOR_GPU);
    EXPECT_EQ(
        std::string{log_},
        "libfast.a(fast.o): the fat binary holds machine code only; the software device takes "
        "PTX (compile it with -gencode arch=compute_75,code=compute_75)\n");
}

TEST_F(Link, DamagedArchivesAndObjectsAreRefused) {
    const std::string good = "!<arch>\n" + member("scale.o/", object(fat_binary(ptx(kScale))));
    for (std::size_t bytes = 9; bytes < good.size(); bytes += 37) {
        std::string bad = good.substr(0, bytes);
        cuLinkAddData(state_, CU_JIT_INPUT_LIBRARY, bad.data(), bad.size(), "bad.a", 0, nullptr,
                      nullptr);
        bad = good;
        bad[bytes] = static_cast<char>(bad[bytes] ^ 0x55);
        CUlinkState state = nullptr;
        CHECK_CU(cuLinkCreate(0, nullptr, nullptr, &state));
        cuLinkAddData(state, CU_JIT_INPUT_LIBRARY, bad.data(), bad.size(), "bad.a", 0, nullptr,
                      nullptr);
        CHECK_CU(cuLinkDestroy(state));
    }
}

TEST_F(Link, BadInputs) {
    EXPECT_EQ(add("nonsense", "bad.ptx"), CUDA_ERROR_INVALID_PTX);
    EXPECT_NE(std::string{log_}.find("bad.ptx"), std::string::npos) << log_;
    char elf[] = "\x7f\x45\x4c\x46";
    EXPECT_EQ(cuLinkAddData(state_, CU_JIT_INPUT_CUBIN, elf, 4, "a", 0, nullptr, nullptr),
              CUDA_ERROR_NO_BINARY_FOR_GPU);
    EXPECT_EQ(cuLinkAddData(state_, CU_JIT_INPUT_OBJECT, elf, 4, "a", 0, nullptr, nullptr),
              CUDA_ERROR_INVALID_IMAGE);
    EXPECT_EQ(cuLinkAddData(state_, CU_JIT_INPUT_NVVM, elf, 4, "a", 0, nullptr, nullptr),
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
