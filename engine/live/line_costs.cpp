// SPDX-License-Identifier: MIT
#include "engine/live/line_costs.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <tuple>

namespace lathe {

namespace {

using gpu::LineCounts;
constexpr double kWarp = 32;

constexpr std::uint64_t LineCounts::* kNumbers[] = {
    &LineCounts::executions,
    &LineCounts::lanes,
    &LineCounts::branches,
    &LineCounts::divergent_branches,
    &LineCounts::taken_lanes,
    &LineCounts::not_taken_lanes,
    &LineCounts::global_accesses,
    &LineCounts::sectors,
    &LineCounts::ideal_sectors,
    &LineCounts::shared_accesses,
    &LineCounts::bank_conflict_degree,
    &LineCounts::atomics,
    &LineCounts::atomics_serialised,
    &LineCounts::barriers,
    &LineCounts::barrier_ticks,
    &LineCounts::instructions,
    &LineCounts::thread_instructions,
    &LineCounts::flops,
    &LineCounts::double_flops,
};

std::optional<double> ratio(std::uint64_t sum, double of) {
    if (of == 0) return {};
    return double(sum) / of;
}

std::string_view without_folder(std::string_view path) {
    const auto slash = path.rfind('/');
    return slash == path.npos ? path : path.substr(slash + 1);
}

} // namespace

std::optional<double> LineCosts::active() const {
    return ratio(counts.thread_instructions,
                 double(counts.instructions) * (counts.by_threads ? 1 : kWarp));
}
std::optional<double> LineCosts::divergence() const {
    return ratio(counts.divergent_branches, double(counts.branches));
}
std::optional<double> LineCosts::sectors() const {
    return ratio(counts.sectors, double(counts.global_accesses));
}
std::optional<double> LineCosts::ideal_sectors() const {
    return ratio(counts.ideal_sectors, double(counts.global_accesses));
}
std::optional<double> LineCosts::banks() const {
    return ratio(counts.bank_conflict_degree, double(counts.shared_accesses));
}
std::optional<double> LineCosts::contention() const {
    return ratio(counts.atomics_serialised, double(counts.atomics));
}
std::optional<double> LineCosts::barrier_ticks() const {
    return ratio(counts.barrier_ticks, double(counts.barriers));
}
std::optional<double> LineCosts::waste() const {
    return ratio(counts.sectors, double(counts.ideal_sectors));
}

const LineCosts* SlotInspection::at(int line) const {
    const auto found = std::ranges::lower_bound(lines, line, {}, &LineCosts::line);
    return found == lines.end() || found->line != line ? nullptr : &*found;
}

int line_in(std::string_view file, std::string_view place_file, int place_line,
            std::string_view inlined_at) {
    file = without_folder(file);
    if (without_folder(place_file) == file) return place_line;
    while (!inlined_at.empty()) {
        const std::string_view call = inlined_at.substr(0, inlined_at.find(';'));
        inlined_at.remove_prefix(std::min(call.size() + 1, inlined_at.size()));
        const auto colon = call.rfind(':');
        if (colon == call.npos || without_folder(call.substr(0, colon)) != file) continue;
        int line = 0;
        std::from_chars(call.data() + colon + 1, call.data() + call.size(), line);
        return line;
    }
    return 0;
}

std::vector<LineCounts> counted_since(std::span<const LineCounts> before,
                                      std::vector<LineCounts> now) {
    const auto key = [](const LineCounts& row) {
        return std::tuple<std::string_view, std::string_view, int, std::string_view, bool>{
            row.kernel, row.file, row.line, row.inlined_at, row.by_threads};
    };
    std::map<decltype(key(before[0])), const LineCounts*> old;
    for (const LineCounts& row : before) old.emplace(key(row), &row);
    std::erase_if(now, [&](LineCounts& row) {
        const auto known = old.find(key(row));
        bool grew = false;
        for (const auto number : kNumbers) {
            const std::uint64_t first = known == old.end() ? 0 : known->second->*number;
            row.*number = row.*number > first ? row.*number - first : 0; // the sums were reset
            grew |= row.*number != 0;
        }
        return !grew;
    });
    return now;
}

void add_counts(LineCounts& to, const LineCounts& more) {
    for (const auto number : kNumbers) to.*number += more.*number;
}

double warp_instructions(const LineCounts& counts) {
    return double(counts.instructions) / (counts.by_threads ? kWarp : 1);
}

} // namespace lathe
