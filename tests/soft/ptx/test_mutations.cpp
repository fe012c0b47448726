// SPDX-License-Identifier: MIT
// Damaged texts: bytes and lines deleted, doubled, replaced or swapped, always by the same random
// numbers. Nothing may crash, hang or throw; what parses must print to what parses.
#include "gpu/ptx/dwarf.h"
#include "gpu/ptx/printer.h"
#include "gpu/ptx/verify.h"
#include "tests/soft/ptx/texts.h"
#include "tests/soft/support/nvrtc.h"

#include <random>

using namespace lathe;
using namespace lathe::ptx;
using namespace lathe::ptx::test;

namespace {

class Mutator {
public:
    std::string operator()(std::string text) {
        for (std::uint32_t i = 0, count = 1 + below(4); i < count && !text.empty(); ++i)
            mutate(text);
        return text;
    }

private:
    std::uint32_t below(std::size_t bound) { return static_cast<std::uint32_t>(random_() % bound); }

    void mutate(std::string& text) {
        static constexpr std::string_view kInteresting = "{}[]()<>;,:.+-|!@%=0x\"/*\n\0_~?";
        const std::size_t at = below(text.size());
        const std::size_t bytes = 1 + below(std::min<std::size_t>(24, text.size() - at));
        switch (below(6)) {
        case 0: text.erase(at, bytes); break;
        case 1: text.insert(at, text.substr(at, bytes)); break;
        case 2: text[at] = static_cast<char>(random_()); break;
        case 3: text[at] = kInteresting[below(kInteresting.size())]; break;
        case 4: text.insert(at, text.substr(below(text.size()), bytes)); break;
        default: text.resize(at); break;
        }
    }

    std::mt19937 random_{2026};
};

std::vector<std::string> inputs() {
    std::vector<std::string> texts{text("corners"), text("inlined")};
    if (lathe::test::has_nvrtc())
        for (const char* const name : {"control", "textures", "inline_asm", "reduce"})
            texts.push_back(lathe::test::compile_kernel(name, {"-lineinfo"}));
    return texts;
}

} // namespace

TEST(PtxMutations, NeverCrash) {
    const std::vector<std::string> texts = inputs();
    Mutator mutate;
    int understood = 0;
    for (int i = 0; i < 20'000; ++i) {
        const std::string damaged = mutate(texts[static_cast<std::size_t>(i) % texts.size()]);
        const ParseResult result = parse(damaged);
        for (const Diagnostic& error : result.errors) ASSERT_GT(error.line, 0);
        kernel_signatures(result.module);
        verify(result.module);
        const std::string printed = print(result.module);
        if (!result.ok()) continue;
        ++understood;
        const ParseResult again = parse(printed);
        ASSERT_TRUE(again.ok()) << to_string(again.errors[0]) << '\n'
                                << damaged << "\n==>\n"
                                << printed;
    }
    EXPECT_GT(understood, 500)
        << "the damage should be small enough to reach every part of the parser";
}
