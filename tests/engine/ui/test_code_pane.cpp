// SPDX-License-Identifier: MIT
// The pane with the code beside the text, of a compiler that the test writes: how rows and cursor
// follow each other, what an edit does, what stands there where there is no code.
#include "bench.h"

#include "engine/core/error.h"
#include "engine/live/code_view.h"

#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace lathe;

namespace {

constexpr const char* kText = "one\ntwo\nthree\nfour\nfive\nsix\n";

KernelBuild build_any(const KernelSource& source, Effort) {
    KernelBuild b;
    b.loaded = std::make_shared<LoadedKernels>(LoadedKernels{source, {}, {}, ""});
    return b;
}

/// Ten rows for line 2, fifty for line 4, one for line 5, and one that nobody knows.
std::vector<CodeLine> some_rows(int head = 0) {
    std::vector<CodeLine> rows{{gpu::CodeRow::Kind::function, "step", 0, ""}};
    for (int i = 0; i < head; ++i)
        rows.push_back({gpu::CodeRow::Kind::instruction, "push rbp", 0, ""});
    for (const auto& [line, count] : {std::pair{2, 10}, {4, 50}, {5, 1}, {0, 1}})
        for (int i = 0; i < count; ++i)
            rows.push_back({gpu::CodeRow::Kind::instruction,
                            "of." + std::to_string(line) + " %r1, %r2;", line,
                            line ? "" : "math.h:12"});
    return rows;
}

struct CodeBench : UiBench {
    explicit CodeBench(int width = 1280, int height = 720) : UiBench{width, height} {
        editor.code_pane().read = [this](const std::shared_ptr<const LoadedKernels>&, CodeKind kind,
                                         std::uint64_t known) -> std::optional<CodeListing> {
            ++reads;
            if (known) return {};
            CodeListing listing;
            listing.kind = kind;
            listing.title = kind == CodeKind::ptx ? "PTX" : "x86";
            listing.rows = some_rows(head);
            listing.id = kind == CodeKind::ptx ? 0 : 7;
            listing.problem = problem;
            if (!problem.empty()) listing.rows.clear();
            return listing;
        };
        slot = &add(kText, &build_any);
        run(3);
    }
    ~CodeBench() { editor.code_pane().set(CodeKind::none); }

    static ImGuiWindow* rows_window() {
        for (ImGuiWindow* each : ImGui::GetCurrentContext()->Windows)
            if (each->WasActive && std::string_view{each->Name}.find("/rows_") != std::string::npos)
                return each;
        return nullptr;
    }
    /// Opens the pane, and waits until it has rows.
    void open(CodeKind kind) {
        editor.code_pane().set(kind);
        settle([] { return rows_window() != nullptr; });
    }
    template <class Done> void settle(Done done) {
        const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds{20};
        do {
            frame();
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
        } while (!done() && std::chrono::steady_clock::now() < limit);
        run(3);
    }
    /// The middle of a row on the screen.
    ImVec2 place_of(int row) const {
        const ImGuiWindow& pane = *rows_window();
        const float height = pane.ContentSize.y / float(some_rows(head).size());
        return {pane.Pos.x + 0.5f * pane.Size.x,
                pane.Pos.y + (float(row) + 0.5f) * height - pane.Scroll.y};
    }
    bool is_seen(int row) const {
        const ImVec2 at = place_of(row);
        return at.y > rows_window()->Pos.y && at.y < rows_window()->Pos.y + rows_window()->Size.y;
    }

    KernelSlot* slot = nullptr;
    int head = 0; ///< rows before those of lines
    std::string problem;
    std::atomic<int> reads{0};
};

} // namespace

TEST(CodePane, AClickOnARowGoesToItsLine) {
    CodeBench bench;
    bench.open(CodeKind::ptx);
    ASSERT_TRUE(bench.rows_window());
    const ImVec2 at = bench.place_of(3); // of line 2
    bench.click(at.x, at.y);
    bench.type("x");
    EXPECT_EQ(bench.slot->source(), "one\nxtwo\nthree\nfour\nfive\nsix\n");
    bench.keep("code-pane");
}

TEST(CodePane, TheCursorsRowsAreScrolledTo) {
    CodeBench bench;
    bench.open(CodeKind::ptx);
    ASSERT_TRUE(bench.rows_window());
    EXPECT_TRUE(bench.is_seen(1));
    EXPECT_FALSE(bench.is_seen(61)) << "line 5 is below";
    bench.editor.focus();
    bench.run(2);
    for (int i = 0; i < 4; ++i) bench.key(Key::down); // to line 5
    bench.run(3);
    EXPECT_TRUE(bench.is_seen(61));
    bench.keep("code-pane-scrolled");
    const float scroll = bench.rows_window()->Scroll.y;
    bench.key(Key::up); // rows of line 4 are seen
    bench.run(3);
    EXPECT_EQ(bench.rows_window()->Scroll.y, scroll) << "what is seen stays";
    bench.key(Key::up);
    bench.run(3);
    EXPECT_EQ(bench.rows_window()->Scroll.y, scroll) << "line 3 has no code";
    bench.key(Key::up);
    bench.run(3);
    EXPECT_TRUE(bench.is_seen(1));
}

TEST(CodePane, ItBeginsWhereTheCodeOfALineBegins) {
    CodeBench bench;
    bench.head = 40; // rows of no line, as a function's entry has them
    bench.open(CodeKind::ptx);
    ASSERT_TRUE(bench.rows_window());
    EXPECT_FALSE(bench.is_seen(0));
    EXPECT_TRUE(bench.is_seen(41));
}

TEST(CodePane, RowsFollowTheirLinesThroughAnEdit) {
    CodeBench bench;
    bench.open(CodeKind::ptx);
    ASSERT_TRUE(bench.rows_window());
    const KernelSlot& slot = *bench.slot;
    CodeView view{slot, bench.editor.code_pane().read, [](Task task) { task(); }};
    view.follow(CodeKind::ptx);
    view.follow(CodeKind::ptx);
    ASSERT_EQ(view.listing().rows.size(), some_rows().size());
    EXPECT_EQ(view.lines()[0], 0);
    EXPECT_EQ(view.lines()[1], 2);
    EXPECT_EQ(view.lines()[61], 5);
    // The old version runs for as long as the pause; its rows know the present text.
    bench.slot->set_source("one\nnew\ntwo\nthree\nfour\nfive\nsix\n");
    view.follow(CodeKind::ptx);
    EXPECT_EQ(view.lines()[1], 3);
    EXPECT_EQ(view.lines()[61], 6);
    bench.slot->set_source("one\ntwo\nthree\nFOUR\nfive\nsix\n");
    view.follow(CodeKind::ptx);
    EXPECT_EQ(view.lines()[1], 2);
    EXPECT_EQ(view.lines()[11], 0) << "line 4 was changed";
    EXPECT_EQ(view.lines()[61], 5);
}

TEST(CodePane, ItIsReadOnceAndNotWhileItIsClosed) {
    CodeBench bench;
    EXPECT_EQ(bench.reads, 0);
    bench.open(CodeKind::ptx);
    bench.run(20);
    EXPECT_EQ(bench.reads, 1);
    bench.editor.code_pane().set(CodeKind::none);
    bench.slot->set_source("other\n");
    bench.slot->compile_now();
    bench.run(5);
    EXPECT_FALSE(bench.rows_window());
    EXPECT_EQ(bench.reads, 1);
    bench.open(CodeKind::ptx);
    EXPECT_EQ(bench.reads, 2) << "another version runs";
}

TEST(CodePane, MachineCodeIsLookedAtNowAndThen) {
    CodeBench bench;
    CodeView view{*bench.slot, bench.editor.code_pane().read, [](Task task) { task(); }};
    CodeView::Time now{};
    const auto after = [&](int milliseconds) {
        now += std::chrono::milliseconds{milliseconds};
        view.follow(CodeKind::machine, now);
        return bench.reads.load();
    };
    now += std::chrono::hours{1};
    EXPECT_EQ(after(0), 1);
    EXPECT_EQ(after(100), 1);
    const auto version = view.version();
    EXPECT_EQ(after(500), 2);
    EXPECT_EQ(after(100), 2);
    EXPECT_EQ(view.version(), version) << "it was the same";
    EXPECT_EQ(view.listing().title, "x86");
}

TEST(CodePane, TheTextStaysWhereItWasScrolledTo) {
    CodeBench bench;
    std::string text;
    for (int i = 1; i < 200; ++i) text += "line " + std::to_string(i) + "\n";
    bench.slot->set_source(text);
    bench.slot->compile_now();
    bench.run(3);
    const auto scroll_of_text = [] {
        for (const ImGuiWindow* each : ImGui::GetCurrentContext()->Windows)
            if (each->WasActive &&
                std::string_view{each->Name}.find("/##text_") != std::string::npos)
                return each->Scroll.y;
        return -1.0f;
    };
    bench.editor.focus();
    bench.run(2);
    bench.key(Key::end, kControl);
    bench.run(3);
    const float scroll = scroll_of_text();
    EXPECT_GT(scroll, 100);
    bench.open(CodeKind::ptx);
    EXPECT_GE(scroll_of_text(), scroll);
    bench.editor.code_pane().set(CodeKind::none);
    bench.run(3);
    EXPECT_GE(scroll_of_text(), scroll - 1);
}

TEST(CodePane, WhatCannotBeReadIsToldInWords) {
    CodeBench bench;
    const ReadCode fails = [](const auto&, CodeKind, std::uint64_t) -> std::optional<CodeListing> {
        throw Error{"the device is gone"};
    };
    CodeView view{*bench.slot, fails, [](Task task) { task(); }};
    view.follow(CodeKind::machine);
    EXPECT_EQ(view.listing().problem, "the device is gone");
    EXPECT_EQ(view.listing().kind, CodeKind::machine);
}

TEST(CodePane, AProblemStandsInThePlaceOfRows) {
    CodeBench bench;
    bench.problem = "There is no nvdisasm.";
    bench.editor.code_pane().set(CodeKind::machine);
    bench.settle([&] { return bench.reads > 0; });
    EXPECT_FALSE(bench.rows_window());
    bench.keep("code-pane-problem");
}

TEST(CodePane, TheTabsChooseTheKindAndTheBarTheSize) {
    CodeBench bench;
    bench.open(CodeKind::ptx);
    ASSERT_TRUE(bench.rows_window());
    const ImVec2 rows = bench.rows_window()->Pos;
    const float height = bench.rows_window()->Size.y;
    bench.click(rows.x + 90, rows.y - 15);
    EXPECT_EQ(bench.editor.code_pane().kind(), CodeKind::machine);
    bench.settle([&] { return bench.rows_window() != nullptr; });
    const float bar = rows.y - 32;
    bench.move(rows.x + 200, bar);
    bench.window.inject(ButtonEvent{MouseButton::left, true, 0});
    bench.frame();
    bench.move(rows.x + 200, bar - 60);
    bench.window.inject(ButtonEvent{MouseButton::left, false, 0});
    bench.run(2);
    EXPECT_NEAR(bench.rows_window()->Size.y, height + 60, 6);
    bench.keep("code-pane-larger");
}

TEST(CodePane, InAWideRoomItStandsBeside) {
    CodeBench bench{2560, 900};
    bench.open(CodeKind::ptx);
    ASSERT_TRUE(bench.rows_window());
    EXPECT_LT(bench.rows_window()->Size.y, 300) << "below";
    bench.move(1758, 400); // between picture and kernels
    bench.window.inject(ButtonEvent{MouseButton::left, true, 0});
    bench.run(2);
    bench.move(1200, 400);
    bench.window.inject(ButtonEvent{MouseButton::left, false, 0});
    bench.run(3);
    EXPECT_GT(bench.rows_window()->Size.y, 400);
    EXPECT_GT(bench.rows_window()->Pos.x, 1800);
    bench.keep("code-pane-beside");
}
