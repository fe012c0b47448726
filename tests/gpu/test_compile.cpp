// SPDX-License-Identifier: MIT
// NVRTC through compile(): places of errors, headers, options, names, the cache. No device: the
// target is named.
#include "gpu/compile_cache.h"
#include "gpu/compiler.h"
#include "gpu/include_scan.h"
#include "gpu/nvrtc.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace lathe::gpu {
namespace {

namespace fs = std::filesystem;

// A cache of this run alone; before main, because the first compile settles its folder.
const fs::path kCacheFolder = [] {
    std::string name = testing::TempDir() + "/lathe-compile-XXXXXX";
    const fs::path folder = mkdtemp(name.data());
    setenv("LATHE_CACHE_DIR", folder.c_str(), 1);
    std::atexit([] { fs::remove_all(kCacheFolder); });
    return folder;
}();

class CompileTest : public testing::Test {
protected:
    void SetUp() override {
        const std::string problem = nvrtc_problem();
        ASSERT_EQ(problem, "");
    }
    static CompileRequest request_for(std::string source) {
        return {.source = std::move(source), .name = "k.cu", .target = CompileTarget{}};
    }
    static std::vector<Diagnostic> diagnostics_of(std::string source) {
        return compile(request_for(std::move(source))).diagnostics;
    }
};

TEST_F(CompileTest, PtxHasTheEntryAndLineTable) {
    const CompileResult r =
        compile(request_for("extern \"C\" __global__ void scale(float* p, float a, int n) {\n"
                            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                            "    if (i < n) p[i] *= a;\n"
                            "}\n"));
    ASSERT_TRUE(r.ok) << r.log;
    EXPECT_EQ(r.target, (CompileTarget{ImageKind::ptx, {7, 5}}));
    EXPECT_NE(r.ptx().find(".visible .entry scale("), std::string_view::npos);
    EXPECT_NE(r.ptx().find(".loc"), std::string_view::npos);
    EXPECT_NE(r.ptx().find("k.cu"), std::string_view::npos);
    EXPECT_NE(r.ptx().back(), '\0');
    EXPECT_TRUE(r.diagnostics.empty());
    EXPECT_NE(r.command_line.find("--gpu-architecture=compute_75"), std::string::npos);
}

TEST_F(CompileTest, CubinForHardware) {
    CompileRequest request = request_for("__global__ void k(int* p) { *p = 1; }");
    request.target = CompileTarget{ImageKind::cubin, {9, 0}};
    const CompileResult r = compile(request);
    ASSERT_TRUE(r.ok) << r.log;
    ASSERT_GT(r.image.size(), 4u);
    EXPECT_EQ(r.ptx().substr(1, 3), "ELF");
}

// What nvcc's host headers bring from <sys/types.h> (asked of nvcc 13.0), and its <stdint.h>.
TEST_F(CompileTest, TypesOfTheSystemNeedNoInclude) {
    for (const char* type :
         {"uint",      "ushort",  "ulong",    "u_char",   "u_short",   "u_int",
          "u_long",    "quad_t",  "u_quad_t", "u_int8_t", "u_int16_t", "u_int32_t",
          "u_int64_t", "ssize_t", "off_t",    "time_t",   "int8_t",    "int16_t",
          "int32_t",   "int64_t", "uint8_t",  "uint64_t"}) {
        const std::string body =
            std::string{"(ulong n, "} + type + "* p) { *p = " + type + "(n); }";
        const CompileResult r = compile(request_for("extern \"C\" __global__ void k" + body));
        EXPECT_TRUE(r.ok) << type << ": " << r.log;
    }
    const CompileResult wide = compile(request_for(
        "static_assert(sizeof(ulong) == 8 && sizeof(uint) == 4 && sizeof(ushort) == 2);\n"
        "static_assert(ushort(-1) > 0 && u_int64_t(-1) > 0 && quad_t(-1) < 0);"));
    EXPECT_TRUE(wide.ok) << wide.log;
    const CompileResult included = compile(
        request_for("#include <sys/types.h>\n__global__ void k(uint* p, u_int8_t b) { *p = b; }"));
    EXPECT_TRUE(included.ok) << included.log;
}

// A program's own declarations win, whatever they are.
TEST_F(CompileTest, TypesOfTheSystemDoNotClashWithTheSourcesOwn) {
    for (const char* own :
         {"typedef unsigned int uint;", "typedef unsigned long long uint;", "using uint = float;",
          "struct uint { int value; operator int() const { return value; } };",
          "#define uint unsigned int", "#include <stdint.h>\ntypedef uint32_t uint;"}) {
        const std::string kernel = "__global__ void k(uint* a, ushort b) { a[b] = a[0]; }";
        const CompileResult r = compile(request_for(std::string{own} + "\n" + kernel));
        EXPECT_TRUE(r.ok) << own << ": " << r.log;
    }
    const CompileResult local =
        compile(request_for("__global__ void k(int* p) { int uint = 3, ulong = 4; *p = uint; }"));
    EXPECT_TRUE(local.ok) << local.log;
}

// Lines and columns stay, and what else is wrong is said.
TEST_F(CompileTest, ErrorsBesideTypesOfTheSystem) {
    const auto found = diagnostics_of("__global__ void k(uint* a) {\n    *a = nothing;\n}\n");
    ASSERT_EQ(found.size(), 1u) << to_string(found[0]);
    EXPECT_EQ(to_string(found[0]), "k.cu:2:10: error: identifier \"nothing\" is undefined");
}

// Small programs are compiled with fewer declarations; one that needs them after all gets them.
TEST_F(CompileTest, DeclarationsLeftOutComeBackWhereTheyAreNeeded) {
    const CompileResult small = compile(request_for("__global__ void k(int* p) { *p = 1; }"));
    ASSERT_TRUE(small.ok) << small.log;
    EXPECT_NE(small.command_line.find("--minimal"), std::string::npos);
    for (const char* source :
         {"__global__ void k(cudaTextureObject_t t, float* p) { *p = tex2D<float>(t, 0, 0); }",
          "#define RUNTIME(name) cu##da##name\n" // hidden from a search for words
          "__global__ void k(int* p) { *p = sizeof(RUNTIME(TextureObject_t)); }"}) {
        const CompileResult r = compile(request_for(source));
        EXPECT_TRUE(r.ok) << r.log;
        EXPECT_EQ(r.command_line.find("--minimal"), std::string::npos);
    }
}

// Our own headers do with few declarations, and so do words that only contain others.
TEST_F(CompileTest, HeadersOfArraysAreCompiledWithFewDeclarations) {
    const auto is_minimal = [](const std::string& source) {
        const CompileResult r = compile(request_for(source));
        EXPECT_TRUE(r.ok) << r.log;
        return r.command_line.find("--minimal") != std::string::npos;
    };
    const std::string kernel = "\n__global__ void k(int* p) { constexpr int one = 1; *p = one; }";
    EXPECT_TRUE(is_minimal(kernel));
    for (const char* name : {"lathe_numbers.hpp", "lathe_half.hpp", "lathe_complex.hpp",
                             "pycuda-complex.hpp", "lathe_reductions.hpp", "lathe_random.hpp",
                             "lathe_distributions.hpp", "stdint.h", "cassert", "cmath"})
        EXPECT_TRUE(is_minimal(std::string{"#include <"} + name + ">" + kernel)) << name;
    EXPECT_FALSE(is_minimal("#include <pycuda-helpers.hpp>" + kernel)) << "textures";
    EXPECT_FALSE(is_minimal("#include <cuda_fp16.h>" + kernel)) << "not ours";
}

// The command line is that of the last attempt.
TEST_F(CompileTest, OnlyAnErrorOfANameIsTriedWithAllDeclarations) {
    const auto tried_again = [](const char* body) {
        const CompileResult r =
            compile(request_for(std::string{"__global__ void k(int* p) { "} + body + " }\n"));
        EXPECT_FALSE(r.ok) << body;
        return r.command_line.find("--minimal") == std::string::npos;
    };
    EXPECT_FALSE(tried_again("*p = 1"));
    EXPECT_FALSE(tried_again("*p = \"word\";"));
    EXPECT_FALSE(tried_again("for (;;"));
    EXPECT_TRUE(tried_again("*p = oops;"));
    EXPECT_TRUE(tried_again("oops_t x;"));
    EXPECT_TRUE(tried_again("struct S; *p = sizeof(S);"));
}

TEST_F(CompileTest, QuickOnesAreNotKeptAndGiveWayToTheFullOne) {
    CompileRequest request = request_for("__device__ float twice(float x) { return 2 * x; }\n"
                                         "__global__ void k(float* p) { *p = twice(*p); }");
    request.quick = true;
    EXPECT_FALSE(compile(request).quick) << "PTX goes on to another compiler";
    CompileCache::instance().clear();
    request.target = CompileTarget{ImageKind::cubin, {9, 0}};
    for (int i = 0; i < 2; ++i) {
        const CompileResult quick = compile(request);
        ASSERT_TRUE(quick.ok) << quick.log;
        EXPECT_TRUE(quick.quick);
        EXPECT_FALSE(quick.from_cache);
    }
    request.quick = false;
    const CompileResult full = compile(request);
    EXPECT_FALSE(full.quick);
    EXPECT_FALSE(full.from_cache) << "the quick one is not the answer to this";
    request.quick = true;
    const CompileResult again = compile(request);
    EXPECT_TRUE(again.from_cache);
    EXPECT_FALSE(again.quick);
}

TEST_F(CompileTest, ErrorsHaveLineAndColumn) {
    struct Case {
        const char* source;
        int line;
        int column;
        const char* text;
    };
    const Case cases[] = {
        {"__global__ void k(int* p) {\n\tp[0] = foo;\n}\n", 2, 9,
         "identifier \"foo\" is undefined"},
        {"__global__ void k(int* p) {\n    int a = 1\n}\n", 3, 1, "expected a \";\""},
        {"#error stop\n", 1, 2, "#error directive: stop"},
        {"__global__ void k(int* p) {\n    p[0] = 1;\n", 2, 0, "expected a \"}\""},
    };
    for (const Case& c : cases) {
        const auto found = diagnostics_of(c.source);
        ASSERT_FALSE(found.empty()) << c.source;
        EXPECT_EQ(found[0].file, "k.cu");
        EXPECT_EQ(found[0].line, c.line) << c.source;
        EXPECT_EQ(found[0].column, c.column) << c.source;
        EXPECT_EQ(found[0].text, c.text);
        EXPECT_EQ(found[0].severity, Diagnostic::Severity::error);
    }
}

TEST_F(CompileTest, ColumnsCountCharactersBehindAccents) {
    const std::string line = "    const char* s = \"\xc3\xa9\xc3\xa8\"; int y = bar;";
    const auto found = diagnostics_of("__global__ void k() {\n" + line + "\n}\n");
    const auto error = std::find_if(found.begin(), found.end(), [](const Diagnostic& d) {
        return d.text == "identifier \"bar\" is undefined";
    });
    ASSERT_NE(error, found.end());
    EXPECT_EQ(error->line, 2);
    EXPECT_EQ(error->column, static_cast<int>(line.find("bar")) + 1 - 2) << "two accents";
}

TEST_F(CompileTest, ColumnsInVeryLongLines) {
    const std::string line = std::string(300, ' ') + "int a = missing_symbol;";
    const auto found = diagnostics_of("__global__ void k() {\n" + line + "\n}\n");
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found[0].column, static_cast<int>(line.find("missing_symbol")) + 1);
}

TEST_F(CompileTest, ErrorsInAHeaderNameTheHeader) {
    CompileRequest request = request_for("#include \"ops.h\"\n__global__ void k() {}\n");
    request.headers = {{"ops.h", "inline int f() {\n  return zz;\n}\n"}};
    const auto found = compile(request).diagnostics;
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found[0].file, "ops.h");
    EXPECT_EQ(found[0].line, 2);
    EXPECT_EQ(found[0].column, 10);
}

TEST_F(CompileTest, WarningsComeWithASuccess) {
    const CompileResult r = compile(request_for("__global__ void k() {\n    int unused;\n}\n"));
    ASSERT_TRUE(r.ok);
    ASSERT_EQ(r.diagnostics.size(), 1u);
    EXPECT_EQ(r.diagnostics[0].severity, Diagnostic::Severity::warning);
    EXPECT_EQ(r.diagnostics[0].line, 2);
    EXPECT_EQ(r.diagnostics[0].column, 9);
}

TEST_F(CompileTest, AWrongOptionIsADiagnosticToo) {
    CompileRequest request = request_for("__global__ void k() {}");
    request.options = {"--no-such-option"};
    const CompileResult r = compile(request);
    EXPECT_FALSE(r.ok);
    ASSERT_FALSE(r.diagnostics.empty());
    EXPECT_NE(r.diagnostics[0].text.find("--no-such-option"), std::string::npos) << r.log;
}

TEST_F(CompileTest, CompileOrThrowCarriesEverything) {
    try {
        compile_or_throw(request_for("__global__ void k() { x; }"));
        FAIL() << "did not throw";
    } catch (const CompileError& e) {
        EXPECT_STREQ(e.what(), "k.cu:1:23: error: identifier \"x\" is undefined");
        EXPECT_EQ(e.diagnostics().size(), 1u);
        EXPECT_NE(e.log().find("detected in the compilation"), std::string::npos);
        EXPECT_NE(e.command_line().find("--std=c++17"), std::string::npos);
    }
}

TEST_F(CompileTest, HelpersNeedNoDeviceDecoration) {
    const CompileResult r = compile(request_for("float twice(float x) { return 2 * x; }\n"
                                                "__global__ void k(float* p) { *p = twice(*p); }"));
    EXPECT_TRUE(r.ok) << r.log;
}

TEST_F(CompileTest, HabitualHeadersAreThere) {
    const CompileResult r = compile(request_for(
        "#include <stdio.h>\n#include <cstdio>\n#include <stdint.h>\n#include <cstdint>\n"
        "#include <math.h>\n#include <cmath>\n#include <assert.h>\n#include <cassert>\n"
        "#include <stddef.h>\n#include <cstddef>\n#include <stdlib.h>\n#include <cstdlib>\n"
        "#include <string.h>\n#include <cstring>\n#include <limits.h>\n#include <climits>\n"
        "#include <float.h>\n#include <cfloat>\n"
        "__global__ void k(uint32_t* p, std::int64_t n, std::size_t m) {\n"
        "    assert(n < INT64_MAX && m > 0 && CHAR_BIT == 8);\n"
        "    static_assert(sizeof(int64_t) == 8 && sizeof(uint8_t) == 1, \"\");\n"
        "    if (n == 0) printf(\"%f %f\\n\", sin(M_PI), (double)INFINITY);\n"
        "    p[0] = UINT32_MAX - (uint32_t)FLT_EPSILON; memset(p, 0, 4);\n"
        "}\n"));
    EXPECT_TRUE(r.ok) << r.log;
}

TEST_F(CompileTest, ToolkitHeadersGoTogetherWithThem) {
    if (nvrtc().include_directories.empty()) GTEST_SKIP() << "no CUDA headers";
    const CompileResult r = compile(
        request_for("#include <cstdint>\n#include <cmath>\n#include <cuda_fp16.h>\n"
                    "#include <cuda/std/cstdint>\n"
                    "#include <cuda/std/complex>\n"
                    "__global__ void k(cuda::std::complex<float>* p, __half h, uint64_t n) {\n"
                    "    p[n] = {__half2float(h), 1.f};\n"
                    "}\n"));
    EXPECT_TRUE(r.ok) << r.log;
}

TEST_F(CompileTest, GivenOptionsReplaceDefaults) {
    CompileRequest request = request_for("#if __cplusplus != 202002L\n#error standard\n#endif\n"
                                         "#if __CUDA_ARCH__ != 800\n#error arch\n#endif\n"
                                         "__global__ void k(int* p) { *p = VALUE; }");
    request.options = {"-std=c++20", "-arch=compute_80", "-DVALUE=42"};
    const CompileResult r = compile(request);
    ASSERT_TRUE(r.ok) << r.log;
    EXPECT_EQ(r.target, (CompileTarget{ImageKind::ptx, {8, 0}}));
    EXPECT_NE(r.ptx().find("42"), std::string_view::npos);
}

TEST_F(CompileTest, LoweredNamesOfTemplates) {
    CompileRequest request =
        request_for("template <class T> __global__ void fill(T* p, T v) { *p = v; }");
    request.name_expressions = {"fill<float>", "&fill<int>"};
    for (int round = 0; round < 2; ++round) {
        const CompileResult r = compile(request);
        ASSERT_TRUE(r.ok) << r.log;
        EXPECT_EQ(r.lowered_names.at("fill<float>"), "_Z4fillIfEvPT_S0_");
        EXPECT_EQ(r.lowered_names.at("&fill<int>"), "_Z4fillIiEvPT_S0_");
        EXPECT_EQ(r.from_cache, round == 1);
    }
}

TEST_F(CompileTest, DebugInfoIsPtxWithDwarf) {
    CompileRequest request = request_for("__global__ void k(float* grid, int width) {}");
    request.debug_info = true;
    request.target = CompileTarget{ImageKind::cubin, {9, 0}};
    const CompileResult r = compile(request);
    ASSERT_TRUE(r.ok) << r.log;
    EXPECT_EQ(r.target.kind, ImageKind::ptx);
    EXPECT_NE(r.ptx().find(".debug_info"), std::string_view::npos);
}

TEST_F(CompileTest, AnswersFromMemoryAndFromDisk) {
    CompileRequest request = request_for("__global__ void cached(int* p) { *p = 7; }");
    const CompileResult first = compile(request);
    ASSERT_TRUE(first.ok);
    EXPECT_FALSE(first.from_cache);
    const CompileResult second = compile(request);
    EXPECT_TRUE(second.from_cache);
    EXPECT_FALSE(second.from_disk);
    CompileCache::instance().clear_memory();
    const CompileResult third = compile(request);
    EXPECT_TRUE(third.from_cache);
    EXPECT_TRUE(third.from_disk);
    EXPECT_EQ(third.image, first.image);
    EXPECT_LT(third.milliseconds, first.milliseconds);
    EXPECT_EQ(CompileCache::instance().folder(), kCacheFolder / "kernels");

    request.use_cache = false;
    EXPECT_FALSE(compile(request).from_cache);
}

TEST_F(CompileTest, EverythingThatDecidesTheImageDecidesTheKey) {
    CompileRequest request = request_for("__global__ void keyed(int* p) { *p = 7; }");
    ASSERT_FALSE(compile(request).from_cache);
    const auto is_new = [](CompileRequest changed) { return !compile(changed).from_cache; };
    CompileRequest changed = request;
    changed.source += " ";
    EXPECT_TRUE(is_new(changed));
    changed = request;
    changed.name = "other.cu";
    EXPECT_TRUE(is_new(changed));
    changed = request;
    changed.options = {"-use_fast_math"};
    EXPECT_TRUE(is_new(changed));
    changed = request;
    changed.headers = {{"a.h", "1"}};
    EXPECT_TRUE(is_new(changed));
    changed = request;
    changed.target = CompileTarget{ImageKind::ptx, {8, 0}};
    EXPECT_TRUE(is_new(changed));
    changed = request;
    changed.debug_info = true;
    EXPECT_TRUE(is_new(changed));
    EXPECT_FALSE(is_new(request));
}

TEST_F(CompileTest, AChangedHeaderFileIsCompiledAgain) {
    const fs::path folder = kCacheFolder / "include";
    fs::create_directories(folder);
    const auto write = [&](const char* file, const char* text) {
        std::ofstream{folder / file} << text;
    };
    write("outer.cuh", "#pragma once\n#  include \"inner.cuh\" // nested\n");
    write("inner.cuh", "#define VALUE 11\n");
    CompileRequest request = request_for("#include <outer.cuh>\n"
                                         "__global__ void k(int* p) { *p = VALUE; }");
    request.include_directories = {folder};
    EXPECT_NE(compile(request).ptx().find("11;"), std::string_view::npos);
    EXPECT_TRUE(compile(request).from_cache);
    write("inner.cuh", "#define VALUE 12\n");
    const CompileResult again = compile(request);
    EXPECT_FALSE(again.from_cache);
    EXPECT_NE(again.ptx().find("12;"), std::string_view::npos);
    EXPECT_EQ(again.files, (std::vector{fs::canonical(folder / "inner.cuh"),
                                        fs::canonical(folder / "outer.cuh")}));

    // Beside a source that is a file, headers are found without being asked for.
    request.include_directories.clear();
    request.name = (folder / "k.cu").string();
    EXPECT_TRUE(compile(request).ok);
}

TEST_F(CompileTest, AChangedPreIncludeIsCompiledAgain) {
    const fs::path folder = kCacheFolder / "pre";
    fs::create_directories(folder);
    CompileRequest request = request_for("__global__ void k(int* p) { *p = VALUE; }");
    int value = 31;
    for (const bool by_folder : {false, true})
        for (const std::string option : {"--pre-include=", "-include"}) {
            request.options = {option};
            if (option.back() != '=') request.options.emplace_back(); // a separate word
            request.options.back() += by_folder ? "pre.cuh" : (folder / "pre.cuh").string();
            if (by_folder) request.include_directories = {folder};
            for (int i = 0; i < 2; ++i) {
                std::ofstream{folder / "pre.cuh"} << "#define VALUE " << ++value << "\n";
                const CompileResult r = compile(request);
                ASSERT_TRUE(r.ok) << r.log;
                EXPECT_NE(r.ptx().find(std::to_string(value) + ";"), std::string_view::npos)
                    << option << value;
                auto files = r.files;
                std::erase_if(files, [](const fs::path& place) { return !fs::exists(place); });
                EXPECT_EQ(files, std::vector{fs::canonical(folder / "pre.cuh")});
            }
        }
}

TEST_F(CompileTest, ThreadsCompileSideBySide) {
    std::vector<std::thread> threads;
    std::atomic<int> failures{0};
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 4; ++i) {
                const int value = 1000 + (i % 2 ? i : t * 10 + i);
                const CompileResult r = compile(request_for(
                    "__global__ void k(int* p) { *p = " + std::to_string(value) + "; }"));
                if (!r.ok || r.ptx().find(std::to_string(value)) == std::string_view::npos)
                    ++failures;
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(failures, 0);
}

TEST(IncludeScan, FollowsOwnFoldersOnceAndStopsAtCycles) {
    const fs::path folder = kCacheFolder / "scan";
    fs::create_directories(folder / "sub");
    std::ofstream{folder / "a.h"} << "#include \"sub/b.h\"\n#include \"a.h\"\n";
    std::ofstream{folder / "sub" / "b.h"} << "#include \"c.h\"\n#include <vector>\n";
    std::ofstream{folder / "sub" / "c.h"} << "#include \"../a.h\"\n";
    const std::vector<fs::path> folders{folder};
    const auto [found, absent] =
        scan_includes("#include <a.h>\n#include \"missing.h\"\n# include", folders);
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[0].path.filename(), "a.h");
    EXPECT_EQ(found[1].path.filename(), "b.h");
    EXPECT_EQ(found[2].path.filename(), "c.h");
    const fs::path normal = folder.lexically_normal();
    EXPECT_EQ(absent,
              (std::vector{normal / "sub" / "vector", normal / "vector", normal / "missing.h"}));
}

} // namespace
} // namespace lathe::gpu
