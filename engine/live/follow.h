// SPDX-License-Identifier: MIT
// What a slider can follow: a wave of the program's time, the mouse, keys. Their text is what
// directives, scripts and files write:
//
//   sine 4s | triangle | saw | square | noise, phase=0.25     a wave; 4 s unless given
//   mouse.x | mouse.y                                         over the picture
//   keys(z,x) | keys(z,x,0.1)                                 down and up, by a step
//   key(b) | hold(b)                                          turns a checkbox over; on while held
//
// Waves and the mouse go through the slider's range, or a part of it: sine(0.2..0.4).
// Who follows what is in parameter_bindings.h.
#pragma once

#include "engine/core/api.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace lathe {

enum class Wave { sine, triangle, saw, square, noise };
LATHE_API std::string_view name_of(Wave wave);

struct Oscillation {
    Wave wave = Wave::sine;
    double period = 4; ///< seconds of the program's time
    double phase = 0;  ///< in periods
    bool operator==(const Oscillation&) const = default;
};
enum class MouseAxis { x, y };
struct StepKeys {
    std::string down, up;
    double step = 0; ///< 0: the slider's own
    bool operator==(const StepKeys&) const = default;
};
struct SwitchKey {
    std::string key;
    bool is_held = false; ///< on while it is down; else each press turns it over
    bool operator==(const SwitchKey&) const = default;
};

struct Follow {
    std::variant<Oscillation, MouseAxis, StepKeys, SwitchKey> source;
    std::optional<double> low{}, high{}; ///< of waves and the mouse; unset: the slider's range
    bool operator==(const Follow&) const = default;
};

/// Where a wave is at `time`, 0 to 1. Each begins low at phase 0: sine and triangle are high after
/// half a period, saw climbs and falls back at its end, square is high in its second half. Noise
/// goes smoothly from a random value to the next within each period; `seed` chooses which ones, the
/// same in each run.
LATHE_API double wave_at(const Oscillation& o, double time, std::uint64_t seed = 0);

/// `part` of the way from low to high; by factors where asked for, and both are above zero.
LATHE_API double between(double low, double high, double part, bool by_factors);

/// As parse_follow reads it.
LATHE_API std::string to_text(const Follow& follow);
/// Throws lathe::Error naming the word that is not understood, or what is wrong with it.
LATHE_API Follow parse_follow(std::string_view text);

/// Whether a key may move a slider: a letter or "left", "right", "up", "down", "home", "end",
/// "page_up", "page_down"; not the R that resets. Else why not.
LATHE_API std::string key_problem(std::string_view key);

/// The words of one text, taken one after another in any order.
class FollowWords {
public:
    /// False where `word` is none of these. What is wrong with one is in problem().
    bool take(std::string_view word);
    /// What they say together; nothing where there was none, or problem() has something.
    std::optional<Follow> finish();
    const std::string& problem() const { return problem_; }

private:
    void complain(std::string why); ///< of the first problem
    bool take_source(std::string_view word);
    bool take_wave_or_mouse(std::string_view word, std::string_view name);
    void take_keys(std::string_view inside);
    void take_key(std::string_view inside, bool is_held);
    bool take_period(std::string_view word);
    bool take_phase(std::string_view word);

    std::optional<Follow> follow_;
    std::optional<double> period_, phase_;
    std::string problem_;
};

} // namespace lathe
