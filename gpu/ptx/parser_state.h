// SPDX-License-Identifier: MIT
// The recursive-descent parser behind parse(), private to gpu/ptx. Its members are spread over
// parser.cpp (tokens, recovery, module), parse_declaration.cpp (variables, initialisers),
// parse_function.cpp (functions, blocks, labels), parse_instruction.cpp (instructions, operands),
// parse_expression.cpp (constant expressions) and parse_section.cpp (.loc, .file, .section).
#pragma once

#include "gpu/ptx/lexer.h"
#include "gpu/ptx/parser.h"

#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace lathe::ptx {

inline constexpr std::size_t kMostErrors = 20; ///< then the parser gives up

class Parser {
public:
    explicit Parser(std::string_view text)
        : lexer_{text}, token_{lexer_.next()}, ahead_{lexer_.next()} {}

    ParseResult run();

private:
    /// Thrown by fail() and caught by the loops over statements; never leaves the parser.
    struct SyntaxError {};
    struct Linkage {
        bool is_extern = false, is_visible = false, is_weak = false, is_common = false;
    };

    struct PlainRegister {
        std::string_view name;
        std::uint32_t count; ///< 0: the name itself, else name0, name1, ...
    };

    // Tokens: token_ is the current one, ahead_ the one after it.
    Token take();
    bool accept(char mark);
    bool accept(std::string_view dotted); ///< ".align"
    void expect(char mark);
    [[noreturn]] void fail(const Token& at, std::string message);
    [[noreturn]] void fail_expected(std::string_view what);
    void recover(); ///< to behind the next ';', or before a '}' or the end
    std::string name(std::string_view what);
    std::string dotted_or_word(std::string_view what);
    std::string quoted();
    std::uint32_t u32(std::string_view what);
    Type type_word(); ///< ".u32"

    // Module
    void module_statement();
    void version();
    void target();
    Linkage linkage();

    // Variables
    Variable variable(Space space);
    Variable parameter();
    std::vector<Variable> parameters(); ///< "(...)"
    void attributes(Variable& variable);
    void array_dimensions(Variable& variable);
    void initializer(Variable& variable);
    void initializer_level(Variable& variable, std::size_t level, std::uint64_t& offset);
    void initializer_element(Variable& variable, std::uint64_t offset);
    RegisterDecl register_group(Type type, std::uint32_t vector);
    void declare_registers(Block& block);

    // Functions
    void function(const Linkage& linkage);
    void function_attribute(Function& function);
    void three(std::uint32_t (&values)[3]);
    Block block(int depth);
    void statement(Block& block, int depth);
    void dotted_statement(Block& block);
    void named_statement(Block& block);
    Prototype prototype(std::string name);
    std::string pragma();

    // Instructions
    Instruction instruction();
    void modifiers(Instruction& instruction, const Token& opcode);
    void check_form(Opcode opcode, const Token& name, std::span<const Token> dotted);
    void call_operands(Instruction& instruction);
    void operands(Instruction& instruction);
    Operand operand();
    Operand word_operand();
    void second_register(Operand& operand);
    Vector list(char close);
    void address(std::vector<Operand>& operands);
    std::string register_name();
    bool is_register(const Token& token) const;

    // Constant expressions
    Immediate expression(int depth = 0);
    Immediate binary(int lowest, int depth);
    Immediate unary(int depth);
    Immediate literal();
    std::int64_t integer_expression(std::string_view what);

    // Debug information
    void loc();
    void file();
    void section();
    void section_value(Section& section, std::uint8_t bytes);
    Symbol section_symbol();
    void resolve_inlined_names();

    Lexer lexer_;
    Token token_, ahead_;
    ParseResult result_;
    Function* function_ = nullptr; ///< the one whose body is being read
    LocationId location_ = 0;      ///< of the next instruction
    int list_depth_ = 0;
    std::unordered_set<std::string_view> right_forms_; ///< opcodes with their dotted words
    /// Registers without a leading '%', innermost block last: only a declaration tells them from
    /// symbols.
    std::vector<PlainRegister> plain_registers_;
    std::unordered_map<std::string, LocationId> location_of_place_; ///< key: file, line, column
    std::vector<std::pair<LocationId, Symbol>> inlined_names_;      ///< labels into .debug_str
};

} // namespace lathe::ptx
