// SPDX-License-Identifier: MIT
// Where the lines of a text are after an edit: what stands beside them moves with them.
#pragma once

#include "engine/core/api.h"

#include <optional>
#include <string_view>
#include <vector>

namespace lathe {

/// Without their ends; behind the last end is one more.
std::vector<std::string_view> split_lines(std::string_view text);

class LATHE_API LineMap {
public:
    /// Lines are compared whole, from both ends; what lies between is changed. The texts are read
    /// here alone.
    LineMap(std::string_view before, std::string_view after);

    /// The line of `after` that a line of `before` is now, both from 1; none where it was changed
    /// or there is no such line.
    std::optional<int> operator()(int line) const;

private:
    int lines_ = 0; ///< of `before`
    int head_ = 0;  ///< as many at its beginning are the same
    int tail_ = 0;  ///< and at its end
    int added_ = 0; ///< by which `after` is longer
};

} // namespace lathe
