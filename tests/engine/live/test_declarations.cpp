// SPDX-License-Identifier: MIT
#include "engine/live/declarations.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

using namespace lathe;

namespace {

const std::string kBodies = R"cu(// Gravity of many bodies.
#define TILE 128 // bodies at once
#define SQUARE(x) ((x) * (x))

// A body: where it is,
// and how heavy.
struct __align__(16) Body {
    float3 place;
    float mass; // in suns
    __device__ float weight() const { return mass * 9.81f; }
};
enum class Mode : int { soft, hard = 2 };
using Real = float;
typedef unsigned int Word;

__constant__ float table[64], scale = 1.0f;
__device__ Real soften(float r2, float eps);

/* What one body does
 * to another. */
template <typename T, int N = 4>
__device__ __forceinline__ T pull(const T* __restrict__ from, int n /* count */, float eps = 1e-3f)
{
    T sum = 0;
    for (int i = 0; i < n; ++i) {
        const float a = from[i], *b = nullptr;
        if (float c = a * a; c > eps) sum += c;
        sum += SQUARE(a) * b[0];
    }
    return sum;
}

extern "C" __global__ void __launch_bounds__(TILE)
step(Body* bodies, int count,
     float dt, //@ 0..1
     float eps // softening
)
{
    __shared__ float3 tile[TILE];
    extern __shared__ float more[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float2 v{1, 2};
    unsigned int seed(3);
    if (i >= count) return;
    i * 2 == count;
    for (auto& x : tile) x = {};
    auto f = [&](int k) { return k; };
    while (int left = count) --left;
}
)cu";

std::map<std::string, Declaration> by_name(const std::string& source) {
    std::map<std::string, Declaration> found;
    for (Declaration& d : declarations_of(source, tokens_of(source)))
        found.emplace(d.name, std::move(d)); // the first one
    return found;
}

const std::map<std::string, Declaration>& all() {
    static const auto found = by_name(kBodies);
    return found;
}

std::string text_of(const std::string& name) {
    return all().contains(name) ? all().at(name).text : "none";
}

} // namespace

TEST(Declarations, HaveTheirWordsOnOneLine) {
    EXPECT_EQ(text_of("TILE"), "#define TILE 128");
    EXPECT_EQ(text_of("SQUARE"), "#define SQUARE(x) ((x) * (x))");
    EXPECT_EQ(text_of("table"), "__constant__ float table[64]");
    EXPECT_EQ(text_of("scale"), "__constant__ float scale");
    EXPECT_EQ(text_of("soften"), "__device__ Real soften(float r2, float eps)");
    EXPECT_EQ(text_of("pull"), "template <typename T, int N = 4> __device__ __forceinline__ T "
                               "pull(const T* __restrict__ from, int n, float eps = 1e-3f)");
    EXPECT_EQ(text_of("step"), "extern \"C\" __global__ void __launch_bounds__(TILE) step(Body* "
                               "bodies, int count, float dt, float eps)");
    EXPECT_EQ(text_of("tile"), "__shared__ float3 tile[TILE]");
    EXPECT_EQ(text_of("more"), "extern __shared__ float more[]");
    EXPECT_EQ(text_of("b"), "const float *b");
    EXPECT_EQ(text_of("a"), "const float a");
    EXPECT_EQ(text_of("v"), "float2 v");
    EXPECT_EQ(text_of("seed"), "unsigned int seed");
    EXPECT_EQ(text_of("Real"), "using Real = float");
    EXPECT_EQ(text_of("Word"), "typedef unsigned int Word");
    EXPECT_EQ(text_of("hard"), "hard = 2");
    EXPECT_EQ(text_of("x"), "auto& x");
    EXPECT_EQ(text_of("f"), "auto f");
    EXPECT_EQ(text_of("c"), "float c");
    EXPECT_EQ(text_of("left"), "int left");
    EXPECT_EQ(text_of("bodies"), "Body* bodies");
}

TEST(Declarations, NothingElseIsOne) {
    for (const char* name : {"sum2", "k", "n2", "return", "from2", "2", "int"})
        EXPECT_FALSE(all().contains(name)) << name;
    EXPECT_EQ(by_name("void f() { a * b == c; if (a && b) x = 1; g(h); return a * d; }").size(),
              1u);
}

TEST(Declarations, KnowTheirKind) {
    using enum DeclarationKind;
    const std::map<std::string, DeclarationKind> kinds{
        {"TILE", macro},     {"Body", structure}, {"mass", variable},  {"weight", function},
        {"Mode", structure}, {"soft", constant},  {"Real", type},      {"Word", type},
        {"table", variable}, {"pull", function},  {"from", parameter}, {"sum", variable},
        {"step", kernel},    {"dt", parameter},   {"i", variable}};
    for (const auto& [name, kind] : kinds) {
        ASSERT_TRUE(all().contains(name)) << name;
        EXPECT_EQ(name_of(all().at(name).kind), name_of(kind)) << name;
    }
    EXPECT_TRUE(all().at("mass").is_member);
    EXPECT_FALSE(all().at("soften").is_definition);
    EXPECT_TRUE(all().at("pull").is_definition);
}

TEST(Declarations, HaveTheCommentAboveOrBehind) {
    EXPECT_EQ(all().at("Body").comment, "A body: where it is, and how heavy.");
    EXPECT_EQ(all().at("pull").comment, "What one body does to another.");
    EXPECT_EQ(all().at("mass").comment, "in suns");
    EXPECT_EQ(all().at("TILE").comment, "bodies at once");
    EXPECT_EQ(all().at("eps").comment, "") << "pull's";
    EXPECT_EQ(all().at("dt").comment, "") << "a directive";
    EXPECT_EQ(all().at("place").comment, "");
    EXPECT_EQ(all().at("step").comment, "");
}

TEST(Declarations, AreSeenInTheirBlock) {
    const auto found = declarations_of(kBodies, tokens_of(kBodies));
    const auto line_at = [&](std::string_view name, std::string_view place) {
        const auto* d = find_declaration(found, name, kBodies.find(place));
        return d ? d->line : 0;
    };
    EXPECT_EQ(line_at("i", "i < n"), 25);
    EXPECT_EQ(line_at("i", "i >= count"), 41);
    EXPECT_EQ(line_at("i", "return sum"), 0) << "behind the loop";
    EXPECT_EQ(line_at("a", "return sum"), 0);
    EXPECT_EQ(line_at("eps", "eps) sum"), 22);
    EXPECT_EQ(line_at("eps", "count) return"), 36);
    EXPECT_EQ(line_at("eps", "Gravity"), 0);
    EXPECT_EQ(line_at("pull", "Gravity"), 22);
    EXPECT_EQ(line_at("mass", "Gravity"), 9);
    const std::string two = "float f(float x);\nfloat g() { return f(1); }\nfloat f(float x) { }";
    EXPECT_EQ(find_declaration(declarations_of(two, tokens_of(two)), "f", 40)->line, 3);
}

TEST(Declarations, ParametersOfACall) {
    const auto parameters_of = [](std::string_view declaration) {
        const auto list = parameters_in(declaration);
        return list ? list->parameters : std::vector<std::string>{"none"};
    };
    EXPECT_EQ(
        parameters_of(text_of("pull")),
        (std::vector<std::string>{"const T* __restrict__ from", "int n", "float eps = 1e-3f"}));
    EXPECT_EQ(
        parameters_of("__global__ void __launch_bounds__(8, 2) k(A<1, 2> a, int (*f)(int, int))"),
        (std::vector<std::string>{"A<1, 2> a", "int (*f)(int, int)"}));
    EXPECT_TRUE(parameters_of("void f()").empty());
    EXPECT_EQ(parameters_of("int x"), std::vector<std::string>{"none"});
}

TEST(Declarations, ManyBracketsAreNoTrouble) {
    for (const char* bracket :
         {"{", "if (a) {", "struct A {", "namespace a {", "f(int a) {", "(", "[<"}) {
        std::string deep;
        for (int i = 0; i < 20'000; ++i) deep += bracket;
        EXPECT_LT(declarations_of(deep, tokens_of(deep)).size(), 1000u);
    }
}

TEST(Declarations, HalfTypedTextGivesWhatIsThere) {
    for (std::size_t n = 0; n <= kBodies.size(); n += 3)
        for (const std::string& part : {kBodies.substr(0, n), kBodies.substr(n)})
            for (const Declaration& d : declarations_of(part, tokens_of(part)))
                ASSERT_EQ(part.substr(d.offset, d.name.size()), d.name);
    const auto cut = by_name("__global__ void k(float a) {\n    const int b = 1;\n    if (b) {");
    EXPECT_TRUE(cut.contains("k") && cut.contains("a") && cut.contains("b"));
}
