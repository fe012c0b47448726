// SPDX-License-Identifier: MIT
#include "engine/ui/cost_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace lathe {

namespace {

/// Less is no waste worth telling.
constexpr double kLeastWaste = 0.1;

std::string percent(double share) {
    const double p = 100 * share;
    return p > 0 && p < 1 ? "<1%" : fmt::format("{:.0f}%", p);
}

/// "1.5", "32".
std::string times(double x) {
    return x < 9.95 && std::abs(x - std::round(x)) > 0.05 ? fmt::format("{:.1f}", x)
                                                          : fmt::format("{:.0f}", x);
}

std::string large(double x) {
    if (x < 1e4) return fmt::format("{:.0f}", x);
    if (x < 1e7) return fmt::format("{:.0f} k", x / 1e3);
    return fmt::format("{:.0f} M", x / 1e6);
}

/// Of turns that one would do in one: the part that is for nothing.
double waste_of_turns(double turns) { return turns > 1 ? 1 - 1 / turns : 0; }

/// Without its unit.
CostCell number_of(const LineCosts& costs, CostColumn column) {
    const auto cell = [](std::optional<double> value, auto text, auto waste) {
        return value ? CostCell{text(*value), waste(*value)} : CostCell{};
    };
    const auto turns = [](double x) { return times(x) + "×"; };
    const auto lost = [](double share) { return 1 - share; };
    const auto none = [](double) { return 0.0; };
    switch (column) {
    case CostColumn::share: return {percent(costs.share), 0};
    case CostColumn::active: return cell(costs.active(), percent, lost);
    case CostColumn::memory: return cell(costs.waste(), turns, waste_of_turns);
    case CostColumn::banks: return cell(costs.banks(), turns, waste_of_turns);
    case CostColumn::branches:
        return cell(costs.divergence(), percent, [](double d) { return d / 2; });
    case CostColumn::atomics: return cell(costs.contention(), turns, waste_of_turns);
    case CostColumn::barriers: return cell(costs.barrier_ticks(), large, none);
    case CostColumn::worst: break;
    }
    return {};
}

std::string_view unit_of(CostColumn column) {
    switch (column) {
    case CostColumn::active: return "active";
    case CostColumn::memory: return "mem";
    case CostColumn::banks: return "bank";
    case CostColumn::branches: return "div";
    case CostColumn::atomics: return "atom";
    default: return "";
    }
}

std::string times_in_words(std::uint64_t count) {
    return count == 1 ? "" : fmt::format(", {} times", count);
}

} // namespace

std::string_view name_of(CostColumn column) {
    switch (column) {
    case CostColumn::worst: return "the worst of them";
    case CostColumn::share: return "share of the instructions";
    case CostColumn::active: return "active threads";
    case CostColumn::memory: return "memory traffic, times the ideal";
    case CostColumn::banks: return "turns of shared memory";
    case CostColumn::branches: return "divergent branches";
    case CostColumn::atomics: return "turns of atomics";
    case CostColumn::barriers: break;
    }
    return "ticks at barriers";
}

CostCell cell_of(const LineCosts& costs, CostColumn column) {
    if (column != CostColumn::worst) return number_of(costs, column);
    CostCell worst;
    for (const CostColumn each : {CostColumn::memory, CostColumn::banks, CostColumn::atomics,
                                  CostColumn::active, CostColumn::branches}) {
        CostCell cell = number_of(costs, each);
        if (cell.waste < kLeastWaste || cell.waste <= worst.waste) continue;
        const std::string unit{unit_of(each)};
        worst = {each == CostColumn::active ? cell.text + " on" : cell.text + " " + unit,
                 cell.waste};
    }
    return worst;
}

std::vector<CostSentence> explain(const LineCosts& costs) {
    const gpu::LineCounts& n = costs.counts;
    std::vector<CostSentence> all;
    const auto add = [&](std::string number, std::string meaning, double waste = 0,
                         std::string_view mend = {}) {
        if (waste >= kLeastWaste) meaning.append(" ").append(mend);
        all.push_back({std::move(number), std::move(meaning), waste});
    };
    add(percent(costs.share), "of the instructions of this source's kernels");
    if (n.by_threads)
        add(large(double(n.executions)),
            "threads ran the line. The kernel cannot run by warps, so more is not known.");
    else if (const auto active = costs.active())
        add(percent(*active),
            n.executions > 0 ? fmt::format("of the threads take part. {} warps came here.",
                                           large(double(n.executions)))
                             : "of the threads take part.",
            1 - *active,
            "The others wait. Let all threads of a warp take the same way, and have as many "
            "threads as the block has.");
    if (const auto divergence = costs.divergence())
        add(percent(*divergence),
            fmt::format("of {} branches part the threads of a warp.", large(double(n.branches))),
            *divergence / 2, "Branch on what is the same for all threads of a warp.");
    if (const auto waste = costs.waste())
        add(times(*waste) + "×",
            fmt::format("the memory traffic that is needed: {} sectors an access, {} would do.",
                        times(*costs.sectors()), times(*costs.ideal_sectors())),
            waste_of_turns(*waste), "Let neighbouring threads access neighbouring addresses.");
    if (const auto banks = costs.banks())
        add(times(*banks) + "×",
            *banks > 1.05 ? "turns for an access of shared memory: threads of a warp want "
                            "different words of one bank."
                          : "turn for an access of shared memory: no bank conflicts.",
            waste_of_turns(*banks), "Make the rows of the array one element longer.");
    if (const auto turns = costs.contention())
        add(times(*turns) + "×",
            *turns > 1.05 ? "turns for an atomic: threads of a warp meet at one address."
                          : "turn for an atomic: no two threads of a warp meet at an address.",
            waste_of_turns(*turns),
            "Add up within the warp or in shared memory first, then update once.");
    if (const auto ticks = costs.barrier_ticks())
        add(large(*ticks), fmt::format("ticks of the processor's clock that a warp waits at this "
                                       "barrier, {} arrivals. Other warps run meanwhile.",
                                       large(double(n.barriers))));
    return all;
}

std::string explain(const LineFinding& finding) {
    const gpu::HazardFinding& what = finding.what;
    std::string text =
        fmt::format("{}{}\n", gpu::title_of(what.hazard), times_in_words(what.count));
    text.front() = char(std::toupper(static_cast<unsigned char>(text.front())));
    const auto add = [&](const gpu::HazardThread& thread, int line) {
        if (thread.file.empty()) return;
        text += fmt::format("{} by block ({}), thread ({}), {}\n", thread.access,
                            fmt::join(thread.block, ", "), fmt::join(thread.thread, ", "),
                            line > 0 ? fmt::format("line {}", line)
                                     : fmt::format("{}:{}", thread.file, thread.line));
    };
    add(what.first, finding.first);
    add(what.second, finding.second);
    if (!what.memory.empty())
        text += fmt::format("{} byte{} at offset {} of {} (address {:#x})\n", what.bytes,
                            what.bytes == 1 ? "" : "s", what.offset, what.memory, what.address);
    return text + what.message;
}

} // namespace lathe
