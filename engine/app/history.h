// SPDX-License-Identifier: MIT
// A program's past: before each step its arrays, textures and declared values are copied on the
// device, as many as a budget holds, so that the run can go back and on from there. A step that was
// done before and gives something else begins a branch.
#pragma once

#include "engine/app/step_loop.h"
#include "engine/app/timeline.h"
#include "engine/core/api.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace lathe {

class KeptMemory;
class StateMemory;

class LATHE_API History {
public:
    /// What a program keeps beside its arrays. They may throw.
    struct Values {
        struct Copy {
            std::shared_ptr<const void> values;
            std::size_t bytes = 0;
        };
        std::function<Copy()> copy{};
        std::function<void(const void*)> put_back{};
        std::function<bool(const void*)> is_same{};
    };
    Values values;

    History(KeptMemory& memory, std::size_t budget);
    ~History();
    History(const History&) = delete;
    History& operator=(const History&) = delete;

    /// Bytes on the device; 0: there is none. Less lets moments go.
    std::size_t budget() const noexcept { return budget_; }
    void set_budget(std::size_t bytes);
    bool is_on() const noexcept { return budget_ > 0; }
    /// Why it has ended by itself; empty where it has not.
    const std::string& ended_by() const noexcept { return ended_by_; }

    /// A step is about to begin. Copies the state, or compares it where that step was done before
    /// on this branch, which waits for the device. A state larger than the budget, or than what the
    /// device has left, ends the history. Throws gpu::Error for a fault of the work before.
    void before_step(const StepClock& clock);
    /// The step after `clock` has this length.
    void note_step(const StepClock& clock, double dt);
    /// dt of the step after `clock`, where it was done before.
    std::optional<double> length_of_next(const StepClock& clock) const;
    /// The simulation starts over, or goes on from elsewhere: that step is its next one.
    void begin(std::uint64_t step = 0);

    /// Puts the newest state back from which that step can be reached, and returns its clock.
    /// Nothing where there is none, or where `clock` is nearer.
    std::optional<StepClock> go_back(std::uint64_t step, const StepClock& clock);
    /// Of branches(); go_back() then goes to its steps. Throws lathe::Error for another.
    void choose(int branch);

    const Timeline& timeline() const noexcept { return timeline_; }

private:
    void compare(const StateCopy& state, const StepClock& clock);
    void copy(const StepClock& clock);
    void end(std::string words);
    void forget();

    KeptMemory& memory_;
    std::size_t budget_;
    std::unique_ptr<StateMemory> copies_; ///< null until there is one
    Timeline timeline_;
    std::uint64_t same_until_ = 0; ///< the newest step at which the state was the branch's
    bool is_elsewhere_ = false;    ///< another branch was chosen, and its state not put back
    std::string ended_by_;
};

} // namespace lathe
