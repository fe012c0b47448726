// SPDX-License-Identifier: MIT
// Where threads have found memory may be freed by another thread, on another worker, too.
#include "gpu/soft/rt/seen.h"

#include "gpu/soft/rt/block.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace lathe::soft {

namespace {

struct Runners {
    std::mutex mutex;
    std::vector<BlockRunner*> all;
};

Runners& runners() {
    static Runners* instance = new Runners;
    return *instance;
}

} // namespace

void BlockRunner::enlist() {
    Runners& r = runners();
    std::lock_guard lock{r.mutex};
    r.all.push_back(this);
}

void BlockRunner::retire() {
    Runners& r = runners();
    std::lock_guard lock{r.mutex};
    std::erase(r.all, this);
}

void BlockRunner::forget_seen(std::uintptr_t begin, std::uintptr_t end) {
    BlockRunner* const own = current_runner();
    Runners& r = runners();
    std::lock_guard lock{r.mutex};
    for (BlockRunner* runner : r.all)
        if (runner != own)
            runner->each_seen([&](MemoryRange& range) { clear_range(range, begin); });
    if (own) own->each_seen([&](MemoryRange& range) { cut_range(range, begin, end); });
}

template <class F> void BlockRunner::each_seen(F f) {
    for (MemoryRange& range : seen) f(range);
    const std::uint32_t count = contexts_.load(std::memory_order_relaxed);
    for (std::uint32_t k = 0; k < count; ++k)
        for (MemoryRange& range : threads_[k].context.seen) f(range);
}

} // namespace lathe::soft
