// SPDX-License-Identifier: MIT
#include "engine/live/source_reader.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

using namespace lathe;

namespace {

std::string long_text(const std::string& name) {
    std::string text = "#define " + name + " 1\n";
    while (text.size() <= 8 * SourceReader::kShort) text += "__device__ float f(float x);\n";
    return text;
}

bool knows(const SourceReader& reader, const char* name) {
    return bool(reader.index().find(name, 0));
}

} // namespace

TEST(SourceReader, AShortTextIsReadAtOnce) {
    SourceReader reader;
    EXPECT_TRUE(reader.read("#define A 1\n", 1, {}));
    EXPECT_TRUE(knows(reader, "A"));
    EXPECT_TRUE(reader.read("not looked at", 1, {})) << "the same version";
    EXPECT_TRUE(knows(reader, "A"));
}

TEST(SourceReader, ALongOneIsReadMeanwhile) {
    SourceReader reader;
    EXPECT_TRUE(reader.read("#define OLD 1\n", 1, {}));
    const std::string text = long_text("LONG");
    bool is_read = reader.read(text, 2, {});
    EXPECT_FALSE(is_read);
    EXPECT_TRUE(knows(reader, "OLD")) << "until then that of before";
    for (int i = 0; i < 5000 && !is_read; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
        is_read = reader.read(text, 2, {});
    }
    EXPECT_TRUE(is_read);
    EXPECT_TRUE(knows(reader, "LONG"));
    EXPECT_FALSE(knows(reader, "OLD"));
}

TEST(SourceReader, FinishWaitsForTheLastText) {
    SourceReader reader;
    for (int i = 0; i < 20; ++i) {
        reader.read(long_text("FIRST"), std::uint64_t(2 * i), {});
        reader.read(long_text("LAST"), std::uint64_t(2 * i + 1), {});
        reader.finish();
        ASSERT_TRUE(knows(reader, "LAST")) << i;
        ASSERT_FALSE(knows(reader, "FIRST")) << i;
    }
    reader.read(long_text("THE_END"), 99, {}); // it may end while it reads
}
