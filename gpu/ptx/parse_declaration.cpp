// SPDX-License-Identifier: MIT
// Variables with their initialisers, parameters and register declarations.
#include "gpu/ptx/parser_state.h"

#include <bit>

namespace lathe::ptx {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;     ///< of one variable
constexpr std::uint64_t kMostInitBytes = std::uint64_t{1} << 28; ///< of one initialiser

/// The literal as the bits of an element of `type`.
std::uint64_t bits_as(const Immediate& value, Type type) {
    if (type != Type::f32 && type != Type::f64) return value.bits;
    if (value.type == type) return value.bits;
    double number = 0;
    if (value.type == Type::f64) number = std::bit_cast<double>(value.bits);
    else if (value.type == Type::f32)
        number = std::bit_cast<float>(static_cast<std::uint32_t>(value.bits));
    else if (value.type == Type::u64) number = static_cast<double>(value.bits);
    else number = static_cast<double>(static_cast<std::int64_t>(value.bits));
    if (type == Type::f64) return std::bit_cast<std::uint64_t>(number);
    return std::bit_cast<std::uint32_t>(static_cast<float>(number));
}

} // namespace

void Parser::attributes(Variable& variable) {
    for (;;) {
        if (accept(".align")) {
            const Token at = token_;
            variable.align = u32("an alignment");
            if (!std::has_single_bit(variable.align))
                fail(at, "an alignment must be a power of two");
        } else if (accept(".attribute")) {
            expect('(');
            do {
                if (accept(".managed")) variable.managed = true;
                else fail_expected("an attribute");
            } while (accept(','));
            expect(')');
        } else if (accept(".v2")) variable.vector = 2;
        else if (accept(".v4")) variable.vector = 4;
        else if (accept(".v8")) variable.vector = 8;
        else return;
    }
}

void Parser::array_dimensions(Variable& variable) {
    std::uint64_t bytes = std::max<std::uint64_t>(1, variable.element_bytes());
    while (accept('[')) {
        variable.is_array = true;
        if (accept(']')) {
            variable.dims.push_back(0);
            continue;
        }
        const Token at = token_;
        const std::int64_t count = integer_expression("an array dimension");
        if (count < 0 || static_cast<std::uint64_t>(count) > kMostBytes / bytes)
            fail(at, "an array larger than 1 TiB");
        bytes *= std::max<std::int64_t>(1, count);
        variable.dims.push_back(static_cast<std::uint64_t>(count));
        expect(']');
    }
}

/// What follows the state space: ".align 4 .b8 name[16] = {...}".
Variable Parser::variable(Space space) {
    Variable read;
    read.space = space;
    read.line = token_.line;
    attributes(read);
    read.type = type_word();
    attributes(read);
    read.name = name("a variable name");
    array_dimensions(read);
    if (accept('=')) initializer(read);
    return read;
}

void Parser::initializer(Variable& variable) {
    if (variable.dims.size() > 8) fail(token_, "an array of more than 8 dimensions");
    const Token at = token_;
    std::uint64_t offset = 0;
    if (token_.is('{')) initializer_level(variable, 0, offset);
    else initializer_element(variable, offset);
    if (!variable.dims.empty() && variable.dims[0] == 0) {
        std::uint64_t row = variable.element_bytes();
        for (std::size_t i = 1; i < variable.dims.size(); ++i) row *= variable.dims[i];
        if (row == 0) fail(at, "only the first dimension of an array may be left open");
        variable.dims[0] = (variable.init.size() + row - 1) / row;
    }
    if (variable.init.size() > variable.size_bytes())
        fail(at, "the initialiser of '" + variable.name + "' is longer than the variable");
}

/// One brace: the elements of dimension `level`; a vector's components are its last level.
void Parser::initializer_level(Variable& variable, std::size_t level, std::uint64_t& offset) {
    if (level > variable.dims.size()) fail(token_, "too many braces in an initialiser");
    std::uint64_t inner =
        level < variable.dims.size() ? variable.element_bytes() : bytes_of(variable.type);
    for (std::size_t i = level + 1; i < variable.dims.size(); ++i) inner *= variable.dims[i];
    expect('{');
    while (!token_.is('}')) {
        if (token_.is('{')) {
            std::uint64_t start = offset;
            initializer_level(variable, level + 1, start);
            offset += inner;
        } else {
            initializer_element(variable, offset);
            offset += bytes_of(variable.type);
        }
        if (!accept(',')) break;
    }
    expect('}');
}

void Parser::initializer_element(Variable& variable, std::uint64_t offset) {
    const std::uint8_t bytes = static_cast<std::uint8_t>(bytes_of(variable.type));
    if (offset > kMostInitBytes) fail(token_, "an initialiser larger than 256 MiB");
    if (variable.init.size() < offset + bytes) variable.init.resize(offset + bytes);

    std::optional<Immediate> mask;
    if (!token_.is(Token::Kind::word) || token_.text == "WARP_SZ") {
        const Token at = token_;
        const Immediate value = expression();
        if (!token_.is('(')) {
            std::uint64_t bits = bits_as(value, variable.type);
            for (std::uint8_t i = 0; i < std::min<std::uint8_t>(bytes, 8); ++i, bits >>= 8)
                variable.init[offset + i] = static_cast<std::uint8_t>(bits);
            return;
        }
        mask = value; // 0xFF00(symbol): one byte of an address
        const int shift = std::countr_zero(value.bits);
        if (value.bits == 0 || shift % 8 || value.bits >> shift != 0xff)
            fail(at, "an address mask must select one byte");
        take();
    }
    Variable::Relocation relocation{offset, {}, bytes, false, 0};
    if (mask) {
        relocation.bytes = 1;
        relocation.shift = static_cast<std::uint8_t>(std::countr_zero(mask->bits));
    }
    relocation.generic = token_.is(Token::Kind::word) && token_.text == "generic" && ahead_.is('(');
    if (relocation.generic) {
        take();
        take();
    }
    relocation.target.name = name("a symbol");
    const auto addend = [&] {
        if (token_.is('+') || token_.is('-'))
            relocation.target.offset += integer_expression("an offset");
    };
    addend();
    if (relocation.generic) {
        expect(')');
        addend();
    }
    if (mask) expect(')');
    variable.relocations.push_back(std::move(relocation));
}

/// One of a function's or prototype's parameters: ".param .align 16 .b8 p[32]", ".reg .b32 %a".
Variable Parser::parameter() {
    Variable read;
    read.line = token_.line;
    if (accept(".param")) read.space = Space::param;
    else if (accept(".reg")) read.space = Space::reg;
    else fail_expected("'.param' or '.reg'");
    attributes(read);
    read.type = type_word();
    attributes(read);
    if (accept(".ptr")) {
        read.is_pointer = true;
        if (token_.is(Token::Kind::dotted))
            if (const auto space = space_from_name(token_.text.substr(1))) {
                read.pointer_space = *space;
                take();
            }
        if (accept(".align")) read.pointer_align = u32("an alignment");
    }
    read.name = name("a parameter name");
    array_dimensions(read);
    return read;
}

std::vector<Variable> Parser::parameters() {
    std::vector<Variable> read;
    expect('(');
    if (accept(')')) return read;
    do read.push_back(parameter());
    while (accept(','));
    expect(')');
    return read;
}

RegisterDecl Parser::register_group(Type type, std::uint32_t vector) {
    RegisterDecl read;
    read.line = token_.line;
    read.type = type;
    read.vector = vector;
    const Token at = token_;
    read.name = name("a register name");
    if (accept('<')) {
        if (!token_.is(Token::Kind::number)) fail_expected("a number of registers");
        const auto count = number_value(token_.text);
        if (!count || count->bits == 0 || count->bits > 1u << 24 || is_float(count->type))
            fail(token_, "a register count from 1 to 16777216");
        take();
        read.count = static_cast<std::uint32_t>(count->bits);
        expect('>');
    }
    if (at.text[0] != '%') plain_registers_.push_back({at.text, read.count});
    return read;
}

/// ".reg .f32 %f<4>, %g;" behind its first word.
void Parser::declare_registers(Block& block) {
    Variable shape;
    attributes(shape);
    const Type type = type_word();
    attributes(shape);
    do block.statements.emplace_back(register_group(type, shape.vector));
    while (accept(','));
    expect(';');
}

} // namespace lathe::ptx
