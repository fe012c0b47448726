// SPDX-License-Identifier: MIT
// F12, and Ctrl with a click: the way to where a word is declared.
#include "editing.h"

#include "tests/temp_folder.h"

#include <gtest/gtest.h>
#include <imgui.h>

#include <fstream>
#include <string>

using namespace lathe;

namespace {

std::string far_source() {
    std::string source = R"cu(#include "wave.cuh"
#define SIDE 64
struct Cell { float height; };
__device__ float slope(float x);
extern "C" __global__ void step(Cell* cells, int side)
{
    const int index = threadIdx.x + SIDE;
    cells[index].height = slope(wavelet(index)) + sinf(side);
}
)cu";
    for (int i = 0; i < 80; ++i) source += "// far away\n";
    return source + "__device__ float slope(float x) { return x; }\n";
}
constexpr int kCalls = 8;

class Definitions : public Editing {
protected:
    void SetUp() override {
        std::ofstream{folder / "wave.cuh"} << "// A wave.\n__device__ float wavelet(float x);\n";
        begin(far_source(), 1, [this](const KernelSource& source, Effort effort) {
            KernelBuild b = build_anything(source, effort);
            b.files = {folder / "wave.cuh"};
            return b;
        });
        bench->key(Key::z, kControl); // the four spaces
        bench->key(Key::z, kControl);
        bench->key(Key::z, kControl);
        bench->key(Key::z, kControl);
        bench->key(Key::f5);
        bench->run(2);
    }
    ImVec2 word(int number, const std::string& name) {
        return place_of(number, int(line(number).find(name)) + 2);
    }
    void control_click(ImVec2 at) {
        bench->window.inject(KeyEvent{Key::left_control, true, false, kControl});
        bench->move(at.x, at.y);
        bench->run(2);
        bench->window.inject(ButtonEvent{MouseButton::left, true, kControl});
        bench->frame();
        bench->window.inject(ButtonEvent{MouseButton::left, false, kControl});
        bench->run(2);
        bench->window.inject(KeyEvent{Key::left_control, false, false, 0});
        bench->run(2);
    }
    /// What is typed shows where the cursor is.
    std::string typed_into(int number) {
        bench->type("@");
        return line(number);
    }
    std::string last_words() {
        const auto lines = bench->console.lines();
        return lines.empty() ? "" : lines.back().text;
    }
    const test::TempFolder folder;
};

} // namespace

TEST_F(Definitions, F12GoesThere) {
    const ImVec2 at = word(kCalls, "slope");
    bench->click(at.x, at.y);
    bench->key(Key::f12);
    bench->run(3);
    EXPECT_EQ(typed_into(90), "__device__ float @slope(float x) { return x; }")
        << "not to the prototype";
    bench->keep("definition-far");
}

TEST_F(Definitions, AtTheCursorsWordWhicheverEnd) {
    const ImVec2 at = word(7, "SIDE");
    bench->click(at.x, at.y);
    bench->key(Key::end);
    bench->key(Key::left); // behind SIDE
    bench->key(Key::f12);
    bench->run(2);
    EXPECT_EQ(typed_into(2), "#define @SIDE 64");
}

TEST_F(Definitions, ControlAndAClickGoThereToo) {
    bench->window.inject(KeyEvent{Key::left_control, true, false, kControl});
    const ImVec2 at = word(kCalls, "index");
    bench->move(at.x, at.y);
    bench->run(2);
    EXPECT_EQ(ImGui::GetMouseCursor(), ImGuiMouseCursor_Hand);
    bench->keep("definition-link");
    bench->window.inject(KeyEvent{Key::left_control, false, false, 0});
    bench->run(2);
    EXPECT_NE(ImGui::GetMouseCursor(), ImGuiMouseCursor_Hand);
    control_click(at);
    EXPECT_EQ(typed_into(7), "    const int @index = threadIdx.x + SIDE;") << "one cursor";
    EXPECT_EQ(line(kCalls), "    cells[index].height = slope(wavelet(index)) + sinf(side);");
    bench->key(Key::z, kControl);
    control_click(word(kCalls, "height"));
    EXPECT_EQ(typed_into(3), "struct Cell { float @height; };");
}

TEST_F(Definitions, AHeaderIsToldOfOrHasATab) {
    const ImVec2 at = word(kCalls, "wavelet");
    bench->click(at.x, at.y);
    bench->key(Key::f12);
    bench->run(2);
    EXPECT_EQ(last_words(),
              (folder / "wave.cuh").string() + ":2: __device__ float wavelet(float x)");
    bench->keep("definition-header");

    bench->slots.push_back(std::make_unique<KernelSlot>(
        folder / "wave.cuh", "", std::vector<std::string>{}, immediate(build_anything)));
    bench->editor.add(*bench->slots.back(), false);
    bench->run(2);
    bench->key(Key::f12);
    bench->run(3);
    EXPECT_EQ(bench->editor.current(), bench->slots.back().get());
    bench->type("@");
    EXPECT_EQ(bench->slots.back()->source(), "// A wave.\n__device__ float @wavelet(float x);\n");
}

TEST_F(Definitions, WhatHasNoneIsSaid) {
    ImVec2 at = word(kCalls, "sinf");
    bench->click(at.x, at.y);
    bench->key(Key::f12);
    EXPECT_EQ(last_words(), "sinf is CUDA's own");
    bench->run(20); // or it were a third click
    at = word(5, "extern");
    bench->click(at.x, at.y);
    bench->key(Key::f12);
    EXPECT_EQ(last_words(), "extern is a word of C++");
    bench->type("new");
    bench->key(Key::escape);
    bench->key(Key::f12);
    EXPECT_EQ(last_words(), "no definition of enewxtern is known");
    EXPECT_EQ(bench->editor.current(), bench->slots[0].get());
}
