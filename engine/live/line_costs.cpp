// SPDX-License-Identifier: MIT
#include "engine/live/line_costs.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace lathe {

namespace {

using gpu::LineCounts;
constexpr double kWarp = 32;

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

double warp_instructions(const LineCounts& counts) {
    return double(counts.instructions) / (counts.by_threads ? kWarp : 1);
}

} // namespace lathe
