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

void BlockRunner::forget_seen(std::uintptr_t address) {
    Runners& r = runners();
    std::lock_guard lock{r.mutex};
    for (BlockRunner* runner : r.all) runner->forget_own_seen(address);
}

void BlockRunner::forget_own_seen(std::uintptr_t address) {
    for (MemoryRange& range : seen) clear_range(range, address);
    const std::uint32_t count = contexts_.load(std::memory_order_relaxed);
    for (std::uint32_t k = 0; k < count; ++k)
        for (MemoryRange& range : threads_[k].context.seen) clear_range(range, address);
}

} // namespace lathe::soft
