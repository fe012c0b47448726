// SPDX-License-Identifier: MIT
// What the editor costs a frame for a long source: processor time of this thread, medians.
#include "editing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

using namespace lathe;

namespace {

constexpr int kLines = 2000;
constexpr double kMost = 2; ///< milliseconds
/// Of a frame whose text has changed, of which the text box itself takes about 1 ms.
constexpr double kMostOfAChange = 6;

/// Kernels with comments, variables and loops, until there are so many lines.
std::string long_source() {
    std::string source;
    for (int n = 0, lines = 0; lines < kLines; ++n, lines += 14)
        source += fmt::format(R"cu(// What kernel {0} does: a sum over the cells beside each cell.
#define REACH{0} {0}
__device__ float weight{0}(float distance, float scale) {{ return expf(-distance * scale); }}
extern "C" __global__ void gather{0}(const float4* __restrict__ cells, float4* sums, int count)
{{
    const int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= count) return; // nothing is there
    float4 sum = make_float4(0, 0, 0, 0);
    for (int beside = -REACH{0}; beside <= REACH{0}; ++beside) {{
        const float4 cell = cells[min(max(index + beside, 0), count - 1)];
        sum.x += cell.x * weight{0}(float(beside), 0.5f);
    }}
    sums[index] = sum;
}}
)cu",
                              n);
    return source;
}

class EditorTime : public Editing {
protected:
    void SetUp() override { begin(long_source(), 9); }
    /// Of the panel's drawing alone; the frames around it do `what`.
    void measure(const char* name, double most, const std::function<void(int)>& what) {
        constexpr int count = 31;
        std::vector<double> times;
        for (int i = 0; i < count; ++i) {
            what(i);
            const double before = bench->editor_milliseconds;
            bench->frame();
            times.push_back(bench->editor_milliseconds - before);
        }
        std::ranges::nth_element(times, times.begin() + count / 2);
        const double median = times[std::size_t(count) / 2];
        fmt::print("{}: {:.2f} ms\n", name, median);
        RecordProperty(name, fmt::format("{:.3f}", median));
        EXPECT_LT(median, most) << name;
    }
    void type(char c) { bench->window.inject(TextEvent{char32_t(c)}); }
};

} // namespace

TEST_F(EditorTime, AFrameStaysWithinTwoMilliseconds) {
    measure("nothing happens", kMost, [](int) {});
    const ImVec2 at = place_of(10, 30);
    bench->move(at.x, at.y);
    bench->run(40);
    measure("the mouse rests on a word", kMost, [](int) {});
    measure("a letter is typed", kMostOfAChange, [&](int i) { type(char('a' + i % 7)); });
    bench->key(Key::enter);
    measure("a word with the list", kMostOfAChange,
            [&](int i) { type(i % 4 == 3 ? ' ' : "ats"[i % 4]); });
    bench->key(Key::escape);
    bench->key(Key::f, kControl | kShift);
    bench->type("beside");
    bench->run(2);
    EXPECT_GT(bench->editor.find_pane().hits().size(), 500u);
    measure("hits in all tabs", kMost, [](int) {});
}
