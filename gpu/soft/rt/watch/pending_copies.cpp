// SPDX-License-Identifier: MIT
#include "gpu/soft/rt/watch/pending_copies.h"

#include "gpu/soft/rt/watch/lanes.h"

#include <algorithm>

namespace lathe::soft {

const PendingCopies::Copy* PendingCopies::find(std::uint64_t address, std::uint32_t bytes) const {
    for (const Pending& each : pending_) {
        const Copy& copy = each.copy;
        if (copy.address < address + bytes && address < copy.address + copy.site->bytes)
            return &copy;
    }
    return nullptr;
}

void PendingCopies::commit(std::uint32_t warp, std::uint32_t lanes) {
    was_used_ = true;
    each_bit(lanes, [&](std::uint32_t lane) { ++groups_[warp * 32 + lane]; });
}

void PendingCopies::wait(std::uint32_t warp, std::uint32_t lanes, std::uint32_t left) {
    std::erase_if(pending_, [&](const Pending& each) {
        const std::uint32_t thread = each.copy.thread;
        if (thread / 32 != warp || !(lanes >> thread % 32 & 1)) return false;
        return left == ~0u || each.group + left < groups_[thread];
    });
}

} // namespace lathe::soft
