// SPDX-License-Identifier: MIT
#include "gpu/inspect/line_counts.h"

#include "engine/core/error.h"
#include "engine/core/source_name.h"
#include "gpu/driver/device_traits.h"
#include "gpu/inspect/scope_count.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace lathe::gpu {

namespace {

ScopeCount counting_scopes{&DeviceTraits::counters_start, &DeviceTraits::counters_stop};

} // namespace

bool can_inspect() { return device_traits().counters_read != nullptr; }

void require_inspector() {
    if (!can_inspect())
        throw lathe::Error{"the inspector needs the software device, which looks at kernels as "
                           "they run: set LATHE_DEVICE=software"};
}

CountingScope::CountingScope() { counting_scopes.begin(); }

CountingScope::~CountingScope() { counting_scopes.end(); }

std::vector<LineCounts> line_counts() {
    const auto read = device_traits().counters_read;
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

} // namespace lathe::gpu
