// SPDX-License-Identifier: MIT
// Words that continue what is typed: their order, and the list with real keys.
#include "editing.h"

#include "engine/ui/code_help.h"
#include "tests/temp_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

using namespace lathe;

namespace {

const std::string kWaves = R"cu(// Waves on a grid.
#define SIDE 64
struct Cell { float height; float speed; };
__device__ float slope(const Cell* cells, int at) { return cells[at].height; }
extern "C" __global__ void step(Cell* cells, int side, float stiffness)
{
    const int index = blockIdx.x * blockDim.x + threadIdx.x;
    float stretch = stiffness * slope(cells, index);

}
)cu";
constexpr int kEmptyLine = 9;

using Names = std::vector<std::string>;

/// The names for the text up to its |.
Names names_at(std::string source) {
    const std::size_t at = source.find('|');
    source.erase(at, 1);
    std::size_t begin = at;
    while (begin > 0 && is_word_character(source[begin - 1])) --begin;
    SourceIndex index;
    index.update(source, 1, {});
    Names names;
    for (const Candidate& c : find_candidates(index, begin, at)) names.push_back(c.name);
    return names;
}

bool has(const Names& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
}

Names first(Names names, std::size_t count) {
    names.resize(std::min(names.size(), count));
    return names;
}

/// The cursor stands in an empty line of the kernel, indented.
class Completion : public Editing {
protected:
    void SetUp() override { begin(kWaves, kEmptyLine); }
    const CompletionList& list() { return bench->editor.help()->completion(); }
    Names names() {
        Names out;
        for (const Candidate& c : list().items()) out.push_back(c.name);
        return out;
    }
    std::string line(int number = kEmptyLine) { return Editing::line(number); }
};

} // namespace

TEST(Candidates, TheNearestComeFirst) {
    EXPECT_EQ(first(names_at("float Sinus; float sink; void f() { sin|"), 7),
              (Names{"sin", "sink", "sinf", "sinh", "sinhf", "sinpi", "sincos"}))
        << "the word itself, the text's own, then the shorter ones";
    const Names more = names_at("float Sinus; float sink; void f() { sin|");
    EXPECT_LT(std::ranges::find(more, "Sinus"), std::ranges::find(more, "asin"))
        << "another case comes before a part";
    EXPECT_EQ(names_at("void f() { __shared__ float s; sha| }")[0], "__shared__");
    EXPECT_EQ(names_at("void f() { sync| }")[0], "__syncwarp");
    EXPECT_EQ(names_at("void f() { THR| }")[0], "threadIdx");
}

TEST(Candidates, BlocksAndDots) {
    EXPECT_TRUE(has(names_at("void f(int size) { si| }"), "size"));
    EXPECT_FALSE(has(names_at("void f() { si| }"), "si")) << "the word that is typed is none";
    EXPECT_TRUE(has(names_at("void f() { si; si| }"), "si"));
    const Names behind_dot = names_at("struct P { float mass; }; void f(P p) { p.m| }");
    EXPECT_EQ(behind_dot[0], "mass");
    EXPECT_FALSE(has(behind_dot, "max"));
    EXPECT_TRUE(has(names_at("void f(float2* p) { p->| }"), "y"));
    EXPECT_FALSE(has(names_at("#include <wave.h>\nvoid f() { wa| }"), "wave"));
    EXPECT_FALSE(has(names_at("void f() { de| }\n#define A"), "define"));
    EXPECT_TRUE(has(names_at("void f() { AB| }\n#define ABC"), "ABC"));
}

TEST_F(Completion, ComesWithTheSecondLetterAndTabTakesIt) {
    bench->type("s");
    EXPECT_FALSE(list().is_open());
    bench->type("t");
    ASSERT_TRUE(list().is_open());
    EXPECT_EQ(first(names(), 3), (Names{"step", "stretch", "stiffness"}));
    bench->keep("completion-list");
    bench->type("i");
    EXPECT_EQ(names()[0], "stiffness");
    bench->key(Key::tab);
    EXPECT_EQ(line(), "    stiffness");
    EXPECT_FALSE(list().is_open());
    bench->key(Key::z, kControl);
    EXPECT_EQ(line(), "    sti") << "one undo takes the word back";
}

TEST_F(Completion, EnterTakesAWordAndElseMakesALine) {
    bench->type("thr");
    ASSERT_TRUE(list().is_open());
    bench->key(Key::enter);
    EXPECT_EQ(line(), "    threadIdx");
    bench->key(Key::enter);
    EXPECT_EQ(line(), "    threadIdx");
    EXPECT_EQ(line(kEmptyLine + 1), "    ") << "a new line, indented";
    bench->type("int");
    ASSERT_TRUE(list().is_open()) << "int1, int2, ...";
    bench->key(Key::enter);
    EXPECT_EQ(line(kEmptyLine + 1), "    int");
    EXPECT_EQ(line(kEmptyLine + 2), "    ") << "the word was whole: Enter is a new line";
}

TEST_F(Completion, ArrowsMoveAndEscapeCloses) {
    bench->type("__sync");
    ASSERT_TRUE(list().is_open());
    EXPECT_EQ(list().selected(), 0u);
    bench->key(Key::down);
    bench->key(Key::down);
    EXPECT_EQ(list().selected(), 2u);
    bench->key(Key::up);
    bench->key(Key::up);
    bench->key(Key::up);
    EXPECT_EQ(list().selected(), list().items().size() - 1) << "round";
    bench->keep("completion-end");
    bench->key(Key::page_up);
    bench->key(Key::down);
    const std::string second = names()[1];
    bench->key(Key::tab);
    EXPECT_EQ(line(), "    " + second);
    bench->type(" at");
    ASSERT_TRUE(list().is_open());
    bench->key(Key::escape);
    EXPECT_FALSE(list().is_open());
    bench->type("o");
    EXPECT_FALSE(list().is_open()) << "not again for this word";
    bench->type(" ato");
    EXPECT_TRUE(list().is_open());
    bench->key(Key::backspace);
    EXPECT_TRUE(list().is_open());
    bench->key(Key::left);
    EXPECT_FALSE(list().is_open());
    bench->key(Key::down);
    EXPECT_FALSE(list().is_open());
    EXPECT_EQ(line(), "    " + second + " ato at");
}

TEST_F(Completion, ControlSpaceOpensItAtOnce) {
    bench->key(Key::space, kControl);
    ASSERT_TRUE(list().is_open());
    EXPECT_TRUE(has(names(), "index"));
    bench->key(Key::escape);
    bench->type("x");
    EXPECT_FALSE(list().is_open());
    bench->key(Key::space, kControl);
    EXPECT_FALSE(bench->run_control.paused);
    bench->key(Key::escape);
    bench->key(Key::backspace);
    bench->type("s");
    bench->key(Key::space, kControl);
    ASSERT_TRUE(list().is_open());
    bench->key(Key::enter);
    EXPECT_EQ(line(), "    side");
}

TEST_F(Completion, NeverInCommentsTextsAndNumbers) {
    for (const char* words : {"// thr", "\"thr", "/* thr", "1.0f", "0xab", "3e", "12ul"}) {
        begin(kWaves, kEmptyLine);
        bench->type(words);
        EXPECT_FALSE(list().is_open()) << words;
        bench->key(Key::space, kControl);
        EXPECT_FALSE(list().is_open()) << words;
        EXPECT_EQ(line(), std::string{"    "} + words);
    }
}

TEST_F(Completion, ControlEnterCompilesWithTheListOpen) {
    bench->type("st");
    ASSERT_TRUE(list().is_open());
    const auto compiles = bench->slots[0]->compiles();
    bench->key(Key::enter, kControl);
    bench->run(2);
    EXPECT_EQ(bench->slots[0]->compiles(), compiles + 1);
    EXPECT_EQ(line(), "    st");
}

TEST_F(Completion, AClickTakesAWord) {
    bench->type("st");
    ASSERT_TRUE(list().is_open());
    const std::string third = names()[2];
    const auto [low, row] = list().rows();
    bench->click(low.x + 30, low.y + 2.5f * row);
    EXPECT_EQ(line(), "    " + third);
    bench->type("; ");
    EXPECT_EQ(line(), "    " + third + "; ") << "the keyboard stays in the text";
}

TEST_F(Completion, StaysInsideOfTheWindow) {
    std::string tall = "__global__ void step() {\n";
    for (int i = 0; i < 60; ++i) tall += "    // line\n";
    begin(tall + "\n}\n", 62);
    bench->type(std::string(50, '+') + " th");
    ASSERT_TRUE(list().is_open());
    bench->run(2);
    bench->keep("completion-corner");
    EXPECT_TRUE(list().covers({1270, 600}) || list().covers({1270, 500}));
    EXPECT_FALSE(list().covers({1279, 600}));
    for (float y = 680; y < 720; ++y) EXPECT_FALSE(list().covers({1200, y})) << y;
}

TEST_F(Completion, IsNotDrawnWhereTheCursorIsOutOfSight) {
    std::string tall = "__global__ void step() {\n\n";
    for (int i = 0; i < 80; ++i) tall += "    // line\n";
    begin(tall + "}\n", 2);
    bench->type("powf(th");
    const auto covered = [&] {
        int places = 0;
        for (float y = 0; y < 720; y += 4) places += list().covers({950, y});
        return places;
    };
    EXPECT_GT(covered(), 10);
    for (int i = 0; i < 10; ++i) {
        bench->window.inject(WheelEvent{{0, -3}});
        bench->frame();
    }
    bench->run(3);
    bench->keep("completion-scrolled");
    EXPECT_TRUE(list().is_open());
    EXPECT_EQ(covered(), 0);
    bench->type("r");
    bench->run(2);
    EXPECT_GT(covered(), 10) << "the text scrolls back to what is typed";
}

TEST_F(Completion, TheTextFollowsTheCursor) {
    const auto is_drawn = [&] {
        for (float y = 4; y < 720; y += 4)
            for (float x = 760; x < 1280; x += 20)
                if (list().covers({x, y})) return true;
        return false;
    };
    bench->type(std::string(110, '+') + " th");
    bench->run(6);
    ASSERT_TRUE(list().is_open());
    EXPECT_TRUE(is_drawn()) << "to the side";
    bench->keep("completion-side");
    bench->key(Key::escape);
    bench->type(std::string(50, '\n') + "th");
    bench->run(6);
    ASSERT_TRUE(list().is_open());
    EXPECT_TRUE(is_drawn()) << "down";
    bench->keep("completion-down");
}

TEST(CompletionOfHeaders, TheirWordsAreOffered) {
    const test::TempFolder folder;
    std::ofstream{folder / "wave.cuh"} << "// A wave.\n__device__ float wavelet(float x);\n";
    UiBench bench;
    bench.add("__global__ void step() {\n\n}\n", [&](const KernelSource& source, Effort effort) {
        KernelBuild b = build_anything(source, effort);
        b.files = {folder / "wave.cuh", folder / "absent.cuh"};
        return b;
    });
    bench.run(3);
    bench.click(1100, 300);
    bench.key(Key::home, kControl);
    bench.key(Key::down);
    bench.type("wa");
    const auto& items = bench.editor.help()->completion().items();
    ASSERT_FALSE(items.empty());
    EXPECT_EQ(items[0].name, "wavelet");
    EXPECT_EQ(items[0].words, "A wave.");
}
