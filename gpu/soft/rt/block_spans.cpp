// SPDX-License-Identifier: MIT
#include "gpu/soft/rt/block_spans.h"

#include <algorithm>
#include <utility>

namespace lathe::soft {

BlockSpans& BlockSpans::instance() {
    static auto* const spans = new BlockSpans; // workers run until the process ends
    return *spans;
}

void BlockSpans::set_on(bool on) {
    std::lock_guard lock{mutex_};
    on_.store(on, std::memory_order_relaxed);
    if (on) return;
    first_ += spans_.size();
    spans_.clear();
}

void BlockSpans::add(BlockSpan span) {
    std::lock_guard lock{mutex_};
    if (!is_on()) return;
    spans_.push_back(std::move(span));
    if (spans_.size() <= kMost) return;
    spans_.pop_front();
    ++first_;
}

std::uint64_t BlockSpans::read(std::uint64_t from,
                               const std::function<bool(const BlockSpan&)>& take) {
    std::lock_guard lock{mutex_};
    std::uint64_t next = std::max(from, first_);
    for (; next < first_ + spans_.size(); ++next)
        if (!take(spans_[std::size_t(next - first_)])) break;
    return next;
}

} // namespace lathe::soft
