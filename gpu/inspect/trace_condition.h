// SPDX-License-Identifier: MIT
// A condition of the variables at a line that was followed: "isnan(u)", "k > 3 && tile[k] != 0". It
// is computed here from what was written down, so that many lines can be asked at once.
#pragma once

#include "engine/core/api.h"
#include "gpu/inspect/trace_lines.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace lathe::gpu {

struct ConditionNode;

/// Operators of C++ but assignments and casts; members and elements; enumerators of the variables'
/// types; abs, fabs, floor, ceil, sqrt, min, max, isnan, isinf, isfinite, and these with an f.
/// Whole numbers have 64 bits and a sign. Results of floats are rounded to floats.
class LATHE_API TraceCondition {
public:
    /// True everywhere.
    TraceCondition() = default;
    /// Empty: true everywhere. Throws Error that says what is not understood.
    explicit TraceCondition(std::string text);

    const std::string& text() const { return text_; }
    /// Whether it is true of the values after the line; false where one is not known.
    bool is_met(const TraceLine& line) const;
    /// Throws Error where it has a name that none of the lines knows.
    void check_names(const std::vector<TraceLine>& lines) const;

private:
    std::string text_;
    std::shared_ptr<const ConditionNode> root_;
};

/// The numbers of those lines at `line` (0: any) that meet the condition. A file is meant by its
/// name; empty: any.
LATHE_API std::vector<std::size_t> lines_that_meet(const std::vector<TraceLine>& lines, int line,
                                                   const std::string& file,
                                                   const TraceCondition& condition);

} // namespace lathe::gpu
