// SPDX-License-Identifier: MIT
// What the library exports: every symbol of the driver library, and nothing but that and ours.
#include "tests/soft/client/elf_symbols.h"

#include <cuda.h>
#include <gtest/gtest.h>

#include <dlfcn.h>
#include <filesystem>
#include <string_view>

namespace lathe::test {
namespace {

struct Row {
    std::string_view name;
    int version;
    bool per_thread;
    std::string_view symbol;
};
constexpr Row kRows[] = {
#define LATHE_CU_PROC(name, version, per_thread, symbol) {name, version, per_thread, #symbol},
#include "gpu/soft/api/procs.inc"
#undef LATHE_CU_PROC
};

const std::map<std::string, bool>& exported() {
    static const auto symbols = exported_symbols(LATHE_TEST_SOFT_LIBRARY);
    return symbols;
}

void* library() {
    static void* const opened = dlopen(LATHE_TEST_SOFT_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    return opened;
}

template <class F> F* symbol(const char* name) {
    return reinterpret_cast<F*>(dlsym(library(), name));
}

TEST(Exports, EveryName) {
    EXPECT_GT(std::size(kRows), 650u);
    for (const Row& row : kRows)
        EXPECT_TRUE(exported().count(std::string{row.symbol})) << row.symbol;
}

TEST(Exports, TheToolkitsStub) {
    if (!std::filesystem::exists(LATHE_TEST_TOOLKIT_STUB)) GTEST_SKIP() << "no CUDA toolkit";
    const auto stub = exported_symbols(LATHE_TEST_TOOLKIT_STUB);
    EXPECT_GT(stub.size(), 600u);
    for (const auto& [name, weak] : stub)
        EXPECT_TRUE(!name.starts_with("cu") || exported().count(name)) << name;
}

// LLVM, fmt, libstdc++ and our own C++ stay inside: another copy in the process goes its own way.
TEST(Exports, NothingElse) {
    for (const auto& [name, weak] : exported()) {
        const bool driver =
            name.size() > 2 && name.starts_with("cu") && name[2] >= 'A' && name[2] <= 'Z';
        EXPECT_TRUE(driver || name.starts_with("latheSoft")) << name;
    }
}

TEST(Exports, BoundAtLoadTime) {
    void* module = dlopen(LATHE_TEST_EVERY_SYMBOL, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(module, nullptr) << dlerror();
    using Function = int (*)(void);
    const auto* all = static_cast<const Function*>(dlsym(module, "lathe_test_every_symbol"));
    ASSERT_NE(all, nullptr);
    std::size_t count = 0;
    for (; all[count]; ++count) {
        Dl_info info{};
        ASSERT_NE(dladdr(reinterpret_cast<void*>(all[count]), &info), 0);
        EXPECT_TRUE(std::filesystem::equivalent(info.dli_fname, LATHE_TEST_SOFT_LIBRARY))
            << kRows[count].symbol << " is in " << info.dli_fname;
    }
    EXPECT_EQ(count, std::size(kRows));
}

// A function with a stream has its variant for per-thread default streams, and both or none of
// them are implemented.
TEST(Exports, PerThreadVariants) {
    for (const Row& row : kRows) {
        if (!row.per_thread) continue;
        const std::string variant{row.symbol};
        const std::string base = variant.substr(0, variant.rfind("_pt"));
        ASSERT_TRUE(exported().count(base)) << base;
        EXPECT_EQ(exported().at(variant), exported().at(base)) << variant;
    }
}

TEST(Exports, UnsupportedFunctionsSaySo) {
    ASSERT_NE(library(), nullptr) << dlerror();
    auto unsupported = symbol<CUresult(void*, unsigned)>("cuEGLStreamConsumerConnect");
    auto text = symbol<const char*()>("latheSoftGetLastErrorText");
    ASSERT_TRUE(unsupported && text);
    testing::internal::CaptureStderr();
    EXPECT_EQ(unsupported(nullptr, 0), CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(unsupported(nullptr, 0), CUDA_ERROR_NOT_SUPPORTED);
    const std::string log = testing::internal::GetCapturedStderr();
    const std::size_t first = log.find("cuEGLStreamConsumerConnect");
    ASSERT_NE(first, std::string::npos) << log;
    EXPECT_EQ(log.find("cuEGLStreamConsumerConnect", first + 1), std::string::npos) << log;
    EXPECT_NE(std::string{text()}.find("cuEGLStreamConsumerConnect"), std::string::npos);
}

class ProcAddress : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_NE(library(), nullptr) << dlerror();
        look_up_ =
            symbol<CUresult(const char*, void**, int, cuuint64_t, CUdriverProcAddressQueryResult*)>(
                "cuGetProcAddress_v2");
        ASSERT_NE(look_up_, nullptr);
    }
    void* find(const char* name, int version, cuuint64_t flags = 0) {
        void* p = nullptr;
        EXPECT_EQ(look_up_(name, &p, version, flags, &status_), CUDA_SUCCESS) << name;
        return p;
    }
    CUresult (*look_up_)(const char*, void**, int, cuuint64_t,
                         CUdriverProcAddressQueryResult*) = nullptr;
    CUdriverProcAddressQueryResult status_{};
};

TEST_F(ProcAddress, EveryRowByItsVersion) {
    for (const Row& row : kRows) {
        const cuuint64_t flags = row.per_thread ? CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM
                                                : CU_GET_PROC_ADDRESS_LEGACY_STREAM;
        void* own = dlsym(library(), std::string{row.symbol}.c_str());
        EXPECT_EQ(find(std::string{row.name}.c_str(), row.version, flags), own) << row.symbol;
        EXPECT_EQ(status_, CU_GET_PROC_ADDRESS_SUCCESS);
    }
}

TEST_F(ProcAddress, OldAndUnknownNames) {
    EXPECT_EQ(find("cuLaunchKernelEx", 11000), nullptr);
    EXPECT_EQ(status_, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    EXPECT_EQ(find("cuNothing", 13000), nullptr);
    EXPECT_EQ(status_, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    // Without a variant, the flag changes nothing.
    EXPECT_EQ(find("cuInit", 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM),
              dlsym(library(), "cuInit"));
    EXPECT_EQ(find("cuMemcpyHtoD", 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM),
              dlsym(library(), "cuMemcpyHtoD_v2_ptds"));
    EXPECT_EQ(find("cuMemcpyHtoD", 13000), dlsym(library(), "cuMemcpyHtoD_v2"));
}

TEST_F(ProcAddress, BadArguments) {
    void* p = nullptr;
    EXPECT_EQ(look_up_(nullptr, &p, 13000, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(look_up_("cuInit", nullptr, 13000, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(look_up_("cuInit", &p, 13000, 3, nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(look_up_("cuInit", &p, 13000, 4, nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(look_up_("cuNothing", &p, 13000, 0, nullptr), CUDA_ERROR_NOT_FOUND);
    auto table = symbol<CUresult(const void**, const CUuuid*)>("cuGetExportTable");
    const void* export_table = &p;
    CUuuid id{};
    EXPECT_EQ(table(&export_table, &id), CUDA_ERROR_NOT_FOUND);
    EXPECT_EQ(export_table, nullptr);
    EXPECT_EQ(table(nullptr, &id), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(table(&export_table, nullptr), CUDA_ERROR_INVALID_VALUE);
}

} // namespace
} // namespace lathe::test
