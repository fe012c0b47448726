// SPDX-License-Identifier: MIT
#include "engine/app/run_control.h"

#include "engine/app/input.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lathe {

bool RunControl::handle(const KeyEvent& key) {
    if (!key.down || key.modifiers) return false;
    switch (key.key) {
    case Key::space:
        if (!key.repeat) toggle_pause();
        return true;
    case Key::r:
        if (!key.repeat) request_reset();
        return true;
    case Key::period: request_step(); return true;
    case Key::comma: request_step_back(); return true;
    default: return false;
    }
}

void RunControl::request_step() {
    paused = true;
    step_wanted_ = true;
}

void RunControl::request_reset() { reset_wanted_ = true; }

void RunControl::request_go_to(std::uint64_t step, std::optional<int> branch) {
    travel_wanted_ = {.step = step, .branch = branch};
}

void RunControl::request_step_back() {
    paused = true;
    if (!travel_wanted_) travel_wanted_ = Travel{};
    ++travel_wanted_->back;
}

void RunControl::begin_frame() {
    speed = std::clamp(speed, 0.01, 100.0);
    substeps = std::max(substeps, 1);
    steps_ = 0;
    reset_ = reset_wanted_;
    travel_ = std::exchange(travel_wanted_, {});
    if (reset_) carried_ = 0;
    if (travel_) {
        // Which steps it needs is known where the history is: in the loop.
    } else if (paused) {
        steps_ = step_wanted_ ? 1 : 0;
    } else {
        carried_ += speed * substeps;
        steps_ = int(std::floor(carried_ + 1e-9)); // ten times 0.1 is one step
        carried_ -= steps_;
    }
    step_wanted_ = reset_wanted_ = false;
}

} // namespace lathe
