// SPDX-License-Identifier: MIT
#include "gpu/ptx/line_sites.h"

#include "gpu/ptx/code_writer.h"

#include <algorithm>
#include <utility>

namespace lathe::ptx {
namespace {

bool is_target(const Label& label) { return label.name.find("BB") != label.name.npos; }
bool is_end(const Instruction& i) { return i.opcode == Opcode::ret || i.opcode == Opcode::exit; }
bool is_same(const Location& a, const Location& b) {
    return a.line == b.line && a.column == b.column && a.file == b.file;
}

} // namespace

LineSites::LineSites(const Module& module, const Function& function,
                     std::vector<DebugVariable> variables, const std::vector<std::uint32_t>& files)
    : module_{module}, files_{files}, variables_{std::move(variables)}, facts_{module, function} {
    if (has_lines(function.body.statements)) find(function.body.statements);
}

const Location* LineSites::traced(const Instruction& i) const {
    const Location* const where = module_.location(i.location);
    const bool is_ours =
        where && where->line && std::ranges::find(files_, where->file) != files_.end();
    return is_ours ? where : nullptr;
}

bool LineSites::has_lines(const std::vector<Statement>& statements) const {
    return std::ranges::any_of(statements, [&](const Statement& s) {
        if (const auto* i = std::get_if<Instruction>(&s)) return traced(*i) != nullptr;
        const auto* const block = std::get_if<Block>(&s);
        return block && has_lines(block->statements);
    });
}

void LineSites::find(const std::vector<Statement>& all) {
    const Location* last = nullptr;
    for (std::size_t k = 0; k < all.size(); ++k) {
        if (const auto* label = std::get_if<Label>(&all[k]); label && is_target(*label))
            last = nullptr; // a loop comes back to it
        const Instruction* const next = first_instruction(all[k]);
        const Location* const where = next ? traced(*next) : nullptr;
        LineSite site;
        site.statement = k;
        site.is_line = where && !(last && is_same(*last, *where));
        if (where) last = where;
        const auto* const instruction = std::get_if<Instruction>(&all[k]);
        site.is_end = instruction && is_end(*instruction);
        if (!site.is_line && !site.is_end) continue;
        if (site.is_end) site.guard = instruction->guard;
        if (const Location* const here = module_.location(next->location))
            site.file = here->file, site.line = here->line;
        site.known.resize(variables_.size());
        for (std::size_t v = 0; v < variables_.size(); ++v)
            site.known[v] = where && !variables_[v].constant.empty()
                                ? is_in_scope(variables_[v], k) && variables_[v].line < where->line
                                : place_of(variables_[v], k, where ? where->line : 0) != nullptr;
        sites_.push_back(std::move(site));
    }
}

bool LineSites::is_in_scope(const DebugVariable& v, std::size_t k) const {
    return k >= facts_.place(v.begin, 0) && k < facts_.place(v.end, facts_.size() + 1);
}

const dwarf::Place* LineSites::place_of(const LineSite& site, std::size_t variable) const {
    return place_of(variables_[variable], site.statement, site.line);
}

/// Where a variable is at a statement.
const dwarf::Place* LineSites::place_of(const DebugVariable& v, std::size_t k,
                                        std::uint32_t line) const {
    if ((v.type.bytes == 0 && !v.is_shared) || !is_in_scope(v, k)) return nullptr;
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
bool LineSites::is_told(const DebugVariable& v, const dwarf::Place& place, std::size_t k,
                        std::uint32_t line) const {
    const auto space = facts_.space_of(place.name);
    if (!space) return false;
    if (v.is_shared) return v.line < line; // it needs no code
    if (space->first != Space::local || v.is_parameter) return true;
    const auto declared = facts_.first_of_line(v.line, facts_.place(v.begin, 0));
    return declared ? *declared < k : v.line < line;
}

} // namespace lathe::ptx
