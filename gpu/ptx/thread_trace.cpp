// SPDX-License-Identifier: MIT
#include "gpu/ptx/thread_trace.h"

#include "gpu/ptx/dwarf_variables.h"
#include "gpu/ptx/function_facts.h"
#include "gpu/ptx/stale_variables.h"

#include <algorithm>
#include <utility>

namespace lathe::ptx {
namespace {

constexpr std::int64_t kNext = offsetof(TraceState, next);
constexpr std::int64_t kEnd = offsetof(TraceState, end);
constexpr std::int64_t kIsFull = offsetof(TraceState, is_full);
constexpr std::uint32_t kHead = 8; ///< bytes of a record before its values

// Registers of each function.
constexpr const char* kOn = "%lathe_on";     ///< this is the thread
constexpr const char* kFull = "%lathe_full"; ///< the record has no room
constexpr const char* kAt = "%lathe_at";
constexpr const char* kAfter = "%lathe_after";
constexpr const char* kLast = "%lathe_last";
constexpr const char* kWord = "%lathe_word";
constexpr const char* kOther = "%lathe_other";

Operand reg(const std::string& name) { return {Register{name}, false, {}}; }
Operand number(std::uint64_t value) { return {Immediate{Type::s64, value}, false, {}}; }
Operand at(const std::string& symbol, std::int64_t offset) {
    return {Address{Symbol{symbol, 0}, offset, 0}, false, {}};
}
Operand behind(const std::string& name, std::int64_t offset) {
    return {Address{Register{name}, offset, 0}, false, {}};
}

/// Statements that are put before another one.
class Code {
public:
    explicit Code(LocationId location) : location_{location} {}

    void add(Opcode opcode, std::vector<std::string> modifiers, std::vector<Type> types,
             std::vector<Operand> operands, const char* guard = nullptr, bool negated = false) {
        Instruction i;
        i.opcode = opcode;
        i.modifiers = std::move(modifiers);
        i.types = std::move(types);
        i.operands = std::move(operands);
        if (guard) i.guard = Guard{guard, negated};
        i.location = location_;
        statements.emplace_back(std::move(i));
    }

    std::vector<Statement> statements;

private:
    LocationId location_;
};

const Instruction* first_instruction(const Statement& statement) {
    if (const auto* i = std::get_if<Instruction>(&statement)) return i;
    if (const auto* block = std::get_if<Block>(&statement))
        for (const Statement& s : block->statements)
            if (const Instruction* const found = first_instruction(s)) return found;
    return nullptr;
}

bool any_instruction(const std::vector<Statement>& statements, const auto& fits) {
    return std::ranges::any_of(statements, [&](const Statement& s) {
        if (const auto* i = std::get_if<Instruction>(&s)) return fits(*i);
        const auto* const block = std::get_if<Block>(&s);
        return block && any_instruction(block->statements, fits);
    });
}

class FunctionTracer {
public:
    FunctionTracer(const Module& module, Function& function, std::uint32_t index,
                   std::vector<DebugVariable> variables, const std::vector<std::uint32_t>& files,
                   TracePlan& plan)
        : module_{module}, function_{function}, index_{index}, variables_{std::move(variables)},
          files_{files}, plan_{plan}, facts_{module, function},
          first_variable_{static_cast<std::uint32_t>(plan.variables.size())} {
        for (const DebugVariable& v : variables_) {
            plan_.variables.push_back(v.type);
            plan_.constants.push_back(v.constant);
        }
    }

    /// Functions of the compiler's own have no lines.
    bool has_lines() const {
        return any_instruction(function_.body.statements,
                               [this](const Instruction& i) { return traced(i) != nullptr; });
    }

    void run() {
        find_sites();
        const std::vector<VariableSet> stale = stale_variables(function_, variables_, looks_);
        std::vector<Statement> before = std::move(function_.body.statements);
        std::vector<Statement>& after = function_.body.statements;
        after.clear();
        std::size_t k = 0;
        for (; k < before.size() && !is_code(before[k]); ++k) after.push_back(std::move(before[k]));
        const Instruction* const first = k < before.size() ? first_instruction(before[k]) : nullptr;
        Code prologue{first ? first->location : 0};
        declare_registers(after);
        find_thread(prologue);
        if (!function_.is_entry) record(prologue, TraceEvent::enter, first, k, kOn, {}, {});
        append(after, prologue);
        std::size_t site = 0;
        for (; k < before.size(); ++k) {
            const bool is_site = site < looks_.size() && looks_[site].statement == k;
            if (is_site) {
                const Instruction* const next = first_instruction(before[k]);
                Code code{next->location};
                if (is_line_[site])
                    record(code, TraceEvent::line, next, k, kOn, looks_[site].known, stale[site]);
                if (const auto* end = std::get_if<Instruction>(&before[k]); end && is_end(*end)) {
                    const VariableSet rest =
                        is_line_[site] ? VariableSet(variables_.size()) : stale[site];
                    record(code, TraceEvent::leave, end, k, guarded(code, *end), looks_[site].known,
                           rest);
                }
                append(after, code);
                ++site;
            }
            after.push_back(std::move(before[k]));
        }
    }

private:
    static bool is_code(const Statement& s) {
        return std::holds_alternative<Instruction>(s) || std::holds_alternative<Block>(s) ||
               std::holds_alternative<Label>(s);
    }
    static bool is_target(const Label& label) { return label.name.find("BB") != label.name.npos; }
    static bool is_end(const Instruction& i) {
        return i.opcode == Opcode::ret || i.opcode == Opcode::exit;
    }
    static bool is_same(const Location& a, const Location& b) {
        return a.line == b.line && a.column == b.column && a.file == b.file;
    }
    static void append(std::vector<Statement>& to, Code& code) {
        for (Statement& s : code.statements) to.push_back(std::move(s));
        code.statements.clear();
    }

    const Location* traced(const Instruction& i) const {
        const Location* const where = module_.location(i.location);
        const bool is_ours =
            where && where->line && std::ranges::find(files_, where->file) != files_.end();
        return is_ours ? where : nullptr;
    }

    /// Statements before which a line begins, and those that end the function.
    void find_sites() {
        const auto& all = function_.body.statements;
        const Location* last = nullptr;
        for (std::size_t k = 0; k < all.size(); ++k) {
            if (const auto* label = std::get_if<Label>(&all[k]); label && is_target(*label))
                last = nullptr; // a loop comes back to it
            const Instruction* const next = first_instruction(all[k]);
            const Location* const where = next ? traced(*next) : nullptr;
            const bool is_line = where && !(last && is_same(*last, *where));
            if (where) last = where;
            const auto* const instruction = std::get_if<Instruction>(&all[k]);
            if (!is_line && !(instruction && is_end(*instruction))) continue;
            VariableSet known(variables_.size());
            for (std::size_t v = 0; v < variables_.size(); ++v)
                known[v] = where && !variables_[v].constant.empty()
                               ? is_in_scope(variables_[v], k) && variables_[v].line < where->line
                               : place_of(variables_[v], k, where ? where->line : 0) != nullptr;
            looks_.push_back({k, std::move(known)});
            is_line_.push_back(is_line);
        }
    }

    static void declare_registers(std::vector<Statement>& out) {
        for (const char* name : {kOn, kFull})
            out.emplace_back(RegisterDecl{name, Type::pred, 1, 0, 0});
        for (const char* name : {kAt, kAfter, kLast})
            out.emplace_back(RegisterDecl{name, Type::b64, 1, 0, 0});
        for (const char* name : {kWord, kOther})
            out.emplace_back(RegisterDecl{name, Type::b32, 1, 0, 0});
    }

    static void find_thread(Code& code) {
        std::int64_t offset = 0;
        for (const char* which :
             {"%ctaid.x", "%ctaid.y", "%ctaid.z", "%tid.x", "%tid.y", "%tid.z"}) {
            code.add(Opcode::mov, {}, {Type::u32}, {reg(kWord), reg(which)});
            code.add(Opcode::ld, {"global"}, {Type::u32}, {reg(kOther), at(kTraceState, offset)});
            if (offset == 0)
                code.add(Opcode::setp, {"eq"}, {Type::u32}, {reg(kOn), reg(kWord), reg(kOther)});
            else
                code.add(Opcode::setp, {"eq", "and"}, {Type::u32},
                         {reg(kOn), reg(kWord), reg(kOther), reg(kOn)});
            offset += 4;
        }
    }

    /// The predicate of a record that is only made where the instruction is carried out.
    static const char* guarded(Code& code, const Instruction& i) {
        if (!i.guard) return kOn;
        Operand condition = reg(i.guard->predicate);
        code.add(Opcode::selp, {}, {Type::u32},
                 {reg(kWord), number(i.guard->negated ? 0 : 1), number(i.guard->negated ? 1 : 0),
                  condition});
        code.add(Opcode::setp, {"ne", "and"}, {Type::u32},
                 {reg(kFull), reg(kWord), number(0), reg(kOn)});
        return kFull;
    }

    bool is_in_scope(const DebugVariable& v, std::size_t k) const {
        return k >= facts_.place(v.begin, 0) && k < facts_.place(v.end, facts_.size() + 1);
    }

    /// Where a variable is at a statement.
    const dwarf::Place* place_of(const DebugVariable& v, std::size_t k, std::uint32_t line) const {
        if (v.type.bytes == 0 || !is_in_scope(v, k)) return nullptr;
        for (const dwarf::Place& place : v.places) {
            const bool is_list = !place.begin.empty();
            if (is_list && (k < facts_.place(place.begin, facts_.size() + 1) ||
                            k >= facts_.place(place.end, facts_.size() + 1)))
                continue;
            if (place.is_register) {
                const std::uint32_t bytes = bytes_of(facts_.type_of(place.name));
                const bool is_bit = facts_.type_of(place.name) == Type::pred;
                if ((bytes == 0 && !is_bit) || bytes > 8 || v.type.bytes > 8) continue;
                const auto written = facts_.first_write(place.name);
                if (!is_list && (!written || *written >= k)) continue;
            } else if (!is_told(v, place, k, line)) {
                continue;
            }
            return &place;
        }
        return nullptr;
    }

    /// Memory of the thread holds nothing before the declaration.
    bool is_told(const DebugVariable& v, const dwarf::Place& place, std::size_t k,
                 std::uint32_t line) const {
        const auto space = facts_.space_of(place.name);
        if (!space) return false;
        if (space->first != Space::local || v.is_parameter) return true;
        const auto declared = facts_.first_of_line(v.line, facts_.place(v.begin, 0));
        return declared ? *declared < k : v.line < line;
    }

    /// Writes a record of those of the `known` variables that are `stale`.
    void record(Code& code, TraceEvent event, const Instruction* next, std::size_t k,
                const char* on, const VariableSet& known, const VariableSet& stale) {
        TraceSite site;
        site.event = event;
        site.function = index_;
        if (const Location* const where = next ? module_.location(next->location) : nullptr) {
            site.file = where->file;
            site.line = where->line;
        }
        std::vector<const dwarf::Place*> places;
        site.bytes = kHead;
        for (std::size_t v = 0; v < known.size(); ++v) {
            if (!known[v]) continue;
            const auto variable = first_variable_ + static_cast<std::uint32_t>(v);
            site.known.push_back(variable);
            if (!stale[v] || !variables_[v].constant.empty()) continue;
            const std::uint32_t bytes = std::min(variables_[v].type.bytes, kMostTracedBytes);
            places.push_back(place_of(variables_[v], k, site.line));
            site.values.push_back({variable, site.bytes, bytes});
            site.bytes += (bytes + 7) / 8 * 8;
        }
        const std::string end = "$L__lathe_" + std::to_string(plan_.sites.size());
        const Operand end_operand{Symbol{end, 0}, false, {}};
        code.add(Opcode::bra, {}, {}, {end_operand}, on, true);
        code.add(Opcode::ld, {"global"}, {Type::u64}, {reg(kAt), at(kTraceState, kNext)});
        code.add(Opcode::ld, {"global"}, {Type::u64}, {reg(kLast), at(kTraceState, kEnd)});
        code.add(Opcode::add, {}, {Type::u64}, {reg(kAfter), reg(kAt), number(site.bytes)});
        code.add(Opcode::setp, {"gt"}, {Type::u64}, {reg(kFull), reg(kAfter), reg(kLast)});
        code.add(Opcode::mov, {}, {Type::u32}, {reg(kWord), number(1)});
        code.add(Opcode::st, {"global"}, {Type::u32}, {at(kTraceState, kIsFull), reg(kWord)},
                 kFull);
        code.add(Opcode::bra, {}, {}, {end_operand}, kFull);
        code.add(Opcode::st, {"global"}, {Type::u64}, {at(kTraceState, kNext), reg(kAfter)});
        code.add(Opcode::mov, {}, {Type::u32}, {reg(kWord), number(plan_.sites.size())});
        code.add(Opcode::st, {"global"}, {Type::u32}, {behind(kAt, 0), reg(kWord)});
        for (std::size_t each = 0; each < places.size(); ++each) {
            if (places[each]->is_register) store_register(code, *places[each], site.values[each]);
            else store_memory(code, *places[each], site.values[each]);
        }
        code.statements.emplace_back(Label{end, 0});
        plan_.sites.push_back(std::move(site));
    }

    void store_register(Code& code, const dwarf::Place& place, const TracedPlace& traced) const {
        const Type type = facts_.type_of(place.name);
        std::string source = place.name;
        Type stored = type;
        if (type == Type::pred) {
            code.add(Opcode::selp, {}, {Type::u32},
                     {reg(kWord), number(1), number(0), reg(source)});
            source = kWord;
            stored = Type::u32;
        } else {
            constexpr Type kBits[]{Type::none, Type::b8,   Type::b16,  Type::none, Type::b32,
                                   Type::none, Type::none, Type::none, Type::b64};
            const std::uint32_t bytes = bytes_of(type);
            stored = kBits[bytes];
        }
        code.add(Opcode::st, {"global"}, {stored}, {behind(kAt, traced.offset), reg(source)});
    }

    void store_memory(Code& code, const dwarf::Place& place, const TracedPlace& traced) const {
        const auto space = facts_.space_of(place.name);
        const std::string from{name_of(space->first)};
        const auto offset = static_cast<std::int64_t>(place.offset);
        const bool has_words = space->second % 4 == 0 && offset % 4 == 0;
        for (std::uint32_t byte = 0; byte < traced.bytes;) {
            const bool is_word = has_words && traced.bytes - byte >= 4;
            const Type type = is_word ? Type::u32 : Type::u8;
            code.add(Opcode::ld, {from}, {type}, {reg(kWord), at(place.name, offset + byte)});
            code.add(Opcode::st, {"global"}, {type},
                     {behind(kAt, std::int64_t{traced.offset} + byte), reg(kWord)});
            byte += is_word ? 4 : 1;
        }
    }

    const Module& module_;
    Function& function_;
    std::uint32_t index_;
    std::vector<DebugVariable> variables_;
    const std::vector<std::uint32_t>& files_;
    TracePlan& plan_;
    FunctionFacts facts_;
    std::uint32_t first_variable_;
    std::vector<LookingPlace> looks_; ///< sites
    std::vector<bool> is_line_;       ///< of each site; else the function ends there
};

} // namespace

TracePlan trace_threads(Module& module, const std::vector<std::uint32_t>& files) {
    TracePlan plan;
    const dwarf::Tree tree = dwarf::read_tree(module);
    Variable state;
    state.name = kTraceState;
    state.align = 8;
    state.is_array = true;
    state.dims = {sizeof(TraceState)};
    state.is_visible = true;
    for (Function& function : module.functions) {
        if (!function.has_body) continue;
        const auto index = static_cast<std::uint32_t>(plan.functions.size());
        plan.functions.push_back(function.name);
        FunctionTracer tracer{module, function, index, debug_variables(tree, function.name),
                              files,  plan};
        if (tracer.has_lines()) tracer.run();
    }
    module.variables.push_back(std::move(state));
    module.sections.clear();
    std::erase(module.target_options, "debug");
    module.key.clear();
    return plan;
}

} // namespace lathe::ptx
