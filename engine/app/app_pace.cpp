// SPDX-License-Identifier: MIT
// An interface that keeps its pace whatever the simulation does: a slow step leaves it alive, and
// where nothing happens it costs nothing.
#include "engine/app/app_parts.h"
#include "engine/app/device_output.h"
#include "engine/live/kernel_slot.h"
#include "gl/context.h"
#include "gl/sync.h"
#include "gpu/context.h"

#include <algorithm>

namespace lathe {

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

constexpr auto kBudget = 30ms; ///< of a frame, for the simulation
constexpr auto kPeriod = 33ms; ///< of frames without the simulation
constexpr auto kAwake = 700ms; ///< after the last input or change: tooltips and the like come
constexpr auto kLook = 50ms;   ///< from one look at files and compiles to the next

std::chrono::duration<double> since(steady_clock::time_point then) {
    return steady_clock::now() - then;
}

} // namespace

/// Until the step is done its memory is CUDA's, so what is shown is the scene before.
void App::Parts::wait_alive() {
    if (!app || !app->has_panels()) return;
    // The stream may wait for GL commands that nobody else would send off.
    if (!window.gl_info().is_software) gl::flush();
    if (stream.wait_for(kBudget)) return;
    device_output::direct_to(console);
    wait_by([this, begin = steady_clock::now()] {
        auto due = begin;
        while (!stream.wait_for(std::max(0ns, nanoseconds{due - steady_clock::now()}))) {
            if (wait_is_cancelled()) return cancel_simulation();
            due = steady_clock::now() + kPeriod;
            app->refresh_panels(since(begin).count());
        }
    });
    app->refresh_panels(0);
}

/// Grows with all that may change the picture but input.
std::uint64_t App::Parts::changes() const {
    std::uint64_t sum = parameters.version() + console.written();
    for (const AppSlot& each : slots) {
        const KernelSlot& slot = *each.slot;
        sum += slot.generation() + slot.parameters_version() + slot.compiles() +
               slot.text_version() + std::uint64_t(slot.state());
    }
    return sum;
}

bool App::Parts::may_rest(bool has_steps) {
    if (window.headless() || config.context == GlContext::current || config.frames) return false;
    const std::uint64_t now = changes();
    const bool steps_come = run_control.is_asked() || (has_steps && !run_control.paused);
    const bool keys_fly = is_flying(window.input());
    const bool flies = std::ranges::any_of(scene.views(), [&](const auto& view) {
        return view->is_on_the_way() || (keys_fly && view->steering() == Steering::fly);
    });
    const auto has_events = [](const auto& side) {
        return !side->window().input().events().empty();
    };
    const bool is_awake = !window.input().events().empty() ||
                          std::ranges::any_of(side_windows, has_events) || now != seen_changes ||
                          steps_come || flies || loop.frame() == 0;
    if (is_awake) awake_at = steady_clock::now();
    seen_changes = now;
    return since(awake_at) > kAwake;
}

bool App::has_input_within(double seconds) {
    return p_->window.wait_for_events(seconds) ||
           std::ranges::any_of(p_->side_windows,
                               [](const auto& side) { return side->p_->has_input(); });
}

bool App::rests(bool has_steps) {
    Parts& p = *p_;
    if (!p.may_rest(has_steps)) return false;
    p.window.context().make_current();
    gpu::Context::primary(p.device).make_current();
    p.loop.skip_pause();
    if (has_input_within(0)) {
        p.awake_at = steady_clock::now();
        return false;
    }
    p.poll_slots();
    return p.changes() == p.seen_changes;
}

void App::rest(bool has_steps, const std::function<bool()>& is_needed) {
    Parts& p = *p_;
    if (!p.may_rest(has_steps)) return;
    p.window.context().make_current();
    gpu::Context::primary(p.device).make_current();
    while (!has_input_within(std::chrono::duration<double>(kLook).count())) {
        if (p.while_waiting) p.while_waiting();
        p.poll_slots();
        if (p.changes() != p.seen_changes || p.loop.interrupted() || is_needed()) break;
    }
    p.awake_at = steady_clock::now();
    p.loop.skip_pause();
}

} // namespace lathe
