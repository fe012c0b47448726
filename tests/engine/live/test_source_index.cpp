// SPDX-License-Identifier: MIT
#include "engine/live/source_index.h"

#include "tests/temp_folder.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

using namespace lathe;

namespace {

/// The text without its | and where that stood.
struct MarkedText {
    explicit MarkedText(std::string source) : at{source.find('|')} {
        source.erase(at, 1);
        index.update(source, 1, {});
    }
    std::size_t at;
    SourceIndex index;
};

std::string call_in(const std::string& source) {
    const MarkedText m{source};
    const auto call = m.index.call_at(m.at);
    return call ? std::string{call->name} + ' ' + std::to_string(call->argument) : "none";
}

} // namespace

TEST(SourceIndex, TheCallAroundAPlace) {
    EXPECT_EQ(call_in("x = powf(|"), "powf 0");
    EXPECT_EQ(call_in("x = powf(a, |b)"), "powf 1");
    EXPECT_EQ(call_in("x = powf(sinf(a, b), g[1, 2], |"), "powf 2");
    EXPECT_EQ(call_in("x = powf(a, sinf(|a))"), "sinf 0");
    EXPECT_EQ(call_in("x = powf(a, (b, c|))"), "powf 1");
    EXPECT_EQ(call_in("x = powf(a, t[i, j|])"), "powf 1");
    EXPECT_EQ(call_in("x = powf(a)|"), "none");
    EXPECT_EQ(call_in("powf|(a)"), "none");
    EXPECT_EQ(call_in("if (a|)"), "none");
    EXPECT_EQ(call_in("f(a; b|)"), "none") << "a statement of its own";
    EXPECT_EQ(call_in("f(\", |\")"), "none") << "in a text";
    EXPECT_EQ(call_in("f(a, // b, |\n c)"), "none") << "in a comment";
    EXPECT_EQ(call_in("f(a /*, */, \"x,y\", |"), "f 2");
}

TEST(SourceIndex, CommentsAndTextsAreWords) {
    const auto in_words = [](const std::string& source) {
        const MarkedText m{source};
        return m.index.is_in_words(m.at);
    };
    EXPECT_TRUE(in_words("a // b|"));
    EXPECT_TRUE(in_words("a // b|\nc"));
    EXPECT_FALSE(in_words("a // b\n|c"));
    EXPECT_TRUE(in_words("a /* b|"));
    EXPECT_FALSE(in_words("a /* b */|"));
    EXPECT_TRUE(in_words("\"a|\""));
    EXPECT_FALSE(in_words("\"a\"|"));
    EXPECT_TRUE(in_words("\"a|"));
    EXPECT_FALSE(in_words("a|"));
}

TEST(SourceIndex, WordsAndPlaces) {
    SourceIndex index;
    EXPECT_TRUE(index.update("ab c\nab // ab\n", 1, {}));
    EXPECT_FALSE(index.update("nothing is read", 1, {}));
    EXPECT_EQ(index.words().at("ab"), 2);
    EXPECT_EQ(index.offset_of(2, 3), 7u);
    EXPECT_EQ(index.offset_of(9, 1), index.text().size());
    EXPECT_EQ(index.token_at(6)->text, "ab");
    EXPECT_EQ(index.token_at(2), nullptr);
    EXPECT_EQ(index.token_at(2, true)->text, "ab");
    EXPECT_EQ(index.token_at(3, true)->text, "c");
}

TEST(SourceIndex, FindsInTheTextAndInHeaders) {
    const test::TempFolder folder;
    const auto header = folder / "wave.cuh";
    std::ofstream{header} << "// A wave.\n__device__ float wave(float x) { float own = x; }\n"
                             "struct P { float y; };\n";
    const std::string text = "__device__ float f(float y) { P p; return wave(p.y) + y + own; }\n";
    SourceIndex index;
    index.update(text, 1, {header, folder / "absent.cuh"});
    const auto wave = index.find("wave", text.find("wave"));
    ASSERT_TRUE(wave && wave.header);
    EXPECT_EQ(wave.declaration->comment, "A wave.");
    EXPECT_EQ(wave.declaration->line, 2);
    EXPECT_FALSE(index.find("own", text.find("own"))) << "a local of the header";
    EXPECT_EQ(index.find("y", text.find("y + own")).declaration->kind, DeclarationKind::parameter);
    EXPECT_TRUE(index.find("y", text.find("y) +")).declaration->is_member);

    std::ofstream{header} << "__device__ float wave(int n) { }\n";
    std::filesystem::last_write_time(header, wave.header->time + std::chrono::seconds{2});
    index.update(text, 2, {header});
    EXPECT_EQ(index.find("wave", 0).declaration->text, "__device__ float wave(int n)");
    index.update(text, 3, {});
    EXPECT_FALSE(index.find("wave", 0));
}
