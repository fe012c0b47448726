// SPDX-License-Identifier: MIT
// An editor of one text whose compiler takes everything, with the keyboard in it.
#pragma once

#include "bench.h"

#include "engine/ui/code_help.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace lathe {

inline KernelBuild build_anything(const KernelSource&, Effort) {
    KernelBuild b;
    auto loaded = std::make_shared<LoadedKernels>();
    loaded->first = "step";
    loaded->kernels["step"];
    b.loaded = std::move(loaded);
    return b;
}

class Editing : public testing::Test {
protected:
    /// A new editor; the cursor stands in this line, behind four spaces that were typed.
    void begin(const std::string& source, int line, BuildKernel build = build_anything) {
        bench.emplace();
        bench->add(source, std::move(build));
        bench->run(3);
        go_to(line);
        bench->type("    ");
    }
    void go_to(int line) {
        bench->click(1250, 390);
        bench->key(Key::home, kControl);
        for (int i = 1; i < line; ++i) bench->key(Key::down);
    }
    std::string line(int number) {
        std::string_view text = bench->slots[0]->source();
        for (; number > 1; --number) text.remove_prefix(text.find('\n') + 1);
        return std::string{text.substr(0, text.find('\n'))};
    }
    /// The middle of a character on the screen, line and column from 1, scrolled to the top.
    static ImVec2 place_of(int line, int column) {
        return {798.0f + 7.0f * (float(column) - 0.5f), 64.0f + 17.25f * (float(line) - 0.5f)};
    }
    std::optional<UiBench> bench;
};

} // namespace lathe
