// SPDX-License-Identifier: MIT
// The way from an error to its place.
#include "editing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

using namespace lathe;

namespace {

constexpr const char* kUnclosed = R"cu(__global__ void step(float* x)
{
    if (x) { // and }
        x[0] = 1;
        x[1] = 2;
}

__device__ float far(float y)
{
    return y;
}
)cu";

/// Complains at the end, as NVRTC does.
KernelBuild build_braces(const KernelSource& source, Effort effort) {
    KernelBuild b = build_anything(source, effort);
    if (std::ranges::count(source.text, '{') + 1 == std::ranges::count(source.text, '}')) return b;
    b.loaded = nullptr;
    const int end = int(std::ranges::count(source.text, '\n'));
    b.diagnostics = {{source.name, 8, 1, Diagnostic::Severity::error, "not here"},
                     {source.name, end, 0, Diagnostic::Severity::error, "expected a \"}\""}};
    return b;
}

class EditorErrors : public Editing {
protected:
    void SetUp() override {
        bench.emplace();
        bench->add(kUnclosed, build_braces);
        bench->run(3);
        go_to(11);
    }
};

} // namespace

TEST_F(EditorErrors, F8GoesToTheBracket) {
    bench->keep("error-bracket");
    const ImVec2 at = place_of(3, 14);
    bench->move(at.x, at.y);
    bench->run(40);
    bench->keep("error-bracket-tip");
    bench->key(Key::f8);
    bench->run(2);
    bench->type("?");
    EXPECT_EQ(line(3), "    if (x) ?{ // and }") << "from the last line round to the first error";
}

TEST_F(EditorErrors, AClickOnTheStateGoesThere) {
    bench->click(850, 420);
    bench->run(2);
    bench->type("?");
    EXPECT_EQ(line(3), "    if (x) ?{ // and }");
}
