// SPDX-License-Identifier: MIT
// Words in all tabs: the list, the way to a hit, and other words in the place of all.
#include "editing.h"

#include <gtest/gtest.h>

#include <string>

using namespace lathe;

namespace {

constexpr const char* kFirst = R"cu(#define RATE 0.5f
__global__ void step(float* field, int count)
{
    const int i = threadIdx.x;
    field[i] += RATE * field[i + 1]; // rate
}
)cu";
constexpr const char* kSecond = R"cu(#define RATE 2
__global__ void paint(uchar4* picture) { picture[0].x = RATE; }
)cu";

class FindInTabs : public Editing {
protected:
    void SetUp() override {
        bench.emplace();
        bench->add(kFirst, build_anything, "step.cu");
        bench->add(kSecond, build_anything, "paint.cu");
        bench->run(3);
        bench->click(1250, 150);
        bench->key(Key::f, kControl | kShift);
        bench->run(2);
    }
    const FindPane& pane() { return bench->editor.find_pane(); }
    std::string hits() {
        std::string out;
        for (const FindHit& h : pane().hits())
            out += std::to_string(h.tab) + ':' + std::to_string(h.hit.line) + ':' +
                   std::to_string(h.hit.column) + ' ';
        return out;
    }
    const std::string& text(std::size_t tab) { return bench->slots[tab]->source(); }
};

} // namespace

TEST_F(FindInTabs, EnterGoesToAHitAndArrowsChooseIt) {
    ASSERT_TRUE(pane().is_open());
    bench->type("rate");
    bench->frame();
    EXPECT_EQ(hits(), "0:1:9 0:5:17 0:5:41 1:1:9 1:2:57 ");
    EXPECT_EQ(text(0), kFirst) << "nothing is typed into the text";
    bench->keep("find-hits");
    bench->key(Key::enter);
    bench->run(2);
    EXPECT_EQ(bench->editor.current(), bench->slots[0].get());
    bench->type("X");
    EXPECT_TRUE(text(0).starts_with("#define XRATE 0.5f")) << text(0);
    bench->key(Key::f, kControl | kShift);
    bench->run(2);
    bench->key(Key::up); // round to the last one
    bench->key(Key::enter);
    bench->run(3);
    EXPECT_EQ(bench->editor.current(), bench->slots[1].get());
    bench->type("Y");
    EXPECT_NE(text(1).find("= YRATE;"), std::string::npos) << text(1);
    bench->keep("find-other-tab");
}

TEST_F(FindInTabs, AClickGoesToAHit) {
    bench->type("rate");
    bench->frame();
    bench->click(900, 382); // the third row
    bench->run(3);
    bench->type("Z");
    EXPECT_NE(text(0).find("Z"), std::string::npos) << text(0);
    EXPECT_EQ(text(1), kSecond);
}

TEST_F(FindInTabs, F4StepsFromHitToHit) {
    bench->type("RATE");
    bench->click(1140, 267); // Aa
    bench->frame();
    EXPECT_TRUE(pane().wanted().match_case);
    EXPECT_EQ(hits(), "0:1:9 0:5:17 1:1:9 1:2:57 ");
    bench->click(1250, 150);
    bench->key(Key::f4);
    bench->key(Key::f4);
    bench->run(3);
    EXPECT_EQ(bench->editor.current(), bench->slots[1].get());
    bench->key(Key::f4, kShift);
    bench->run(3);
    EXPECT_EQ(bench->editor.current(), bench->slots[0].get());
    bench->type("A");
    EXPECT_NE(text(0).find("+= ARATE"), std::string::npos) << text(0);
}

TEST_F(FindInTabs, EscapeClosesAndTheTextHasTheKeyboard) {
    bench->key(Key::escape);
    bench->run(2);
    EXPECT_FALSE(pane().is_open());
    bench->key(Key::home, kControl);
    bench->type("w");
    EXPECT_TRUE(text(0).starts_with("w#define"));
}

TEST_F(FindInTabs, TheSelectedWordIsLookedFor) {
    bench->key(Key::escape);
    bench->run(2);
    bench->key(Key::home, kControl);
    bench->key(Key::end, kShift);
    bench->key(Key::f, kControl | kShift);
    bench->run(2);
    EXPECT_EQ(pane().wanted().words, "#define RATE 0.5f");
    EXPECT_EQ(hits(), "0:1:1 ");
}

TEST_F(FindInTabs, ReplacesInAllTabsAndUndoTakesItBackInEach) {
    bench->type("RATE");
    bench->click(1140, 267); // Aa
    bench->click(900, 296);
    bench->type("k");
    bench->keep("find-replace");
    bench->click(1220, 296);
    bench->run(3);
    EXPECT_EQ(text(0).find("RATE"), std::string::npos) << text(0);
    EXPECT_TRUE(text(0).starts_with("#define k 0.5f"));
    EXPECT_NE(text(0).find("// rate"), std::string::npos) << "another case";
    EXPECT_NE(text(1).find("= k;"), std::string::npos) << text(1);
    EXPECT_EQ(hits(), "");
    bench->click(1250, 150);
    bench->key(Key::z, kControl);
    EXPECT_EQ(text(0), kFirst);
    EXPECT_NE(text(1), kSecond);
    bench->editor.show(*bench->slots[1]);
    bench->run(30);
    bench->click(1250, 150);
    bench->key(Key::z, kControl);
    EXPECT_EQ(text(1), kSecond);
}

TEST_F(FindInTabs, TheBoxOfOneTextIsWholeInANarrowEditor) {
    bench->key(Key::escape);
    bench->key(Key::f, kControl);
    bench->run(3);
    bench->keep("find-box");
    bench->imgui.make_current();
    const ImGuiWindow* box = nullptr;
    for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows)
        if (std::string{window->Name}.find("find-replace") != std::string::npos) box = window;
    ASSERT_NE(box, nullptr);
    EXPECT_GE(box->Pos.x, box->ParentWindow->Pos.x);
    EXPECT_LE(box->Pos.x + box->Size.x, box->ParentWindow->Pos.x + box->ParentWindow->Size.x);
    EXPECT_GT(box->Size.x, 300);
}
