// SPDX-License-Identifier: MIT
// Words: where their ink lies, their edge, UTF-8, and an atlas that is full. tests/python compares
// the letters themselves with another rasteriser.
#include "engine/render/text.h"

#include "engine/render/glyph_atlas.h"
#include "fixture.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using namespace lathe;
using namespace lathe::test;

class TextTest : public RenderTest {
protected:
    struct Box {
        int left = 1000, top = 1000, right = -1, bottom = -1; ///< right and bottom: the last pixels
    };
    /// Of pixels that are brighter than `least`.
    Box ink(int least = 40) const {
        Box box;
        for (int y = 0; y < target.height(); ++y)
            for (int x = 0; x < target.width(); ++x) {
                if (at(x, y).r <= least) continue;
                box.left = std::min(box.left, x);
                box.top = std::min(box.top, y);
                box.right = std::max(box.right, x);
                box.bottom = std::max(box.bottom, y);
            }
        return box;
    }
    void write(std::string_view text, glm::vec2 place, const TextStyle& style) {
        start(200, 100);
        renderer.add(text, place, style);
        renderer.draw(size());
        finish();
    }
    static constexpr TextStyle style(float size, glm::vec2 anchor = {0.5f, 0.5f}) {
        return {.size = size, .color = {1, 1, 1, 1}, .anchor = anchor};
    }

    TextRenderer renderer;
};

TEST_F(TextTest, LiesAtItsAnchor) {
    const glm::vec2 extent = renderer.extent("HEH", 24);
    for (const glm::vec2 anchor : {glm::vec2{0, 0}, glm::vec2{1, 1}, glm::vec2{0.5f, 0.5f}}) {
        write("HEH", {100, 50}, style(24, anchor));
        const Box box = ink();
        const glm::vec2 corner = glm::vec2{100, 50} - anchor * extent;
        EXPECT_GE(float(box.left), corner.x - 1);
        EXPECT_LE(float(box.right), corner.x + extent.x + 1);
        EXPECT_NEAR((float(box.left) + float(box.right) + 1) / 2, corner.x + extent.x / 2, 1.5f);
        // Capitals of Inter are 0.727 em high, and stand above the middle of the line.
        EXPECT_NEAR(box.bottom - box.top + 1, 0.727f * 24, 1.1f);
        EXPECT_NEAR((float(box.top) + float(box.bottom) + 1) / 2, corner.y + extent.y / 2, 3);
    }
}

TEST_F(TextTest, IsAsWideAsItsLettersAndAsHighAsItsLines) {
    const auto width = [&](std::string_view text) { return renderer.extent(text, 20).x; };
    EXPECT_GT(width("W"), 2 * width("i"));
    EXPECT_NEAR(width("HHHH"), 4 * width("H"), 1e-3f);
    EXPECT_LT(width("AV"), width("A") + width("V")) << "kerning";
    EXPECT_EQ(width("ab\nlonger"), width("longer"));
    EXPECT_FLOAT_EQ(renderer.extent("a\nb\nc", 20).y, 3 * renderer.extent("a", 20).y);
    EXPECT_NEAR(renderer.extent("HH", 40).x, 2 * renderer.extent("HH", 20).x, 1e-3f);
    EXPECT_EQ(width(""), 0);
}

TEST_F(TextTest, ADarkEdgeStandsAroundTheLettersAndNotOverThem) {
    const auto darkest = [&](const TextStyle& style) {
        start(200, 100);
        target.clear({0.5f, 0.5f, 0.5f, 1});
        renderer.add("III", {100, 50}, style);
        renderer.draw(size());
        finish();
        int least = 255;
        for (int x = 0; x < 200; ++x) least = std::min(least, int(at(x, 50).r));
        return least;
    };
    TextStyle plain = style(40);
    const int with_edge = darkest(plain);
    EXPECT_LT(with_edge, 60);
    const Box box = ink(250);
    EXPECT_GE(box.right, 0) << "letters are white";
    plain.edge.a = 0;
    EXPECT_GE(darkest(plain), 127);
    EXPECT_EQ(ink(250).left, box.left);
    EXPECT_EQ(ink(250).right, box.right);
}

TEST_F(TextTest, NothingIsDrawnTwice) {
    write("once", {100, 50}, style(20));
    start(200, 100);
    renderer.draw(size());
    finish();
    EXPECT_EQ(ink().right, -1);
}

TEST_F(TextTest, AnAtlasThatIsFullBeginsAnew) {
    GlyphAtlas atlas;
    while (!atlas.is_full()) (void)atlas.glyph(U'M', 200 + 0.25f * float(std::rand() % 200));
    EXPECT_EQ(atlas.glyph(U'W', 256).size.x, 0);
    atlas.begin_anew();
    EXPECT_GT(atlas.glyph(U'W', 256).size.x, 100);

    std::string many;
    for (char c = '!'; c <= '~'; ++c) many += c;
    for (float size = 60; size < 120; size += 2) // more than there is room for
        renderer.add(many, {0, 0}, style(size));
    start(200, 100);
    renderer.draw(size());
    write("HEH", {100, 50}, style(24));
    EXPECT_GT(ink().right, 100);
}

TEST(CodePoints, AreThoseOfUtf8) {
    EXPECT_EQ(code_points("aß€😀"), U"aß€😀");
    EXPECT_EQ(code_points(""), U"");
    EXPECT_EQ(code_points("a\xff"
                          "b"),
              U"a\xfffd"
              U"b");
    EXPECT_EQ(code_points("\xe2\x82"), U"\xfffd\xfffd") << "cut off";
    EXPECT_EQ(code_points("\x80z"), U"\xfffdz") << "in the midst of one";
}

} // namespace
