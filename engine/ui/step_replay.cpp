// SPDX-License-Identifier: MIT
#include "engine/ui/step_replay.h"

namespace lathe {

void StepReplay::begin() {
    phase_ = Phase::off;
    if (!history_.is_on() || !loop_.has_stepped()) return;
    step_ = loop_.clock().step.index;
    phase_ = Phase::compiling;
    watch_.follow_while(
        [this] { return phase_ == Phase::following && loop_.clock().step.index == step_; });
}

void StepReplay::update() {
    if (phase_ == Phase::off || control_.is_asked() || loop_.is_catching_up()) return;
    switch (phase_) {
    case Phase::compiling:
        if (watch_.state() == FollowState::compiling) return;
        phase_ = Phase::off;
        if (watch_.state() != FollowState::waiting) return; // an error, or it is forgotten
        phase_ = Phase::following;
        shown_ = loop_.clock().step.index;
        control_.request_go_to(step_);
        return;
    case Phase::following:
        watch_.settle();
        phase_ = Phase::putting_back;
        control_.request_go_to(step_);
        return;
    case Phase::putting_back:
        phase_ = Phase::off;
        if (shown_ > step_) control_.request_go_to(shown_);
        return;
    case Phase::off: return;
    }
}

} // namespace lathe
