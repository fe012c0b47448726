// SPDX-License-Identifier: MIT
// A row of what a compiler made of a source: PTX (ptx_rows.h), or machine code (machine_code.h),
// with the line that it came from.
#pragma once

#include <string>

namespace lathe::gpu {

struct CodeRow {
    enum class Kind {
        instruction,
        label,
        function,  ///< its name: what follows belongs to it
        directive, ///< declarations and braces
    };
    Kind kind = Kind::instruction;
    std::string text; ///< without indentation
    std::string file; ///< as given to the compiler; of instructions, empty where nobody knows
    int line = 0;     ///< from 1; 0 where nobody knows
    /// "file:line" of each call around it, the innermost first, by ";", as LineCounts has it.
    std::string inlined_at{};

    bool operator==(const CodeRow&) const = default;
};

} // namespace lathe::gpu
