// SPDX-License-Identifier: MIT
// The tree of a PTX module: what the parser makes, the verifier checks, the printer writes back,
// and gpu/soft lowers. Plain data. Names follow the PTX ISA manual.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lathe::ptx {

// clang-format off
enum class Type : std::uint8_t {
    none, pred,
    b8, b16, b32, b64, b128,
    u8, u16, u32, u64,
    s8, s16, s32, s64,
    f16, f16x2, bf16, bf16x2, tf32, f32, f64,
    u16x2, s16x2, e4m3x2, e5m2x2,
    texref, samplerref, surfref,
};
// clang-format on

/// State space of a variable or of a memory access; `generic` where an access names none.
enum class Space : std::uint8_t { generic, reg, sreg, constant, global, local, param, shared };

/// Opcodes by their PTX name: `Opcode::mad`, `Opcode::bar`, ... `and`, `or`, `not`, `xor` carry a
/// trailing underscore. The list is opcodes.inc.
enum class Opcode : std::uint16_t {
#define LATHE_PTX_OPCODE(id, name) id,
#include "engine/core/api.h"
#include "gpu/ptx/opcodes.inc"
#undef LATHE_PTX_OPCODE
};

/// Index + 1 into Module::locations; 0 is "unknown".
using LocationId = std::uint32_t;

/// One `.loc`: a place in the CUDA source and, where the code was inlined, the place of the call.
struct Location {
    std::uint32_t file = 0; ///< number of a `.file` directive
    std::uint32_t line = 0, column = 0;
    std::string function; ///< inlined function's name from .debug_str, else empty
    LocationId inlined_at = 0;
};

struct Register {
    std::string name;
}; // %r12, also special registers (%tid.x)
struct Immediate {
    Type type = Type::s64;  ///< s64, u64, f32 or f64: how the literal was written
    std::uint64_t bits = 0; ///< integer value, or the float's bit pattern (f32: low half)
};
struct Symbol {
    std::string name;
    std::int64_t offset = 0;
}; // variable, function, or label
/// [base + offset]; base is a register, a symbol, or nothing ([imm]). Brackets with several parts
/// (tex [t, s, {x, y}]) become this operand and then one operand a part: `bracketed` counts them.
struct Address {
    std::variant<std::monostate, Register, Symbol> base;
    std::int64_t offset = 0;
    std::uint8_t bracketed = 0; ///< how many of the next operands stood in the same brackets
};
struct Operand;
/// {%r1, %r2, _}: vector operand, also a call's argument list and a texture's coordinates.
struct Vector {
    std::vector<Operand> items;
};
struct Sink {}; ///< "_": the result is dropped

/// `negated` is PTX's `!p`; `second` is the `|q` half of `p|q` (setp, shfl.sync, match.all).
struct Operand {
    std::variant<Register, Immediate, Symbol, Address, Vector, Sink> value;
    bool negated = false;
    std::string second; ///< register name or "_"; empty where absent
};

struct Guard {
    std::string predicate;
    bool negated = false;
};

/// One instruction. `mul.wide.s32 %rd1, %r1, 4` is opcode mul, modifiers {"wide"}, types {s32}.
/// All dotted words that are not types stay in `modifiers`, in order, without dots (state spaces
/// and vector widths included: ld.global.nc.v4.f32 is {"global","nc","v4"} and {f32}).
struct LATHE_API Instruction {
    Opcode opcode{};
    std::vector<std::string> modifiers;
    std::vector<Type> types;
    /// call: return list (Vector, empty where absent), target, arguments (Vector, empty where
    /// absent), then the prototype (Symbol) of an indirect call. tex: see Address::bracketed.
    std::vector<Operand> operands;
    std::optional<Guard> guard;
    LocationId location = 0;
    std::uint32_t line = 0; ///< line in the PTX text, for diagnostics
    /// How the dotted words were interleaved: bit i is set where the i-th word is a type
    /// (sust.b.2d.v4.b8.trap: 0b01000). 0: the modifiers first, then the types.
    std::uint32_t type_positions = 0;

    bool has(std::string_view modifier) const;
    Space space() const;      ///< state space among the modifiers, else generic
    int vector_width() const; ///< 1, 2, 4 or 8
};

struct LATHE_API Variable {
    std::string name;
    Space space = Space::global;
    Type type = Type::b8;
    std::uint32_t vector = 1; ///< .v2, .v4
    std::uint32_t align = 0;  ///< bytes; 0: the type's own
    bool is_array = false;
    std::vector<std::uint64_t> dims; ///< elements; an `[]` dimension is 0 (extern shared)
    bool is_extern = false, is_visible = false, is_weak = false, is_common = false;
    bool managed = false;
    bool is_pointer = false;              ///< parameter with .ptr
    Space pointer_space = Space::generic; ///< .ptr .global
    std::uint32_t pointer_align = 0;      ///< .ptr .align 16
    /// Initial bytes, zero-padded to size_bytes() by users; empty: all zero.
    std::vector<std::uint8_t> init;
    /// Addresses to be written into `init` at load time (byte offset; symbol + addend).
    struct Relocation {
        std::uint64_t offset;
        Symbol target;
        std::uint8_t bytes = 8;
        bool generic = false;   ///< written as generic(symbol)
        std::uint8_t shift = 0; ///< bits the address is shifted right: 0xFF00(symbol) is 8, bytes 1
    };
    std::vector<Relocation> relocations;
    std::uint32_t line = 0;

    std::uint64_t element_bytes() const;
    std::uint64_t size_bytes() const; ///< 0 for an unsized extern array
    std::uint32_t alignment() const;
};

/// count > 0 declares name0 .. name<count-1> (`%r<12>`); count 0 declares `name` itself.
struct RegisterDecl {
    std::string name;
    Type type = Type::b32;
    std::uint32_t vector = 1;
    std::uint32_t count = 0;
    std::uint32_t line = 0;
};

struct Label {
    std::string name;
    std::uint32_t line = 0;
};
struct Block;
/// `name: .branchtargets L1, L2;`, `.calltargets f, g;`
struct TargetList {
    std::string name;
    std::vector<std::string> targets;
    std::uint32_t line = 0;
    bool is_call = false; ///< .calltargets
};
struct Pragma {
    std::string text;
}; ///< `.pragma "nounroll";` — speaks of the loop at this place
struct Function;
using Statement =
    std::variant<Instruction, Label, Variable, RegisterDecl, TargetList, Block, Pragma>;
struct Block {
    std::vector<Statement> statements;
}; // { ... } with its own register scope

struct Prototype { ///< `.callprototype`
    std::string name;
    std::vector<Variable> returns, params;
    bool noreturn = false;
};

struct Function {
    std::string name;
    bool is_entry = false, is_extern = false, is_visible = false, is_weak = false;
    bool noreturn = false;
    bool has_body = false;
    std::vector<Variable> returns, params;         ///< space is param (or reg for old-style .func)
    std::uint32_t max_threads[3] = {0, 0, 0};      ///< .maxntid
    std::uint32_t required_threads[3] = {0, 0, 0}; ///< .reqntid
    std::uint32_t min_blocks = 0;
    std::uint32_t max_registers = 0;               ///< .maxnreg
    std::uint32_t required_cluster[3] = {0, 0, 0}; ///< .reqnctapercluster
    std::uint32_t max_cluster_rank = 0;            ///< .maxclusterrank
    bool explicit_cluster = false;                 ///< .explicitcluster
    std::vector<std::string> pragmas;
    Block body;
    std::vector<Prototype> prototypes;
    std::uint32_t line = 0;
};

/// A `.section`: raw bytes with relocations left as symbols (the DWARF of -G and -lineinfo).
struct Section {
    std::string name; ///< ".debug_info"
    struct Item {
        std::uint8_t bytes;
        std::variant<std::uint64_t, Symbol> value;
        std::string label;
        std::string minus; ///< `.b32 end-begin`: the label to subtract from the symbol
    };
    std::vector<Item> items; ///< in order; an item with bytes 0 carries only a label
};

struct LATHE_API Module {
    int version_major = 0, version_minor = 0;
    std::string target;                      ///< "sm_75"
    std::vector<std::string> target_options; ///< "debug", "texmode_independent"
    int address_size = 64;
    std::vector<std::pair<std::uint32_t, std::string>> files; ///< .file number, path
    std::vector<Location> locations;
    std::vector<Variable> variables; ///< module scope, in order
    std::vector<Function> functions; ///< in order, declarations included
    std::vector<Section> sections;
    std::vector<std::string> pragmas;
    std::vector<std::pair<std::string, std::string>> aliases; ///< `.alias name, function`
    /// A hash of the text that this was read from; empty for a tree made otherwise.
    std::string key;

    const Function* find_function(std::string_view name) const; ///< definition before declaration
    const Variable* find_variable(std::string_view name) const;
    const Location* location(LocationId id) const { return id ? &locations[id - 1] : nullptr; }
    std::string_view file_name(std::uint32_t number) const;
};

LATHE_API std::string_view name_of(Opcode opcode);
LATHE_API std::string_view name_of(Type type);   ///< "s32", without the dot
LATHE_API std::string_view name_of(Space space); ///< "const", "global", ...; empty for generic
LATHE_API std::optional<Opcode> opcode_from_name(std::string_view name);
LATHE_API std::optional<Type>
type_from_name(std::string_view name); ///< takes the word without its dot
LATHE_API std::optional<Space>
space_from_name(std::string_view name);      ///< also "shared::cta", "param::entry"
LATHE_API std::uint32_t bytes_of(Type type); ///< 0 for none and pred; 8 for references
LATHE_API bool is_float(Type type);
LATHE_API bool is_signed(Type type);

} // namespace lathe::ptx
