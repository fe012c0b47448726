// SPDX-License-Identifier: MIT
// What is said of a word under the mouse, and of the call that is typed.
#include "editing.h"

#include <gtest/gtest.h>

#include <string>

using namespace lathe;

namespace {

const std::string kSlopes = R"cu(// Waves on a grid.
#define SIDE 64 // cells of a row
struct Cell { float height; float speed; };
// Height beside a cell, in metres.
__device__ float slope(const Cell* cells, int at, float scale = 1) { return cells[at].height; }
extern "C" __global__ void step(Cell* cells, int side, float stiffness)
{
    const int index = blockIdx.x * blockDim.x + threadIdx.x;
    float stretch = stiffness * slope(cells, index, SIDE);
    float warm = powf(stretch, 2);

}
)cu";
constexpr int kFree = 11;

class Help : public Editing {
protected:
    void SetUp() override { begin(kSlopes, kFree); }
    /// Rests on the first place of a word in a line.
    std::string tip_at(int number, const std::string& word, int frames = 40) {
        const auto column = line(number).find(word);
        const ImVec2 at = place_of(number, int(column) + 2);
        bench->move(at.x, at.y);
        bench->run(frames);
        const auto& shown = bench->editor.help()->tip().shown();
        return shown ? shown->written + " | " + shown->words + " | " + shown->place : "";
    }
    std::string signature() {
        const auto& s = bench->editor.help()->signature().shown();
        return s ? s->before + '<' + s->present + '>' + s->after : "";
    }
};

std::string cut(std::string_view written, std::size_t argument, std::size_t most) {
    const auto s = signature_of(written, argument, most);
    return s ? s->before + '<' + s->present + '>' + s->after : "";
}

} // namespace

TEST(Signature, EmphasisesTheArgument) {
    constexpr auto kPow = "float powf(float x, float y)";
    EXPECT_EQ(cut(kPow, 0, 99), "float powf(<float x>, float y)");
    EXPECT_EQ(cut(kPow, 1, 99), "float powf(float x, <float y>)");
    EXPECT_EQ(cut(kPow, 2, 99), "float powf(float x, float y<>)") << "one too many";
    EXPECT_EQ(cut("void f()", 0, 99), "void f(<>)");
    EXPECT_EQ(cut("int x", 0, 99), "");
    EXPECT_EQ(cut("void f( int x , int y )", 1, 99), "void f(int x, <int y>)");
    EXPECT_EQ(cut("int printf(const char* format, ...)", 4, 99),
              "int printf(const char* format, <...>)");
    EXPECT_EQ(cut("__global__ void __launch_bounds__(64) k(A<1, 2> a, int n)", 1, 99),
              "__global__ void __launch_bounds__(64) k(A<1, 2> a, <int n>)");
    EXPECT_EQ(cut("#define SQUARE(x) ((x) * (x))", 0, 99), "#define SQUARE(<x>) ((x) * (x))");
}

TEST(Signature, LeavesOutWhatIsFar) {
    constexpr auto kLong = "extern \"C\" __global__ void k(int a, int b, int c, int d, int e)";
    EXPECT_EQ(cut(kLong, 0, 40), "k(<int a>, int b, int c, int d, int e)");
    EXPECT_EQ(cut(kLong, 0, 30), "k(<int a>, int b, int c, ...)");
    EXPECT_EQ(cut(kLong, 4, 30), "k(..., int c, int d, <int e>)");
    EXPECT_EQ(cut(kLong, 2, 26), "k(..., int b, <int c>, ...)");
    EXPECT_EQ(cut(kLong, 2, 1), "k(..., <int c>, ...)");
}

TEST_F(Help, ComesWhereTheMouseRests) {
    EXPECT_EQ(tip_at(9, "slope", 10), "") << "it has not rested yet";
    EXPECT_EQ(tip_at(9, "slope"),
              "__device__ float slope(const Cell* cells, int at, float scale = 1) | "
              "Height beside a cell, in metres. | function, line 5");
    bench->keep("help-function");
    EXPECT_EQ(tip_at(9, "SIDE"), "#define SIDE 64 | cells of a row | macro, line 2");
    EXPECT_EQ(tip_at(9, "stiffness"), "float stiffness |  | parameter, line 6");
    EXPECT_EQ(tip_at(10, "stretch"), "float stretch |  | variable, line 9");
    EXPECT_EQ(tip_at(3, "height"), "float height |  | member, line 3");
    EXPECT_EQ(tip_at(8, "threadIdx"),
              "const uint3 threadIdx | Index of this thread in its block: x, y and z, each from 0 "
              "to blockDim - 1. | CUDA");
    bench->keep("help-built-in");
    EXPECT_EQ(tip_at(1, "Waves"), "") << "a comment";
    EXPECT_EQ(tip_at(5, "return"), "") << "a word of C++";
    EXPECT_EQ(tip_at(8, ".x"), "") << "no member that is known";
    bench->move(300, 250);
    bench->run(40);
    EXPECT_FALSE(bench->editor.help()->tip().shown());
}

TEST_F(Help, TheCallThatIsTyped) {
    bench->type("slope");
    bench->key(Key::escape);
    EXPECT_EQ(signature(), "");
    bench->type("(");
    EXPECT_EQ(signature(), "__device__ float slope(<const Cell* cells>, int at, float scale = 1)");
    bench->type("cells, powf(");
    EXPECT_EQ(signature(), "float powf(<float x>, float y)");
    bench->type("2, st");
    EXPECT_EQ(signature(), "float powf(float x, <float y>)");
    ASSERT_TRUE(bench->editor.help()->completion().is_open());
    bench->keep("help-signature");
    bench->key(Key::escape);
    EXPECT_FALSE(bench->editor.help()->completion().is_open());
    EXPECT_NE(signature(), "") << "the list goes first";
    bench->key(Key::escape);
    EXPECT_EQ(signature(), "");
    bench->type("e");
    EXPECT_EQ(signature(), "") << "not again in these brackets";
    bench->type("),");
    EXPECT_EQ(signature(), "__device__ float slope(const Cell* cells, int at, <float scale = 1>)");
    bench->key(Key::left);
    EXPECT_EQ(signature(), "__device__ float slope(const Cell* cells, <int at>, float scale = 1)");
    bench->key(Key::home);
    EXPECT_EQ(signature(), "");
    EXPECT_EQ(line(kFree), "    slope(cells, powf(2, ste),");
}

TEST_F(Help, ControlShiftSpaceAsksForIt) {
    bench->key(Key::up);
    bench->key(Key::end);
    bench->key(Key::left);
    bench->key(Key::left);
    EXPECT_EQ(signature(), "") << "nothing was typed here";
    bench->key(Key::space, kControl | kShift);
    bench->run(1);
    EXPECT_EQ(signature(), "float powf(float x, <float y>)");
}

TEST_F(Help, InTheFirstLineItStandsBelow) {
    begin("\n__global__ void step() {}\n", 1);
    bench->type("atan2f(th");
    EXPECT_EQ(signature(), "float atan2f(<float y>, float x)");
    EXPECT_GT(bench->editor.help()->signature().below(), 0);
    EXPECT_TRUE(bench->editor.help()->completion().is_open());
    bench->keep("help-first-line");
}
