// SPDX-License-Identifier: MIT
// The panel History: what edits leave there, what differs, and the way back, by mouse and keys.
#include "editing.h"

#include "engine/core/resources.h"
#include "tests/temp_folder.h"

#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <fstream>
#include <string>

using namespace lathe;

namespace {

constexpr const char* kStart = R"cu(// A wave.
__global__ void step(float* x, int n)
{
    const int i = threadIdx.x;
    if (i < n) x[i] = 0.5f;
}
)cu";

/// What has "error" in it does not compile.
KernelBuild build_but_errors(const KernelSource& source, Effort effort) {
    KernelBuild b = build_anything(source, effort);
    if (source.text.find("error") == source.text.npos) return b;
    b.diagnostics = {{"step.cu", 1, 1, Diagnostic::Severity::error, "no such thing"}};
    b.loaded.reset();
    return b;
}

class HistoryPanelTest : public testing::Test {
protected:
    void SetUp() override {
        session.emplace("history", folder.path());
        bench.emplace(1280, 720, &*session);
        bench->add(kStart, build_but_errors);
        bench->run(4);
        bench->editor.autosave();
    }
    KernelSlot& slot() { return *bench->slots.front(); }
    /// Another text, compiled and kept.
    void edit(const std::string& text) {
        bench->editor.rewrite(slot(), text);
        settle();
    }
    void type_at_start(const std::string& text) {
        bench->click(1250, 390);
        bench->key(Key::home, kControl);
        bench->type(text);
        settle();
    }
    void settle() {
        bench->key(Key::f5);
        bench->run(2);
        bench->editor.autosave(true);
        bench->editor.autosave(true); // what became of it
    }
    /// The panel looks for new versions twice a second.
    void open() {
        bench->layout.show_panel(Place::history);
        bench->run(40);
    }
    static const ImGuiWindow* child(std::string_view name) {
        for (const ImGuiWindow* w : ImGui::GetCurrentContext()->Windows)
            if (w->WasActive && std::string_view{w->Name}.find(name) != std::string_view::npos)
                return w;
        return nullptr;
    }
    void click_row(int row) {
        const ImGuiWindow* const list = child("/versions_");
        ASSERT_NE(list, nullptr);
        const float height = ImGui::GetTextLineHeightWithSpacing();
        bench->click(list->Pos.x + 60, list->Pos.y + (float(row) + 0.5f) * height);
        bench->run(2);
    }
    void click_restore() {
        const ImGuiWindow* const right = child("/difference_");
        ASSERT_NE(right, nullptr);
        bench->click(right->Pos.x + right->Size.x - 20, right->Pos.y + 12);
        bench->run(2);
    }
    std::string last_words() {
        const auto lines = bench->console.lines();
        return lines.empty() ? "" : lines.back().text;
    }

    test::TempFolder folder;
    std::optional<Session> session;
    std::optional<UiBench> bench;
};

} // namespace

TEST_F(HistoryPanelTest, EachEditIsAVersionAndTheFirstTextIsOneToo) {
    open();
    bench->keep("history-empty");
    type_at_start("#");
    type_at_start("error ");
    const auto versions = session->history(slot().key());
    ASSERT_EQ(versions.size(), 3u);
    EXPECT_EQ(Session::read(versions[2].file).text, kStart);
    EXPECT_EQ(versions[2].outcome, Outcome::good);
    EXPECT_EQ(versions[1].outcome, Outcome::good);
    EXPECT_EQ(versions[0].outcome, Outcome::failed);
    open();
    bench->keep("history");
    bench.reset(); // the program ends, and another run begins
    session.emplace("history", folder.path());
    bench.emplace(1280, 720, &*session);
    bench->add(kStart, build_but_errors);
    bench->run(4);
    open();
    click_row(0);
    bench->keep("history-next-run");
    click_restore();
    EXPECT_EQ(slot().source(), "error #" + std::string{kStart});
}

TEST_F(HistoryPanelTest, RestoreIsOneStepAndUndoTakesItBack) {
    std::string other = kStart;
    other.replace(other.find("0.5f"), 4, "0.25f");
    other.insert(other.find("    if"), "    __syncthreads();\n");
    edit(other);
    edit(other + "// the end\n");
    open();
    click_row(2);
    bench->keep("history-diff");
    click_restore();
    EXPECT_EQ(slot().source(), kStart);
    bench->run(2);
    bench->keep("history-restored");
    bench->click(1250, 390);
    bench->key(Key::z, kControl);
    bench->run(2);
    EXPECT_EQ(slot().source(), other + "// the end\n");
}

TEST_F(HistoryPanelTest, ATextFromElsewhereIsAVersionOnceItIsEdited) {
    edit("// good\n");
    slot().set_source("// error, by a script\n");
    settle();
    auto versions = session->history(slot().key());
    ASSERT_EQ(versions.size(), 2u) << "files and scripts keep their own texts";
    EXPECT_EQ(versions[0].outcome, Outcome::good) << "what fails is another text";
    edit("// mended\n");
    versions = session->history(slot().key());
    ASSERT_EQ(versions.size(), 4u);
    EXPECT_EQ(Session::read(versions[1].file).text, "// error, by a script\n");
    EXPECT_EQ(versions[1].outcome, Outcome::failed);
    EXPECT_EQ(versions[0].outcome, Outcome::good);
}

TEST_F(HistoryPanelTest, ArrowsChooseAVersion) {
    edit("// one\n");
    edit("// two\n");
    edit("// three\n");
    open();
    click_row(1);
    bench->key(Key::down);
    bench->run(2);
    click_restore();
    EXPECT_EQ(slot().source(), "// one\n");
}

TEST_F(HistoryPanelTest, AVersionThatIsGoneOrSpoiltIsToldOf) {
    edit("// one\n");
    edit("// two\n");
    open();
    click_row(1);
    const auto files = session->versions(slot().key());
    std::ofstream{files[2], std::ios::binary} << std::string(9, '\0');
    bench->run(40);
    click_row(2);
    bench->keep("history-spoilt");
    EXPECT_EQ(last_words(), files[2].string() + " holds no text");
    click_restore();
    EXPECT_EQ(slot().source(), "// two\n") << "there is no button";
    click_row(1);
    std::filesystem::remove(files[1]);
    bench->run(40);
    EXPECT_EQ(last_words(), files[1].string() + " is gone");
    bench->keep("history-gone");
    click_row(0);
    std::filesystem::remove_all(files[0].parent_path());
    bench->run(40);
    edit("// three\n");
    bench->run(40);
    EXPECT_EQ(session->versions(slot().key()).size(), 1u) << "it goes on";
}

TEST_F(HistoryPanelTest, ManyVersionsAndALongTextFit) {
    std::string text = kStart;
    for (int i = 0; i < 60; ++i) {
        text += "// line " + std::to_string(i) + std::string(std::size_t(i), '.') + "\n";
        edit(text);
    }
    open();
    click_row(4);
    bench->keep("history-many");
    EXPECT_EQ(session->versions(slot().key()).size(), 50u);
}

TEST_F(HistoryPanelTest, WithoutASessionItSaysSo) {
    UiBench plain;
    plain.add(kStart, build_but_errors);
    plain.run(4);
    plain.layout.show_panel(Place::history);
    plain.run(4);
    plain.keep("history-none");
}
