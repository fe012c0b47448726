// SPDX-License-Identifier: MIT
// Comment directives in kernel sources: `float F, //@ 0.01..0.1 =0.037` refines the slider that a
// parameter gets, `float x; //@ 0..1` that of a structure's member. A `//@` comment outside a
// parameter list is handed on as it is, for whoever reads it (a .cu file run without host code
// names its buffers and launches this way).
//
// Words of a parameter's directive, in any order, separated by blanks:
//   min..max        range of the slider
//   =value          value at the start and after a reset; =(1,0.5,0) for vectors; =true, =false
//   step=value      least change
//   log             logarithmic slider
//   color           colour picker for float3 and float4
//   enum(a,b,c)     names for the values 0, 1, 2
//   drag | slider   which widget, where the range would choose otherwise
//   hidden          no widget; the value is the one after `=`
//   sine 4s         the slider follows a wave, the mouse or keys: see follow.h for all of them
#pragma once

#include "engine/core/api.h"
#include "engine/core/diagnostic.h"
#include "engine/live/follow.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lathe {

struct Directive {
    std::optional<double> min;
    std::optional<double> max;
    std::vector<double> initial; ///< empty where not given; one element unless a vector
    std::optional<double> step;
    bool log = false;
    bool color = false;
    bool hidden = false;
    bool drag = false;
    bool slider = false;
    std::vector<std::string> choices;
    std::optional<Follow> follow;

    bool operator==(const Directive&) const = default;
};

/// A directive attached to a parameter of a `__global__` function, or to a structure's member.
struct ParameterDirective {
    std::string kernel; ///< or the structure
    std::string parameter;
    int line = 0; ///< from 1, where the comment stands
    Directive directive;
};

/// A directive that belongs to no parameter.
struct FreeDirective {
    int line = 0;
    std::string text; ///< after `//@`, trimmed
};

struct LATHE_API SourceDirectives {
    std::vector<ParameterDirective> parameters;
    std::vector<ParameterDirective> members;
    std::vector<FreeDirective> others;
    std::vector<Diagnostic>
        problems; ///< warnings at line and column: words that were not understood

    /// The directive of a kernel's parameter, or null.
    const Directive* find(std::string_view kernel, std::string_view parameter) const;
    /// That of a structure's member, or null.
    const Directive* find_member(std::string_view structure, std::string_view member) const;
};

/// Reads the text after `//@`. What it cannot read is added to `problems` at `line`, counting
/// columns from `column`, and skipped.
LATHE_API Directive parse_directive(std::string_view text, int line, int column,
                                    std::vector<Diagnostic>& problems);

/// All directives of a source. Comments and strings are skipped as the compiler would; a comment
/// in a list of parameters or members belongs to the one before it on its line, else to the next.
LATHE_API SourceDirectives find_directives(std::string_view source);

} // namespace lathe
