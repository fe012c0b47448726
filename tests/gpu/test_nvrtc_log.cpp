// SPDX-License-Identifier: MIT
// NVRTC's messages, as it wrote them, become places.
#include "gpu/compiler.h"

#include <gtest/gtest.h>

namespace lathe::gpu {
namespace {

using Severity = Diagnostic::Severity;

TEST(NvrtcLog, EmptyLogHasNoDiagnostics) {
    EXPECT_TRUE(parse_nvrtc_log("").empty());
    EXPECT_TRUE(parse_nvrtc_log(std::string_view{"\0", 1}).empty());
}

TEST(NvrtcLog, ColumnIsTheCaretWithoutTheExcerptsIndent) {
    const auto found =
        parse_nvrtc_log("dir/kernel.cu(7): error: identifier \"bar\" is undefined\n"
                        "  \t\tp[0] = foo(3); int y = bar;\n"
                        "  \t\t                       ^\n"
                        "\n"
                        "1 error detected in the compilation of \"dir/kernel.cu\".\n");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0], (Diagnostic{"dir/kernel.cu", 7, 26, Severity::error,
                                    "identifier \"bar\" is undefined"}));
}

TEST(NvrtcLog, WarningsKeepTheirNumberAndRemarksGo) {
    const auto found = parse_nvrtc_log(
        "k.cu(3): warning #187-D: use of \"=\" where \"==\" may have been intended\n"
        "    if (a = 3) p[0]=1;\n"
        "        ^\n"
        "\n"
        "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n"
        "\n");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0], (Diagnostic{"k.cu", 3, 7, Severity::warning,
                                    "use of \"=\" where \"==\" may have been intended (#187-D)"}));
}

TEST(NvrtcLog, TextOfSeveralLinesAndNotes) {
    const auto found = parse_nvrtc_log(
        "k.cu(3): error: no instance of overloaded function \"f\" matches the argument list\n"
        "            argument types are: (const char [3])\n"
        "      f(\"ab\");\n"
        "      ^\n"
        "k.cu(1): note #3326-D: function \"f(float)\" does not match because argument #1 does not "
        "match parameter\n"
        "  __device__ void f(int);__device__ void f(float);\n"
        "                                         ^\n"
        "\n"
        "k.cu(9): error: expression must have class type but it has type \"int\"\n"
        "  \t  return a.  x;\n"
        "  \t         ^\n"
        "          detected during instantiation of \"T f(T) [with T=int]\" at line 8\n"
        "\n");
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[0].text, "no instance of overloaded function \"f\" matches the argument list\n"
                             "argument types are: (const char [3])");
    EXPECT_EQ(found[0].column, 5);
    EXPECT_EQ(found[1].severity, Severity::note);
    EXPECT_EQ(found[1].column, 40);
    EXPECT_EQ(found[2].text, "expression must have class type but it has type \"int\"\n"
                             "detected during instantiation of \"T f(T) [with T=int]\" at line 8");
    EXPECT_EQ(found[2].column, 11);
}

TEST(NvrtcLog, TheEndOfTheSourceIsItsLastLine) {
    const std::string_view log = "At end of source: error: expected a \"}\"\n"
                                 "k.cu(1): note #3196-D: to match this \"{\"\n"
                                 "  void f() {\n"
                                 "           ^\n";
    const auto found = parse_nvrtc_log(log, "k.cu", "void f() {\n    g();\n\n\n");
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0], (Diagnostic{"k.cu", 2, 0, Severity::error, "expected a \"}\""}));
    EXPECT_EQ(found[1].line, 1);
    EXPECT_EQ(parse_nvrtc_log(log)[0].line, 0) << "of a source that is not known";
}

TEST(NvrtcLog, CatastrophicErrorsAreErrors) {
    const auto found = parse_nvrtc_log(
        "kernel (copy).cu(8): catastrophic error: could not open source file \"nope.h\" (no "
        "directories in search list)\n"
        "  #include <nope.h>\n"
        "                   ^\n"
        "\n"
        "1 catastrophic error detected in the compilation of \"kernel (copy).cu\".\n"
        "Compilation terminated.\n");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].file, "kernel (copy).cu");
    EXPECT_EQ(found[0].line, 8);
    EXPECT_EQ(found[0].severity, Severity::error);
}

TEST(NvrtcLog, MessagesOfOptionsAndAssemblerHaveNoPlace) {
    const auto found = parse_nvrtc_log("nvrtc: error: unrecognized option -badopt found\n"
                                       "ptxas fatal   : Unresolved extern function '_Z3exti'\n");
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0],
              (Diagnostic{"", 0, 0, Severity::error, "nvrtc: unrecognized option -badopt found"}));
    EXPECT_EQ(found[1].text, "ptxas: Unresolved extern function '_Z3exti'");
}

} // namespace
} // namespace lathe::gpu
