// SPDX-License-Identifier: MIT
#include "engine/live/inspector_slot.h"

#include "engine/live/kernel_slot.h"
#include "engine/live/line_map.h"

#include <algorithm>
#include <utility>

namespace lathe {

namespace {

/// 0, which is no line, stays.
bool move_line(int& line, const LineMap& moved) {
    if (line == 0) return true;
    const auto here = moved(line);
    if (here) line = *here;
    return here.has_value();
}

/// A finding stays while both of its lines do.
bool move_finding(LineFinding& finding, const LineMap& moved) {
    return move_line(finding.first, moved) && move_line(finding.second, moved);
}

bool is_same(const LineFinding& a, const LineFinding& b) {
    return a.first == b.first && a.second == b.second && a.what.hazard == b.what.hazard;
}

/// Rows of a line become one. Those of warps come first: what single threads ran beside them adds
/// its instructions.
void add_row(std::map<int, LineCosts>& lines, int line, const gpu::LineCounts& row) {
    const auto [at, is_new] = lines.try_emplace(line);
    gpu::LineCounts& sum = at->second.counts;
    at->second.line = line;
    if (is_new) sum.by_threads = row.by_threads;
    if (row.by_threads && !sum.by_threads) {
        sum.instructions += row.instructions / 32;
        sum.thread_instructions += row.thread_instructions;
        sum.flops += row.flops;
        sum.double_flops += row.double_flops;
    } else {
        add_counts(sum, row);
    }
}

} // namespace

InspectedSlot::InspectedSlot(const KernelSlot& slot)
    : slot_{slot}, text_{slot.source()}, text_version_{slot.text_version()} {}

bool InspectedSlot::follow_version() {
    if (slot_.running_text() == version_) return false;
    version_ = slot_.running_text();
    counts_wanted_ = searches_wanted_ = kFrames;
    return true;
}

void InspectedSlot::move_lines() {
    if (text_version_ == slot_.text_version()) return;
    const LineMap moved{text_, slot_.source()};
    for (auto& [name, kernel] : kernels_) {
        std::erase_if(kernel.costs, [&](LineCosts& row) { return !move_line(row.line, moved); });
        std::erase_if(kernel.findings, [&](LineFinding& f) { return !move_finding(f, moved); });
    }
    text_ = slot_.source();
    text_version_ = slot_.text_version();
    is_shown_ = false;
}

bool InspectedSlot::take(std::span<const gpu::LineCounts> counts, Time now) {
    if (version_.empty()) return false; // watched from the middle of a frame on
    move_lines();
    const auto names = slot_.kernel_names();
    std::erase_if(kernels_, [&](const auto& kernel) {
        return std::ranges::find(names, kernel.first) == names.end();
    });
    for (auto& [name, kernel] : kernels_) kernel.is_counted = false;
    const LineMap moved{version_, text_};
    std::map<std::string_view, std::map<int, LineCosts>> found;
    double all = 0;
    for (const bool by_threads : {false, true})
        for (const gpu::LineCounts& row : counts) {
            if (row.by_threads != by_threads) continue;
            if (std::ranges::find(names, row.kernel) == names.end()) continue;
            const int line = line_in(slot_.name(), row.file, row.line, row.inlined_at);
            if (line == 0) continue;
            all += warp_instructions(row);
            auto& lines = found[row.kernel];
            if (const auto here = moved(line)) add_row(lines, *here, row);
        }
    for (auto& [name, lines] : found) {
        Launched& kernel = kernels_[std::string{name}];
        kernel.is_counted = true;
        kernel.costs.clear();
        for (auto& [line, row] : lines) {
            row.share = all > 0 ? warp_instructions(row.counts) / all : 0;
            kernel.costs.push_back(std::move(row));
        }
    }
    counts_wanted_ = found.empty() ? std::max(counts_wanted_ - 1, 0) : 0;
    if (found.empty()) return false;
    counted_at_ = now;
    is_shown_ = false;
    return true;
}

/// With lines of the present text; nothing where it is of another slot or its lines were changed.
std::optional<LineFinding> InspectedSlot::placed(const gpu::HazardFinding& finding) const {
    const auto line_of = [&](const gpu::HazardThread& thread) {
        return line_in(slot_.name(), thread.file, thread.line, thread.inlined_at);
    };
    LineFinding placed{line_of(finding.first), line_of(finding.second), finding};
    if (placed.line() == 0) return {};
    if (!move_finding(placed, LineMap{version_, text_})) return {};
    return placed;
}

std::vector<LineFinding> InspectedSlot::take(std::span<const gpu::HazardFinding> findings,
                                             Time now) {
    move_lines();
    std::vector<LineFinding> news;
    bool was_launched = false;
    for (auto& [name, kernel] : kernels_) {
        if (!kernel.is_counted) continue;
        was_launched = true;
        const std::vector<LineFinding> known = kernel.findings;
        if (kernel.searched != version_) kernel.findings.clear();
        kernel.searched = version_;
        for (const gpu::HazardFinding& finding : findings) {
            if (finding.kernel != name) continue;
            auto here = placed(finding);
            if (!here) continue;
            const auto is_it = [&](const LineFinding& other) { return is_same(*here, other); };
            if (std::ranges::none_of(known, is_it)) news.push_back(*here);
            std::erase_if(kernel.findings, is_it); // the newest example
            kernel.findings.push_back(std::move(*here));
        }
    }
    searches_wanted_ = was_launched ? 0 : std::max(searches_wanted_ - 1, 0);
    if (was_launched) searched_at_ = now;
    is_shown_ = false;
    return news;
}

const SlotInspection& InspectedSlot::show() {
    move_lines();
    if (std::exchange(is_shown_, true)) return shown_;
    shown_ = {};
    shown_.counted_at = counted_at_;
    shown_.searched_at = searched_at_;
    std::map<int, LineCosts> lines;
    for (const bool by_threads : {false, true})
        for (const auto& [name, kernel] : kernels_) {
            for (const LineCosts& row : kernel.costs) {
                if (row.counts.by_threads != by_threads) continue;
                add_row(lines, row.line, row.counts);
                double& share = lines[row.line].share;
                share = std::min(share + row.share, 1.0);
            }
            if (by_threads) continue;
            shown_.findings.insert(shown_.findings.end(), kernel.findings.begin(),
                                   kernel.findings.end());
        }
    for (auto& [line, row] : lines) {
        shown_.largest_share = std::max(shown_.largest_share, row.share);
        shown_.lines.push_back(std::move(row));
    }
    std::ranges::stable_sort(shown_.findings, {}, &LineFinding::line);
    return shown_;
}

} // namespace lathe
