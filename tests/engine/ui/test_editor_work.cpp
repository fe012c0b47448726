// SPDX-License-Identifier: MIT
// What the editor does in a frame for a long source: bytes that this thread allocates, as texts,
// words and places, and corners that are drawn. They are the same on each machine; medians. The
// time is printed, and judged by whoever reads it.
#include "editing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <vector>

namespace {

thread_local std::size_t g_allocated = 0;

} // namespace

// Sanitizers have their own, which is not to be mixed with another: there no bytes are counted.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void* operator new(std::size_t bytes) {
    g_allocated += bytes;
    if (void* const place = std::malloc(bytes ? bytes : 1)) return place;
    throw std::bad_alloc{};
}
// Inlined where operator new is not, GCC would take them for a mistake.
[[gnu::noinline]] void operator delete(void* place) noexcept { std::free(place); }
[[gnu::noinline]] void operator delete(void* place, std::size_t) noexcept { std::free(place); }
#endif

using namespace lathe;

namespace {

constexpr int kLines = 2000;
struct Work {
    std::size_t bytes = 0;
    int corners = 0; ///< of the whole window
};
constexpr Work kMost{10'000, 13'000};
/// Of a frame whose text has changed, of which the text of 100 kB makes 1.9 MB of words and places.
constexpr Work kMostOfAChange{2'100'000, 13'000};

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

template <class T> T median(std::vector<T> all) {
    const auto middle = all.begin() + std::ptrdiff_t(all.size() / 2);
    std::ranges::nth_element(all, middle);
    return *middle;
}

class EditorWork : public Editing {
protected:
    void SetUp() override {
        begin(long_source(), 9);
        bench->allocated_bytes = [] { return g_allocated; };
    }
    /// Of the panel's drawing; the frames around it do `what`.
    void measure(const char* name, const Work& most, const std::function<void(int)>& what) {
        std::vector<double> times;
        std::vector<std::size_t> bytes;
        std::vector<int> corners;
        for (int i = 0; i < 31; ++i) {
            what(i);
            const double time_before = bench->editor_milliseconds;
            const std::size_t bytes_before = bench->editor_bytes;
            bench->frame();
            times.push_back(bench->editor_milliseconds - time_before);
            bytes.push_back(bench->editor_bytes - bytes_before);
            bench->imgui.make_current();
            corners.push_back(ImGui::GetDrawData()->TotalVtxCount);
        }
        fmt::print("{}: {} bytes, {} corners, {:.2f} ms\n", name, median(bytes), median(corners),
                   median(times));
        EXPECT_LT(median(bytes), most.bytes) << name;
        EXPECT_LT(median(corners), most.corners) << name;
    }
    void type(char c) { bench->window.inject(TextEvent{char32_t(c)}); }
};

} // namespace

TEST_F(EditorWork, OfAFrameIsSmall) {
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
