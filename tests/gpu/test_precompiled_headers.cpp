// SPDX-License-Identifier: MIT
// Precompiled headers change nothing but the time, and leave nothing behind. No device.
#include "gpu/compile_cache.h"
#include "gpu/compile_options.h"
#include "gpu/compiler.h"
#include "gpu/header_set.h"
#include "gpu/nvrtc.h"
#include "gpu/precompiled_headers.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include <unistd.h>

namespace lathe::gpu {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKernel =
    "extern \"C\" __global__ void k(float* p) { p[threadIdx.x] = __half2float(__half(2.f)); }\n";

class PrecompiledHeadersTest : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_EQ(nvrtc_problem(), "");
        if (!nvrtc().pch_create_status) GTEST_SKIP() << "NVRTC before 12.8";
        if (nvrtc().include_directories.empty()) GTEST_SKIP() << "no headers of CUDA";
        std::string name = testing::TempDir() + "/lathe-headers-test-XXXXXX";
        folder_ = mkdtemp(name.data());
    }
    void TearDown() override { fs::remove_all(folder_); }

    /// Headers of a test are its own: its name is a macro.
    static CompileRequest request_for(std::string source) {
        const auto* test = testing::UnitTest::GetInstance()->current_test_info();
        return {.source = std::move(source),
                .name = "k.cu",
                .options = {std::string{"-DTEST_"} + test->name()},
                .target = CompileTarget{},
                .use_cache = false,
                .more_will_come = true};
    }
    static CompileResult compile_and_wait(const CompileRequest& request) {
        CompileResult result = compile(request);
        PrecompiledHeaders::instance().wait();
        return result;
    }
    static void expect_same(const CompileRequest& request) {
        const CompileResult without = compile_and_wait(request);
        const CompileResult with = compile(request);
        EXPECT_FALSE(without.had_headers);
        EXPECT_TRUE(with.had_headers) << request.source;
        EXPECT_EQ(with.ok, without.ok);
        EXPECT_TRUE(with.image == without.image) << request.source;
        EXPECT_EQ(with.log, without.log);
        EXPECT_EQ(with.diagnostics.size(), without.diagnostics.size());
        EXPECT_EQ(with.command_line, without.command_line);
        EXPECT_EQ(with.lowered_names, without.lowered_names);
        EXPECT_EQ(with.key, without.key);
    }
    void write(const char* name, const std::string& text) const {
        std::ofstream{folder_ / name} << text;
    }
    static std::string image_of(const CompileRequest& request) {
        const CompileResult result = compile_and_wait(request);
        return std::string{result.ok ? result.ptx() : result.log};
    }

    fs::path folder_;
};

TEST_F(PrecompiledHeadersTest, ImagesAreTheSame) {
    CompileRequest request =
        request_for("#include <cooperative_groups.h>\n"
                    "template <class T> __global__ void fill(T* p) { *p = T{3}; }\n"
                    "extern \"C\" __global__ void k(float* p) {\n"
                    "    auto block = cooperative_groups::this_thread_block();\n"
                    "    p[block.thread_rank()] = 1;\n"
                    "    block.sync();\n"
                    "}\n");
    request.name_expressions = {"fill<float>"};
    expect_same(request);
    request.target = CompileTarget{ImageKind::cubin, {9, 0}};
    expect_same(request);
    request.debug_info = true;
    expect_same(request);
}

// As a running kernel on a GPU is compiled: in full first, and after an edit quickly.
TEST_F(PrecompiledHeadersTest, QuickAndFullCompilesShareThem) {
    CompileRequest request = request_for(std::string{"#include <cuda_fp16.h>\n"} + kKernel);
    request.target = CompileTarget{ImageKind::cubin, {9, 0}};
    request.quick = true;
    request.more_will_come = false;
    const CompileResult without = compile(request);
    request.quick = false;
    request.more_will_come = true;
    EXPECT_FALSE(compile_and_wait(request).had_headers);
    request.quick = true;
    const CompileResult with = compile(request);
    EXPECT_TRUE(with.had_headers);
    EXPECT_EQ(with.quick, without.quick);
    EXPECT_TRUE(with.image == without.image);
}

TEST_F(PrecompiledHeadersTest, TheBeginningMayHaveAnyDirectives) {
    for (const char* begin :
         {"// a comment\n#define ONE 1\n#include <cuda_fp16.h>\n",
          "#pragma once\n/* a long\n   one */ #include <cuda_fp16.h> // and one\n",
          "#if 1 /* over\n lines */\n#include <cuda_fp16.h>\n#else\n#include <none.h>\n#endif\n",
          "#define TWO \\\n    2\n#pragma nv_diag_suppress 177\n  # include <cuda_fp16.h>\n",
          "#ifdef TEST\nint of_a_test;\n#endif\n#include <cuda_fp16.h>\n"}) {
        const std::string source = begin + std::string{kKernel};
        if (source.find("of_a_test") == source.npos) expect_same(request_for(source));
        else EXPECT_EQ(header_set_of(request_for(source), {}, {}, {}).prefix, "");
    }
}

TEST_F(PrecompiledHeadersTest, DiagnosticsAreTheSame) {
    const std::string begin = "#include <cuda_fp16.h>\n";
    for (const char* rest : {"\n\n__global__ void k(int* p) { int unused; p[0] = missing; }\n",
                             "__global__ void k(int* p) { int unused; p[0] = __LINE__; }\n",
                             "__global__ void k(__half* p) { p->missing(); __half h{p, p}; }\n",
                             "#include \"broken.h\"\n__global__ void k() {}\n"}) {
        CompileRequest request = request_for(begin + rest);
        request.headers = {{"broken.h", "#pragma once\n\nint a = b;\n"}};
        request.options.push_back("-DLENGTH=" + std::to_string(std::string{rest}.size()));
        expect_same(request);
    }
    // Comments and lines before the headers may change.
    CompileRequest request = request_for("#include <cuda_fp16.h>\nint x = y;\n");
    EXPECT_EQ(compile_and_wait(request).diagnostics.at(0).line, 2);
    request.source = "// new\n\n" + request.source;
    const CompileResult later = compile(request);
    EXPECT_TRUE(later.had_headers);
    EXPECT_EQ(later.diagnostics.at(0).line, 4);
}

TEST_F(PrecompiledHeadersTest, AWarningInThemIsNotLost) {
    const CompileRequest request =
        request_for("#warning careful\n#include <cuda_fp16.h>\n" + std::string{kKernel});
    const CompileResult first = compile_and_wait(request);
    const CompileResult second = compile_and_wait(request);
    EXPECT_EQ(first.diagnostics.size(), 1u);
    EXPECT_EQ(second.log, first.log);
    EXPECT_FALSE(second.had_headers);
}

TEST_F(PrecompiledHeadersTest, WithoutAWishTheThirdCompileMakesThem) {
    CompileRequest request = request_for("#include <cuda_fp16.h>\n" + std::string{kKernel});
    request.more_will_come = false;
    const auto made = [] { return PrecompiledHeaders::instance().stats().made; };
    const auto before = made();
    compile_and_wait(request);
    EXPECT_EQ(made(), before);
    request.source += "// another\n";
    compile_and_wait(request);
    EXPECT_EQ(made(), before);
    request.source += "// a third\n";
    EXPECT_FALSE(compile_and_wait(request).had_headers);
    EXPECT_EQ(made(), before + 1);
    request.source += "// a fourth\n";
    EXPECT_TRUE(compile(request).had_headers);
}

TEST_F(PrecompiledHeadersTest, AResultOfTheCacheMakesThemToo) {
    CompileRequest request = request_for("#include <cuda_fp16.h>\n" + std::string{kKernel});
    request.use_cache = true;
    request.more_will_come = false;
    EXPECT_FALSE(compile_and_wait(request).from_cache);
    request.more_will_come = true;
    EXPECT_TRUE(compile_and_wait(request).from_cache);
    request.source += "// an edit\n";
    EXPECT_TRUE(compile(request).had_headers);
}

TEST_F(PrecompiledHeadersTest, OwnHeadersAreNeverStale) {
    for (const char* begin : {"#include \"own.h\"\n#include <cuda_fp16.h>\n",
                              "#include <cuda_fp16.h>\n#include \"own.h\"\n",
                              "#include \"own.h\"\n", "#include OWN\n#include <cuda_fp16.h>\n",
                              "#include \"computed.h\"\n#include <cuda_fp16.h>\n"}) {
        CompileRequest request =
            request_for(std::string{begin} + "__global__ void k(int* p) { *p = VALUE; }\n");
        request.include_directories = {folder_};
        request.options.emplace_back("-DOWN=\"own.h\"");
        write("computed.h", "#include OWN\n");
        for (const char* value : {"4711", "4712", "4713"}) {
            write("own.h", std::string{"#include <cuda_fp16.h>\n#define VALUE "} + value + "\n");
            for (int i = 0; i < 2; ++i)
                EXPECT_NE(image_of(request).find(value), std::string::npos) << begin;
        }
    }
}

TEST_F(PrecompiledHeadersTest, HeadersGivenAsTextAreNeverStale) {
    CompileRequest request = request_for("#include \"own.h\"\n#include <cuda_fp16.h>\n"
                                         "__global__ void k(int* p) { *p = VALUE; }\n");
    for (const char* value : {"4711", "4712"}) {
        request.headers = {{"own.h", std::string{"#define VALUE "} + value + "\n"}};
        for (int i = 0; i < 2; ++i) EXPECT_NE(image_of(request).find(value), std::string::npos);
        EXPECT_TRUE(compile(request).had_headers);
    }
}

TEST_F(PrecompiledHeadersTest, AnEditOfAnOwnHeaderAfterwardsCanUseThem) {
    CompileRequest request = request_for("#include <cuda_fp16.h>\n#include \"own.h\"\n"
                                         "__global__ void k(int* p) { *p = VALUE; }\n");
    request.include_directories = {folder_};
    write("own.h", "#define VALUE 4711\n");
    compile_and_wait(request);
    write("own.h", "#define VALUE 4712\n");
    const CompileResult edited = compile(request);
    EXPECT_TRUE(edited.had_headers);
    EXPECT_NE(edited.ptx().find("4712"), std::string_view::npos);
}

TEST_F(PrecompiledHeadersTest, TypesThatAreDeclaredForTheSource) {
    expect_same(request_for("#include <cuda_fp16.h>\n__global__ void k(uint* p) { *p = 1; }\n"));
}

TEST_F(PrecompiledHeadersTest, OptionsOfTheUserWin) {
    CompileRequest request = request_for("#include <cuda_fp16.h>\n" + std::string{kKernel});
    request.options.insert(request.options.end(), {"--pch", "--pch-dir=" + folder_.string()});
    for (int i = 0; i < 2; ++i) {
        const CompileResult result = compile_and_wait(request);
        EXPECT_TRUE(result.ok) << result.log;
        EXPECT_FALSE(result.had_headers);
        EXPECT_NE(result.log.find("precompiled header file"), std::string::npos);
    }
}

TEST_F(PrecompiledHeadersTest, PlainSourcesHaveNone) {
    for (const char* source : {"__global__ void k() {}\n", "#include <stdint.h>\n#define N 1\n",
                               "__device__ int a;\n#include <cuda_fp16.h>\n"}) {
        const CompileRequest request = request_for(source);
        EXPECT_EQ(header_set_of(request, settle_options(request), {}, {}).key, "") << source;
    }
}

/// $TMPDIR while it lives.
struct TemporaryFolder {
    explicit TemporaryFolder(const fs::path& folder) { setenv("TMPDIR", folder.c_str(), 1); }
    ~TemporaryFolder() {
        if (before.empty()) unsetenv("TMPDIR");
        else setenv("TMPDIR", before.c_str(), 1);
    }
    std::string before = getenv("TMPDIR") ? getenv("TMPDIR") : "";
};

TEST_F(PrecompiledHeadersTest, NothingLiesInTheTemporaryFolder) {
    const TemporaryFolder here{folder_};
    expect_same(request_for("#include <cuda_fp16.h>\n" + std::string{kKernel}));
    EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(PrecompiledHeadersTest, ATemporaryFolderThatCannotBeWrittenIsNoError) {
    for (const char* folder : {"/proc", "/nonexistent"}) {
        const TemporaryFolder here{folder};
        CompileRequest request = request_for("#include <cuda_fp16.h>\n" + std::string{kKernel});
        request.options.push_back(std::string{"-DFOLDER="} + folder);
        EXPECT_TRUE(compile_and_wait(request).ok);
        const CompileResult again = compile_and_wait(request);
        EXPECT_TRUE(again.ok && again.log.empty());
        EXPECT_FALSE(again.had_headers);
    }
}

TEST_F(PrecompiledHeadersTest, AFileThatNvrtcRefusesIsNoError) {
    const CompileRequest request = request_for("#include <cuda_fp16.h>\n" + std::string{kKernel});
    const CompileOptions settled = settle_options(request);
    PrecompiledHeaders& all = PrecompiledHeaders::instance();
    all.wish(header_set_of(request, settled, settled.words, {}).key, true,
             [](const fs::path& file) { return bool(std::ofstream{file} << "damaged"); });
    all.wait();
    const auto failed = all.stats().failed;
    for (int i = 0; i < 2; ++i) {
        const CompileResult result = compile(request);
        EXPECT_TRUE(result.ok && result.log.empty()) << result.log;
        EXPECT_FALSE(result.had_headers);
        EXPECT_EQ(all.stats().failed, failed + 1);
    }
}

TEST_F(PrecompiledHeadersTest, ThoseUsedLongestAgoMakeRoom) {
    PrecompiledHeaders& all = PrecompiledHeaders::instance();
    for (const char* key : {"first", "second", "third"}) {
        all.wish(key, true, [](const fs::path& file) {
            std::ofstream{file} << "sparse";
            return truncate(file.c_str(), 600 << 20) == 0;
        });
        all.wait();
        EXPECT_LE(all.stats().bytes, std::size_t{1} << 30);
        EXPECT_NE(all.find(key), nullptr);
    }
    EXPECT_EQ(all.find("first"), nullptr);
}

TEST_F(PrecompiledHeadersTest, ThreadsCompileSideBySide) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([t, request = request_for("#include <cuda_fp16.h>\n")]() mutable {
            for (int i = 0; i < 8; ++i) {
                request.source = "#include <cuda_fp16.h>\n__global__ void k(__half* p) { *p = " +
                                 std::to_string(4000 + 10 * t + i) + "; }\n";
                request.options.back() = t < 2 ? "-DA" : "-DB";
                const CompileResult result = compile(request);
                EXPECT_TRUE(result.ok) << result.log;
            }
        });
    for (std::thread& thread : threads) thread.join();
    PrecompiledHeaders::instance().wait();
}

// The thread is at work, in its first compile or later, while the program ends.
TEST_F(PrecompiledHeadersTest, TheProgramMayEndMeanwhile) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto end_after = [this](int milliseconds, bool from_thread) {
        const CompileRequest request = request_for("#include <cooperative_groups.h>\n"
                                                   "__global__ void k() {}\n");
        if (from_thread) std::thread{[&] { compile(request); }}.join();
        else compile(request);
        fs::remove_all(folder_);
        std::thread{[] { PrecompiledHeaders::instance().wait(); }}.detach(); // it begins at once
        std::this_thread::sleep_for(std::chrono::milliseconds{milliseconds});
        std::exit(0);
    };
    EXPECT_EXIT(end_after(0, false), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(end_after(300, true), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(end_after(900, true), testing::ExitedWithCode(0), "");
}

} // namespace
} // namespace lathe::gpu
