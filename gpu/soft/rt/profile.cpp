// SPDX-License-Identifier: MIT
#include "gpu/soft/rt/profile.h"

#include "engine/core/log.h"

#include <cstdlib>
#include <string_view>

namespace lathe::soft {

Profile& Profile::instance() {
    static auto* const profile = new Profile; // workers may count until the end of the process
    return *profile;
}

Profile::Profile() {
    const char* text = std::getenv("LATHE_SOFT_COUNTERS");
    if (!text) return;
    const std::string_view value{text};
    if (value == "1") on_ = true;
    else if (value != "0") log::warning("LATHE_SOFT_COUNTERS is {}, known are 0 and 1", value);
}

void Profile::reset() {
    std::lock_guard lock{mutex_};
    totals_.clear();
    of_unloaded_.clear();
}

void Profile::add(const CounterTablePtr& table, std::span<const std::uint64_t> slots) {
    std::lock_guard lock{mutex_};
    auto known = totals_.find(table);
    if (known == totals_.end()) {
        fold();
        known = totals_.emplace(table, std::vector<std::uint64_t>(slots.size())).first;
    }
    for (std::size_t k = 0; k < slots.size(); ++k) known->second[k] += slots[k];
}

// Of code that is gone only the sums are kept: a program that loads a module for each edit stays
// as large as its number of lines.
void Profile::fold() {
    for (auto each = totals_.begin(); each != totals_.end();) {
        if (each->first.use_count() > 1) {
            ++each;
            continue;
        }
        expand(*each->first, each->second, of_unloaded_);
        each = totals_.erase(each);
    }
}

void Profile::expand(const CounterTable& table, std::span<const std::uint64_t> slots,
                     std::map<Line, Counts>& lines) {
    std::vector<Counts> rows(table.rows.size(), Counts{});
    for (const CounterTerm& term : table.terms)
        rows[term.row][static_cast<unsigned>(term.counter)] +=
            slots[term.slot] * static_cast<std::uint64_t>(term.factor); // modulo 2^64
    for (std::size_t k = 0; k < rows.size(); ++k) {
        if (rows[k] == Counts{}) continue;
        Counts& sums = lines[{table.kernel, table.rows[k]}];
        for (unsigned c = 0; c < kCounters; ++c) sums[c] += rows[k][c];
    }
}

std::map<Profile::Line, Counts> Profile::lines() {
    std::lock_guard lock{mutex_};
    std::map<Line, Counts> all = of_unloaded_;
    for (const auto& [table, slots] : totals_) expand(*table, slots, all);
    return all;
}

} // namespace lathe::soft
