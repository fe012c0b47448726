// SPDX-License-Identifier: MIT
#include "tests/soft/recorded/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace lathe::recorded {
namespace {

constexpr int kShown = 6;

/// Bits as integers in the order of the numbers.
std::int64_t ordered(Type type, std::uint64_t bits) {
    const std::uint64_t sign = std::uint64_t{1} << (8 * bytes_of(type) - 1);
    return bits & sign ? -static_cast<std::int64_t>(bits & ~sign) : static_cast<std::int64_t>(bits);
}

/// In units of the tolerance: up to 1 is allowed.
double distance(Type type, const Tolerance& tolerance, std::uint64_t a, std::uint64_t b) {
    if (with_one_nan(type, a) == with_one_nan(type, b)) return 0;
    if (tolerance.exact() || is_nan(type, a) || is_nan(type, b)) return HUGE_VAL;
    const double x = value_of(type, a), y = value_of(type, b);
    double least = HUGE_VAL;
    const auto take = [&](double size, double allowed) {
        if (allowed > 0 && std::isfinite(size)) least = std::min(least, size / allowed);
    };
    take(std::abs(x - y), tolerance.absolute);
    take(std::abs(x - y), tolerance.relative * std::max(std::abs(x), std::abs(y)));
    if (is_real(type))
        take(std::abs(static_cast<double>(ordered(type, a) - ordered(type, b))), tolerance.ulps);
    return least;
}

std::string shown(Type type, std::uint64_t bits) {
    const std::string hex = fmt::format("{:#0{}x}", bits, 2 * bytes_of(type) + 2);
    return is_real(type) ? fmt::format("{} ({:.9g})", hex, value_of(type, bits)) : hex;
}

class Report {
public:
    explicit Report(Comparison& into) : into_{into} {}
    void differ(const std::string& text) {
        into_.same = false;
        if (++count_ <= kShown) into_.words += "  " + text + "\n";
    }
    ~Report() {
        if (count_ > kShown) into_.words += fmt::format("  and {} more\n", count_ - kShown);
    }

private:
    Comparison& into_;
    int count_ = 0;
};

void compare_parts(const Part& recorded, const Part& fresh, Comparison& result) {
    Report report{result};
    if (recorded.type != fresh.type || recorded.count != fresh.count) {
        report.differ(fmt::format("{}: {} values were recorded, here are {}", fresh.label,
                                  recorded.count, fresh.count));
        return;
    }
    result.values += fresh.values.size();
    std::size_t stored = recorded.values.size();
    for (std::size_t k = 0; k < stored; ++k) {
        const std::uint64_t a = recorded.values[k], b = fresh.values[k];
        const double size = distance(fresh.type, fresh.tolerance, a, b);
        if (k < fresh.open.size() && fresh.open[k]) {
            ++result.open;
            result.open_unequal += size > 1;
            continue;
        }
        result.unequal += a != b && size <= 1;
        result.worst = std::max(result.worst, size);
        if (size <= 1) continue;
        report.differ(fmt::format("{}[{}]: {} was recorded, here is {}", fresh.label, k,
                                  shown(fresh.type, a), shown(fresh.type, b)));
    }
    for (std::size_t chunk = stored / 64; chunk < fresh.hashes.size(); ++chunk) {
        if (stored == recorded.count || recorded.hashes.size() <= chunk ||
            64 * chunk + 64 <= stored || recorded.hashes[chunk] == fresh.hashes[chunk])
            continue;
        report.differ(fmt::format("{}[{} to {}]: the hash differs", fresh.label, 64 * chunk,
                                  std::min<std::size_t>(64 * chunk + 63, fresh.count - 1)));
    }
}

} // namespace

Comparison compare(const Record& recorded, const Record& fresh) {
    Comparison result;
    const auto fail = [&](const std::string& text) {
        result.same = false;
        result.words += "  " + text + "\n";
    };
    if (recorded.definition != fresh.definition && recorded.code == fresh.code) {
        fail("the case is another one than the recorded: record it again");
        return result;
    }
    if (recorded.code != fresh.code)
        fail(fmt::format("it ended with code {} there ({}), here with {} ({})", recorded.code,
                         recorded.problem, fresh.code, fresh.problem));
    else if (recorded.parts.size() != fresh.parts.size()) fail("the results have other parts");
    else
        for (std::size_t k = 0; k < fresh.parts.size(); ++k)
            compare_parts(recorded.parts[k], fresh.parts[k], result);
    if (!result.same && recorded.ptx != fresh.ptx) fail("(NVRTC wrote other PTX here than there)");
    return result;
}

bool matches(const std::string& pattern, const std::string& name) {
    if (!pattern.empty() && pattern.back() == '*')
        return name.starts_with(pattern.substr(0, pattern.size() - 1));
    return name == pattern;
}

} // namespace lathe::recorded
