// SPDX-License-Identifier: MIT
// The panel of sliders under a headless context: what mouse and keys do to them.
#include "bench.h"

#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <cmath>

using namespace lathe;

namespace {

int count_error(const ImageData& image) {
    int n = 0;
    for (std::size_t i = 0; i + 2 < image.bytes.size(); i += 3)
        n += int(image.bytes[i]) > 200 && int(image.bytes[i + 1]) < 120 &&
             int(image.bytes[i + 2]) < 130;
    return n;
}

class ParameterPanelTest : public testing::Test {
protected:
    UiBench bench;

    void declare(std::vector<std::pair<std::string, std::string>> numbers) {
        std::vector<Diagnostic> problems;
        std::vector<Parameter> made;
        for (const auto& [name, words] : numbers)
            made.push_back(make_parameter(name, ParameterKind::real, 1,
                                          parse_directive(words, 1, 1, problems)));
        made.push_back(make_parameter("wrap", ParameterKind::boolean, 1));
        made.push_back(make_parameter("tint", ParameterKind::vector, 3,
                                      parse_directive("color =(0.4,0.7,1)", 1, 1, problems)));
        EXPECT_TRUE(problems.empty());
        bench.parameters.declare("step.cu", std::move(made));
        for (Parameter* p : bench.parameters.all()) p->read = true;
        bench.run(3);
    }
    /// Middle of the widget in the panel's n-th row.
    ImVec2 place_of_row(int n) { return {1010, 479 + 29.0f * float(n)}; }
    const ImGuiWindow* popup() {
        bench.imgui.make_current();
        const ImGuiWindow* found = nullptr;
        for (const ImGuiWindow* w : ImGui::GetCurrentContext()->Windows)
            if (w->WasActive && (w->Flags & ImGuiWindowFlags_Popup)) found = w;
        return found;
    }
    /// Of the popup that is open, at a part of its height.
    void click_in_popup(float x, float y) {
        const ImGuiWindow* const w = popup();
        ASSERT_NE(w, nullptr);
        bench.click(w->Pos.x + x, w->Pos.y + y);
    }
    double number(std::string_view name) { return std::get<double>(bench.parameters.get(name)); }
};

} // namespace

TEST_F(ParameterPanelTest, TheMenuOpensAFormAndTheSliderFollows) {
    declare({{"feed", "0.01..0.1 =0.037"}, {"kill", "0.03..0.07 =0.06 log"}});
    const ImVec2 feed = place_of_row(0);
    bench.click(feed.x, feed.y, MouseButton::right);
    bench.keep("parameter-menu");
    click_in_popup(40, 79); // Follow…
    bench.run(2);
    bench.keep("follow-form");
    const ImGuiWindow* const form = popup();
    ASSERT_NE(form, nullptr);
    click_in_popup(50, form->Size.y - 22); // Follow
    const ParameterBinding* const b = bench.bindings.find("feed");
    ASSERT_NE(b, nullptr);
    EXPECT_EQ(to_text(b->follow), "sine 4s");
    bench.time = 2;
    bench.run(2);
    EXPECT_DOUBLE_EQ(number("feed"), 0.1);
    bench.time = 1;
    bench.run(2);
    EXPECT_DOUBLE_EQ(number("feed"), 0.055);
    bench.move(640, 600); // no tip in the picture
    bench.run(2);
    bench.keep("follow-mark");
    EXPECT_FALSE(bench.parameters.find("feed")->touched);

    // A hand on the slider ends it, though the value is where it was.
    bench.move(feed.x, feed.y);
    bench.window.inject(ButtonEvent{MouseButton::left, true, 0});
    bench.run(2);
    const double held = number("feed");
    bench.time = 2;
    bench.run(2);
    EXPECT_EQ(number("feed"), held);
    bench.window.inject(ButtonEvent{MouseButton::left, false, 0});
    bench.run(2);
    EXPECT_FALSE(b->is_active);
    bench.click(feed.x, feed.y, MouseButton::right);
    bench.keep("follow-resume");
    click_in_popup(40, 99); // Resume
    bench.run(2);
    EXPECT_TRUE(bench.bindings.find("feed")->is_active);
    EXPECT_DOUBLE_EQ(number("feed"), 0.1);
}

TEST_F(ParameterPanelTest, TheFormOfACheckBoxTakesAKey) {
    declare({});
    const ImVec2 wrap = place_of_row(0);
    bench.click(818, wrap.y, MouseButton::right);
    click_in_popup(40, 79);
    bench.run(2);
    click_in_popup(150, 42); // the key
    bench.keep("follow-key-asks");
    bench.key(Key::n);
    bench.keep("follow-key");
    const ImGuiWindow* const form = popup();
    ASSERT_NE(form, nullptr);
    click_in_popup(50, form->Size.y - 22);
    ASSERT_NE(bench.bindings.find("wrap"), nullptr);
    EXPECT_EQ(to_text(bench.bindings.find("wrap")->follow), "key(n)");
}

TEST_F(ParameterPanelTest, TwoKeysAreChosenInTheForm) {
    declare({{"feed", "0..1 =0.5"}});
    const ImVec2 feed = place_of_row(0);
    bench.click(feed.x, feed.y, MouseButton::right);
    click_in_popup(40, 79);
    bench.run(2);
    const ImGuiWindow* form = popup();
    ASSERT_NE(form, nullptr);
    const ImVec2 corner = form->Pos;
    bench.click(corner.x + 150, corner.y + 42);  // the list of sources
    bench.click(corner.x + 130, corner.y + 215); // "two keys", its last entry
    bench.click(corner.x + 150, corner.y + 69);  // the key for down
    bench.key(Key::down);
    bench.click(corner.x + 150, corner.y + 96); // and the one for up
    bench.key(Key::u);
    bench.keep("follow-keys");
    form = popup();
    ASSERT_NE(form, nullptr);
    click_in_popup(50, form->Size.y - 22);
    ASSERT_NE(bench.bindings.find("feed"), nullptr);
    EXPECT_EQ(to_text(bench.bindings.find("feed")->follow), "keys(down,u)");
}

TEST_F(ParameterPanelTest, AComponentOfAColourFollows) {
    declare({});
    const ImVec2 tint = place_of_row(1);
    bench.click(tint.x, tint.y, MouseButton::right);
    click_in_popup(40, 79);
    bench.run(2);
    bench.keep("follow-component");
    click_in_popup(153, 42); // y
    const ImGuiWindow* const form = popup();
    ASSERT_NE(form, nullptr);
    click_in_popup(50, form->Size.y - 22);
    ASSERT_NE(bench.bindings.find("tint.y"), nullptr);
    bench.time = 2;
    bench.run(2);
    const auto v = std::get<std::vector<double>>(bench.parameters.get("tint"));
    EXPECT_EQ(v, (std::vector{0.4, 1.0, 1.0}));
}

TEST_F(ParameterPanelTest, WhatCannotBeIsSaidInTheForm) {
    declare({{"free", ""}});
    const ImVec2 place = place_of_row(0);
    bench.bindings.bind("free", parse_follow("sine(0..1) 4s"));
    bench.click(place.x, place.y, MouseButton::right);
    click_in_popup(40, 79);
    bench.run(2);
    // Low above high: a number is typed after Ctrl+click.
    const ImGuiWindow* form = popup();
    ASSERT_NE(form, nullptr);
    bench.move(form->Pos.x + 150, form->Pos.y + 178);
    bench.window.inject(KeyEvent{Key::left_control, true, false, kControl});
    bench.window.inject(ButtonEvent{MouseButton::left, true, kControl});
    bench.frame();
    bench.window.inject(ButtonEvent{MouseButton::left, false, kControl});
    bench.window.inject(KeyEvent{Key::left_control, false, false, 0});
    bench.run(2);
    bench.type("5\n");
    bench.run(2);
    bench.keep("follow-problem");
    EXPECT_GT(count_error(bench.picture()), 100) << "the sentence";
    form = popup();
    ASSERT_NE(form, nullptr);
    click_in_popup(50, form->Size.y - 22);
    EXPECT_EQ(to_text(bench.bindings.find("free")->follow), "sine(0..1) 4s") << "not taken";
}

TEST_F(ParameterPanelTest, StructuresAreATree) {
    std::vector<Diagnostic> problems;
    const auto words = [&](const char* text) { return parse_directive(text, 1, 1, problems); };
    Parameter count = make_parameter("count", ParameterKind::integer, 1);
    count.implied = true;
    bench.parameters.declare("first.cu", {count});
    bench.parameters.note_passed("count"); // by the program: no row
    bench.parameters.declare(
        "step.cu",
        {make_parameter("gain", ParameterKind::real, 1, words("0..1")),
         make_parameter("light.x", ParameterKind::real, 1, words("0..1 =0.5")),
         make_parameter("light.y", ParameterKind::real, 1, words("0..1 =0.5")),
         make_parameter("light.color", ParameterKind::vector, 3, words("color =(1,0.8,0.4)")),
         make_parameter("light.weights[0]", ParameterKind::real, 1, words("0..1 =0.2")),
         make_parameter("light.weights[1]", ParameterKind::real, 1, words("0..1 =0.8")),
         make_parameter("light.on", ParameterKind::boolean, 1, words("=true")),
         make_parameter("lights", ParameterKind::integer, 1, words("1..9 =3")),
         make_parameter("spots[0].x", ParameterKind::real, 1, words("0..1")),
         make_parameter("spots[1].x", ParameterKind::real, 1, words("0..1"))});
    for (Parameter* p : bench.parameters.all()) p->read = p->name != "count";
    Parameter size = make_parameter("shape.rows", ParameterKind::integer, 1);
    size.implied = true;
    bench.parameters.declare("other.cu", {size});
    bench.parameters.note_passed("shape"); // by the program: no row
    bench.bindings.bind("light.weights[1]", parse_follow("sine 4s"));
    bench.run(3);
    bench.keep("parameter-tree");
    bench.move(1160, place_of_row(3).y); // light.y, below gain, the node and x
    bench.window.inject(ButtonEvent{MouseButton::left, true, 0});
    bench.run(2);
    bench.window.inject(ButtonEvent{MouseButton::left, false, 0});
    bench.run(2);
    EXPECT_GT(number("light.y"), 0.6);
    EXPECT_EQ(number("light.x"), 0.5);
    bench.click(800, place_of_row(1).y); // the node closes: lights is the row behind it
    bench.keep("parameter-tree-closed");
    bench.move(1100, place_of_row(2).y);
    bench.window.inject(ButtonEvent{MouseButton::left, true, 0});
    bench.run(2);
    bench.window.inject(ButtonEvent{MouseButton::left, false, 0});
    bench.run(2);
    EXPECT_TRUE(bench.parameters.find("lights")->touched);
    bench.click(800, place_of_row(1).y, MouseButton::right);
    bench.keep("parameter-tree-menu");
    click_in_popup(40, 40); // Reset
    EXPECT_EQ(number("light.y"), 0.5);
    EXPECT_TRUE(bench.parameters.find("lights")->touched);
}

namespace {

constexpr const char* kStep = "__global__ void step(float* u, float feed, //@ 0..1 =0.25\n"
                              "                     float kill) {\n"
                              "    u[0] = feed - kill;\n"
                              "}\n";

KernelBuild run_step(const KernelSource&, Effort) {
    KernelBuild b;
    auto loaded = std::make_shared<LoadedKernels>();
    loaded->first = "step";
    loaded->kernels["step"];
    b.loaded = std::move(loaded);
    return b;
}

/// As reflection does it, from the directives alone.
std::vector<Parameter> parameters_of_step(const KernelSource& source) {
    const auto found = find_directives(source.text);
    std::vector<Parameter> made;
    for (const char* name : {"feed", "kill"}) {
        const Directive* const d = found.find("step", name);
        made.push_back(make_parameter(name, ParameterKind::real, 1, d ? *d : Directive{}));
        made.back().declared_in = {"step", name};
    }
    return made;
}

} // namespace

TEST_F(ParameterPanelTest, ValuesAreCopiedAsCodeAndGoIntoTheSource) {
    auto services = immediate(run_step);
    services.reflect = parameters_of_step;
    bench.slots.push_back(
        std::make_unique<KernelSlot>(KernelSource{kStep, "step.cu", "", {}, {}}, services));
    KernelSlot& slot = *bench.slots.back();
    bench.editor.add(slot, false);
    const auto declare_anew = [&] {
        slot.compile_now();
        bench.run(2);
        bench.parameters.declare("step.cu", slot.parameters());
        bench.run(2);
    };
    declare_anew();
    bench.parameters.set("feed", 0.5);
    bench.parameters.set("kill", 2.0);
    bench.run(2);
    const auto item = [&](float y) {
        bench.click(873, 548); // Copy all
        bench.keep("copy-menu");
        click_in_popup(40, y);
        bench.imgui.make_current();
        return std::string{ImGui::GetClipboardText()};
    };
    EXPECT_EQ(item(20), "app.set(\"feed\", 0.5)\napp.set(\"kill\", 2)\n");
    EXPECT_EQ(item(40), "--set feed=0.5 --set kill=2");
    item(60);
    const std::string written = "__global__ void step(float* u, float feed, //@ 0..1 =0.5\n"
                                "                     float kill) { //@ =2\n"
                                "    u[0] = feed - kill;\n"
                                "}\n";
    EXPECT_EQ(slot.source(), written);
    declare_anew();
    EXPECT_FALSE(bench.parameters.find("feed")->touched) << "the source says it now";
    EXPECT_EQ(number("kill"), 2);
    bench.keep("written-values");

    bench.click(1100, 300);
    bench.key(Key::z, kControl);
    bench.run(2);
    EXPECT_EQ(slot.source(), kStep) << "one undo takes all of it back";
    declare_anew();
    EXPECT_EQ(number("feed"), 0.25);
    bench.key(Key::y, kControl);
    bench.run(2);
    EXPECT_EQ(slot.source(), written);
}
