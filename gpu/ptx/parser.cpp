// SPDX-License-Identifier: MIT
#include "gpu/ptx/parser.h"

#include "engine/core/cache_key.h"
#include "gpu/ptx/parser_state.h"

#include <charconv>
#include <limits>

namespace lathe::ptx {
namespace {

std::string describe(const Token& token) {
    switch (token.kind) {
    case Token::Kind::end: return "the end of the text";
    case Token::Kind::string: return '"' + std::string{token.text} + '"';
    case Token::Kind::invalid:
        if (token.text.empty()) return "an unclosed comment";
        if (token.text[0] == '"') return "an unclosed string";
        [[fallthrough]];
    default: return '\'' + std::string{token.text} + '\'';
    }
}

} // namespace

ParseResult parse(std::string_view text) {
    ParseResult result = Parser{text}.run();
    result.module.key = CacheKey{}.add(text).hex();
    return result;
}

ParseResult Parser::run() {
    while (!token_.is(Token::Kind::end) && result_.errors.size() < kMostErrors) {
        const char* const before = token_.text.data();
        try {
            module_statement();
        } catch (const SyntaxError&) {
            recover();
            if (token_.text.data() == before) take();
        }
    }
    if (result_.errors.empty() &&
        (result_.module.version_major == 0 || result_.module.target.empty()))
        result_.errors.push_back(
            {"", 1, 1, Diagnostic::Severity::error, "a module needs .version and .target"});
    resolve_inlined_names();
    return std::move(result_);
}

Token Parser::take() {
    const Token taken = token_;
    token_ = ahead_;
    ahead_ = lexer_.next();
    return taken;
}

bool Parser::accept(char mark) {
    if (!token_.is(mark)) return false;
    take();
    return true;
}

bool Parser::accept(std::string_view dotted) {
    if (!token_.is(Token::Kind::dotted) || token_.text != dotted) return false;
    take();
    return true;
}

void Parser::expect(char mark) {
    if (!accept(mark)) fail_expected(std::string{'\'', mark, '\''});
}

void Parser::fail(const Token& at, std::string message) {
    result_.errors.push_back({"", static_cast<int>(at.line), static_cast<int>(at.column),
                              Diagnostic::Severity::error, std::move(message)});
    throw SyntaxError{};
}

void Parser::fail_expected(std::string_view what) {
    fail(token_, "expected " + std::string{what} + ", found " + describe(token_));
}

void Parser::recover() {
    int lists = 0; // of operands, whose braces end no block
    while (!token_.is(Token::Kind::end) && (lists > 0 || !token_.is('}'))) {
        const Token taken = take();
        if (taken.is(';')) return;
        if (taken.is('{')) ++lists;
        if (taken.is('}')) --lists;
    }
}

std::string Parser::name(std::string_view what) {
    if (!token_.is(Token::Kind::word)) fail_expected(what);
    return std::string{take().text};
}

std::string Parser::dotted_or_word(std::string_view what) {
    if (!token_.is(Token::Kind::dotted)) return name(what);
    return std::string{take().text};
}

std::string Parser::quoted() {
    if (!token_.is(Token::Kind::string)) fail_expected("a string");
    return std::string{take().text};
}

std::uint32_t Parser::u32(std::string_view what) {
    const Token at = token_;
    const std::int64_t value = integer_expression(what);
    if (value < 0 || value > std::numeric_limits<std::uint32_t>::max())
        fail(at, std::string{what} + " is out of range");
    return static_cast<std::uint32_t>(value);
}

Type Parser::type_word() {
    if (token_.is(Token::Kind::dotted))
        if (const auto type = type_from_name(token_.text.substr(1))) {
            take();
            return *type;
        }
    fail_expected("a type");
}

void Parser::module_statement() {
    if (accept(';')) return;
    if (accept(".version")) return version();
    if (accept(".target")) return target();
    if (accept(".address_size")) {
        result_.module.address_size = static_cast<int>(u32("an address size"));
        return;
    }
    if (accept(".file")) return file();
    if (accept(".section")) return section();
    if (accept(".loc")) return loc();
    if (token_.is(Token::Kind::dotted) && token_.text == ".pragma") {
        result_.module.pragmas.push_back(pragma());
        return;
    }
    if (accept(".alias")) {
        std::string alias = name("a function name");
        expect(',');
        result_.module.aliases.emplace_back(std::move(alias), name("a function name"));
        return expect(';');
    }

    const Linkage linked = linkage();
    if (token_.is(Token::Kind::dotted) && (token_.text == ".func" || token_.text == ".entry"))
        return function(linked);
    const auto space =
        token_.is(Token::Kind::dotted) ? space_from_name(token_.text.substr(1)) : std::nullopt;
    if (!space) fail_expected("a directive, a variable or a function");
    take();
    Variable read = variable(*space);
    read.is_extern = linked.is_extern;
    read.is_visible = linked.is_visible;
    read.is_weak = linked.is_weak;
    read.is_common = linked.is_common;
    result_.module.variables.push_back(std::move(read));
    expect(';');
}

void Parser::version() {
    const Token number = take();
    const char* const last = number.text.data() + number.text.size();
    Module& module = result_.module;
    const auto major = std::from_chars(number.text.data(), last, module.version_major);
    if (!number.is(Token::Kind::number) || major.ec != std::errc{} || major.ptr == last ||
        std::from_chars(major.ptr + 1, last, module.version_minor).ec != std::errc{})
        fail(number, "expected a version such as 9.0, found " + describe(number));
}

void Parser::target() {
    result_.module.target = name("a target such as sm_75");
    while (accept(',')) result_.module.target_options.push_back(name("a target option"));
}

Parser::Linkage Parser::linkage() {
    Linkage read;
    for (;;) {
        if (accept(".extern")) read.is_extern = true;
        else if (accept(".visible")) read.is_visible = true;
        else if (accept(".weak")) read.is_weak = true;
        else if (accept(".common")) read.is_common = true;
        else return read;
    }
}

} // namespace lathe::ptx
