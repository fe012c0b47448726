// SPDX-License-Identifier: MIT
#include "gpu/ptx/warp_trace.h"

#include "gpu/ptx/code_writer.h"
#include "gpu/ptx/function_facts.h"
#include "gpu/ptx/memory_access.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace lathe::ptx {
namespace {

WarpEvent event_of(AccessKind kind) {
    return kind == AccessKind::read    ? WarpEvent::read
           : kind == AccessKind::write ? WarpEvent::write
                                       : WarpEvent::atomic;
}

bool is_barrier(const Instruction& i) {
    return (i.opcode == Opcode::bar || i.opcode == Opcode::barrier) && !i.has("warp");
}

/// What is written before a statement.
struct Notes {
    std::size_t statement = 0;
    std::optional<std::uint32_t> line;  ///< a site
    std::optional<std::uint32_t> event; ///< of the statement itself, under its guard
};

class WarpTracer {
public:
    WarpTracer(const Module& module, Function& function, std::uint32_t index,
               const std::vector<std::uint32_t>& files, WarpPlan& plan)
        : module_{module}, function_{function}, index_{index}, files_{files}, plan_{plan},
          facts_{module, function} {}

    void run() {
        find();
        std::vector<std::size_t> statements;
        std::vector<std::optional<Instruction>> instructions;
        for (const Notes& note : notes_) {
            statements.push_back(note.statement);
            const auto* i = std::get_if<Instruction>(&function_.body.statements[note.statement]);
            instructions.push_back(i ? std::optional{*i} : std::nullopt);
        }
        insert_code(
            function_, statements, [](CodeWriter& code) { begin(code); },
            [&](CodeWriter& code, std::size_t n) {
                if (notes_[n].line) record(code, *notes_[n].line, nullptr);
                if (notes_[n].event) record(code, *notes_[n].event, &*instructions[n]);
            });
    }

private:
    /// The line of the user's files that an instruction belongs to.
    const Location* ours(LocationId id) const {
        for (const Location* at = module_.location(id); at; at = module_.location(at->inlined_at))
            if (at->line && std::ranges::find(files_, at->file) != files_.end()) return at;
        return nullptr;
    }

    void find() {
        const auto& all = function_.body.statements;
        bool is_new = true; // a place that branches go to, or that follows one
        std::pair<std::uint32_t, std::uint32_t> last{}; // file and line
        for (std::size_t k = 0; k < all.size(); ++k) {
            if (std::holds_alternative<Label>(all[k])) is_new = true;
            const Instruction* const next = first_instruction(all[k]);
            if (!next) continue;
            Notes note{k, {}, {}};
            const Location* const where = ours(next->location);
            if (where && (is_new || last != std::pair{where->file, where->line})) {
                last = {where->file, where->line};
                is_new = false;
                note.line = add(WarpEvent::line, 0, last);
            }
            if (const auto* i = std::get_if<Instruction>(&all[k])) {
                if (const auto access = access_of(*i))
                    note.event = add(event_of(access->kind), access->bytes, last);
                else if (is_barrier(*i)) note.event = add(WarpEvent::barrier, 0, last);
                if (i->opcode == Opcode::bra) is_new = true;
            }
            if (note.line || note.event) notes_.push_back(note);
        }
    }

    std::uint32_t add(WarpEvent event, std::uint32_t bytes,
                      std::pair<std::uint32_t, std::uint32_t> place) {
        plan_.sites.push_back({event, index_, place.first, place.second, bytes});
        return static_cast<std::uint32_t>(plan_.sites.size() - 1);
    }

    /// Is the thread of the warp, and where are its records?
    static void begin(CodeWriter& code) {
        for (const char* name : {kOn, kFull, kIsShared, kIsLocal}) code.declare(name, Type::pred);
        for (const char* name : {kLane, kOther}) code.declare(name, Type::b32);
        for (const char* name : {kCount, kRecords, kAt, kAddress, kInWindow})
            code.declare(name, Type::b64);
        const auto read = [&](const char* to, const char* from) {
            code.add(Opcode::mov, {}, {Type::u32}, {reg(to), reg(from)});
        };
        const auto state = [&](const char* to, Type type, std::size_t offset) {
            code.add(Opcode::ld, {"global"}, {type},
                     {reg(to), at(kWarpState, static_cast<std::int64_t>(offset))});
        };
        // The number in the block: (z * height + y) * width + x.
        read(kLane, "%tid.z");
        for (const auto& [size, index] :
             {std::pair{"%ntid.y", "%tid.y"}, std::pair{"%ntid.x", "%tid.x"}}) {
            read(kWord, size);
            read(kOther, index);
            code.add(Opcode::mad, {"lo"}, {Type::u32},
                     {reg(kLane), reg(kLane), reg(kWord), reg(kOther)});
        }
        code.add(Opcode::shr, {}, {Type::u32}, {reg(kWord), reg(kLane), number(5)});
        state(kOther, Type::u32, offsetof(WarpState, warp));
        code.add(Opcode::setp, {"eq"}, {Type::u32}, {reg(kOn), reg(kWord), reg(kOther)});
        std::size_t offset = offsetof(WarpState, block);
        for (const char* axis : {"%ctaid.x", "%ctaid.y", "%ctaid.z"}) {
            read(kWord, axis);
            state(kOther, Type::u32, offset);
            code.add(Opcode::setp, {"eq", "and"}, {Type::u32},
                     {reg(kOn), reg(kWord), reg(kOther), reg(kOn)});
            offset += 4;
        }
        code.add(Opcode::and_, {}, {Type::b32}, {reg(kLane), reg(kLane), number(31)});
        state(kCount, Type::u64, offsetof(WarpState, counts));
        code.add(Opcode::mad, {"wide"}, {Type::u32},
                 {reg(kCount), reg(kLane), number(4), reg(kCount)});
        state(kRecords, Type::u64, offsetof(WarpState, records));
        state(kWord, Type::u32, offsetof(WarpState, most));
        code.add(Opcode::mul, {"lo"}, {Type::u32}, {reg(kWord), reg(kWord), reg(kLane)});
        code.add(Opcode::mad, {"wide"}, {Type::u32},
                 {reg(kRecords), reg(kWord), number(sizeof(WarpRecord)), reg(kRecords)});
    }

    /// `i`: the instruction that the record is of, under its guard; null for a line.
    void record(CodeWriter& code, std::uint32_t site, const Instruction* i) const {
        const std::string end = "$L__lathe_warp_" + std::to_string(site);
        code.jump(end, kOn, true);
        if (i && i->guard) code.jump(end, i->guard->predicate.c_str(), !i->guard->negated);
        code.add(Opcode::ld, {"global"}, {Type::u32}, {reg(kWord), behind(kCount, 0)});
        code.add(Opcode::add, {}, {Type::u32}, {reg(kOther), reg(kWord), number(1)});
        code.add(Opcode::st, {"global"}, {Type::u32}, {behind(kCount, 0), reg(kOther)});
        code.add(Opcode::ld, {"global"}, {Type::u32},
                 {reg(kOther), at(kWarpState, offsetof(WarpState, most))});
        code.add(Opcode::setp, {"ge"}, {Type::u32}, {reg(kFull), reg(kWord), reg(kOther)});
        code.jump(end, kFull);
        code.add(Opcode::mad, {"wide"}, {Type::u32},
                 {reg(kAt), reg(kWord), number(sizeof(WarpRecord)), reg(kRecords)});
        code.add(Opcode::mov, {}, {Type::u32}, {reg(kWord), number(site)});
        code.add(Opcode::st, {"global"}, {Type::u32}, {behind(kAt, 0), reg(kWord)});
        if (const auto access = i ? access_of(*i) : std::nullopt) store_address(code, *access);
        code.label(end);
    }

    void store_address(CodeWriter& code, const MemoryAccess& access) const {
        write_address(code, facts_, *access.address, kAddress);
        const auto number_of = [](WarpSpace space) {
            return number(static_cast<std::uint32_t>(space));
        };
        const bool is_shared = access.space == Space::shared;
        code.add(Opcode::mov, {}, {Type::u32},
                 {reg(kWord), number_of(is_shared ? WarpSpace::shared : WarpSpace::global)});
        if (access.space == Space::generic) {
            code.add(Opcode::isspacep, {"local"}, {}, {reg(kIsLocal), reg(kAddress)});
            code.add(Opcode::mov, {}, {Type::u32}, {reg(kWord), number_of(WarpSpace::local)},
                     kIsLocal);
            code.add(Opcode::isspacep, {"shared"}, {}, {reg(kIsShared), reg(kAddress)});
            code.add(Opcode::mov, {}, {Type::u32}, {reg(kWord), number_of(WarpSpace::shared)},
                     kIsShared);
            code.add(Opcode::cvta, {"to", "shared"}, {Type::u64}, {reg(kInWindow), reg(kAddress)});
            code.add(Opcode::mov, {}, {Type::u64}, {reg(kAddress), reg(kInWindow)}, kIsShared);
        }
        code.add(Opcode::st, {"global"}, {Type::u32},
                 {behind(kAt, offsetof(WarpRecord, space)), reg(kWord)});
        code.add(Opcode::st, {"global"}, {Type::u64},
                 {behind(kAt, offsetof(WarpRecord, address)), reg(kAddress)});
    }

    // Registers of each function.
    static constexpr const char* kOn = "%lathe_on";     ///< the thread is of the warp
    static constexpr const char* kFull = "%lathe_full"; ///< the record has no room
    static constexpr const char* kIsShared = "%lathe_shared";
    static constexpr const char* kIsLocal = "%lathe_local";
    static constexpr const char* kLane = "%lathe_lane";
    static constexpr const char* kOther = "%lathe_other";
    static constexpr const char* kCount = "%lathe_count";     ///< address of the lane's count
    static constexpr const char* kRecords = "%lathe_records"; ///< of its records
    static constexpr const char* kAt = "%lathe_at";
    static constexpr const char* kAddress = "%lathe_address";
    static constexpr const char* kInWindow =
        "%lathe_window"; ///< the address in the window of shared memory

    const Module& module_;
    Function& function_;
    std::uint32_t index_;
    const std::vector<std::uint32_t>& files_;
    WarpPlan& plan_;
    FunctionFacts facts_;
    std::vector<Notes> notes_;
};

} // namespace

WarpPlan trace_warps(Module& module, const std::vector<std::uint32_t>& files) {
    WarpPlan plan;
    for (const bool entries : {false, true})
        for (Function& function : module.functions) {
            if (!function.has_body || function.is_entry != entries) continue;
            plan.functions.push_back(function.name);
            const auto index = static_cast<std::uint32_t>(plan.functions.size() - 1);
            WarpTracer{module, function, index, files, plan}.run();
        }
    // The names of inlined functions go with the debug sections, and a GPU's assembler refuses an
    // inlined place without one.
    for (Location& place : module.locations) {
        place.function.clear();
        place.inlined_at = 0;
    }
    end_writing(module, kWarpState, sizeof(WarpState));
    return plan;
}

} // namespace lathe::ptx
