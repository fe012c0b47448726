// SPDX-License-Identifier: MIT
// Everything NVRTC writes for our kernels, under the options that change its form, is parsed and
// printed back to an equal tree, and verify() has nothing to say of it.
#include "gpu/ptx/dwarf.h"
#include "gpu/ptx/printer.h"
#include "gpu/ptx/verify.h"
#include "tests/soft/ptx/same_tree.h"
#include "tests/soft/ptx/texts.h"
#include "tests/soft/support/nvrtc.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

using namespace lathe;
using namespace lathe::ptx;
using namespace lathe::ptx::test;

namespace {

void expect_round_trip(const std::string& what, const std::string& source) {
    const Module first = parsed(source);
    EXPECT_FALSE(first.functions.empty()) << what;
    for (const Diagnostic& finding : verify(first))
        ADD_FAILURE() << what << ' ' << to_string(finding);
    const std::string again = print(first);
    const ParseResult second = parse(again);
    for (const Diagnostic& error : second.errors) ADD_FAILURE() << what << ' ' << to_string(error);
    EXPECT_EQ(difference(first, second.module), "") << what;
}

} // namespace

TEST(PtxFromNvrtc, IsReadVerifiedAndPrintedBack) {
    if (!lathe::test::has_nvrtc()) GTEST_SKIP() << "NVRTC 13 was not found";
    const std::vector<std::vector<std::string>> forms{{"-arch=compute_75", "-lineinfo"},
                                                      {"-arch=compute_75", "-G"},
                                                      {"-arch=compute_80", "--use_fast_math"},
                                                      {"-arch=compute_90", "-lineinfo"}};
    for (const std::string& name : lathe::test::kernel_names()) {
        const bool is_slow = name == "groups" || name == "curand"; // half a second a compile
        for (std::size_t i = 0; i < (is_slow ? 2 : forms.size()); ++i)
            expect_round_trip(name + ' ' + fmt::format("{}", fmt::join(forms[i], " ")),
                              lathe::test::compile_kernel(name, forms[i]));
    }
}

namespace {

std::string file_text(const std::filesystem::path& path) {
    std::ifstream file{path};
    return {std::istreambuf_iterator<char>{file}, {}};
}

} // namespace

// tests/soft/ptx/corpus calls all of the math API, of half and bfloat16, atomics of every scope
// and order, textures, matrices, CUB, libc++, cooperative groups and cuRAND; then the apps.
TEST(PtxFromNvrtc, OfABroadCorpusIsNotRefused) {
    if (!lathe::test::has_nvrtc()) GTEST_SKIP() << "NVRTC 13 was not found";
    for (const char* const folder : {LATHE_TEST_CORPUS, LATHE_TEST_APPS})
        for (const auto& entry : std::filesystem::recursive_directory_iterator{folder}) {
            if (entry.path().extension() != ".cu") continue;
            const std::string name = entry.path().filename();
            const std::string ptx =
                lathe::test::compile_to_ptx(file_text(entry.path()), name, {"-default-device"});
            const ParseResult result = parse(ptx);
            EXPECT_FALSE(result.module.functions.empty()) << name;
            for (const Diagnostic& each : result.errors) ADD_FAILURE() << name << to_string(each);
            for (const Diagnostic& each : verify(result.module))
                ADD_FAILURE() << name << to_string(each);
        }
}

TEST(PtxFromNvrtc, CarriesLinesAndInlineStacks) {
    if (!lathe::test::has_nvrtc()) GTEST_SKIP() << "NVRTC 13 was not found";
    const std::string source = "__device__ float inner(float x) { return sqrtf(x) * 3.0f; }\n"
                               "__device__ float outer(float x) { return inner(x) + 1.0f; }\n"
                               "extern \"C\" __global__ void k(float* x) {\n"
                               "    x[1] = outer(x[0]);\n"
                               "}\n";
    const Module module = parsed(lathe::test::compile_to_ptx(source, "stack.cu", {"-lineinfo"}));
    bool found = false;
    for (const Statement& statement : module.functions.back().body.statements) {
        const auto* const each = std::get_if<Instruction>(&statement);
        if (!each || each->opcode != Opcode::sqrt) continue;
        const Location* const at = module.location(each->location);
        ASSERT_TRUE(at);
        EXPECT_EQ(at->line, 1u);
        EXPECT_NE(at->function.find("inner"), std::string::npos) << at->function;
        const Location* const caller = module.location(at->inlined_at);
        ASSERT_TRUE(caller);
        EXPECT_EQ(caller->line, 2u);
        const Location* const kernel = module.location(caller->inlined_at);
        ASSERT_TRUE(kernel);
        EXPECT_EQ(kernel->line, 4u);
        EXPECT_NE(std::string{module.file_name(kernel->file)}.find("stack.cu"), std::string::npos);
        found = true;
    }
    EXPECT_TRUE(found);
}

TEST(PtxFromNvrtc, CarriesKernelSignatures) {
    if (!lathe::test::has_nvrtc()) GTEST_SKIP() << "NVRTC 13 was not found";
    using Kind = ParameterType::Kind;
    const auto signatures =
        kernel_signatures(parsed(lathe::test::compile_kernel("signatures", {"-G"})));
    ASSERT_EQ(signatures.size(), 3u);
    const KernelSignature& step = signatures[0].name == "step"   ? signatures[0]
                                  : signatures[1].name == "step" ? signatures[1]
                                                                 : signatures[2];
    ASSERT_EQ(step.name, "step");
    ASSERT_EQ(step.parameters.size(), 15u);
    const auto& p = step.parameters;
    EXPECT_EQ(p[0].name, "in");
    EXPECT_EQ(p[0].kind, Kind::pointer);
    EXPECT_TRUE(p[0].is_const_pointee);
    EXPECT_EQ(p[1].type_name, "Real*");
    EXPECT_FALSE(p[1].is_const_pointee);
    EXPECT_EQ(p[2].kind, Kind::structure);
    EXPECT_EQ(p[2].type_name, "Settings");
    ASSERT_EQ(p[2].members.size(), 6u);
    EXPECT_EQ(p[2].members[1].name, "kill");
    EXPECT_EQ(p[2].members[1].offset, 4u);
    EXPECT_EQ(p[2].members[2].kind, Kind::array);
    EXPECT_EQ(p[2].members[2].count, 3u);
    EXPECT_EQ(p[2].members[3].members[1].kind, Kind::pointer);
    EXPECT_EQ(p[2].members[4].offset, 48u);
    EXPECT_EQ(p[3].kind, Kind::enumeration);
    ASSERT_EQ(p[3].enumerators.size(), 3u);
    EXPECT_EQ(p[3].enumerators[2].name, "mode_negative");
    EXPECT_EQ(p[3].enumerators[2].value, -2);
    EXPECT_EQ(p[4].kind, Kind::boolean);
    EXPECT_EQ(p[5].kind, Kind::unsigned_integer);
    EXPECT_EQ(p[5].bytes, 1u);
    EXPECT_EQ(p[6].kind, Kind::signed_integer);
    EXPECT_EQ(p[6].bytes, 8u);
    EXPECT_EQ(p[7].kind, Kind::floating);
    EXPECT_EQ(p[7].bytes, 8u);
    EXPECT_EQ(p[10].kind, Kind::enumeration);
    EXPECT_EQ(p[10].bytes, 1u);
    EXPECT_EQ(p[10].enumerators[1].value, 200);
    EXPECT_EQ(p[13].type_name, "Real");
    EXPECT_EQ(p[13].kind, Kind::floating);

    const auto mangled =
        std::find_if(signatures.begin(), signatures.end(), [](const KernelSignature& each) {
            return each.name.find("scale") != std::string::npos;
        });
    ASSERT_NE(mangled, signatures.end());
    EXPECT_TRUE(mangled->name.starts_with("_Z")) << mangled->name;
    ASSERT_EQ(mangled->parameters.size(), 3u);
    EXPECT_EQ(mangled->parameters[1].name, "by");
    EXPECT_EQ(mangled->parameters[1].members[0].count, 4u);
}
