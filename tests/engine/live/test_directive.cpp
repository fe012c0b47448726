// SPDX-License-Identifier: MIT
#include "engine/live/directive.h"
#include "engine/live/source_scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

using namespace lathe;

namespace {

Directive parse(std::string_view text) {
    std::vector<Diagnostic> problems;
    Directive d = parse_directive(text, 1, 1, problems);
    for (const auto& p : problems) ADD_FAILURE() << to_string(p);
    return d;
}

constexpr std::string_view kGrayScott = R"cu(
//@ image v viridis
#include "lathe/complex.h"
struct Grid { int nx, ny; };
template <class T> __device__ T lap(const T* a, int i) { return a[i]; } // __global__ void no(int a)
extern "C" __global__ void __launch_bounds__(256, 2)
step(const float* __restrict__ u, float* v,
     float F, //@ 0.01..0.1 =0.037
     float k, //@ 0.03..0.07 =0.06 log
     //@ 1..32
     int steps, const float4 tint = make_float4(1, 0, 0, 1), //@ color =(1, 0.5, 0, 1)
     int width, bool wrap) //@ =true
{
    const char* s = "//@ not one, \" __global__ void x(float y)";
float unused; //@ free text
}
__global__ void init(float* u, float F);
)cu";

} // namespace

TEST(Directive, ReadsEveryWord) {
    Directive d = parse(" 0.01..0.1 =0.037 log step=0.001 ");
    EXPECT_EQ(d.min, 0.01);
    EXPECT_EQ(d.max, 0.1);
    EXPECT_EQ(d.initial, std::vector{0.037});
    EXPECT_EQ(d.step, 0.001);
    EXPECT_TRUE(d.log);
    d = parse("enum(spots, stripes,  waves) = 2");
    EXPECT_EQ(d.choices, (std::vector<std::string>{"spots", "stripes", "waves"}));
    EXPECT_EQ(d.initial, std::vector{2.0});
    d = parse("color, =(1, 0.5, 0)");
    EXPECT_TRUE(d.color);
    EXPECT_EQ(d.initial, (std::vector{1.0, 0.5, 0.0}));
    d = parse("-1e-3f..+2.5 =true hidden");
    EXPECT_EQ(d.min, -1e-3);
    EXPECT_EQ(d.max, 2.5);
    EXPECT_EQ(d.initial, std::vector{1.0});
    EXPECT_TRUE(d.hidden);
}

TEST(Directive, SaysWhereAWordIsNotUnderstood) {
    for (const auto* text :
         {"0.1..", "2..1", "0.1..0.1", "=abc", "enum(a,,b)", "step=0", "loog", "=(1,x)", "1...2"}) {
        std::vector<Diagnostic> problems;
        parse_directive(std::string{"drag "} + text, 7, 20, problems);
        ASSERT_EQ(problems.size(), 1u) << text;
        EXPECT_EQ(problems[0].line, 7);
        EXPECT_EQ(problems[0].column, 25) << text;
        EXPECT_EQ(problems[0].severity, Diagnostic::Severity::warning);
        EXPECT_NE(problems[0].text.find(text), std::string::npos) << problems[0].text;
    }
}

TEST(Directive, LogNeedsAPositiveRange) {
    std::vector<Diagnostic> problems;
    EXPECT_FALSE(parse_directive("0..1 log", 1, 1, problems).log);
    EXPECT_EQ(problems.size(), 1u);
}

TEST(Directive, SaysWhatIsWrongWithARange) {
    std::vector<Diagnostic> problems;
    EXPECT_EQ(parse_directive("3..1", 1, 1, problems).min, std::nullopt);
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].text, "range 3..1: the first number must be below the second");
}

TEST(Directive, AValueOutsideOfTheRangeIsNotTaken) {
    for (const auto* text : {"=5 0..1", "0..1 =-0.5", "color 0..1 =(0, 2, 0)"}) {
        std::vector<Diagnostic> problems;
        EXPECT_TRUE(parse_directive(text, 1, 1, problems).initial.empty()) << text;
        ASSERT_EQ(problems.size(), 1u) << text;
        EXPECT_NE(problems[0].text.find("outside of the range 0..1"), std::string::npos);
    }
    std::vector<Diagnostic> problems;
    EXPECT_EQ(parse_directive("0..1 =1", 1, 1, problems).initial, std::vector{1.0});
    EXPECT_TRUE(problems.empty());
}

TEST(Directive, BelongsToTheParameterOnItsLineElseToTheNext) {
    const auto found = find_directives(kGrayScott);
    EXPECT_TRUE(found.problems.empty());
    ASSERT_EQ(found.parameters.size(), 5u);
    ASSERT_NE(found.find("step", "F"), nullptr);
    EXPECT_EQ(found.find("step", "F")->initial, std::vector{0.037});
    EXPECT_TRUE(found.find("step", "k")->log);
    EXPECT_EQ(found.find("step", "steps")->max, 32);
    EXPECT_TRUE(found.find("step", "tint")->color);
    EXPECT_EQ(found.find("step", "wrap")->initial, std::vector{1.0});
    EXPECT_EQ(found.find("step", "width"), nullptr);
    EXPECT_EQ(found.find("init", "F"), nullptr);
    ASSERT_EQ(found.others.size(), 2u);
    EXPECT_EQ(found.others[0].text, "image v viridis");
    EXPECT_EQ(found.others[0].line, 2);
    EXPECT_EQ(found.others[1].text, "free text");
}

TEST(SourceScan, FindsKernelsAndTheirParameters) {
    const auto scan = scan_source(kGrayScott);
    ASSERT_EQ(scan.kernels.size(), 2u);
    EXPECT_EQ(scan.kernels[0].name, "step");
    std::vector<std::string> names;
    for (const auto& p : scan.kernels[0].parameters) names.push_back(p.name);
    EXPECT_EQ(names,
              (std::vector<std::string>{"u", "v", "F", "k", "steps", "tint", "width", "wrap"}));
    EXPECT_EQ(scan.kernels[1].name, "init");
}

constexpr std::string_view kStructures = R"cu(
struct alignas(16) Light {
    float x = 0.5f, //@ 0..1
          y;        //@ 0..2
    //@ color
    float3 color = {1, 1, 1};
    static const int kCount = 3;
    struct Lamp { float watts; //@ 0..100
        int kind; } lamp;
    float norm() const { float z; return z; }
    float far(float w);
    float weights[4]; //@ 0..1
};
typedef struct { int a, b; /* c */ } Pair; //@ 1..9
template <class T> struct Box : Light { T low, high; };
class Two { public: double u = sqrt(2.0), v; };
struct Light later; struct Forward; enum class E { p, q };
__global__ void k(Light light, struct Pair pair, float f); //@ 0..3
)cu";

TEST(SourceScan, FindsStructuresAndTheirMembers) {
    const auto scan = scan_source(kStructures);
    std::map<std::string, std::string> found;
    for (const auto& s : scan.structures)
        for (const auto& m : s.parameters) found[s.name] += m.name + " ";
    EXPECT_EQ(found, (std::map<std::string, std::string>{{"Light", "x y color lamp weights "},
                                                         {"Lamp", "watts kind "},
                                                         {"Pair", "a b "},
                                                         {"Box", "low high "},
                                                         {"T", "low high "}, // never asked for
                                                         {"Two", "u v "}}));
}

TEST(Directive, BelongsToAStructuresMember) {
    const auto found = find_directives(kStructures);
    EXPECT_TRUE(found.problems.empty()) << to_string(found.problems[0]);
    std::vector<std::string> names;
    for (const auto& d : found.members) names.push_back(d.kernel + "." + d.parameter);
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, (std::vector<std::string>{"Lamp.watts", "Light.color", "Light.weights",
                                               "Light.x", "Light.y", "Pair.b"}));
    EXPECT_EQ(found.find_member("Light", "y")->max, 2);
    EXPECT_TRUE(found.find_member("Light", "color")->color);
    EXPECT_EQ(found.find_member("Light", "watts"), nullptr);
    EXPECT_EQ(found.find("k", "f")->max, 3);
}

TEST(SourceScan, InterfaceIgnoresBodiesOnly) {
    const std::string a = "struct P { float x; };\n__global__ void k(float F) //@ 0..1\n{ x(1); }";
    const auto changed = [&](std::string_view from, std::string_view to) {
        std::string b = a;
        b.replace(b.find(from), from.size(), to);
        return scan_source(a).interface != scan_source(b).interface;
    };
    EXPECT_FALSE(changed("x(1)", "if (F) { y(2); }"));
    EXPECT_FALSE(changed(";\n__", ";   __"));
    EXPECT_TRUE(changed("float F", "double F"));
    EXPECT_TRUE(changed("0..1", "0..2"));
    EXPECT_TRUE(changed("float x", "float x, y"));
}

TEST(SourceScan, SurvivesHalfTypedText) {
    for (const std::string_view text : {kGrayScott, kStructures})
        for (std::size_t n = 0; n <= text.size(); ++n) {
            scan_source(text.substr(0, n));
            scan_source(text.substr(n));
            find_directives(text.substr(0, n));
        }
}
