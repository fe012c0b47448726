// SPDX-License-Identifier: MIT
// Asynchronous copies to shared memory (cp.async) of a block that no thread has waited for. Whoever
// accesses the memory then may come before them, whatever the barriers: only the thread that began
// a copy can wait for it.
#pragma once

#include "gpu/soft/rt/watch/site.h"

#include <array>
#include <cstdint>
#include <vector>

namespace lathe::soft {

class PendingCopies {
public:
    struct Copy {
        const WatchSite* site;
        std::uint64_t address;
        std::uint32_t clock;  ///< of the warp when it began
        std::uint32_t thread; ///< of the block
    };

    void begin() {
        if (!was_used_) return;
        pending_.clear();
        groups_.fill(0);
        was_used_ = false;
    }
    bool any() const { return !pending_.empty(); }
    void add(const Copy& copy) {
        was_used_ = true;
        pending_.push_back({copy, groups_[copy.thread]});
    }
    /// One that reaches into these bytes; null where there is none.
    const Copy* find(std::uint64_t address, std::uint32_t bytes) const;
    /// Copies so far of these lanes are a group.
    void commit(std::uint32_t warp, std::uint32_t lanes);
    /// Lanes wait until `left` groups of theirs are left; ~0: for all copies.
    void wait(std::uint32_t warp, std::uint32_t lanes, std::uint32_t left);

private:
    struct Pending {
        Copy copy;
        std::uint32_t group; ///< committed before it
    };
    bool was_used_ = false;
    std::vector<Pending> pending_;
    std::array<std::uint32_t, 1024> groups_{}; ///< that each thread has committed
};

} // namespace lathe::soft
