// SPDX-License-Identifier: MIT
#include "gpu/inspect/block_spans.h"

#include "engine/core/source_name.h"
#include "gpu/driver/device_traits.h"
#include "gpu/inspect/scope_count.h"

#include <span>
#include <utility>

namespace lathe::gpu {

namespace {

ScopeCount span_scopes{&DeviceTraits::spans_start, &DeviceTraits::spans_stop};

std::chrono::steady_clock::time_point time_at(std::int64_t nanoseconds) {
    return std::chrono::steady_clock::time_point{std::chrono::nanoseconds{nanoseconds}};
}

} // namespace

BlockSpanScope::BlockSpanScope() { span_scopes.begin(); }

BlockSpanScope::~BlockSpanScope() { span_scopes.end(); }

std::vector<BlockSpan> block_spans(std::uint64_t& from) {
    const auto read = device_traits().spans_read;
    if (!read) return {};
    std::vector<BlockSpan> all;
    std::vector<LatheSoftBlockSpan> rows(256);
    while (const std::size_t count = read(&from, rows.data(), rows.size()))
        for (const LatheSoftBlockSpan& row : std::span{rows}.first(count))
            all.push_back({source_name(row.kernel), row.worker, row.first, row.count,
                           time_at(row.begin), time_at(row.end)});
    return all;
}

} // namespace lathe::gpu
