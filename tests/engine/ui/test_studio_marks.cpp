// SPDX-License-Identifier: MIT
// The steps of a followed thread in the studio: marks by the mouse, runs from mark to mark, steps
// over calls, the warp's other lanes, and arrays in shared memory.
#include "tests/engine/ui/rings_program.h"

#include <cstring>
#include <string>
#include <vector>

using namespace lathe;
using State = ThreadWatch::State;

namespace {

constexpr const char* kTurned =
    R"cu(__device__ float turned(float v, float by) {
    float made = v * by;
    return made > 3 ? made - 3 : made;
}
__global__ void rings(float* out, int width, int height, int most) {
    __shared__ float tile[16][17];
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    tile[threadIdx.y % 16][threadIdx.x % 16] = x;
    __syncthreads();
    float at = 0;
    for (int i = 0; i <= x % 4; ++i)
        at += turned(tile[i][threadIdx.x % 16], 0.5f);
    if (x < width && y < height) out[y * width + x] = at;
}
)cu";
constexpr int kTileLine = 9, kLoopLine = 12, kCallLine = 13, kOutLine = 14; // lines

class StudioMarks : public RingsTest {
protected:
    void SetUp() override {
        RingsTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        program->kernel.slot().set_source(kTurned);
        program->kernel.slot().compile_now();
        ASSERT_TRUE(RingsTest::until(
            [&] { return program->kernel.slot().loaded()->source.text == kTurned; }));
        studio().window().inject(MoveEvent{{450, 250}});
        run(2);
        key(Key::f7);
        ASSERT_TRUE(RingsTest::until([&] { return watch().state() == State::done; }))
            << watch().problem();
        studio().window().inject(MoveEvent{{100, 300}}); // no tooltips
        run(2);
    }
    ThreadWatch& watch() { return studio().thread_watch(); }
    void right_click(float x, float y) {
        studio().window().inject(MoveEvent{{x, y}});
        run(2);
        for (const bool down : {true, false}) {
            studio().window().inject(ButtonEvent{MouseButton::right, down, 0});
            run(2);
        }
    }
    /// Of the panel, whose first step is a row at 530.
    static constexpr float kRowY = 530, kRow = 17, kNumberX = 795;
    static constexpr float kEditorNumberX = 778;
    static float editor_row(int line) { return 55 + 17 * float(line); }
    /// The number of a line of the editor has the colour of the step.
    bool stands_at(int line) {
        const ImageData picture = studio().screenshot(true);
        const int middle = int(54.8f + 17.23f * float(line));
        int count = 0;
        for (int y = middle - 5; y < middle + 5; ++y)
            for (int x = 771; x < 784; ++x) {
                const std::byte* const p = picture.at(x, y);
                count += int(p[2]) > int(p[0]) + 40;
            }
        return count > 60;
    }
    int rounds() { // of the loop
        const auto* x = watch().lines().back().value("x");
        return std::stoi(gpu::to_text(*x)) % 4 + 1;
    }
    /// Points of a warning's colour where the values stand.
    int warnings() {
        const ImageData picture = studio().screenshot(true);
        int count = 0;
        for (int y = 555; y < 690; ++y)
            for (int x = 1050; x < 1270; ++x) {
                const std::byte* const p = picture.at(x, y);
                count += int(p[0]) > 150 && int(p[2]) < 110 && int(p[0]) > int(p[1]);
            }
        return count;
    }
    static constexpr float kOver = 803, kToMarkBack = 837, kToMark = 911, kStepRow = 505;
};

TEST_F(StudioMarks, ARightClickOnALinesNumberMarksItAndEnterGoesThere) {
    right_click(kEditorNumberX, editor_row(kCallLine));
    keep("studio-marks-menu");
    click(kEditorNumberX + 20, editor_row(kCallLine) + 20); // the box
    EXPECT_EQ(last_line(), "trace.mark(13)");
    key(Key::escape);
    click(kToMark, kStepRow);
    keep("studio-marks-stop");
    EXPECT_EQ(last_line(), "step = trace.run(step)");
    EXPECT_TRUE(stands_at(kCallLine));
    for (int i = 1; i < rounds(); ++i) {
        key(Key::enter);
        EXPECT_EQ(last_line(), "step = trace.run(step)");
    }
    key(Key::enter);
    EXPECT_EQ(last_line(), "no step behind this one is at a mark");
    EXPECT_TRUE(stands_at(kCallLine));
    key(Key::end);
    EXPECT_FALSE(stands_at(kCallLine));
    key(Key::enter, kShift);
    EXPECT_EQ(last_line(), "step = trace.run(step, back=True)");
    EXPECT_TRUE(stands_at(kCallLine));
    EXPECT_EQ(program->kernel.slot().source(), kTurned) << "the keys went to the panel";

    right_click(kEditorNumberX, editor_row(kCallLine));
    click(kEditorNumberX + 20, editor_row(kCallLine) + 20);
    EXPECT_EQ(last_line(), "trace.unmark(13)");
}

TEST_F(StudioMarks, AConditionIsTypedInTheListOfStepsAndInTheEditor) {
    ASSERT_EQ(watch().lines()[7].line, kCallLine);
    const auto enter_condition = [&](const char* text, float x, float y) {
        right_click(x, y);
        click(x + 60, y + 45); // the field
        key(Key::home);
        key(Key::end, kShift);
        key(Key::del);
        type(text);
        keep("studio-marks-condition");
        key(Key::enter);
    };
    enter_condition("at > 17", kNumberX, kRowY + 7 * kRow);
    EXPECT_EQ(last_line(), "trace.mark(13, \"at > 17\")");
    int stops = 0;
    for (click(kToMark, kStepRow); last_line().starts_with("step = "); key(Key::enter)) {
        EXPECT_TRUE(stands_at(kCallLine));
        if (++stops > 9) break;
    }
    EXPECT_EQ(stops, rounds() - 1) << "after the first round it is 16";
    keep("studio-marks-condition-stop");
    key(Key::home);
    enter_condition("at >", kEditorNumberX, editor_row(kCallLine));
    EXPECT_EQ(last_line(), "'at >' ends too early");
    enter_condition("v == 3 || u", kEditorNumberX, editor_row(kCallLine));
    click(kToMark, kStepRow);
    EXPECT_EQ(last_line(), "'v == 3 || u': no line knows a variable 'u'");
    keep("studio-marks-condition-wrong");
}

TEST_F(StudioMarks, StepsGoOverCalls) {
    right_click(kEditorNumberX, editor_row(kCallLine));
    click(kEditorNumberX + 20, editor_row(kCallLine) + 20);
    key(Key::escape);
    click(kToMark, kStepRow);
    ASSERT_TRUE(stands_at(kCallLine));
    key(Key::down);
    EXPECT_TRUE(stands_at(1)) << "into the function";
    key(Key::up);
    click(kOver, kStepRow);
    EXPECT_EQ(last_line(), "step = trace.over(step)");
    EXPECT_TRUE(stands_at(kLoopLine));
    key(Key::up, kControl);
    EXPECT_EQ(last_line(), "step = trace.over(step, back=True)");
    EXPECT_TRUE(stands_at(kCallLine));
}

TEST_F(StudioMarks, OtherLanesAreOneClickAway) {
    const auto& lines = watch().lines();
    const auto& lanes = watch().lanes();
    ASSERT_EQ(lanes.warp()->place().leader, 6u);
    click(kNumberX + 100, kRowY + kRow); // a step: the panel has the keyboard
    key(Key::right, kControl);
    EXPECT_EQ(last_line(), "trace.lane(7, step)");
    keep("studio-marks-lane");
    EXPECT_EQ(gpu::to_text(*lanes.at(7, lines[1])->value_after("x")), "39");
    EXPECT_EQ(warnings(), 0);
    key(Key::left, kControl);
    key(Key::left, kControl);
    EXPECT_EQ(last_line(), "trace.lane(5, step)");

    // In the last round of its loop some lanes are through.
    std::size_t last = 0;
    for (std::size_t k = 0; k < lines.size(); ++k)
        if (lines[k].line == kCallLine) last = k;
    key(Key::home);
    for (std::size_t k = 0; k < last; ++k) key(Key::down);
    EXPECT_TRUE(stands_at(kCallLine));
    EXPECT_FALSE(lanes.active(lines[last]) & 1) << "x is 32: one round";
    click(1053, 528);
    EXPECT_EQ(last_line(), "trace.lane(0, step)");
    studio().window().inject(MoveEvent{{100, 300}}); // no tooltips
    run(2);
    keep("studio-marks-lane-away");
    EXPECT_GT(warnings(), 100);
    click(1053 + 6 * 11, 528); // x is 43: four rounds
    EXPECT_EQ(last_line(), "trace.lane(11, step)");
    studio().window().inject(MoveEvent{{100, 300}});
    run(2);
    EXPECT_EQ(warnings(), 0);
}

TEST_F(StudioMarks, AnArrayInSharedMemoryIsOpenedByAClick) {
    for (int i = 0; i < 3; ++i) key(Key::down);
    ASSERT_TRUE(stands_at(kTileLine));
    keep("studio-marks-touched");
    const auto& line = watch().lines()[3];
    EXPECT_EQ(gpu::changes_in_words(line).substr(0, 16), "tile[14][6] = 38");
    const auto touched = gpu::touched_elements(line, "tile");
    EXPECT_EQ(touched, std::vector<std::size_t>{14 * 17 + 6});
    const auto click_on_array = [&] {
        click(1075, 583);
        studio().window().inject(MoveEvent{{100, 300}}); // no tooltips
        run(2);
    };
    const ImageData closed = studio().screenshot(true);
    click_on_array();
    keep("studio-marks-array");
    const auto differs = [&] {
        const ImageData now = studio().screenshot(true);
        for (int y = 600; y < 690; ++y)
            for (int x = 1050; x < 1110; ++x)
                if (std::memcmp(now.at(x, y), closed.at(x, y), 3)) return true;
        return false;
    };
    EXPECT_TRUE(differs()) << "all elements";
    click_on_array();
    EXPECT_FALSE(differs());
}

TEST_F(StudioMarks, AMarkMovesWithItsText) {
    right_click(kEditorNumberX, editor_row(kCallLine));
    click(kEditorNumberX + 20, editor_row(kCallLine) + 20);
    key(Key::escape);
    const std::string moved = std::string{"// One more line.\n"} + kTurned;
    program->kernel.slot().set_source(moved);
    program->kernel.slot().compile_now();
    ASSERT_TRUE(
        RingsTest::until([&] { return program->kernel.slot().loaded()->source.text == moved; }));
    right_click(kEditorNumberX, editor_row(kCallLine + 1));
    keep("studio-marks-moved");
    click(kEditorNumberX + 20, editor_row(kCallLine + 1) + 20);
    EXPECT_EQ(last_line(), "trace.unmark(14)");
}

} // namespace
