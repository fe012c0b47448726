// SPDX-License-Identifier: MIT
// Random expressions of one type. All are defined in C++ whatever the operands are, and none has a
// side effect, so that it does not matter in which order a compiler works them out.
#pragma once

#include "tests/soft/programs/scope.h"

#include <string>
#include <vector>

namespace lathe::test::programs {

class Expressions {
public:
    static constexpr int kDepth = 2;

    Expressions(Random& random, const std::vector<Function>& functions)
        : random_{random}, functions_{functions} {}

    /// Wide and real types come often, as they have the longest code.
    Type any_type();
    std::string of(Type type, const Scope& scope, int depth = kDepth);
    std::string condition(const Scope& scope, int depth = kDepth);
    /// The place with random indices.
    std::string indexed(const std::string& text, const Scope& scope, int depth = 1);
    std::string constant(Type type);
    /// `text`, of type `from`, as one of `to`.
    static std::string converted(const std::string& text, Type from, Type to);
    /// The call with arguments; what it changes through references must not be read beside it.
    std::string call(const Function& function, const Scope& scope, int depth);

    /// Calls that run more statements than this are not made.
    static constexpr std::uint32_t kMostCost = 600;

private:
    std::string index_below(int count, const Scope& scope, int depth);
    std::string leaf(Type type, const Scope& scope);
    std::string integer(Type type, const Scope& scope, int depth);
    std::string instruction(Type type, const Scope& scope, int depth);
    std::string real(Type type, const Scope& scope, int depth);

    Random& random_;
    const std::vector<Function>& functions_;
};

} // namespace lathe::test::programs
