// SPDX-License-Identifier: MIT
// Which way a run has taken, for what is logged on it: branches as those of the history's timeline
// (engine/app/timeline.h), but none is ever forgotten, and there are some without a history, too.
#pragma once

#include "engine/core/api.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace lathe {

class LATHE_API RunBranches {
public:
    /// Steps from the first one on are the branch's own; those before are its parent's.
    struct Branch {
        int parent = -1; ///< -1: none
        std::uint64_t fork = 0;
        int in_timeline = -1; ///< number there; -1: of a run without a history
    };
    /// A branch as the timeline names it.
    struct OfTimeline {
        int number = 0;
        std::optional<int> parent{};
        std::uint64_t fork = 0;
    };
    /// Steps [begin, end) of the current way are the branch's.
    struct Stretch {
        int branch = 0;
        std::uint64_t begin = 0, end = std::numeric_limits<std::uint64_t>::max();
    };

    /// The run starts over, or goes on from elsewhere: that step is its next one. What was before
    /// it stays on the way.
    void begin(std::uint64_t step);
    /// The way is that of the timeline's current branch, which this is. True where it is new.
    bool follow(const OfTimeline& wanted);

    int current() const noexcept { return current_; }
    const Branch& at(int branch) const { return branches_.at(std::size_t(branch)); }
    int count() const noexcept { return int(branches_.size()); }
    /// From the first step on.
    std::vector<Stretch> way() const;
    /// Whose step it is on the way.
    int owner(std::uint64_t step) const;

private:
    int find(int in_timeline) const;

    std::vector<Branch> branches_{Branch{}};
    int current_ = 0;
};

} // namespace lathe
