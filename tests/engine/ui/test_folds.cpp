// SPDX-License-Identifier: MIT
// Folded text: keys, the arrows beside the lines, and that marks, jumps and lists find their place.
#include "editing.h"

#include <gtest/gtest.h>

#include <string>

using namespace lathe;

namespace {

constexpr const char* kFoldedText = R"cu(// A wave.
namespace wave {
__device__ float bump(float x)
{
    if (x > 0) {
        return x;
    }
    return -x;
}
}
extern "C" __global__ void step(float* x,
                                int n)
{
    const int i = threadIdx.x;
    x[i] = wave::bump(x[i]);
})cu"; // no line ends the text

KernelBuild build_with_error(const KernelSource& source, Effort effort) {
    KernelBuild b = build_anything(source, effort);
    b.diagnostics = {{"step.cu", 6, 9, Diagnostic::Severity::error, "no such thing"}};
    b.loaded.reset();
    return b;
}

class Folds : public Editing {
protected:
    void SetUp() override { start(build_anything); }
    void start(BuildKernel build) {
        bench.emplace();
        bench->add(kFoldedText, std::move(build));
        bench->run(3);
        go_to(1);
    }
    void fold() { press(Key::left_bracket, kControl | kShift); }
    void unfold() { press(Key::right_bracket, kControl | kShift); }
    void fold_all() { press(Key::left_bracket, kControl | kAlt); }
    void unfold_all() { press(Key::right_bracket, kControl | kAlt); }
    void press(Key k, unsigned modifiers) {
        bench->key(k, modifiers);
        bench->run(2);
    }
    /// The line of the text that is seen in a row: what is typed there shows it.
    int line_in(int row) {
        bench->run(25); // clicks that follow each other soon select
        const ImVec2 at = place_of(row, 1);
        bench->click(at.x, at.y);
        return line_of_cursor();
    }
    int line_of_cursor() {
        bench->type("@");
        const std::string& text = bench->slots[0]->source();
        const auto at = text.find('@');
        bench->key(Key::z, kControl);
        bench->run(1);
        EXPECT_EQ(bench->slots[0]->source(), kFoldedText);
        return at == text.npos ? 0
                               : 1 + int(std::count(text.begin(), text.begin() + long(at), '\n'));
    }
    /// How red the row's ground is behind all words.
    int red_in(int row) {
        const ImageData picture = bench->picture();
        const std::byte* const p = picture.at(1200, int(place_of(row, 1).y));
        return int(p[0]) - int(p[2]);
    }
    static constexpr float kArrow = 763; ///< beside the lines' numbers
};

} // namespace

TEST_F(Folds, TheBracketsAroundTheCursorOneAfterTheOther) {
    go_to(6);
    fold();
    bench->keep("fold");
    EXPECT_EQ(line_in(5), 5);
    EXPECT_EQ(line_in(6), 8);
    EXPECT_EQ(line_in(5), 5);
    fold(); // what is around that
    bench->keep("fold-twice");
    EXPECT_EQ(line_in(4), 4);
    EXPECT_EQ(line_in(5), 10);
    EXPECT_EQ(line_in(4), 4);
    unfold();
    EXPECT_EQ(line_in(5), 5);
    EXPECT_EQ(line_in(6), 6) << "what was folded within is seen, too";
}

TEST_F(Folds, RoundBracketsFoldToo) {
    go_to(12);
    fold();
    EXPECT_EQ(line_in(11), 11);
    EXPECT_EQ(line_in(12), 13);
}

TEST_F(Folds, AllOfTheTextAndBack) {
    fold_all();
    bench->keep("fold-all");
    EXPECT_EQ(line_in(2), 2);
    EXPECT_EQ(line_in(3), 11);
    EXPECT_EQ(line_in(5), 13);
    unfold_all();
    EXPECT_EQ(line_in(3), 3);
    EXPECT_EQ(line_in(16), 16);
}

TEST_F(Folds, AClickOnTheArrow) {
    go_to(16); // within what is folded, at the text's end
    bench->click(kArrow, place_of(13, 1).y);
    bench->run(2);
    EXPECT_EQ(line_of_cursor(), 13);
    bench->click(kArrow, place_of(13, 1).y);
    bench->run(2);
    EXPECT_EQ(line_in(14), 14);
}

TEST_F(Folds, AJumpUnfoldsWhereItGoes) {
    go_to(2);
    fold();
    EXPECT_EQ(line_in(3), 11);
    const ImVec2 call = place_of(7, 20); // bump, seen in the seventh row
    bench->run(25);
    bench->click(call.x, call.y);
    bench->key(Key::f12);
    bench->run(2);
    EXPECT_EQ(line_of_cursor(), 3);
    EXPECT_EQ(line_in(6), 6);
}

TEST_F(Folds, AnErrorShowsAtTheFoldAndF8GoesThere) {
    start(build_with_error);
    bench->run(2);
    EXPECT_GT(red_in(6), 0);
    EXPECT_LT(red_in(5), 0);
    go_to(6);
    fold();
    bench->keep("fold-error");
    EXPECT_GT(red_in(5), 0) << "the row that stands for the line";
    EXPECT_LT(red_in(6), 0);
    go_to(1);
    bench->key(Key::f8);
    bench->run(2);
    EXPECT_GT(red_in(6), 0);
    EXPECT_EQ(line_of_cursor(), 6);
}

TEST_F(Folds, AListStandsAtItsWordBelowAFold) {
    go_to(2);
    fold();
    const ImVec2 at = place_of(6, 40); // line 14, behind its words
    bench->click(at.x, at.y);
    bench->type(" th");
    bench->run(2);
    bench->keep("fold-words");
    const CompletionList& list = bench->editor.help()->completion();
    ASSERT_TRUE(list.is_open());
    EXPECT_TRUE(list.covers({at.x - 60, place_of(7, 1).y + 8}));
    EXPECT_FALSE(list.covers({at.x - 60, place_of(6, 1).y}));
}

TEST_F(Folds, ALineBreakBehindAFoldIsSeen) {
    go_to(2);
    fold();
    bench->key(Key::end);
    bench->type("\n");
    bench->run(2);
    bench->type("@");
    EXPECT_EQ(line(3), "    @");
    bench->keep("fold-line-break");
}

TEST_F(Folds, AFoldThatBeginsAboveTheWindow) {
    std::string tall = "__global__ void step() {\n";
    for (int i = 0; i < 60; ++i) tall += "    // line\n";
    bench.emplace();
    bench->add(tall + "}\n", build_anything);
    bench->run(3);
    go_to(55);
    bench->run(3);
    fold();
    bench->keep("fold-tall");
    bench->type("@");
    EXPECT_EQ(line(1), "__global__ void step() {@");
    const ImVec2 below = place_of(2, 1);
    bench->click(below.x, below.y);
    bench->type("#");
    EXPECT_EQ(line(63), "#") << "the line behind the fold";
}
