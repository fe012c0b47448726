// SPDX-License-Identifier: MIT
#include "engine/live/follow.h"

#include "engine/core/error.h"
#include "engine/live/directive_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace lathe {

namespace {

constexpr std::array<std::string_view, 5> kWaves{"sine", "triangle", "saw", "square", "noise"};
constexpr std::array<std::string_view, 2> kAxes{"mouse.x", "mouse.y"};
constexpr std::array<std::string_view, 8> kKeys{"left", "right", "up",      "down",
                                                "home", "end",   "page_up", "page_down"};

/// Of a whole number, 0 to 1: splitmix64.
double random_of(std::uint64_t n) {
    n += 0x9e3779b97f4a7c15;
    n = (n ^ (n >> 30)) * 0xbf58476d1ce4e5b9;
    n = (n ^ (n >> 27)) * 0x94d049bb133111eb;
    return double((n ^ (n >> 31)) >> 11) * 0x1p-53;
}

double noise_at(double periods, std::uint64_t seed) {
    const auto place = std::uint64_t(std::int64_t(std::floor(periods)));
    const double t = periods - std::floor(periods), smooth = t * t * (3 - 2 * t);
    const double from = random_of(place + seed), to = random_of(place + 1 + seed);
    return from + (to - from) * smooth;
}

std::string range_text(const Follow& f) {
    return f.low && f.high ? fmt::format("({}..{})", *f.low, *f.high) : std::string{};
}

} // namespace

std::string_view name_of(Wave wave) { return kWaves[std::size_t(wave)]; }

double wave_at(const Oscillation& o, double time, std::uint64_t seed) {
    const double periods = time / o.period + o.phase, part = periods - std::floor(periods);
    switch (o.wave) {
    case Wave::sine: return 0.5 - 0.5 * std::cos(2 * std::numbers::pi * part);
    case Wave::triangle: return part < 0.5 ? 2 * part : 2 - 2 * part;
    case Wave::saw: return part;
    case Wave::square: return part < 0.5 ? 0 : 1;
    case Wave::noise: return noise_at(periods, seed);
    }
    return 0;
}

double between(double low, double high, double part, bool by_factors) {
    if (by_factors && low > 0 && high > 0) return low * std::pow(high / low, part);
    return low + (high - low) * part;
}

std::string to_text(const Follow& f) {
    if (const auto* o = std::get_if<Oscillation>(&f.source))
        return fmt::format("{}{} {}s{}", name_of(o->wave), range_text(f), o->period,
                           o->phase == 0 ? "" : fmt::format(" phase={}", o->phase));
    if (const auto* axis = std::get_if<MouseAxis>(&f.source))
        return fmt::format("{}{}", kAxes[std::size_t(*axis)], range_text(f));
    if (const auto* keys = std::get_if<StepKeys>(&f.source))
        return fmt::format("keys({},{}{})", keys->down, keys->up,
                           keys->step > 0 ? fmt::format(",{}", keys->step) : "");
    const auto& key = std::get<SwitchKey>(f.source);
    return fmt::format("{}({})", key.is_held ? "hold" : "key", key.key);
}

Follow parse_follow(std::string_view text) {
    FollowWords taken;
    for (std::size_t i = words::begin_of_word(text, 0); i < text.size();) {
        const auto end = words::end_of_word(text, i);
        const auto word = text.substr(i, end - i);
        if (!taken.take(word))
            throw Error{fmt::format("'{}' is nothing to follow; expected {}, {}, keys(z,x), key(b) "
                                    "or hold(b)",
                                    word, fmt::join(kWaves, ", "), fmt::join(kAxes, ", "))};
        i = words::begin_of_word(text, end);
    }
    const auto follow = taken.finish();
    if (!taken.problem().empty()) throw Error{taken.problem()};
    if (!follow) throw Error{"there is nothing to follow; an example is 'sine 4s'"};
    return *follow;
}

std::string key_problem(std::string_view key) {
    if (key == "r") return "the key r resets the simulation: choose another one";
    const bool is_letter = key.size() == 1 && key[0] >= 'a' && key[0] <= 'z';
    if (is_letter || std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end()) return {};
    return fmt::format("'{}' is no key for a slider: a letter from a to z, or {}", key,
                       fmt::join(kKeys, ", "));
}

bool FollowWords::take(std::string_view word) {
    return take_source(word) || take_phase(word) || take_period(word);
}

bool FollowWords::take_source(std::string_view word) {
    if (const auto inside = words::call_of(word, "keys")) return take_keys(*inside), true;
    if (const auto inside = words::call_of(word, "key")) return take_key(*inside, false), true;
    if (const auto inside = words::call_of(word, "hold")) return take_key(*inside, true), true;
    for (std::size_t i = 0; i < kWaves.size(); ++i)
        if (take_wave_or_mouse(word, kWaves[i]))
            return follow_->source = Oscillation{.wave = Wave(i)}, true;
    for (std::size_t i = 0; i < kAxes.size(); ++i)
        if (take_wave_or_mouse(word, kAxes[i])) return follow_->source = MouseAxis(i), true;
    return false;
}

/// "name" or "name(0.2..0.4)".
bool FollowWords::take_wave_or_mouse(std::string_view word, std::string_view name) {
    const auto inside = words::call_of(word, name);
    if (!inside && word != name) return false;
    follow_ = Follow{};
    if (!inside) return true;
    if (const auto range = words::range(*inside)) {
        follow_->low = range->first;
        follow_->high = range->second;
        return true;
    }
    std::string why = words::range_problem(*inside);
    if (why.empty()) why = fmt::format("{}: expected a range, as in {}(0.2..0.4)", word, name);
    complain(std::move(why));
    return true;
}

void FollowWords::take_keys(std::string_view inside) {
    const auto parts = words::split(inside, ',');
    StepKeys& keys = follow_.emplace().source.emplace<StepKeys>();
    if (parts.size() != 2 && parts.size() != 3)
        return complain(
            fmt::format("keys({}): expected the keys for down and up, as in keys(z,x)", inside));
    keys.down = parts[0];
    keys.up = parts[1];
    for (const std::string& key : {keys.down, keys.up}) complain(key_problem(key));
    if (keys.down == keys.up) complain(fmt::format("keys({}): the two keys must differ", inside));
    if (parts.size() == 2) return;
    keys.step = words::number(parts[2]).value_or(0);
    if (!(keys.step > 0)) complain(fmt::format("keys({}): a step is a number above 0", inside));
}

void FollowWords::take_key(std::string_view inside, bool is_held) {
    const std::string key{words::trim(inside)};
    complain(key_problem(key));
    follow_ = Follow{SwitchKey{key, is_held}};
}

bool FollowWords::take_period(std::string_view word) {
    if (!word.ends_with('s')) return false;
    period_ = words::number(word.substr(0, word.size() - 1));
    if (!period_) return false;
    if (!(*period_ > 0)) complain(fmt::format("period {}: it must be above 0 s", word));
    return true;
}

bool FollowWords::take_phase(std::string_view word) {
    if (!word.starts_with("phase=")) return false;
    phase_ = words::number(word.substr(6));
    if (!phase_) complain(fmt::format("{}: expected a number of periods, as in phase=0.25", word));
    return true;
}

void FollowWords::complain(std::string why) {
    if (problem_.empty()) problem_ = std::move(why);
}

std::optional<Follow> FollowWords::finish() {
    if (!problem_.empty()) return {};
    Oscillation* const wave = follow_ ? std::get_if<Oscillation>(&follow_->source) : nullptr;
    if (!wave && (period_ || phase_)) {
        complain(fmt::format("a {} needs a wave: {}", period_ ? "period" : "phase",
                             fmt::join(kWaves, ", ")));
        return {};
    }
    if (wave) {
        wave->period = period_.value_or(wave->period);
        wave->phase = phase_.value_or(0);
    }
    return follow_;
}

} // namespace lathe
