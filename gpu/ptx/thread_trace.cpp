// SPDX-License-Identifier: MIT
#include "gpu/ptx/thread_trace.h"

#include "gpu/ptx/code_writer.h"
#include "gpu/ptx/line_sites.h"
#include "gpu/ptx/stale_variables.h"

#include <algorithm>
#include <cstddef>
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
constexpr const char* kOther = "%lathe_other";

class FunctionTracer {
public:
    FunctionTracer(Function& function, std::uint32_t index, const LineSites& sites, TracePlan& plan)
        : function_{function}, index_{index}, sites_{sites}, plan_{plan},
          first_variable_{static_cast<std::uint32_t>(plan.variables.size())} {
        for (const DebugVariable& v : sites_.variables()) {
            plan_.variables.push_back(v.type);
            plan_.constants.push_back(v.constant);
        }
    }

    void run() {
        std::vector<std::size_t> statements;
        std::vector<LookingPlace> looks;
        for (const LineSite& site : sites_.all()) {
            statements.push_back(site.statement);
            looks.push_back({site.statement, site.known});
        }
        const auto stale = stale_variables(function_, sites_.variables(), looks);
        const VariableSet none(sites_.variables().size());
        insert_code(
            function_, statements,
            [&](CodeWriter& code) {
                declare_registers(code);
                find_thread(code);
                if (!function_.is_entry) record(code, TraceEvent::enter, {}, kOn, none);
            },
            [&](CodeWriter& code, std::size_t n) {
                const LineSite& site = sites_.all()[n];
                if (site.is_line) record(code, TraceEvent::line, site, kOn, stale[n]);
                if (site.is_end)
                    record(code, TraceEvent::leave, site, guarded(code, site),
                           site.is_line ? none : stale[n]);
            });
    }

private:
    static void declare_registers(CodeWriter& code) {
        for (const char* name : {kOn, kFull}) code.declare(name, Type::pred);
        for (const char* name : {kAt, kAfter, kLast}) code.declare(name, Type::b64);
        code.declare(kOther, Type::b32);
    }
    static void find_thread(CodeWriter& code) {
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

    /// The predicate of a record that is only made where the function ends.
    static const char* guarded(CodeWriter& code, const LineSite& site) {
        if (!site.guard) return kOn;
        const std::uint64_t on = site.guard->negated ? 0 : 1;
        code.add(Opcode::selp, {}, {Type::u32},
                 {reg(kWord), number(on), number(1 - on), reg(site.guard->predicate)});
        code.add(Opcode::setp, {"ne", "and"}, {Type::u32},
                 {reg(kFull), reg(kWord), number(0), reg(kOn)});
        return kFull;
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
        site.bytes = kHead;
        for (std::size_t v = 0; v < at_site.known.size(); ++v) {
            if (!at_site.known[v]) continue;
            const DebugVariable& variable = sites_.variables()[v];
            const auto index = first_variable_ + static_cast<std::uint32_t>(v);
            site.known.push_back(index);
            if (!stale[v] || !variable.constant.empty()) continue;
            const std::uint32_t bytes = std::min(variable.type.bytes, kMostTracedBytes);
            places.push_back(sites_.place_of(at_site, v));
            site.values.push_back({index, site.bytes, bytes});
            site.bytes += (bytes + 7) / 8 * 8;
        }
        const std::string end = "$L__lathe_" + std::to_string(plan_.sites.size());
        code.jump(end, on, true);
        code.add(Opcode::ld, {"global"}, {Type::u64}, {reg(kAt), at(kTraceState, kNext)});
        code.add(Opcode::ld, {"global"}, {Type::u64}, {reg(kLast), at(kTraceState, kEnd)});
        code.add(Opcode::add, {}, {Type::u64}, {reg(kAfter), reg(kAt), number(site.bytes)});
        code.add(Opcode::setp, {"gt"}, {Type::u64}, {reg(kFull), reg(kAfter), reg(kLast)});
        code.add(Opcode::mov, {}, {Type::u32}, {reg(kWord), number(1)});
        code.add(Opcode::st, {"global"}, {Type::u32}, {at(kTraceState, kIsFull), reg(kWord)},
                 kFull);
        code.jump(end, kFull);
        code.add(Opcode::st, {"global"}, {Type::u64}, {at(kTraceState, kNext), reg(kAfter)});
        code.add(Opcode::mov, {}, {Type::u32}, {reg(kWord), number(plan_.sites.size())});
        code.add(Opcode::st, {"global"}, {Type::u32}, {behind(kAt, 0), reg(kWord)});
        for (std::size_t each = 0; each < places.size(); ++each)
            code.store(sites_.facts(), *places[each], kAt, site.values[each].offset,
                       site.values[each].bytes);
        code.label(end);
        plan_.sites.push_back(std::move(site));
    }

    Function& function_;
    std::uint32_t index_;
    const LineSites& sites_;
    TracePlan& plan_;
    std::uint32_t first_variable_;
};

} // namespace

TracePlan trace_threads(Module& module, const std::vector<std::uint32_t>& files) {
    TracePlan plan;
    const dwarf::Tree tree = dwarf::read_tree(module);
    for (Function& function : module.functions) {
        if (!function.has_body) continue;
        const auto index = static_cast<std::uint32_t>(plan.functions.size());
        plan.functions.push_back(function.name);
        const LineSites sites{module, function, debug_variables(tree, function.name), files};
        if (!sites.all().empty()) FunctionTracer{function, index, sites, plan}.run();
    }
    end_writing(module, kTraceState, sizeof(TraceState));
    return plan;
}

} // namespace lathe::ptx
