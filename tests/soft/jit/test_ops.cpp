// SPDX-License-Identifier: MIT
// One-instruction tests: compiled code against the host's arithmetic.
#include "tests/soft/jit/mini_runtime.h"
#include "tests/soft/jit/ops.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace lathe::soft::test {
namespace {

bool is_real(const std::string& type) { return type[0] == 'f'; }
unsigned bits_of(const std::string& type) {
    return static_cast<unsigned>(std::stoi(type.substr(1)));
}

/// Floats in the order of integers.
std::int64_t ordered(Bits b, unsigned bits_wide) {
    const Bits sign = Bits{1} << (bits_wide - 1);
    return b & sign ? -static_cast<std::int64_t>(b & ~sign) : static_cast<std::int64_t>(b);
}

double real_value(Bits b, const std::string& type) {
    if (type == "f64") return f64(b);
    if (type == "f32") return f32(b);
    return half_value(b);
}

bool agree(const Op& op, Bits got, Bits wanted, const std::string& type) {
    if (got == wanted) return true;
    if (!is_real(type)) return false;
    const double x = real_value(got, type), y = real_value(wanted, type);
    if (std::isnan(x) && std::isnan(y)) return true;
    if (std::isnan(x) || std::isnan(y)) return false;
    if (op.absolute > 0 && std::abs(x - y) <= op.absolute) return true;
    const std::int64_t distance = ordered(got, bits_of(type)) - ordered(wanted, bits_of(type));
    return op.ulps > 0 && static_cast<Bits>(std::abs(distance)) <= op.ulps;
}

void check(const Op& op) {
    SCOPED_TRACE(op.text);
    const std::string type = types_of(op)[0];
    const std::vector<Inputs> rows = rows_of(op);
    std::vector<Bits> in, out(rows.size() + 1);
    for (const Inputs& row : rows) in.insert(in.end(), row.begin(), row.end());
    if (in.empty()) in.resize(rows.size());
    try {
        Program program{kernel_of(op)};
        program.run({{1, 1, 1}, {static_cast<std::uint32_t>(rows.size()), 1, 1}}, in.data(),
                    out.data());
    } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
        return;
    }
    int reported = 0;
    for (std::size_t k = 0; k < rows.size() && reported < 4; ++k) {
        const Bits wanted = op.expected(rows[k]);
        if (agree(op, out[k], wanted, type)) continue;
        std::string operands;
        for (Bits b : rows[k]) operands += fmt::format(" {:#x}", b);
        ADD_FAILURE() << fmt::format("({} ): got {:#x}, expected {:#x}", operands, out[k], wanted);
        ++reported;
    }
}

std::vector<OpGroup> all_groups() {
    std::vector<OpGroup> all;
    for (auto* const list : {carry_ops, convert_ops, float_ops, integer_ops})
        std::ranges::move(list(), std::back_inserter(all));
    return all;
}

class Ops : public testing::TestWithParam<OpGroup> {};

TEST_P(Ops, AgreeWithTheHost) {
    for (const Op& op : GetParam().ops) check(op);
}

INSTANTIATE_TEST_SUITE_P(Instructions, Ops, testing::ValuesIn(all_groups()), [](const auto& group) {
    std::string name = group.param.name;
    std::ranges::replace(name, '/', '_');
    return name;
});

} // namespace
} // namespace lathe::soft::test
