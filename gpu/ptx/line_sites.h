// SPDX-License-Identifier: MIT
// Where the lines of a function that was compiled with -G begin, and which of its variables have a
// value there.
#pragma once

#include "gpu/ptx/ast.h"
#include "gpu/ptx/dwarf_variables.h"
#include "gpu/ptx/function_facts.h"
#include "gpu/ptx/stale_variables.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace lathe::ptx {

/// A statement before which a line begins, or which ends the function.
struct LineSite {
    std::size_t statement = 0;
    bool is_line = false; ///< else only an end
    bool is_end = false;  ///< returns or exits, under `guard`
    std::optional<Guard> guard;
    std::uint32_t file = 0, line = 0;
    VariableSet known; ///< variables that have a value before it
};

class LineSites {
public:
    /// Lines are those of files whose number is in `files`. Both references must outlive it; the
    /// function's statements are not looked at after this.
    LineSites(const Module& module, const Function& function, std::vector<DebugVariable> variables,
              const std::vector<std::uint32_t>& files);

    /// In the order of the statements. Without lines there are none: functions of the compiler's
    /// own.
    const std::vector<LineSite>& all() const { return sites_; }
    const std::vector<DebugVariable>& variables() const { return variables_; }
    const FunctionFacts& facts() const { return facts_; }
    /// Where a known variable is at a site; null for one that has a constant value.
    const dwarf::Place* place_of(const LineSite& site, std::size_t variable) const;

private:
    const Location* traced(const Instruction& i) const;
    bool has_lines(const std::vector<Statement>& statements) const;
    void find(const std::vector<Statement>& all);
    bool is_in_scope(const DebugVariable& v, std::size_t k) const;
    bool is_told(const DebugVariable& v, const dwarf::Place& place, std::size_t k,
                 std::uint32_t line) const;
    const dwarf::Place* place_of(const DebugVariable& v, std::size_t k, std::uint32_t line) const;

    const Module& module_;
    const std::vector<std::uint32_t>& files_;
    std::vector<DebugVariable> variables_;
    FunctionFacts facts_;
    std::vector<LineSite> sites_;
};

} // namespace lathe::ptx
