// SPDX-License-Identifier: MIT
// Which worker ran which blocks: each block once, while its launch was under way.
#include "tests/soft/rt/driver_test.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace lathe::test {
namespace {

class BlockSpans : public DriverTest {
protected:
    void TearDown() override {
        latheSoftSpansStop();
        DriverTest::TearDown();
    }
    /// Those of the kernels from a number on, which is moved.
    static std::vector<LatheSoftBlockSpan> read(std::uint64_t& from, std::size_t at_once = 64) {
        std::vector<LatheSoftBlockSpan> all, rows(at_once);
        while (const std::size_t count = latheSoftSpansRead(&from, rows.data(), rows.size()))
            all.insert(all.end(), rows.begin(), rows.begin() + std::ptrdiff_t(count));
        return all;
    }
    static std::int64_t now() {
        return std::chrono::nanoseconds{std::chrono::steady_clock::now().time_since_epoch()}
            .count();
    }
    void launch_and_wait(CUfunction f, unsigned blocks) {
        CHECK_CU(launch(f, shape(blocks, 32)));
        CHECK_CU(cuCtxSynchronize());
    }
};

TEST_F(BlockSpans, EachBlockLiesOnAWorkerOnce) {
    CUfunction f = function(load("extern \"C\" __global__ void spread() {}"), "spread");
    launch_and_wait(f, 8); // before
    latheSoftSpansStart();
    const std::int64_t begin = now();
    launch_and_wait(f, 1000);
    const std::int64_t end = now();
    std::uint64_t from = 0;
    std::map<std::uint64_t, int> seen;
    std::map<unsigned, std::int64_t> last; ///< end of a worker's span
    for (const LatheSoftBlockSpan& span : read(from, 3)) {
        EXPECT_EQ(std::string_view{span.kernel}, "spread");
        EXPECT_LE(begin, span.begin);
        EXPECT_LE(span.begin, span.end);
        EXPECT_LE(span.end, end);
        EXPECT_LE(last[span.worker], span.begin) << "a worker does one thing at a time";
        last[span.worker] = span.end;
        for (std::uint64_t block = 0; block < span.count; ++block) ++seen[span.first + block];
    }
    EXPECT_EQ(seen.size(), 1000u);
    EXPECT_EQ(seen.rbegin()->first, 999u);
    for (const auto& [block, times] : seen) EXPECT_EQ(times, 1) << block;
    EXPECT_TRUE(read(from).empty()) << "they were read";
    launch_and_wait(f, 1);
    EXPECT_EQ(read(from).size(), 1u) << "those since then";
}

TEST_F(BlockSpans, NothingIsKeptUnlessSomebodyLooks) {
    CUfunction f = function(load("extern \"C\" __global__ void unseen() {}"), "unseen");
    std::uint64_t from = 0;
    launch_and_wait(f, 8);
    EXPECT_TRUE(read(from).empty());
    latheSoftSpansStart();
    launch_and_wait(f, 8);
    latheSoftSpansStop();
    EXPECT_TRUE(read(from).empty()) << "they are gone when it is over";
}

} // namespace
} // namespace lathe::test
