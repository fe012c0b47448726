// SPDX-License-Identifier: MIT
// Where a function's registers, symbols, labels and lines are among its statements.
#pragma once

#include "gpu/ptx/ast.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lathe::ptx {

/// Places are numbers of the statements of the function's body; what is in a block of its own has
/// the block's, and labels there that of the statement after it.
class FunctionFacts {
public:
    FunctionFacts(const Module& module, const Function& function);

    /// Of a register; none where there is no such one.
    Type type_of(const std::string& name) const;
    /// Of a symbol, with its alignment.
    std::optional<std::pair<Space, std::uint32_t>> space_of(const std::string& symbol) const;
    /// The place of a label; `otherwise` where there is none of the name.
    std::size_t place(const std::string& label, std::size_t otherwise) const;
    std::size_t size() const { return size_; }
    /// The first statement that writes a register.
    std::optional<std::size_t> first_write(const std::string& name) const;
    /// The first statement of a line, from one on.
    std::optional<std::size_t> first_of_line(std::uint32_t line, std::size_t from) const;

private:
    void add(const Statement& statement, std::size_t k, bool is_outside);
    void note_write(const Operand& operand, std::size_t k);

    const Module& module_;
    std::size_t size_ = 0;
    std::unordered_map<std::string, Type> registers_;
    std::unordered_map<std::string, std::pair<Space, std::uint32_t>> spaces_;
    std::unordered_map<std::string, std::size_t> labels_, writes_;
    std::unordered_map<std::uint32_t, std::vector<std::size_t>> lines_;
};

} // namespace lathe::ptx
