// SPDX-License-Identifier: MIT
// Sources that declare pointers to what is in shared memory, and the names that symbols have.
#include "gpu/inspect/shared_types.h"
#include "gpu/ptx/shared_variables.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace lathe::gpu {
namespace {

std::string local(const std::string& name) {
    return " decltype(&" + name + ") lathe_pointer_to_" + name + ";";
}

TEST(SharedTypes, EachDeclaratorHasAPointerBehindTheDeclaration) {
    EXPECT_EQ(with_pointers_to_shared("void f() { __shared__ float a[3]; a[0] = 1; }"),
              "void f() { __shared__ float a[3]; decltype(&a) lathe_pointer_to_a; a[0] = 1; }");
    const auto of = [](const std::string& text) {
        const std::string made = with_pointers_to_shared("void f() { " + text + " }");
        return made.substr(11 + text.size(), made.size() - 13 - text.size());
    };
    EXPECT_EQ(of("__shared__ float a[N * 2], *b, c;"), local("a") + local("b") + local("c"));
    EXPECT_EQ(of("extern __shared__ volatile int s[];"), local("s"));
    EXPECT_EQ(of("static __shared__ int n;"), local("n"));
    EXPECT_EQ(of("__shared__ std::array<float, 4> w;"), local("w"));
    EXPECT_EQ(of("__shared__ A<B<int>> w[2][3];"), local("w"));
    EXPECT_EQ(of("__shared__ __align__(16) char bytes[64];"), local("bytes"));
    EXPECT_EQ(of("__shared__ struct { int a, b[2]; } pair;"), local("pair"));
    EXPECT_EQ(of("__shared__ struct Two { int a; } two;"), local("two"));
}

TEST(SharedTypes, OfTheWholeFileItIsADeviceVariable) {
    const std::string of_file = " __device__ decltype(&n) lathe_pointer_to_n;";
    EXPECT_EQ(with_pointers_to_shared("__shared__ int n;"), "__shared__ int n;" + of_file);
    EXPECT_EQ(with_pointers_to_shared("namespace a { __shared__ int n; }"),
              "namespace a { __shared__ int n;" + of_file + " }");
    EXPECT_EQ(with_pointers_to_shared("void f(int k) { if (k) { __shared__ int n; } }"),
              "void f(int k) { if (k) { __shared__ int n;" + local("n") + " } }");
}

TEST(SharedTypes, WhatIsNoCodeIsLeftAlone) {
    for (const char* source : {
             "// __shared__ int n;\n",
             "/* __shared__ int n; */",
             "#define TILE __shared__ \\\n    float tile[4];\nint k;",
             "const char* s = \"__shared__ int n;\";",
             "const char* s = R\"x(__shared__ int n;)x\";",
             "int n = 1'000; char c = '\\'';",
             "__shared__",
             "void f() { __shared__ int n }",
             "",
         })
        EXPECT_EQ(with_pointers_to_shared(source), source);
}

TEST(SharedTypes, SymbolsHaveTheNamesOfTheSource) {
    using Name = std::pair<std::string, unsigned>;
    EXPECT_EQ(ptx::shared_name("_ZZ4workPfS_iE4tile"), (Name{"tile", 0}));
    EXPECT_EQ(ptx::shared_name("_ZZ4workPfE4tile_0"), (Name{"tile", 1}));
    EXPECT_EQ(ptx::shared_name("_ZZ4workPfE4tile__12_"), (Name{"tile", 13}));
    EXPECT_EQ(ptx::shared_name("_ZZN3sim4workILi4EEEvPfE1s"), (Name{"s", 0}));
    EXPECT_EQ(ptx::shared_name("_ZZ4workvE2E1"), (Name{"E1", 0}));
    EXPECT_EQ(ptx::shared_name("of_file"), (Name{"of_file", 0}));
    EXPECT_EQ(ptx::shared_name("_ZN3sim4tileE"), (Name{"tile", 0}));
    EXPECT_EQ(ptx::shared_name("_ZL4tile"), (Name{"tile", 0}));
    EXPECT_EQ(ptx::shared_name("_ZZ"), (Name{"_ZZ", 0}));
}

} // namespace
} // namespace lathe::gpu
