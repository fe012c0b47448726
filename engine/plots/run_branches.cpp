// SPDX-License-Identifier: MIT
#include "engine/plots/run_branches.h"

#include <algorithm>

namespace lathe {

void RunBranches::begin(std::uint64_t step) {
    branches_.push_back({.parent = current_, .fork = step});
    current_ = count() - 1;
}

int RunBranches::find(int in_timeline) const {
    for (int branch = count() - 1; branch >= 0; --branch)
        if (at(branch).in_timeline == in_timeline) return branch;
    return -1;
}

bool RunBranches::follow(const OfTimeline& wanted) {
    if (at(current_).in_timeline == wanted.number) return false;
    const int known = find(wanted.number);
    if (known >= 0) {
        current_ = known;
        return false;
    }
    // A run that starts over leaves the branch that it was on, at its own first step.
    const int parent = wanted.parent ? find(*wanted.parent) : current_;
    branches_.push_back({.parent = parent, .fork = wanted.fork, .in_timeline = wanted.number});
    current_ = count() - 1;
    return true;
}

std::vector<RunBranches::Stretch> RunBranches::way() const {
    std::vector<Stretch> found;
    std::uint64_t end = Stretch{}.end;
    for (int branch = current_; branch >= 0 && end > 0; branch = at(branch).parent) {
        const std::uint64_t begin = at(branch).parent < 0 ? 0 : at(branch).fork;
        if (begin < end) found.push_back({branch, begin, end});
        end = std::min(end, begin);
    }
    std::ranges::reverse(found);
    return found;
}

int RunBranches::owner(std::uint64_t step) const {
    int branch = current_;
    while (at(branch).parent >= 0 && step < at(branch).fork) branch = at(branch).parent;
    return branch;
}

} // namespace lathe
