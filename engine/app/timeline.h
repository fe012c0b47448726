// SPDX-License-Identifier: MIT
// Which steps of a run can be gone back to: moments on branches, thinned out until they fit into a
// budget. The moment of a step is the state right before it.
#pragma once

#include "engine/core/api.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace lathe {

struct StateCopy;

/// A branch has the steps from its fork on; those before are its parent's.
struct Branch {
    struct Moment {
        std::size_t bytes = 0;
        std::shared_ptr<const StateCopy> state;
        std::uint64_t made = 0; ///< the how manieth of all moments
    };

    int number = 0; ///< by which it is chosen; never given twice
    std::optional<int> parent{};
    std::uint64_t fork = 0;                    ///< the first step that is its own
    std::vector<double> lengths{};             ///< dt of its own steps, in seconds
    std::map<std::uint64_t, Moment> moments{}; ///< by step; those after the fork

    /// The step that would be new.
    std::uint64_t end() const { return fork + lengths.size(); }
};

class LATHE_API Timeline {
public:
    static constexpr std::size_t kMostMoments = 4096;

    Timeline() { begin(); }

    /// The simulation starts over: a branch without a parent, whose first step this is.
    void begin(std::uint64_t step = 0);
    /// The current branch has neither steps nor moments.
    bool is_empty() const { return current().lengths.empty() && current().moments.empty(); }
    /// The state has left the current branch: its steps from `step` on become those of a new one,
    /// which has the lengths of the old one until `reached`.
    void fork(std::uint64_t step, std::uint64_t reached);
    /// Throws std::out_of_range for a branch that is not there.
    void choose(int branch);
    /// A step of the current branch is done anew, or for the first time.
    void note_step(std::uint64_t step, double dt);
    /// Of a step that was done before.
    std::optional<double> length_of(std::uint64_t step) const;

    void add(std::uint64_t step, std::size_t bytes, std::shared_ptr<const StateCopy> state);
    /// On the way to the current branch's end; null where there is none.
    const StateCopy* at(std::uint64_t step) const;
    /// Of the newest moment up to that step.
    const StateCopy* newest_until(std::uint64_t step) const;
    /// Its steps, ascending.
    std::vector<std::uint64_t> steps() const;

    /// Lets moments go until the others have so many bytes and are kMostMoments at most. Old ones
    /// become sparse: the distance to the next grows with the age. The newest stays, and so does
    /// the first of the run.
    void fit(std::size_t bytes);
    void clear();

    const Branch& current() const { return branches_.at(current_); }
    const std::map<int, Branch>& branches() const { return branches_; }
    std::size_t bytes() const { return bytes_; }

private:
    struct Place {
        int branch;
        std::uint64_t step;
    };
    const Branch& root() const;
    /// Whose moment, and whose length, that of a step is.
    const Branch& owner(std::uint64_t step, bool of_moment) const;
    std::optional<Place> place_until(std::uint64_t step) const;
    std::optional<Place> dearest() const;
    void drop(Place place);

    std::map<int, Branch> branches_;
    int current_ = 0, next_number_ = 0;
    std::uint64_t made_ = 0;
    std::size_t bytes_ = 0, count_ = 0;
};

} // namespace lathe
