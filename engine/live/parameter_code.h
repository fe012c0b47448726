// SPDX-License-Identifier: MIT
// Values of sliders as code: calls of Python, options of the command line, and words in the
// directives of a kernel's source.
#pragma once

#include "engine/core/api.h"
#include "engine/live/parameter.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lathe {

class ParameterBindings;
class ParameterSet;

/// `text` (format_value) as Python writes it: True, "spots", (1, 0.5, 0).
std::string python_value(std::string_view text);

/// Those that were set, but for what follows something instead. `bindings` may be null, here and
/// below.
LATHE_API std::vector<const Parameter*> set_parameters(const ParameterSet& parameters,
                                                       const ParameterBindings* bindings);

/// app.set("F", 0.037)
LATHE_API std::string set_line(const Parameter& parameter);
/// Such a line for each value that was set, and app.bind("k", "sine 4s") for what follows
/// something, unless the source says so.
LATHE_API std::string as_python(const ParameterSet& parameters, const ParameterBindings* bindings);
/// "--set F=0.037 --set tint=(1, 0.5, 0)"; a value with blanks is quoted for the shell.
LATHE_API std::string as_options(const ParameterSet& parameters, const ParameterBindings* bindings);

/// A source with values in it.
struct WrittenValues {
    std::string source;
    std::vector<std::string> written; ///< names
    std::vector<std::string> left;    ///< those without a place of their own
};

/// `source` with `=value` behind each of `values`, which are among `parameters`, all of the
/// source's: in the directive that is there, else in a new one. Elements of an array share a
/// directive, as do structures of one type: what has different values there is left.
LATHE_API WrittenValues with_values(std::string source, const std::vector<Parameter>& parameters,
                                    std::span<const Parameter* const> values);

} // namespace lathe
