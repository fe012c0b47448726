// SPDX-License-Identifier: MIT
// A number made of variables after a line, for every thread: "isnan(u)", "u * u + v * v". It is
// CUDA C++, and is computed on the device from what line_values.h wrote down.
#pragma once

#include "engine/core/api.h"
#include "gpu/inspect/line_values.h"
#include "gpu/memory.h"
#include "gpu/module.h"

#include <string>
#include <string_view>
#include <vector>

namespace lathe::gpu {

/// Names in an expression that may be variables: each once, without members and what is called.
LATHE_API std::vector<std::string> names_in(std::string_view expression);

class LATHE_API LineExpression {
public:
    /// Compiles in the current context. `variables` are those of the LineValues that it will be
    /// computed from. Throws CompileError, whose words are about the expression; Error where a name
    /// is of no variable, or of a structure or an array.
    LineExpression(std::string expression, const std::vector<LineValues::Variable>& variables);

    const std::string& text() const { return text_; }
    /// A double for each thread, in the order of the values; NaN where the thread has not all of
    /// the variables. Waits for the context. What it gives is overwritten by the next call.
    DeviceSpan<const double> compute(const LineValues& values);

private:
    std::string text_;
    std::vector<std::size_t> used_; ///< numbers of variables
    Module module_;
    Kernel kernel_;
    DeviceBuffer numbers_;
};

} // namespace lathe::gpu
