// SPDX-License-Identifier: MIT
// What an Inspector knows of one slot; seen by the inspector*.cpp sources alone.
#pragma once

#include "engine/live/line_costs.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace lathe {

class KernelSlot;

class InspectedSlot {
public:
    using Time = SlotInspection::Time;

    explicit InspectedSlot(const KernelSlot& slot);

    /// The running version's text is another than in the last call.
    bool follow_version();
    /// Counts of launches of the running version; those of other files and kernels among them are
    /// left alone. False where none of the slot's kernels was launched.
    bool take(std::span<const gpu::LineCounts> counts, Time now);
    /// What a search has found in the kernels that were launched in it. Those that the present text
    /// had not before are returned.
    std::vector<LineFinding> take(std::span<const gpu::HazardFinding> findings, Time now);
    /// Of the present text.
    const SlotInspection& show();

    /// No launch of the running version has been counted, or searched, and it may come soon: after
    /// some frames without one it is not waited for.
    bool wants_counts() const { return counts_wanted_ > 0; }
    bool wants_search() const { return searches_wanted_ > 0; }

private:
    static constexpr int kFrames = 3; ///< to wait for a launch
    struct Launched {
        bool is_counted = false; ///< in the counts that came last
        std::string searched;    ///< text of the last search; findings of one text add up
        std::vector<LineCosts> costs;
        std::vector<LineFinding> findings;
    };
    void move_lines();
    std::optional<LineFinding> placed(const gpu::HazardFinding& finding) const;

    const KernelSlot& slot_;
    std::string text_; ///< whose lines the rows have
    std::uint64_t text_version_ = 0;
    std::string version_; ///< text of the running version
    int counts_wanted_ = 0, searches_wanted_ = 0;
    std::map<std::string, Launched, std::less<>> kernels_;
    std::optional<Time> counted_at_, searched_at_;
    bool is_shown_ = false; ///< shown_ is up to date
    SlotInspection shown_;
};

} // namespace lathe
