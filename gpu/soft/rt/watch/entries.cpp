// SPDX-License-Identifier: MIT
// What watched code calls.
#include "gpu/soft/rt/block.h"
#include "gpu/soft/rt/watch/block_watch.h"

#include <bit>
#include <span>

namespace lathe::soft {

namespace {

std::uint32_t bit_of(const ThreadContext& t) { return 1u << t.linear_tid % 32; }

/// What touches no memory. False for accesses.
bool tell(BlockWatch& watch, std::uint32_t warp, const WatchSite& site, std::uint64_t operand,
          std::uint32_t lanes) {
    const auto number = static_cast<std::uint32_t>(operand);
    switch (site.kind) {
    case WatchedKind::read:
    case WatchedKind::write:
    case WatchedKind::atomic: return false;
    case WatchedKind::fence: watch.fence(warp, site); break;
    case WatchedKind::warp_sync: watch.sync(warp, number, lanes); break;
    case WatchedKind::copy_commit: watch.copies().commit(warp, lanes); break;
    case WatchedKind::copy_wait: watch.copies().wait(warp, lanes, number); break;
    }
    return true;
}

} // namespace

extern "C" {

void lathe_rt_watch_row(ThreadContext* t, const WatchSite* site, std::uint64_t first,
                        std::int64_t stride, std::uint32_t mask, const std::uint64_t* values) {
    BlockWatch* const watch = t->block->watch;
    if (!watch || !mask) return;
    const std::uint32_t warp = t->linear_tid / 32;
    if (tell(*watch, warp, *site, first, mask)) return;
    watch->access_row(warp, mask, *site, first, stride, values);
}

void lathe_rt_watch_lanes(ThreadContext* t, const WatchSite* site, const std::uint64_t* addresses,
                          std::uint32_t mask, const std::uint64_t* values) {
    BlockWatch* const watch = t->block->watch;
    if (!watch || !mask) return;
    const std::uint32_t warp = t->linear_tid / 32;
    if (site->kind >= WatchedKind::fence) {
        while (mask) { // those with one operand together
            const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
            std::uint32_t same = 0;
            for (std::uint32_t k = lane; k < 32; ++k)
                if (mask >> k & 1 && addresses[k] == addresses[lane]) same |= 1u << k;
            tell(*watch, warp, *site, addresses[lane], same);
            mask &= ~same;
        }
        return;
    }
    watch->access(warp, mask, *site, std::span<const std::uint64_t, 32>{addresses, 32}, values);
}

void lathe_rt_watch_one(ThreadContext* t, const WatchSite* site, std::uint64_t address,
                        std::uint64_t low, std::uint64_t high) {
    BlockWatch* const watch = t->block->watch;
    if (!watch) return;
    const std::uint32_t warp = t->linear_tid / 32, lane = t->linear_tid % 32;
    if (tell(*watch, warp, *site, address, bit_of(*t))) return;
    std::uint64_t values[64];
    values[lane] = low;
    values[32 + lane] = high;
    watch->access_row(warp, bit_of(*t), *site, address, 0, values);
}

} // extern "C"

} // namespace lathe::soft
