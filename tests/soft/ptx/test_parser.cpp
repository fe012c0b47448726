// SPDX-License-Identifier: MIT
#include "tests/soft/ptx/texts.h"

#include <bit>

using namespace lathe::ptx;
using namespace lathe::ptx::test;

namespace {

const Module& corners() {
    static const Module module = parsed(text("corners"));
    return module;
}

const Variable& variable(std::string_view name) {
    const Variable* const found = corners().find_variable(name);
    if (!found) throw std::runtime_error{"no variable " + std::string{name}};
    return *found;
}

std::uint64_t word_of(const Variable& from, std::size_t offset, std::size_t bytes) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < bytes; ++i)
        bits |= std::uint64_t{from.init.at(offset + i)} << 8 * i;
    return bits;
}

/// The nth instruction of the opcode in the entry of corners.ptx, blocks not entered.
const Instruction& nth(Opcode opcode, int n = 0) {
    for (const Statement& statement : corners().find_function("corners")->body.statements)
        if (const auto* found = std::get_if<Instruction>(&statement))
            if (found->opcode == opcode && n-- == 0) return *found;
    throw std::runtime_error{"no such instruction"};
}

template <class T> const T& as(const Operand& operand) { return std::get<T>(operand.value); }

} // namespace

TEST(PtxParser, ReadsTheHead) {
    EXPECT_EQ(corners().version_major, 8);
    EXPECT_EQ(corners().version_minor, 3);
    EXPECT_EQ(corners().target, "sm_80");
    EXPECT_EQ(corners().target_options, std::vector<std::string>{"debug"});
    EXPECT_EQ(corners().address_size, 64);
    EXPECT_EQ(corners().pragmas, std::vector<std::string>{"nounroll"});
    EXPECT_EQ(corners().file_name(1), "corners.cu");
    EXPECT_EQ(corners().file_name(2), "inlined.cuh");
    EXPECT_EQ(corners().file_name(3), "");
    ASSERT_EQ(corners().aliases.size(), 1u);
    EXPECT_EQ(corners().aliases[0].second, "callee");
}

TEST(PtxParser, ReadsInitialisers) {
    EXPECT_EQ(variable("bytes").init, (std::vector<std::uint8_t>{1, 2, 31, 15, 5, 255}));
    EXPECT_EQ(variable("bytes").size_bytes(), 16u);
    const Variable& floats = variable("floats");
    const float expected[] = {1.0f, 1.5f, -2.0f, 1000.0f};
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_EQ(word_of(floats, 4 * i, 4), std::bit_cast<std::uint32_t>(expected[i]));
    EXPECT_EQ(word_of(variable("doubles"), 8, 8), std::bit_cast<std::uint64_t>(2.0));
    EXPECT_EQ(variable("quad").vector, 4u);
    EXPECT_EQ(word_of(variable("quad"), 12, 4), std::bit_cast<std::uint32_t>(4.0f));
    EXPECT_EQ(variable("quad").alignment(), 16u);
}

TEST(PtxParser, PadsTheRowsOfMatrices) {
    const Variable& matrix = variable("matrix");
    EXPECT_EQ(matrix.dims, (std::vector<std::uint64_t>{2, 3}));
    const std::int16_t expected[] = {1, 2, 0, -1, 4, 5};
    for (std::size_t i = 0; i < 6; ++i)
        EXPECT_EQ(word_of(matrix, 2 * i, 2), static_cast<std::uint16_t>(expected[i]));
}

TEST(PtxParser, CountsOpenArrays) {
    EXPECT_EQ(variable("open").dims, std::vector<std::uint64_t>{3});
    EXPECT_EQ(variable("dynamic").dims, std::vector<std::uint64_t>{0});
    EXPECT_EQ(variable("dynamic").size_bytes(), 0u);
    EXPECT_TRUE(variable("dynamic").is_extern);
    EXPECT_EQ(variable("dynamic").space, Space::shared);
}

TEST(PtxParser, ReadsAddressesInInitialisers) {
    const auto& addresses = variable("addresses").relocations;
    ASSERT_EQ(addresses.size(), 3u);
    EXPECT_EQ(addresses[1].offset, 8u);
    EXPECT_EQ(addresses[1].target.name, "bytes");
    EXPECT_EQ(addresses[1].target.offset, 4);
    EXPECT_TRUE(addresses[1].generic);
    EXPECT_EQ(addresses[1].bytes, 8);
    EXPECT_FALSE(addresses[2].generic);
    const auto& packed = variable("packed").relocations;
    ASSERT_EQ(packed.size(), 4u);
    EXPECT_EQ(packed[2].offset, 6u);
    EXPECT_EQ(packed[2].bytes, 1);
    EXPECT_EQ(packed[2].shift, 16);
}

TEST(PtxParser, EvaluatesConstantExpressions) {
    const Variable& computed = variable("computed");
    EXPECT_EQ(computed.dims, std::vector<std::uint64_t>{20});
    const std::uint64_t expected[] = {13, 3, 2, 2, 32};
    for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(word_of(computed, 4 * i, 4), expected[i]) << i;
}

TEST(PtxParser, ReadsLinkage) {
    EXPECT_TRUE(variable("managed").managed);
    EXPECT_TRUE(variable("managed").is_visible);
    EXPECT_TRUE(variable("shared_name").is_common);
    EXPECT_TRUE(variable("weak_bytes").is_weak);
    EXPECT_EQ(variable("weak_bytes").space, Space::constant);
}

TEST(PtxParser, ReadsFunctions) {
    const Function& entry = *corners().find_function("corners");
    EXPECT_TRUE(entry.is_entry && entry.is_visible && entry.has_body);
    EXPECT_EQ(entry.max_threads[1], 8u);
    EXPECT_EQ(entry.max_threads[2], 1u);
    EXPECT_EQ(corners().find_function("fixed")->required_threads[0], 16u);
    EXPECT_EQ(entry.min_blocks, 2u);
    EXPECT_EQ(entry.max_registers, 64u);
    ASSERT_EQ(entry.params.size(), 3u);
    EXPECT_TRUE(entry.params[0].is_pointer);
    EXPECT_EQ(entry.params[0].pointer_space, Space::global);
    EXPECT_EQ(entry.params[0].pointer_align, 16u);
    EXPECT_EQ(entry.params[1].size_bytes(), 32u);
    EXPECT_EQ(entry.params[1].alignment(), 16u);
    EXPECT_TRUE(corners().find_function("give_up")->noreturn);
    EXPECT_EQ(corners().find_function("old_style")->params[1].space, Space::reg);
    EXPECT_TRUE(corners().find_function("callee")->has_body)
        << "the definition, not the declaration";
}

TEST(PtxParser, ReadsDottedWords) {
    const Instruction& load = nth(Opcode::ld, 3);
    EXPECT_EQ(load.modifiers,
              (std::vector<std::string>{"global", "nc", "L1::no_allocate", "L2::128B", "v4"}));
    EXPECT_EQ(load.types, std::vector<Type>{Type::f32});
    EXPECT_EQ(load.type_positions, 0u);
    EXPECT_EQ(load.space(), Space::global);
    EXPECT_EQ(load.vector_width(), 4);
    EXPECT_TRUE(load.has("nc"));
    EXPECT_FALSE(load.has("volatile"));
    EXPECT_EQ(as<Address>(load.operands[1]).offset, -16);
    EXPECT_EQ(nth(Opcode::sust).type_positions, 0b01000u);
    EXPECT_EQ(nth(Opcode::prmt).type_positions, 0b01u);
    EXPECT_EQ(instruction("mul.wide.s32 %rd1, %r1, 4;").modifiers,
              std::vector<std::string>{"wide"});
    EXPECT_EQ(instruction("cvt.rn.f32.s32 %f1, %r1;").types,
              (std::vector<Type>{Type::f32, Type::s32}));
}

TEST(PtxParser, ReadsPredicates) {
    const Instruction& set = nth(Opcode::setp);
    EXPECT_EQ(as<Register>(set.operands[0]).name, "p0");
    EXPECT_EQ(set.operands[0].second, "p1");
    EXPECT_TRUE(set.operands[3].negated);
    EXPECT_EQ(nth(Opcode::bra, 0).guard->predicate, "p0");
    EXPECT_FALSE(nth(Opcode::bra, 0).guard->negated);
    EXPECT_TRUE(nth(Opcode::bra, 1).guard->negated);
    EXPECT_EQ(nth(Opcode::match).operands[0].second, "_");
}

TEST(PtxParser, TellsRegistersFromSymbols) {
    EXPECT_EQ(as<Register>(nth(Opcode::ld, 0).operands[0]).name, "addr");
    EXPECT_EQ(std::get<Symbol>(as<Address>(nth(Opcode::ld, 0).operands[1]).base).name, "p");
    EXPECT_EQ(as<Register>(nth(Opcode::mov, 0).operands[1]).name, "%tid.x");
    EXPECT_EQ(as<Immediate>(nth(Opcode::mov, 1).operands[1]).bits, 32u);
    EXPECT_EQ(as<Symbol>(nth(Opcode::mov, 2).operands[1]).offset, 8);
    EXPECT_EQ(as<Register>(nth(Opcode::mov, 3).operands[0]).name, "%v.x");
    EXPECT_EQ(as<Symbol>(nth(Opcode::bra, 0).operands[0]).name, "DONE");
    EXPECT_EQ(as<Register>(as<Vector>(nth(Opcode::mov, 8).operands[0]).items[1]).name, "h1");
}

TEST(PtxParser, ReadsImmediates) {
    const auto value = [](int n) { return as<Immediate>(nth(Opcode::mov, n).operands[1]); };
    EXPECT_EQ(value(3).type, Type::f32);
    EXPECT_EQ(value(3).bits, 0xBF800000u);
    EXPECT_EQ(value(4).bits, std::bit_cast<std::uint64_t>(-1.5));
    EXPECT_EQ(value(5).type, Type::f64);
    EXPECT_EQ(value(9).type, Type::u64);
    EXPECT_EQ(static_cast<std::int64_t>(as<Immediate>(nth(Opcode::selp).operands[1]).bits), -1);
}

TEST(PtxParser, ReadsVectors) {
    const auto& halves = as<Vector>(nth(Opcode::mov, 6).operands[0]).items;
    ASSERT_EQ(halves.size(), 2u);
    EXPECT_EQ(as<Register>(halves[1]).name, "%r5");
    EXPECT_TRUE(
        std::holds_alternative<Sink>(as<Vector>(nth(Opcode::ld, 2).operands[0]).items[1].value));
    EXPECT_EQ(std::get<0>(as<Address>(nth(Opcode::st).operands[0]).base), std::monostate{});
    EXPECT_EQ(as<Address>(nth(Opcode::st).operands[0]).offset, 1024);
}

TEST(PtxParser, FlattensBrackets) {
    const Instruction& level = nth(Opcode::tex, 1);
    ASSERT_EQ(level.operands.size(), 5u);
    EXPECT_EQ(as<Address>(level.operands[1]).bracketed, 2);
    EXPECT_EQ(as<Register>(level.operands[2]).name, "%rd1");
    EXPECT_EQ(as<Vector>(level.operands[3]).items.size(), 2u);
    EXPECT_EQ(as<Register>(level.operands[4]).name, "%f2");
    EXPECT_EQ(as<Address>(nth(Opcode::sust).operands[0]).bracketed, 1);
}

TEST(PtxParser, ReadsCalls) {
    const Function& entry = *corners().find_function("corners");
    ASSERT_EQ(entry.prototypes.size(), 2u);
    EXPECT_EQ(entry.prototypes[0].params[1].size_bytes(), 16u);
    EXPECT_EQ(entry.prototypes[0].returns.size(), 1u);
    EXPECT_TRUE(entry.prototypes[1].noreturn);
    const Instruction& bare = nth(Opcode::call, 0);
    ASSERT_EQ(bare.operands.size(), 3u);
    EXPECT_TRUE(as<Vector>(bare.operands[0]).items.empty());
    EXPECT_EQ(as<Symbol>(bare.operands[1]).name, "halt");
    EXPECT_TRUE(as<Vector>(bare.operands[2]).items.empty());
    const Instruction& indirect = nth(Opcode::call, 1);
    ASSERT_EQ(indirect.operands.size(), 4u);
    EXPECT_EQ(as<Register>(indirect.operands[1]).name, "%rd1");
    EXPECT_EQ(as<Symbol>(indirect.operands[3]).name, "choices");
}

TEST(PtxParser, ReadsScopedCallSequences) {
    std::vector<const Block*> blocks;
    for (const Statement& statement : corners().find_function("corners")->body.statements)
        if (const auto* block = std::get_if<Block>(&statement)) blocks.push_back(block);
    ASSERT_EQ(blocks.size(), 3u);
    const auto& call = std::get<Instruction>(blocks[0]->statements.back());
    EXPECT_EQ(call.modifiers, std::vector<std::string>{"uni"});
    EXPECT_EQ(as<Symbol>(as<Vector>(call.operands[2]).items[0]).name, "param0");
    EXPECT_EQ(as<Register>(std::get<Instruction>(blocks[0]->statements[2]).operands[0]).name,
              "inner");
}

TEST(PtxParser, ReadsTargetLists) {
    std::vector<const TargetList*> lists;
    for (const Statement& statement : corners().find_function("corners")->body.statements)
        if (const auto* list = std::get_if<TargetList>(&statement)) lists.push_back(list);
    ASSERT_EQ(lists.size(), 2u);
    EXPECT_EQ(lists[0]->targets, (std::vector<std::string>{"CASE0", "CASE1", "DONE"}));
    EXPECT_FALSE(lists[0]->is_call);
    EXPECT_TRUE(lists[1]->is_call);
    EXPECT_EQ(nth(Opcode::brx).modifiers, std::vector<std::string>{"idx"});
}

TEST(PtxParser, ReadsSections) {
    ASSERT_EQ(corners().sections.size(), 2u);
    const Section& strings = corners().sections[0];
    EXPECT_EQ(strings.name, ".debug_str");
    EXPECT_EQ(strings.items[0].label, "$L__name0");
    EXPECT_EQ(std::get<std::uint64_t>(strings.items[10].value), 0xFFFFFFFFu)
        << "masked to its 32 bits";
    const Section& info = corners().sections[1];
    EXPECT_EQ(info.items[1].minus, "begin");
    EXPECT_EQ(std::get<Symbol>(info.items[1].value).name, "end");
    EXPECT_EQ(std::get<Symbol>(info.items[2].value).name, ".debug_str");
    EXPECT_EQ(std::get<Symbol>(info.items[2].value).offset, 8);
    EXPECT_EQ(info.items[3].bytes, 8);
}

TEST(PtxParser, ReadsInlineStacks) {
    const Module module = parsed(text("inlined"));
    std::vector<const Location*> at;
    for (const Statement& statement : module.functions[0].body.statements)
        if (const auto* found = std::get_if<Instruction>(&statement))
            at.push_back(module.location(found->location));
    ASSERT_EQ(at.size(), 5u);
    EXPECT_EQ(at[0]->line, 20u);
    EXPECT_EQ(at[0]->inlined_at, 0u);
    EXPECT_EQ(at[2]->function, "inner");
    const Location* const outer = module.location(at[2]->inlined_at);
    ASSERT_TRUE(outer);
    EXPECT_EQ(outer->function, "outer");
    EXPECT_EQ(module.location(outer->inlined_at)->line, 20u);
    EXPECT_EQ(at[3]->function, "inner") << "the label's offset counts";
    EXPECT_EQ(module.location(at[3]->inlined_at)->line, 99u) << "a place with no .loc of its own";
}

TEST(PtxParser, LocationsStartAnewInEachFunction) {
    const Module module = parsed(".version 8.3\n.target sm_80\n.address_size 64\n"
                                 ".entry a(){ .loc 1 2 3\n ret; }\n.entry b(){ ret; }");
    EXPECT_NE(std::get<Instruction>(module.functions[0].body.statements[0]).location, 0u);
    EXPECT_EQ(std::get<Instruction>(module.functions[1].body.statements[0]).location, 0u);
}

TEST(PtxNames, TypesAndOpcodes) {
    EXPECT_EQ(name_of(Type::bf16x2), "bf16x2");
    EXPECT_EQ(type_from_name("s64"), Type::s64);
    EXPECT_FALSE(type_from_name("global"));
    EXPECT_FALSE(type_from_name(""));
    EXPECT_EQ(bytes_of(Type::b128), 16u);
    EXPECT_EQ(bytes_of(Type::pred), 0u);
    EXPECT_TRUE(is_float(Type::f16x2));
    EXPECT_FALSE(is_float(Type::b32));
    EXPECT_TRUE(is_signed(Type::s8));
    EXPECT_FALSE(is_signed(Type::u64));
    EXPECT_EQ(opcode_from_name("and"), Opcode::and_);
    EXPECT_EQ(name_of(Opcode::xor_), "xor");
    EXPECT_FALSE(opcode_from_name("and_"));
    EXPECT_EQ(space_from_name("shared::cta"), Space::shared);
    EXPECT_EQ(name_of(Space::constant), "const");
}
