// SPDX-License-Identifier: MIT
#include "gpu/soft/rt/watch/findings.h"

#include "engine/core/log.h"
#include "gpu/soft/rt/watch/unwritten.h"

#include <cstdlib>
#include <string_view>
#include <utility>

namespace lathe::soft {

Findings& Findings::instance() {
    static auto* const findings = new Findings; // workers may find some until the process ends
    return *findings;
}

Findings::Findings() {
    const char* text = std::getenv("LATHE_SOFT_HAZARDS");
    if (!text) return;
    const std::string_view value{text};
    if (value == "1") {
        kinds_ = kAllHazards;
        DeviceUnwritten::instance().start();
    } else if (value != "0") {
        log::warning("LATHE_SOFT_HAZARDS is {}, known are 0 and 1", value);
    }
}

void Findings::reset() {
    std::lock_guard lock{mutex_};
    of_launches_.clear();
    found_.clear();
}

void Findings::forget_launch(std::uint64_t launch) {
    std::lock_guard lock{mutex_};
    std::erase_if(of_launches_, [&](const auto& each) { return each.first.launch == launch; });
}

Finding& Findings::merge(Finding finding) {
    // Two threads that change places are the same finding.
    auto key = [](const Finding& f) {
        return Lines{f.hazard, f.kernel, f.first.file, f.second.file, f.first.line, f.second.line};
    };
    Lines lines = key(finding);
    Lines other{lines.hazard,     lines.kernel,      lines.second_file,
                lines.first_file, lines.second_line, lines.first_line};
    auto known = found_.find(lines);
    if (known == found_.end()) known = found_.find(other);
    if (known == found_.end()) return found_.emplace(lines, std::move(finding)).first->second;
    ++known->second.count;
    return known->second;
}

std::vector<Finding> Findings::all() {
    std::lock_guard lock{mutex_};
    std::vector<Finding> rows;
    rows.reserve(found_.size());
    for (const auto& [lines, finding] : found_) rows.push_back(finding);
    return rows;
}

} // namespace lathe::soft
