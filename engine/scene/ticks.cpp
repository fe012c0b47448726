// SPDX-License-Identifier: MIT
#include "engine/scene/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lathe {

namespace {

constexpr double kRounding = 1e-9; // of a step: what computing leaves
constexpr double kDigits = 1e-15;  // of a number, likewise

/// A number of 1 to 10 by a power of ten.
struct Scientific {
    double digits;
    int exponent;
};
Scientific scientific(double length) {
    const int exponent = int(std::floor(std::log10(length) + kRounding));
    return {length / std::pow(10, exponent), exponent};
}

/// The typographic minus.
std::string with_minus(std::string text) {
    return text.starts_with('-') ? "\u2212" + text.substr(1) : text;
}

} // namespace

double round_up(double length) {
    const auto [digits, exponent] = scientific(length);
    for (const double each : {1.0, 2.0, 5.0})
        if (digits <= each * (1 + kRounding)) return each * std::pow(10, exponent);
    return 10 * std::pow(10, exponent);
}

double round_down(double length) {
    const auto [digits, exponent] = scientific(length);
    for (const double each : {5.0, 2.0})
        if (digits >= each * (1 - kRounding)) return each * std::pow(10, exponent);
    return std::pow(10, exponent);
}

Ticks ticks_between(double low, double high, int most) {
    Ticks ticks;
    const double range = high - low;
    if (!(range > 0) || !std::isfinite(range)) return ticks;
    ticks.step = round_up(range / std::max(most, 2));
    const auto slack = [&] { // far from 0
        return std::max(kRounding, kDigits * std::max(std::abs(low), std::abs(high)) / ticks.step);
    };
    const auto first_of = [&] { return std::ceil(low / ticks.step - slack()); };
    const auto last_of = [&] { return std::floor(high / ticks.step + slack()); };
    const auto are_numbers = [&] { return std::abs(first_of()) <= 1e15; }; // not closer than those
    while (are_numbers() && last_of() <= first_of()) ticks.step = round_down(0.9 * ticks.step);
    if (!are_numbers()) return ticks;
    const double first = first_of(), last = last_of();
    for (double at = first; at <= last; ++at) ticks.values.push_back(at * ticks.step);
    return ticks;
}

std::string Ticks::label(double value) const {
    double largest = step;
    for (const double each : values) largest = std::max(largest, std::abs(each));
    if (std::abs(value) < step * kRounding) return "0";
    const int exponent = scientific(largest).exponent, step_exponent = scientific(step).exponent;
    const int digits = std::max(exponent - step_exponent, 0);
    const bool is_short = exponent < 5 || digits > 3; // in full, beside its power of ten
    if (is_short && exponent < (digits > 6 ? 13 : 9) && step_exponent >= -5)
        return with_minus(fmt::format("{:.{}f}", value, std::max(-step_exponent, 0)));
    return with_minus(fmt::format("{:.{}f}e{}", value / std::pow(10, exponent), digits, exponent));
}

} // namespace lathe
