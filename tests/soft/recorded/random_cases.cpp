// SPDX-License-Identifier: MIT
// The random kernels of ./test, in the variant that leaves nothing open (random_kernels.h), and
// only whole warps where lanes tell each other something.
#include "tests/soft/recorded/session.h"
#include "tests/soft/support/random_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <random>

namespace lathe::recorded {
namespace {

constexpr std::uint32_t kCount = 300, kBatch = 10;
using test::Operations;

std::string own_source(std::uint32_t seed) {
    return test::random_kernel(fmt::format("k{}", seed), seed, Operations::defined);
}

std::vector<Part> run_random(Session& session, std::uint32_t seed) {
    static constexpr std::array<unsigned, 3> kWhole[] = {{32, 1, 1},  {64, 1, 1}, {96, 1, 1},
                                                         {16, 8, 1},  {8, 4, 2},  {32, 3, 1},
                                                         {256, 1, 1}, {64, 2, 2}};
    static constexpr std::array<unsigned, 3> kAny[] = {{100, 1, 1}, {17, 1, 1}, {33, 3, 1},
                                                       {1, 1, 1},   {64, 1, 1}, {96, 1, 1}};
    const std::string own = own_source(seed);
    const std::uint32_t first = (seed - 1) / kBatch * kBatch + 1;
    std::string source = test::random_kernel_prelude();
    for (std::uint32_t k = first; k < first + kBatch; ++k) source += own_source(k);
    CUfunction const f = session.compiled_part(source, test::random_kernel_prelude() + own,
                                               fmt::format("k{}", seed));
    std::mt19937 random{seed * 7 + 1};
    std::vector<std::uint32_t> in(256);
    for (std::uint32_t& word : in)
        word = static_cast<std::uint32_t>(random() % 4 ? random() % 64 : random());
    const bool warps = own.find("_sync(") != own.npos; // a shuffle, vote or match
    Grid grid;
    grid.threads = warps ? kWhole[random() % std::size(kWhole)] : kAny[random() % std::size(kAny)];
    grid.blocks[0] = static_cast<unsigned>(1 + random() % 3);
    const std::size_t threads =
        std::size_t{grid.blocks[0]} * grid.threads[0] * grid.threads[1] * grid.threads[2];
    const Memory input = session.upload(in), out{32 * threads}, sums{4 * 18};
    session.launch(f, grid, input.get(), out.get(), sums.get());
    auto words = out.read<std::uint32_t>(8 * threads);
    for (std::size_t k = 0; k < words.size(); ++k) // two of eight are floats
        if ((k % 8 == 5 || k % 8 == 6) && is_nan(Type::f32, words[k])) words[k] = 0x7fffffff;
    return {part("out", Type::b32, words), part("sums", Type::b32, sums.read<std::uint32_t>(18))};
}

} // namespace

void add_random_cases(std::vector<Case>& cases) {
    for (std::uint32_t seed = 1; seed <= kCount; ++seed) {
        cases.push_back({fmt::format("random/{}", seed),
                         [seed](Session& session) { return run_random(session, seed); }});
    }
}

} // namespace lathe::recorded
