// SPDX-License-Identifier: MIT
#include "engine/app/history.h"

#include "engine/app/kept_memory.h"
#include "engine/app/state_copy.h"
#include "engine/core/error.h"
#include "engine/core/log.h"
#include "gpu/driver/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lathe {

namespace {

/// What a moment costs beside its bytes.
constexpr std::size_t kMomentBytes = 1024;
/// The device gives memory in parts of at most this size, which are of the budget.
constexpr std::size_t kPartBytes = std::size_t(64) << 20, kPartsOfBudget = 8;

} // namespace

History::History(KeptMemory& memory, std::size_t budget) : memory_{memory}, budget_{budget} {}
History::~History() = default;

void History::set_budget(std::size_t bytes) {
    budget_ = bytes;
    ended_by_.clear();
    if (bytes == 0) forget();
    else timeline_.fit(bytes);
}

void History::forget() {
    timeline_.clear();
    copies_.reset();
}

void History::end(std::string words) {
    ended_by_ = std::move(words);
    log::warning("{}", ended_by_);
    budget_ = 0;
    forget();
}

void History::before_step(const StepClock& clock) {
    if (!is_on()) return;
    const std::uint64_t step = clock.next();
    if (timeline_.is_empty() && timeline_.current().fork != step) timeline_.begin(step);
    if (const StateCopy* const before = timeline_.at(step)) return compare(*before, clock);
    if (step >= timeline_.current().end()) copy(clock);
}

void History::compare(const StateCopy& state, const StepClock& clock) {
    if (is_same(memory_, state.memories) &&
        (!state.values || !values.is_same || values.is_same(state.values.get()))) {
        same_until_ = clock.next();
        return;
    }
    timeline_.fork(same_until_, clock.next());
    copy(clock);
}

void History::copy(const StepClock& clock) {
    auto made = std::make_shared<StateCopy>();
    try {
        if (!copies_)
            copies_ = std::make_unique<StateMemory>(std::min(kPartBytes, budget_ / kPartsOfBudget));
        made->memories = copy_memories(memory_, *copies_);
    } catch (const gpu::Error& error) {
        if (error.code() != CUDA_ERROR_OUT_OF_MEMORY) throw;
        return end("the history has ended: the device has no memory left for it");
    }
    made->clock = clock;
    std::size_t bytes = kMomentBytes;
    for (const MemoryCopy& each : made->memories) bytes += each.elements.bytes();
    if (values.copy) {
        Values::Copy host = values.copy();
        made->values = std::move(host.values);
        bytes += host.bytes;
    }
    if (bytes > budget_)
        return end(fmt::format("the history has ended: a state of the program has {} bytes, and "
                               "{} are allowed: a budget of several states keeps some",
                               bytes, budget_));
    same_until_ = clock.next();
    timeline_.add(clock.next(), bytes, std::move(made));
    timeline_.fit(budget_);
}

void History::note_step(const StepClock& clock, double dt) {
    if (is_on()) timeline_.note_step(clock.next(), dt);
}

std::optional<double> History::length_of_next(const StepClock& clock) const {
    if (!is_on()) return {};
    return timeline_.length_of(clock.next());
}

void History::begin(std::uint64_t step) {
    if (is_on()) timeline_.begin(step);
    same_until_ = step;
    is_elsewhere_ = false;
}

std::optional<StepClock> History::go_back(std::uint64_t step, const StepClock& clock) {
    if (!is_on()) return {};
    const StateCopy* const state = timeline_.newest_until(step);
    if (!state) return {};
    const std::uint64_t from = state->clock.next();
    if (!is_elsewhere_ && clock.next() <= step && from <= clock.next()) return {};
    is_elsewhere_ = false;
    put_back(memory_, state->memories);
    if (state->values && values.put_back) values.put_back(state->values.get());
    same_until_ = from;
    return state->clock;
}

void History::choose(int branch) {
    if (!timeline_.branches().contains(branch))
        throw Error{fmt::format("the history has no branch {}", branch)};
    is_elsewhere_ = is_elsewhere_ || branch != timeline_.current().number;
    timeline_.choose(branch);
}

} // namespace lathe
