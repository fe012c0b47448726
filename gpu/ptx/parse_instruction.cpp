// SPDX-License-Identifier: MIT
// One instruction: guard, opcode, dotted words and operands.
#include "gpu/ptx/forms.h"
#include "gpu/ptx/parser_state.h"

#include <algorithm>
#include <array>

namespace lathe::ptx {
namespace {

constexpr int kDeepestList = 8;
constexpr int kMostDotted = 32; ///< bits of Instruction::type_positions

/// ".x" of a vector register, ".b0" or ".h10" of a video instruction's operand.
bool is_component(std::string_view dotted) {
    if (dotted.size() == 2) {
        return std::string_view{"xyzwrgba"}.find(dotted[1]) != std::string_view::npos;
    }
    return dotted.size() > 2 && dotted.size() <= 6 && (dotted[1] == 'b' || dotted[1] == 'h') &&
           dotted.find_first_not_of("01234567", 2) == std::string_view::npos;
}

} // namespace

Instruction Parser::instruction() {
    Instruction read;
    read.line = token_.line;
    read.location = location_;
    if (accept('@')) {
        const bool negated = accept('!');
        read.guard = Guard{name("a predicate register"), negated};
    }
    if (!token_.is(Token::Kind::word)) fail_expected("an instruction");
    const auto opcode = opcode_from_name(token_.text);
    if (!opcode) fail(token_, "unknown instruction '" + std::string{token_.text} + "'");
    read.opcode = *opcode;
    modifiers(read, take());
    if (read.opcode == Opcode::call) call_operands(read);
    else operands(read);
    return read;
}

void Parser::modifiers(Instruction& read, const Token& opcode) {
    std::array<Token, kMostDotted> dotted;
    int types_ahead = 0, position = 0; // a modifier behind a type makes the order worth keeping
    bool interleaved = false;
    std::uint32_t positions = 0;
    for (; token_.is(Token::Kind::dotted); ++position) {
        if (position == kMostDotted) fail(token_, "too many modifiers");
        dotted[static_cast<std::size_t>(position)] = token_;
        const std::string_view word = token_.text.substr(1);
        if (const auto type = type_from_name(word)) {
            read.types.push_back(*type);
            positions |= 1u << position;
            ++types_ahead;
        } else {
            read.modifiers.emplace_back(word);
            interleaved |= types_ahead > 0;
        }
        take();
    }
    if (interleaved) read.type_positions = positions;
    check_form(read.opcode, opcode, {dotted.data(), static_cast<std::size_t>(position)});
}

/// Words that do not go together are refused where the first of them stands. What was found right
/// once is not looked up again.
void Parser::check_form(Opcode opcode, const Token& name, std::span<const Token> dotted) {
    const Token& last = dotted.empty() ? name : dotted.back();
    const char* const end = last.text.data() + last.text.size();
    const std::string_view spelling{name.text.data(),
                                    static_cast<std::size_t>(end - name.text.data())};
    if (right_forms_.contains(spelling)) return;
    std::array<std::string_view, kMostDotted> words;
    for (std::size_t k = 0; k < dotted.size(); ++k) words[k] = dotted[k].text.substr(1);
    if (auto fault = form_fault(opcode, {words.data(), dotted.size()}))
        fail(fault->word < dotted.size() ? dotted[fault->word] : name, std::move(fault->text));
    right_forms_.insert(spelling);
}

/// "(ret), f, (a, b), prototype", each part but the target may be absent.
void Parser::call_operands(Instruction& read) {
    Vector returns, arguments;
    if (accept('(')) {
        returns = list(')');
        expect(',');
    }
    read.operands.push_back({std::move(returns), false, {}});
    read.operands.push_back(operand());
    std::optional<Operand> prototype;
    if (accept(',')) {
        if (accept('(')) {
            arguments = list(')');
            if (accept(',')) prototype = operand();
        } else {
            prototype = operand();
        }
    }
    read.operands.push_back({std::move(arguments), false, {}});
    if (prototype) read.operands.push_back(std::move(*prototype));
}

void Parser::operands(Instruction& read) {
    if (token_.is(';')) return;
    read.operands.reserve(4);
    do {
        if (token_.is('[')) address(read.operands);
        else read.operands.push_back(operand());
    } while (accept(','));
}

/// The items up to and with `close`; the opening mark is behind us.
Vector Parser::list(char close) {
    Vector read;
    if (accept(close)) return read;
    if (++list_depth_ > kDeepestList) {
        list_depth_ = 0;
        fail(token_, "operand lists nested too deeply");
    }
    do read.items.push_back(operand());
    while (accept(','));
    --list_depth_;
    expect(close);
    return read;
}

/// "[base+offset]"; brackets with more parts add one operand for each.
void Parser::address(std::vector<Operand>& operands) {
    Address read;
    expect('[');
    if (is_register(token_)) read.base = Register{register_name()};
    else if (token_.is(Token::Kind::word) && token_.text != "WARP_SZ")
        read.base = Symbol{std::string{take().text}, 0};
    const bool has_base = read.base.index() != 0;
    if (!has_base || token_.is('+') || token_.is('-')) {
        // "[%r+-4]" and "[x-4+8]" are sums that begin with a sign
        read.offset = integer_expression("an address offset");
    }
    const std::size_t at = operands.size();
    operands.push_back({});
    while (accept(',')) {
        if (read.bracketed == 8) fail(token_, "too many parts in brackets");
        ++read.bracketed;
        operands.push_back(operand());
    }
    expect(']');
    operands[at].value = std::move(read);
}

Operand Parser::operand() {
    Operand read;
    if (accept('{')) {
        read.value = list('}');
        second_register(read); // tex's "{...}|p": whether the texels are in memory
        return read;
    }
    if (token_.is('!') && ahead_.is(Token::Kind::word) && is_register(ahead_)) {
        take();
        read = word_operand();
        read.negated = true;
        return read;
    }
    if (token_.is(Token::Kind::word) && token_.text != "WARP_SZ") return word_operand();
    read.value = expression();
    return read;
}

Operand Parser::word_operand() {
    Operand read;
    if (token_.text == "_") {
        take();
        read.value = Sink{};
    } else if (is_register(token_)) {
        read.value = Register{register_name()};
    } else {
        Symbol symbol{std::string{take().text}, 0};
        if (token_.is('+') || token_.is('-')) symbol.offset = integer_expression("an offset");
        read.value = std::move(symbol);
        return read;
    }
    second_register(read);
    return read;
}

/// The "|q" of "p|q", where there is one.
void Parser::second_register(Operand& operand) {
    if (accept('|')) operand.second = is_register(token_) ? register_name() : name("a register");
}

/// "%r1", and with its component "%tid.x".
std::string Parser::register_name() {
    const Token first = take();
    std::string read{first.text};
    if (token_.is(Token::Kind::dotted) && first.touches(token_) && is_component(token_.text))
        read += take().text;
    return read;
}

bool Parser::is_register(const Token& token) const {
    if (!token.is(Token::Kind::word)) return false;
    if (token.text[0] == '%') return true;
    return std::any_of(
        plain_registers_.rbegin(), plain_registers_.rend(), [&token](const PlainRegister& each) {
            if (!token.text.starts_with(each.name)) return false;
            const std::string_view digits = token.text.substr(each.name.size());
            const bool numbered =
                !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
            return each.count ? numbered : digits.empty();
        });
}

} // namespace lathe::ptx
