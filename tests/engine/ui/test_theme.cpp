// SPDX-License-Identifier: MIT
// The light look: words can be read, and what is dark behind them is light.
#include "editing.h"

#include "engine/ui/theme.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace lathe;

namespace {

/// Relative luminance and contrast as the Web Content Accessibility Guidelines 2.2 define them.
double luminance(unsigned rgb) {
    const auto linear = [](unsigned part) {
        const double c = double(part & 255) / 255;
        return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(rgb >> 16) + 0.7152 * linear(rgb >> 8) + 0.0722 * linear(rgb);
}
double contrast(unsigned a, unsigned b) {
    const double high = std::max(luminance(a), luminance(b)),
                 low = std::min(luminance(a), luminance(b));
    return (high + 0.05) / (low + 0.05);
}

} // namespace

TEST(Theme, WordsCanBeReadInTheLight) {
    using namespace theme;
    for (const unsigned behind : {kPanel, kBackground, kField, kPopup, 0x15181du}) {
        EXPECT_GT(luminance(in_light(behind)), 0.6) << behind;
        for (const unsigned ink : {kText, kDim, kAccent, kGood, kWarning, kError, kHazard, kCostly})
            EXPECT_GT(contrast(in_light(ink), in_light(behind)), ink == kText ? 10 : 3.5)
                << ink << " on " << behind;
        // Of the code: keywords, types, numbers, texts, comments.
        for (const unsigned ink : {0xc792eau, 0x6fb8e8u, 0xf2a97eu, 0xa5d489u, 0x7f8b9cu})
            EXPECT_GT(contrast(in_light(ink), in_light(0x15181d)), 3.5) << ink;
    }
    const unsigned red = in_light(kError);
    EXPECT_GT(red >> 16 & 255, 2 * (red & 255)) << "an error stays red";
}

TEST(Theme, PanelsAndEditorAreLight) {
    UiBench bench{1280, 720, nullptr, {}, Look::light};
    bench.add("// A wave.\n#define SIDE 64\n__global__ void step(float* x, int n)\n{\n"
              "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) x[i] = "
              "0.5f * sinf(float(i)); // \"words\"\n    \n}\n",
              build_anything);
    bench.run(3);
    bench.click(1250, 300);
    bench.key(Key::up);
    bench.key(Key::up);
    bench.key(Key::end);
    bench.type("powf(at");
    bench.run(2);
    bench.keep("theme-light");
    const ImageData image = bench.picture();
    for (const auto& [x, y] : {std::pair{1200, 390}, std::pair{1200, 640}, std::pair{100, 60}}) {
        const std::byte* p = image.at(x, y);
        EXPECT_GT(int(p[0]) + int(p[1]) + int(p[2]), 3 * 220) << x << ", " << y;
    }
    bench.key(Key::escape);
    bench.key(Key::f1);
    bench.run(2);
    bench.keep("theme-light-keys");
}
