// SPDX-License-Identifier: MIT
// Changes of directives in a source's text.
#pragma once

#include "engine/live/parameter.h"

#include <optional>
#include <string>
#include <string_view>

namespace lathe {

/// `source` with `=value` in the directive of a parameter or member. One without a directive gets a
/// comment at the end of its line, which is broken behind it where others follow; where another
/// comment stands there, on a line of its own above. Nothing where there is no place for it.
std::optional<std::string> with_initial_value(std::string_view source, const DeclaredIn& place,
                                              std::string_view value);

} // namespace lathe
