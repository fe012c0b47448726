// SPDX-License-Identifier: MIT
#include "engine/core/zone.h"

#include <utility>

namespace lathe {

namespace {

thread_local ZoneSink* sink_of_thread = nullptr;

} // namespace

std::atomic<int> ZoneSink::count_{0};

ZoneSink::~ZoneSink() {
    if (sink_of_thread == this) exchange(nullptr);
}

ZoneSink* ZoneSink::exchange(ZoneSink* sink) noexcept {
    ZoneSink* const before = std::exchange(sink_of_thread, sink);
    count_.fetch_add(int(sink != nullptr) - int(before != nullptr), std::memory_order_relaxed);
    return before;
}

ZoneSink* ZoneSink::of_this_thread() noexcept { return sink_of_thread; }

} // namespace lathe
