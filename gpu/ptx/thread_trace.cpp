// SPDX-License-Identifier: MIT
#include "gpu/ptx/thread_trace.h"

#include "gpu/ptx/code_writer.h"
#include "gpu/ptx/line_sites.h"
#include "gpu/ptx/memory_access.h"
#include "gpu/ptx/shared_variables.h"
#include "gpu/ptx/stale_variables.h"

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <utility>

namespace lathe::ptx {
namespace {

constexpr std::int64_t kNext = offsetof(TraceLane, next);
constexpr std::int64_t kEnd = offsetof(TraceLane, end);
constexpr std::int64_t kIsFull = offsetof(TraceLane, is_full);
constexpr std::uint32_t kHead = sizeof(TraceHead);

// Registers of each function.
constexpr const char* kOn = "%lathe_on";       ///< the thread is of the warp
constexpr const char* kLead = "%lathe_lead";   ///< it is the leader
constexpr const char* kFull = "%lathe_full";   ///< the record has no room
constexpr const char* kSame = "%lathe_same";   ///< a word is as it was
constexpr const char* kLane = "%lathe_lane";   ///< address of its TraceLane
constexpr const char* kAt = "%lathe_at";       ///< of the record
constexpr const char* kAfter = "%lathe_after"; ///< its end
constexpr const char* kLast = "%lathe_last";   ///< of the memory
constexpr const char* kFrom = "%lathe_from";   ///< in shared memory
constexpr const char* kCopy = "%lathe_copy";   ///< the same in the copy
constexpr const char* kOther = "%lathe_other";
constexpr const char* kIndex = "%lathe_index"; ///< of a word
constexpr const char* kCount = "%lathe_count"; ///< of words

/// A variable in shared memory as code looks at it.
struct SharedPlace {
    TracedShared is;
    std::uint32_t unit = 4; ///< bytes that are looked at together
};
using SharedPlaces = std::unordered_map<std::string, SharedPlace>; ///< by symbol
using NamedPlaces = std::vector<std::pair<std::string, const SharedPlace*>>;

/// What is written before a statement.
struct TraceNote {
    std::size_t statement = 0;
    std::optional<std::size_t> site;   ///< of LineSites
    std::optional<Instruction> access; ///< that the statement is
    bool is_pair = false;              ///< it is the second of two barriers
    std::size_t first_look = 0;        ///< of the looks, the site's
};

/// All threads that come to it wait for each other.
bool joins_threads(const Instruction& i) {
    return (i.opcode == Opcode::bar || i.opcode == Opcode::barrier) && i.has("sync") &&
           !i.has("warp") && !i.has("cluster");
}

/// Some thread goes on where others wait, or it cannot be seen which ones wait.
bool has_uneven_barriers(const std::vector<Statement>& statements, bool is_inside) {
    return std::ranges::any_of(statements, [&](const Statement& s) {
        if (const auto* block = std::get_if<Block>(&s))
            return has_uneven_barriers(block->statements, true);
        const auto* const i = std::get_if<Instruction>(&s);
        const bool is_barrier =
            i && (i->opcode == Opcode::bar || i->opcode == Opcode::barrier) && !i->has("warp");
        return is_barrier && (is_inside || !joins_threads(*i));
    });
}

/// Where all threads wait for each other they do so twice. False: it is left as it is.
bool double_barriers(Module& module) {
    for (const Function& function : module.functions)
        if (has_uneven_barriers(function.body.statements, false)) return false;
    for (Function& function : module.functions) {
        std::vector<Statement> before = std::move(function.body.statements);
        function.body.statements.clear();
        for (Statement& s : before) {
            const auto* const i = std::get_if<Instruction>(&s);
            if (i && joins_threads(*i)) function.body.statements.push_back(s);
            function.body.statements.push_back(std::move(s));
        }
    }
    return true;
}

class FunctionTracer {
public:
    FunctionTracer(Function& function, std::uint32_t index, const LineSites& sites,
                   const SharedPlaces& shared, bool has_pairs, TracePlan& plan)
        : function_{function}, index_{index}, sites_{sites}, shared_{shared}, has_pairs_{has_pairs},
          plan_{plan}, first_variable_{static_cast<std::uint32_t>(plan.variables.size())} {
        for (const DebugVariable& v : sites_.variables()) {
            plan_.variables.push_back(v.type);
            plan_.constants.push_back(v.constant);
            const SharedPlace* const place = shared_place(v);
            plan_.shared.push_back(place ? std::optional{place->is} : std::nullopt);
        }
    }

    void run() {
        const std::vector<TraceNote> notes = find();
        const auto stale = stale_variables(function_, sites_.variables(), looking_places(notes));
        const VariableSet none(sites_.variables().size());
        std::vector<std::size_t> statements;
        for (const TraceNote& note : notes) statements.push_back(note.statement);
        insert_code(
            function_, statements,
            [&](CodeWriter& code) {
                declare_registers(code);
                find_thread(code);
                enter(code);
            },
            [&](CodeWriter& code, std::size_t n) {
                if (const auto k = notes[n].site) {
                    const LineSite& site = sites_.all()[*k];
                    const VariableSet& changed = stale[notes[n].first_look];
                    if (site.is_line) record(code, TraceEvent::line, site, kOn, changed);
                    if (site.is_end)
                        record(code, TraceEvent::leave, site, guarded(code, site),
                               site.is_line ? none : changed);
                }
                if (notes[n].is_pair) look_at_shared(code);
                if (notes[n].access) touch(code, *notes[n].access);
            });
    }

private:
    const SharedPlace* shared_place(const DebugVariable& v) const {
        const auto found = v.is_shared ? shared_.find(v.places.front().name) : shared_.end();
        return found == shared_.end() ? nullptr : &found->second;
    }

    /// Where there is no shared memory, accesses are nobody's business.
    std::vector<TraceNote> find() const {
        std::vector<TraceNote> notes;
        std::size_t next = 0, looks = 0;
        bool is_second = false;
        const auto& all = function_.body.statements;
        for (std::size_t k = 0; k < all.size(); ++k) {
            TraceNote note{k, {}, {}, false, looks};
            if (next < sites_.all().size() && sites_.all()[next].statement == k) note.site = next++;
            const auto* const i = std::get_if<Instruction>(&all[k]);
            const auto access = i && !shared_.empty() ? access_of(*i) : std::nullopt;
            if (access && access->space != Space::global) note.access = *i;
            is_second = has_pairs_ && i && joins_threads(*i) && !is_second;
            note.is_pair = has_pairs_ && i && joins_threads(*i) && !is_second;
            looks += note.site.has_value() + note.is_pair;
            if (note.site || note.access || note.is_pair) notes.push_back(std::move(note));
        }
        return notes;
    }

    std::vector<LookingPlace> looking_places(const std::vector<TraceNote>& notes) const {
        VariableSet shared(sites_.variables().size());
        for (std::size_t v = 0; v < shared.size(); ++v)
            shared[v] = shared_place(sites_.variables()[v]) != nullptr;
        std::vector<LookingPlace> looks;
        for (const TraceNote& note : notes) {
            if (note.site) looks.push_back({note.statement, sites_.all()[*note.site].known});
            if (note.is_pair) looks.push_back({note.statement, shared, true});
        }
        return looks;
    }

    // -- which thread it is ----------------------------------------------------------------------

    static void declare_registers(CodeWriter& code) {
        for (const char* name : {kOn, kLead, kFull, kSame}) code.declare(name, Type::pred);
        for (const char* name : {kLane, kAt, kAfter, kLast, kFrom, kCopy})
            code.declare(name, Type::b64);
        for (const char* name : {kOther, kIndex, kCount}) code.declare(name, Type::b32);
    }
    static void find_thread(CodeWriter& code) {
        const auto read = [&](const char* to, const char* from) {
            code.add(Opcode::mov, {}, {Type::u32}, {reg(to), reg(from)});
        };
        const auto state = [&](const char* to, std::size_t offset) {
            code.add(Opcode::ld, {"global"}, {Type::u32},
                     {reg(to), at(kTraceState, static_cast<std::int64_t>(offset))});
        };
        const auto is_also = [&](const char* predicate, const char* a, const char* b) {
            code.add(Opcode::setp, {"eq", "and"}, {Type::u32},
                     {reg(predicate), reg(a), reg(b), reg(kOn)});
        };
        // The number in the block: (z * height + y) * width + x.
        read(kIndex, "%tid.z");
        for (const auto& [size, index] :
             {std::pair{"%ntid.y", "%tid.y"}, std::pair{"%ntid.x", "%tid.x"}}) {
            read(kWord, size);
            read(kOther, index);
            code.add(Opcode::mad, {"lo"}, {Type::u32},
                     {reg(kIndex), reg(kIndex), reg(kWord), reg(kOther)});
        }
        code.add(Opcode::shr, {}, {Type::u32}, {reg(kWord), reg(kIndex), number(5)});
        state(kOther, offsetof(TraceState, warp));
        code.add(Opcode::setp, {"eq"}, {Type::u32}, {reg(kOn), reg(kWord), reg(kOther)});
        std::size_t offset = offsetof(TraceState, block);
        for (const char* axis : {"%ctaid.x", "%ctaid.y", "%ctaid.z"}) {
            read(kWord, axis);
            state(kOther, offset);
            is_also(kOn, kWord, kOther);
            offset += 4;
        }
        code.add(Opcode::and_, {}, {Type::b32}, {reg(kIndex), reg(kIndex), number(31)});
        state(kOther, offsetof(TraceState, leader));
        is_also(kLead, kIndex, kOther);
        code.add(Opcode::mov, {}, {Type::u64}, {reg(kLane), address_of(kTraceState)});
        code.add(Opcode::mad, {"wide"}, {Type::u32},
                 {reg(kLane), reg(kIndex), number(sizeof(TraceLane)), reg(kLane)});
        code.add(Opcode::add, {}, {Type::u64},
                 {reg(kLane), reg(kLane), number(offsetof(TraceState, lanes))});
    }

    /// The predicate of a record that is only made where the function ends.
    static const char* guarded(CodeWriter& code, const LineSite& site) {
        if (!site.guard) return kOn;
        and_guard(code, kFull, *site.guard);
        return kFull;
    }
    static void and_guard(CodeWriter& code, const char* into, const Guard& guard) {
        const std::uint64_t on = guard.negated ? 0 : 1;
        code.add(Opcode::selp, {}, {Type::u32},
                 {reg(kWord), number(on), number(1 - on), reg(guard.predicate)});
        code.add(Opcode::setp, {"ne", "and"}, {Type::u32},
                 {reg(into), reg(kWord), number(0), reg(kOn)});
    }

    // -- records ---------------------------------------------------------------------------------

    std::string label(const char* which) const {
        return "$L__lathe_" + std::to_string(plan_.sites.size()) + which;
    }

    /// Goes to the record's end unless `on`, and to its `full` where there is no room.
    void begin_record(CodeWriter& code, const TraceSite& site, const char* on) const {
        code.jump(label(""), on, true);
        code.add(Opcode::ld, {"global"}, {Type::u64}, {reg(kAt), behind(kLane, kNext)});
        code.add(Opcode::ld, {"global"}, {Type::u64}, {reg(kLast), behind(kLane, kEnd)});
        code.add(Opcode::add, {}, {Type::u64}, {reg(kAfter), reg(kAt), number(site.bytes)});
        code.add(Opcode::setp, {"gt"}, {Type::u64}, {reg(kFull), reg(kAfter), reg(kLast)});
        code.jump(label("_full"), kFull);
    }
    void write_head(CodeWriter& code) const {
        code.add(Opcode::st, {"global"}, {Type::u64}, {behind(kLane, kNext), reg(kAfter)});
        code.add(Opcode::mov, {}, {Type::u32}, {reg(kWord), number(plan_.sites.size())});
        code.add(Opcode::st, {"global"}, {Type::u32},
                 {behind(kAt, offsetof(TraceHead, site)), reg(kWord)});
        code.add(Opcode::sub, {}, {Type::u64}, {reg(kAfter), reg(kAfter), reg(kAt)});
        code.add(Opcode::cvt, {}, {Type::u32, Type::u64}, {reg(kWord), reg(kAfter)});
        code.add(Opcode::st, {"global"}, {Type::u32},
                 {behind(kAt, offsetof(TraceHead, bytes)), reg(kWord)});
    }
    /// No later record has room, either: what is there is all that happened until then.
    void end_record(CodeWriter& code, TraceSite site) {
        code.jump(label(""));
        code.label(label("_full"));
        code.add(Opcode::mov, {}, {Type::u32}, {reg(kWord), number(1)});
        code.add(Opcode::st, {"global"}, {Type::u32}, {behind(kLane, kIsFull), reg(kWord)});
        code.add(Opcode::st, {"global"}, {Type::u64}, {behind(kLane, kEnd), reg(kAt)});
        code.label(label(""));
        plan_.sites.push_back(std::move(site));
    }

    /// Where the function's variables in shared memory are, and that it was called.
    void enter(CodeWriter& code) {
        TraceSite site;
        site.event = TraceEvent::enter;
        site.function = index_;
        site.bytes = kHead;
        std::vector<std::string> symbols;
        for (std::size_t v = 0; v < sites_.variables().size(); ++v) {
            if (!shared_place(sites_.variables()[v])) continue;
            site.values.push_back({first_variable_ + static_cast<std::uint32_t>(v), site.bytes, 4});
            site.bytes += 8;
            symbols.push_back(sites_.variables()[v].places.front().name);
        }
        begin_record(code, site, kOn);
        write_head(code);
        for (std::size_t each = 0; each < symbols.size(); ++each) {
            code.add(Opcode::mov, {}, {Type::u64}, {reg(kFrom), address_of(symbols[each])});
            code.add(Opcode::st, {"global"}, {Type::u64},
                     {behind(kAt, site.values[each].offset), reg(kFrom)});
        }
        end_record(code, std::move(site));
    }

    /// Writes a record of those of the site's known variables that are `stale`.
    void record(CodeWriter& code, TraceEvent event, const LineSite& at_site, const char* on,
                const VariableSet& stale) {
        TraceSite site;
        site.event = event;
        site.function = index_;
        site.file = at_site.file;
        site.line = at_site.line;
        std::vector<const dwarf::Place*> places;
        NamedPlaces shared;
        site.bytes = kHead;
        for (std::size_t v = 0; v < at_site.known.size(); ++v) {
            if (!at_site.known[v]) continue;
            const DebugVariable& variable = sites_.variables()[v];
            const auto index = first_variable_ + static_cast<std::uint32_t>(v);
            site.known.push_back(index);
            if (!stale[v] || !variable.constant.empty()) continue;
            if (variable.is_shared) {
                if (const SharedPlace* const place = shared_place(variable))
                    shared.emplace_back(variable.places.front().name, place);
                continue;
            }
            const std::uint32_t bytes = std::min(variable.type.bytes, kMostTracedBytes);
            places.push_back(sites_.place_of(at_site, v));
            site.values.push_back({index, site.bytes, bytes});
            site.bytes += (bytes + 7) / 8 * 8;
        }
        begin_record(code, site, on);
        compare_all(code, shared);
        write_head(code);
        for (std::size_t each = 0; each < places.size(); ++each)
            code.store(sites_.facts(), *places[each], kAt, site.values[each].offset,
                       site.values[each].bytes);
        end_record(code, std::move(site));
    }

    /// What the function's variables in shared memory are while all threads wait.
    void look_at_shared(CodeWriter& code) {
        NamedPlaces shared;
        for (const DebugVariable& v : sites_.variables())
            if (const SharedPlace* const place = shared_place(v))
                shared.emplace_back(v.places.front().name, place);
        if (shared.empty()) return;
        TraceSite site;
        site.event = TraceEvent::barrier;
        site.function = index_;
        site.bytes = kHead;
        begin_record(code, site, kLead);
        compare_all(code, shared);
        write_head(code);
        end_record(code, std::move(site));
    }

    void compare_all(CodeWriter& code, const NamedPlaces& shared) const {
        if (shared.empty()) return;
        code.jump(label("_shared"), kLead, true);
        for (std::size_t each = 0; each < shared.size(); ++each)
            compare(code, shared[each].first, *shared[each].second, each);
        code.label(label("_shared"));
    }

    /// Adds the words that differ from the copy's to the record, and puts them into the copy.
    void compare(CodeWriter& code, const std::string& symbol, const SharedPlace& place,
                 std::size_t each) const {
        const std::string number_of = std::to_string(each);
        const std::string loop = label("_loop_") + number_of, next = label("_next_") + number_of,
                          done = label("_done_") + number_of;
        const Type type = place.unit == 4 ? Type::u32 : Type::u8;
        if (place.is.bytes) {
            code.add(Opcode::mov, {}, {Type::u32},
                     {reg(kCount), number(place.is.bytes / place.unit)});
        } else {
            code.add(Opcode::mov, {}, {Type::u32}, {reg(kCount), reg("%dynamic_smem_size")});
            code.add(Opcode::st, {"global"}, {Type::u32},
                     {at(kTraceState, offsetof(TraceState, dynamic_bytes)), reg(kCount)});
            code.add(Opcode::shr, {}, {Type::u32},
                     {reg(kCount), reg(kCount), number(place.unit == 4 ? 2 : 0)});
        }
        code.add(Opcode::mov, {}, {Type::u64}, {reg(kFrom), address_of(symbol)});
        code.add(Opcode::ld, {"global"}, {Type::u64},
                 {reg(kCopy), at(kTraceState, offsetof(TraceState, copy))});
        code.add(Opcode::add, {}, {Type::u64}, {reg(kCopy), reg(kCopy), number(place.is.place)});
        code.add(Opcode::mov, {}, {Type::u32}, {reg(kIndex), number(0)});
        code.label(loop);
        code.add(Opcode::setp, {"ge"}, {Type::u32}, {reg(kSame), reg(kIndex), reg(kCount)});
        code.jump(done, kSame);
        code.add(Opcode::ld, {"volatile", "shared"}, {type}, {reg(kWord), behind(kFrom, 0)});
        code.add(Opcode::ld, {"global"}, {type}, {reg(kOther), behind(kCopy, 0)});
        code.add(Opcode::setp, {"eq"}, {Type::u32}, {reg(kSame), reg(kWord), reg(kOther)});
        code.jump(next, kSame);
        code.add(Opcode::add, {}, {Type::u64},
                 {reg(kAfter), reg(kAfter), number(sizeof(TracedWord))});
        code.add(Opcode::setp, {"gt"}, {Type::u64}, {reg(kFull), reg(kAfter), reg(kLast)});
        code.jump(label("_full"), kFull);
        code.add(Opcode::st, {"global"}, {type}, {behind(kCopy, 0), reg(kWord)});
        const std::uint32_t first = place.is.place | (place.unit == 4 ? 0 : kIsByte);
        code.add(Opcode::mad, {"lo"}, {Type::u32},
                 {reg(kOther), reg(kIndex), number(place.unit), number(first)});
        constexpr auto kWordBytes = std::int64_t{sizeof(TracedWord)};
        code.add(Opcode::st, {"global"}, {Type::u32}, {behind(kAfter, -kWordBytes), reg(kOther)});
        code.add(Opcode::st, {"global"}, {Type::u32}, {behind(kAfter, 4 - kWordBytes), reg(kWord)});
        code.label(next);
        code.add(Opcode::add, {}, {Type::u64}, {reg(kFrom), reg(kFrom), number(place.unit)});
        code.add(Opcode::add, {}, {Type::u64}, {reg(kCopy), reg(kCopy), number(place.unit)});
        code.add(Opcode::add, {}, {Type::u32}, {reg(kIndex), reg(kIndex), number(1)});
        code.jump(loop);
        code.label(done);
    }

    /// Writes a record of the address of an access, if that is of shared memory.
    void touch(CodeWriter& code, const Instruction& i) {
        const auto access = access_of(i);
        TraceSite site;
        site.event = access->kind == AccessKind::read    ? TraceEvent::read
                     : access->kind == AccessKind::write ? TraceEvent::write
                                                         : TraceEvent::atomic;
        site.function = index_;
        site.bytes = kHead + 8;
        site.access_bytes = access->bytes;
        site.type = access->type;
        code.jump(label(""), kOn, true);
        if (i.guard) {
            and_guard(code, kFull, *i.guard);
            code.jump(label(""), kFull, true);
        }
        write_address(code, sites_.facts(), *access->address, kFrom);
        if (access->space == Space::generic) {
            code.add(Opcode::isspacep, {"shared"}, {}, {reg(kSame), reg(kFrom)});
            code.jump(label(""), kSame, true);
            code.add(Opcode::cvta, {"to", "shared"}, {Type::u64}, {reg(kFrom), reg(kFrom)});
        }
        begin_record(code, site, kOn);
        write_head(code);
        code.add(Opcode::st, {"global"}, {Type::u64}, {behind(kAt, kHead), reg(kFrom)});
        end_record(code, std::move(site));
    }

    Function& function_;
    std::uint32_t index_;
    const LineSites& sites_;
    const SharedPlaces& shared_;
    bool has_pairs_; ///< barriers are doubled
    TracePlan& plan_;
    std::uint32_t first_variable_;
};

/// Dynamic ones are all at one place, behind the others.
SharedPlaces places_in_copy(const Module& module, TracePlan& plan) {
    SharedPlaces places;
    for (const Function& function : module.functions)
        for (const std::string& symbol : shared_symbols(module, function)) {
            const Variable& v = *shared_variable(module, function, symbol);
            const auto bytes = static_cast<std::uint32_t>(v.size_bytes());
            const bool has_words = v.alignment() % 4 == 0 && bytes % 4 == 0;
            const SharedPlace place{{plan.copy_bytes, bytes}, has_words ? 4u : 1u};
            if (places.emplace(symbol, place).second) plan.copy_bytes += (bytes + 15) / 16 * 16;
        }
    for (auto& [symbol, place] : places)
        if (place.is.bytes == 0) place.is.place = plan.copy_bytes;
    return places;
}

/// Code that is put before everything else may name them.
void put_declarations_first(Function& function) {
    std::ranges::stable_partition(function.body.statements, [](const Statement& s) {
        return std::holds_alternative<Variable>(s);
    });
}

} // namespace

TracePlan trace_threads(Module& module, const std::vector<std::uint32_t>& files) {
    TracePlan plan;
    const dwarf::Tree tree = dwarf::read_tree(module);
    const SharedPlaces shared = places_in_copy(module, plan);
    const bool has_pairs = !shared.empty() && double_barriers(module);
    for (const bool entries : {false, true})
        for (Function& function : module.functions) {
            if (!function.has_body || function.is_entry != entries) continue;
            const auto index = static_cast<std::uint32_t>(plan.functions.size());
            plan.functions.push_back(function.name);
            put_declarations_first(function);
            std::vector<DebugVariable> variables = debug_variables(tree, function.name);
            add_shared_variables(module, function, tree, variables);
            const LineSites sites{module, function, std::move(variables), files};
            if (!sites.all().empty())
                FunctionTracer{function, index, sites, shared, has_pairs, plan}.run();
        }
    end_writing(module, kTraceState, sizeof(TraceState));
    return plan;
}

} // namespace lathe::ptx
