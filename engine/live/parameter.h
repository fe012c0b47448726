// SPDX-License-Identifier: MIT
// One adjustable value of a kernel or script: name, type, value, and how the panel shows it.
#pragma once

#include "engine/core/api.h"
#include "engine/live/directive.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lathe {

enum class ParameterKind { boolean, integer, real, vector, choice };
enum class ParameterWidget { checkbox, slider, drag, combo, color, hidden };

/// A choice is an integer; a vector has `Parameter::components` elements.
using ParameterValue = std::variant<bool, std::int64_t, double, std::vector<double>>;

/// Where a source declares a parameter.
struct DeclaredIn {
    std::string list{}; ///< the kernel or the structure
    std::string name{}; ///< of the parameter or the member there
    bool is_structure = false;
    bool operator==(const DeclaredIn&) const = default;
};

struct Parameter {
    std::string name;
    ParameterKind kind = ParameterKind::real;
    int components = 1;    ///< 2 to 4 for vectors
    std::string type_name; ///< as the kernel declares it ("unsigned int"); empty for a script's own
    ParameterValue value = 0.0;
    ParameterValue initial = 0.0;
    std::optional<double> min;
    std::optional<double> max;
    double step = 0; ///< 0: chosen from the range
    bool log = false;
    bool whole = false; ///< a vector of whole numbers
    ParameterWidget widget = ParameterWidget::drag;
    std::vector<std::string> choices;        ///< names of the values 0, 1, … of a choice
    std::vector<std::int64_t> choice_values; ///< where an enum's values are not 0, 1, …; else empty
    DeclaredIn declared_in;                  ///< empty for a script's own
    std::optional<Follow> follow;            ///< as its declaration says
    bool implied = false;      ///< of a kernel whose source says nothing of it: no range, no value
    bool by_hand = false;      ///< touched, and by a hand at last: kept between runs
    bool touched = false;      ///< set by hand, by `--set` or by code, so an edit keeps the value
    bool read = false;         ///< somebody asked for the value: the widget has an effect
    std::uint64_t changes = 0; ///< how often it was set or reset, not by what it follows
    bool passed = false;       ///< the program passed a value of its own to a kernel instead
};

/// A parameter of `kind` with the directive applied: range, initial value, widget, choices.
/// What the directive leaves open gets a default: the middle of the range, else 0.
LATHE_API Parameter make_parameter(std::string name, ParameterKind kind, int components,
                                   const Directive& directive = {});

/// `value` as `p`'s own type, within its range; nothing where the types do not fit
/// (a vector for a number, 0.5 for an integer).
LATHE_API std::optional<ParameterValue> convert(const Parameter& p, const ParameterValue& value);

/// Reads "0.037", "true", "(1, 0.5, 0)" or a choice's name. Throws lathe::Error naming the
/// parameter, the text received and what was expected.
LATHE_API ParameterValue parse_value(const Parameter& p, std::string_view text);

/// The value as parse_value reads it: "0.037", "true", "(1, 0.5, 0)", "spots".
LATHE_API std::string format_value(const Parameter& p, const ParameterValue& value);
/// The same with all digits, for a round trip.
std::string exact_value(const Parameter& p, const ParameterValue& value);
inline std::string format_value(const Parameter& p) { return format_value(p, p.value); }

} // namespace lathe
