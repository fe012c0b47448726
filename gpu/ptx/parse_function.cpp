// SPDX-License-Identifier: MIT
// Functions, their blocks, and the statements that are no instructions.
#include "gpu/ptx/parser_state.h"

#include <algorithm>

namespace lathe::ptx {
namespace {

constexpr int kDeepestBlock = 64;

} // namespace

void Parser::function(const Linkage& linked) {
    Function read;
    read.line = token_.line;
    read.is_entry = take().text == ".entry";
    read.is_extern = linked.is_extern;
    read.is_visible = linked.is_visible;
    read.is_weak = linked.is_weak;
    if (accept(".noreturn")) read.noreturn = true;
    if (!read.is_entry && token_.is('(')) read.returns = parameters();
    read.name = name("a function name");
    if (token_.is('(')) read.params = parameters();
    while (token_.is(Token::Kind::dotted)) function_attribute(read);

    if (token_.is('{')) {
        read.has_body = true;
        function_ = &read;
        location_ = 0;
        plain_registers_.clear();
        for (const auto* variables : {&read.returns, &read.params})
            for (const Variable& variable : *variables)
                if (variable.space == Space::reg) plain_registers_.push_back({variable.name, 0});
        read.body = block(0);
        function_ = nullptr;
    } else {
        expect(';');
    }
    result_.module.functions.push_back(std::move(read));
}

void Parser::three(std::uint32_t (&values)[3]) {
    values[1] = values[2] = 1;
    values[0] = u32("a count");
    for (int i = 1; i < 3 && accept(','); ++i) values[i] = u32("a count");
}

void Parser::function_attribute(Function& read) {
    if (accept(".noreturn")) read.noreturn = true;
    else if (accept(".maxntid")) three(read.max_threads);
    else if (accept(".reqntid")) three(read.required_threads);
    else if (accept(".minnctapersm") || accept(".maxnctapersm")) read.min_blocks = u32("a count");
    else if (accept(".maxnreg")) read.max_registers = u32("a register count");
    else if (accept(".reqnctapercluster")) three(read.required_cluster);
    else if (accept(".maxclusterrank")) read.max_cluster_rank = u32("a count");
    else if (accept(".explicitcluster")) read.explicit_cluster = true;
    else if (token_.text == ".pragma") read.pragmas.push_back(pragma());
    else fail_expected("'{', ';' or a function attribute");
}

Block Parser::block(int depth) {
    if (depth > kDeepestBlock) fail(token_, "blocks nested too deeply");
    Block read;
    const std::size_t outer_registers = plain_registers_.size();
    expect('{');
    while (!token_.is('}')) {
        if (token_.is(Token::Kind::end)) fail_expected("'}'");
        if (result_.errors.size() >= kMostErrors) throw SyntaxError{};
        const char* const before = token_.text.data();
        try {
            statement(read, depth);
        } catch (const SyntaxError&) {
            recover();
            if (token_.text.data() == before && !token_.is('}')) take();
        }
    }
    expect('}');
    if (plain_registers_.size() > outer_registers)
        plain_registers_.erase(plain_registers_.begin() +
                                   static_cast<std::ptrdiff_t>(outer_registers),
                               plain_registers_.end());
    return read;
}

void Parser::statement(Block& into, int depth) {
    if (accept(';')) return;
    if (token_.is('{')) {
        into.statements.emplace_back(block(depth + 1));
        return;
    }
    if (token_.is(Token::Kind::dotted)) return dotted_statement(into);
    if (token_.is(Token::Kind::word) && ahead_.is(':')) return named_statement(into);
    into.statements.emplace_back(instruction());
    expect(';');
}

void Parser::dotted_statement(Block& into) {
    if (accept(".loc")) return loc();
    if (accept(".reg")) return declare_registers(into);
    if (token_.text == ".pragma") {
        into.statements.emplace_back(Pragma{pragma()});
        return;
    }
    if (accept(".file")) return file();
    const Linkage linked = linkage();
    const auto space = space_from_name(token_.text.substr(token_.text.empty() ? 0 : 1));
    if (!space) fail_expected("a statement");
    take();
    Variable read = variable(*space);
    read.is_extern = linked.is_extern;
    into.statements.emplace_back(std::move(read));
    expect(';');
}

/// What begins "name:": a label, a list of targets or a call's prototype.
void Parser::named_statement(Block& into) {
    const Token first = take();
    std::string label{first.text};
    take();
    if (accept(".callprototype")) {
        function_->prototypes.push_back(prototype(std::move(label)));
        return expect(';');
    }
    const bool calls = token_.is(Token::Kind::dotted) && token_.text == ".calltargets";
    if (accept(".branchtargets") || accept(".calltargets")) {
        TargetList list{std::move(label), {}, first.line, calls};
        do list.targets.push_back(name("a target"));
        while (accept(','));
        into.statements.emplace_back(std::move(list));
        return expect(';');
    }
    into.statements.emplace_back(Label{std::move(label), first.line});
}

/// "(.param .b32 _) _ (.param .b64 _) .noreturn" behind its first word.
Prototype Parser::prototype(std::string label) {
    Prototype read;
    read.name = std::move(label);
    if (token_.is('(')) read.returns = parameters();
    name("'_'");
    if (token_.is('(')) read.params = parameters();
    if (accept(".noreturn")) read.noreturn = true;
    return read;
}

std::string Parser::pragma() {
    take();
    std::string text = quoted();
    expect(';');
    return text;
}

} // namespace lathe::ptx
