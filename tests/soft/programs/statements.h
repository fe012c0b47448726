// SPDX-License-Identifier: MIT
// Random statements: declarations, assignments, branches, loops, calls.
#pragma once

#include "tests/soft/programs/expressions.h"
#include "tests/soft/programs/scope.h"

#include <string>
#include <vector>

namespace lathe::test::programs {

class Statements {
public:
    Statements(Random& random, Expressions& expressions, const std::vector<Structure>& structures,
               const std::vector<Function>& functions)
        : random_{random}, expressions_{expressions}, structures_{structures},
          functions_{functions} {}

    /// Statements one after the other; what they declare is known from there on.
    std::string several(Scope& scope, int count, int depth);
    /// A variable of some kind.
    std::string declaration(Scope& scope);
    std::string assignment(const Scope& scope);

    std::uint32_t cost = 0; ///< about how many statements those that were made run

private:
    std::string statement(Scope& scope, int depth);
    std::string block(const Scope& scope, int depth, std::uint32_t rounds = 1);
    std::string branch(const Scope& scope, int depth);
    std::string cases(const Scope& scope, int depth);
    std::string loop(const Scope& scope, int depth);
    std::string leave(const Scope& scope);
    std::string call(Scope& scope);
    std::string argument(const Function::Parameter& parameter, Scope& scope, std::string& before);
    std::string array(Scope& scope);
    std::string pointer(Scope& scope);
    std::string record(Scope& scope);
    std::string copy(const Scope& scope);
    std::string name(const char* stem) { return stem + std::to_string(names_++); }

    Random& random_;
    Expressions& expressions_;
    const std::vector<Structure>& structures_;
    const std::vector<Function>& functions_;
    std::uint32_t names_ = 0;
};

/// The places of a variable of this type.
void add_fields(std::vector<Place>& places, const std::string& name, const Structure& structure);

} // namespace lathe::test::programs
