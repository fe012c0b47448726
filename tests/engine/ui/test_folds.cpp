// SPDX-License-Identifier: MIT
// Folded text: keys, the arrows beside the lines, and that marks, jumps and lists find their place.
#include "editing.h"

#include "engine/live/session.h"
#include "tests/temp_folder.h"

#include <gtest/gtest.h>

#include <optional>
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
    void start(BuildKernel build, const std::string& source = kFoldedText) {
        text = source;
        bench.emplace();
        bench->add(source, std::move(build));
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
        const std::string& typed = bench->slots[0]->source();
        const auto at = typed.find('@');
        bench->key(Key::z, kControl);
        bench->run(1);
        EXPECT_EQ(bench->slots[0]->source(), text);
        return at == typed.npos
                   ? 0
                   : 1 + int(std::count(typed.begin(), typed.begin() + long(at), '\n'));
    }
    /// How red the row's ground is behind all words.
    int red_in(int row) {
        const ImageData picture = bench->picture();
        const std::byte* const p = picture.at(1200, int(place_of(row, 1).y));
        return int(p[0]) - int(p[2]);
    }
    static constexpr float kArrow = 763; ///< beside the lines' numbers
    std::string text;                    ///< of the editor
};

/// Editors of one session, one after the other.
class FoldsOfRuns : public Folds {
protected:
    void SetUp() override { begin_run(kFoldedText); }
    void TearDown() override { bench.reset(); } // before its session
    void begin_run(const std::string& source) {
        bench.reset();
        session.emplace("folds", folder.path());
        text = source;
        bench.emplace(1280, 720, &*session);
        bench->editor.keeps_folds = true;
        bench->add(source, build_anything);
        bench->run(4);
        bench->click(1250, 390); // the keyboard is the editor's
    }
    void fold_bump() {
        go_to(6);
        fold();
        fold();
    }
    test::TempFolder folder;
    std::optional<Session> session;
};

} // namespace

TEST_F(FoldsOfRuns, AreThereAgain) {
    fold_bump();
    begin_run(kFoldedText);
    bench->keep("fold-next-run");
    EXPECT_EQ(line_in(4), 4);
    EXPECT_EQ(line_in(5), 10);
    go_to(4);
    unfold();
    EXPECT_EQ(line_in(5), 5);
    begin_run(kFoldedText);
    EXPECT_EQ(line_in(5), 5) << "what was shown again stays in sight";
}

TEST_F(FoldsOfRuns, FollowTheirLines) {
    fold_bump();
    begin_run("// A line more.\n" + std::string{kFoldedText});
    EXPECT_EQ(line_in(5), 5);
    EXPECT_EQ(line_in(6), 11);
}

TEST_F(FoldsOfRuns, GoWithTheirLines) {
    fold_bump();
    std::string changed = kFoldedText;
    changed.insert(changed.find("        return"), "        x += 1;\n");
    begin_run(changed);
    for (const int line : {4, 5, 6, 7}) EXPECT_EQ(line_in(line), line);
}

TEST_F(FoldsOfRuns, NothingElseIsFoldedAway) {
    fold_bump();
    std::string changed = kFoldedText;
    changed.insert(changed.find("\n{\n    if"), "/*"); // the same lines, and no brackets
    begin_run(changed + "*/");
    for (const int line : {4, 5, 6, 10}) EXPECT_EQ(line_in(line), line);
}

TEST_F(FoldsOfRuns, AFileThatChangesUnderneath) {
    fold_bump();
    text = "// A line more.\n" + std::string{kFoldedText};
    bench->slots[0]->set_source(text); // as a script or a file does
    bench->run(4);
    EXPECT_EQ(line_in(5), 5);
    EXPECT_EQ(line_in(6), 11);
}

TEST_F(FoldsOfRuns, ATabThatWasNotShownKeepsThem) {
    fold_bump();
    bench.reset();
    session.emplace("folds", folder.path());
    {
        KernelSlot slot{KernelSource{kFoldedText, "step.cu", "", {}, {}},
                        immediate(build_anything)};
        Inspector inspector;
        KernelEditor unseen{&*session, inspector};
        unseen.keeps_folds = true;
        unseen.add(slot, false);
        unseen.autosave(true);
    }
    begin_run(kFoldedText);
    EXPECT_EQ(line_in(5), 10);
}

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
