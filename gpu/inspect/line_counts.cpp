// SPDX-License-Identifier: MIT
#include "gpu/inspect/line_counts.h"

#include "engine/core/error.h"
#include "engine/core/source_name.h"
#include "gpu/driver/device_traits.h"
#include "gpu/inspect/scope_count.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <string_view>
#include <tuple>

namespace lathe::gpu {

namespace {

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

ScopeCount counting_scopes{&DeviceTraits::counters_start, &DeviceTraits::counters_stop};

} // namespace

bool can_inspect() { return device_traits().counters_read != nullptr; }

void require_inspector() {
    if (!can_inspect())
        throw lathe::Error{"the inspector needs the software device, which looks at kernels as "
                           "they run: set LATHE_DEVICE=software"};
}

CountingScope::CountingScope() : CountingScope{device_traits()} {}

CountingScope::CountingScope(const DeviceTraits& device) : device_{device} {
    counting_scopes.begin(device_);
}

CountingScope::~CountingScope() { counting_scopes.end(device_); }

std::vector<LineCounts> line_counts() { return line_counts(device_traits()); }

std::vector<LineCounts> line_counts(const DeviceTraits& device) {
    const auto read = device.counters_read;
    if (!read) return {};
    std::vector<LatheSoftLineCounters> rows(read(nullptr, 0));
    // Lines may come in between, of launches by other threads.
    rows.resize(std::min(rows.size(), read(rows.data(), rows.size())));
    std::vector<LineCounts> all;
    all.reserve(rows.size());
    for (const LatheSoftLineCounters& row : rows) {
        LineCounts& line = all.emplace_back();
        line.kernel = source_name(row.kernel);
        line.file = row.file;
        line.line = static_cast<int>(row.line);
        line.by_threads = row.by_threads != 0;
        line.inlined_at = row.inlined_at;
        constexpr std::size_t bytes =
            sizeof(LatheSoftLineCounters) - offsetof(LatheSoftLineCounters, executions);
        static_assert(bytes == 19 * sizeof(std::uint64_t));
        static_assert(offsetof(LatheSoftLineCounters, double_flops) ==
                      sizeof(LatheSoftLineCounters) - sizeof(std::uint64_t));
        std::memcpy(&line.executions, &row.executions, bytes);
    }
    return all;
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

void add_counts(LineCounts& to, const LineCounts& more, std::uint64_t times) {
    for (const auto number : kNumbers) to.*number += times * more.*number;
}

} // namespace lathe::gpu
