// SPDX-License-Identifier: MIT
// Instructions that are put between those of a function, by what writes down what threads do.
#pragma once

#include "gpu/ptx/ast.h"
#include "gpu/ptx/dwarf.h"
#include "gpu/ptx/dwarf_tree.h"
#include "gpu/ptx/function_facts.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lathe::ptx {

Operand reg(const std::string& name);
Operand number(std::uint64_t value);
/// The address of a variable, in its own space.
Operand address_of(const std::string& symbol);
/// Memory at a variable of the module.
Operand at(const std::string& symbol, std::int64_t offset);
/// Memory at the address that a register holds.
Operand behind(const std::string& name, std::int64_t offset);

/// Registers that a CodeWriter uses, of each function that it writes to.
inline constexpr const char* kWord = "%lathe_word"; ///< 32 bits

class CodeWriter {
public:
    /// `location`: of what is written.
    explicit CodeWriter(LocationId location) : location_{location} {}

    void add(Opcode opcode, std::vector<std::string> modifiers, std::vector<Type> types,
             std::vector<Operand> operands, const char* guard = nullptr, bool negated = false);
    void declare(const char* name, Type type) {
        statements.emplace_back(RegisterDecl{name, type, 1, 0, 0});
    }
    void label(const std::string& name) { statements.emplace_back(Label{name, 0}); }
    /// To a label; where the predicate is true, or, negated, false.
    void jump(const std::string& label, const char* guard = nullptr, bool negated = false);

    /// Stores a variable's first `bytes`, which `place` has, to the address in a register.
    void store(const FunctionFacts& facts, const dwarf::Place& place, const char* address,
               std::uint32_t offset, std::uint32_t bytes);

    std::vector<Statement> statements;

private:
    void store_register(Type type, std::string source, const char* address, std::uint32_t offset);

    LocationId location_;
};

/// The first instruction of a statement; null where it has none.
const Instruction* first_instruction(const Statement& statement);

/// Writes `prologue` behind the declarations at the function's begin, and at_site(writer, n) before
/// statement `sites[n]`, which are in their order. Both get the location of what follows.
void insert_code(Function& function, const std::vector<std::size_t>& sites,
                 const std::function<void(CodeWriter&)>& prologue,
                 const std::function<void(CodeWriter&, std::size_t)>& at_site);

/// After all functions: adds the variable in device memory that the written code uses, and takes
/// away what no longer fits the code, the debug sections.
void end_writing(Module& module, const char* state, std::size_t state_bytes);

} // namespace lathe::ptx
