// SPDX-License-Identifier: MIT
// How the frame thread waits for the simulation, and for a kernel's first compile: in slices,
// between which Ctrl+C, Esc and the window's close button end the wait. A kernel typed a moment ago
// may never end.
#include "engine/app/app_parts.h"
#include "engine/app/device_output.h"
#include "engine/core/log.h"
#include "engine/core/zone.h"
#include "gl/context.h"
#include "gpu/context.h"
#include "gpu/driver/check.h"

#include <fmt/format.h>

#include <csignal>

namespace lathe {

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr auto kUnnoticed = 100ms; ///< a wait as short is nobody's business
constexpr auto kSlice = 50ms;
constexpr auto kHintAfter = 1s;
constexpr auto kLost = 15s;    ///< no kernel of a picture takes as long
constexpr auto kToCancel = 5s; ///< for a grid to notice that it was cancelled

struct HiddenAtEnd {
    App* app; ///< may be null
    void (App::*hide)();
    ~HiddenAtEnd() {
        if (app) (app->*hide)();
    }
};

} // namespace

/// Nothing ends a kernel that a GPU runs but the end of its process.
void App::Parts::end_program() {
    log::error("the kernel still runs and this device cannot cancel it: the program ends");
    if (app) app->on_end_of_session();
    std::signal(SIGINT, SIG_DFL);
    std::raise(SIGINT);
}

void App::Parts::cancel_simulation() {
    if (!stream.cancel()) return end_program();
    if (!stream.wait_for(kToCancel))
        log::warning("a kernel was cancelled {} s ago and still runs", kToCancel.count());
}

/// A user who wants the wait to end.
bool App::Parts::wait_is_cancelled() {
    if (while_waiting) {
        try {
            while_waiting();
        } catch (...) {
            cancel_simulation();
            try { // the caller handles the exception; that the kernel was cancelled is only logged
                stream.synchronize();
            } catch (const gpu::Error& error) { log::debug("{}", error.what()); }
            throw;
        }
    }
    const bool escape = window.take_press_ahead(Key::escape);
    return (escape && gpu::can_cancel()) || window.should_close() || loop.interrupted();
}

/// What `while_waiting` throws ends the program's call.
bool App::Parts::user_goes_on() {
    if (while_waiting) while_waiting();
    return window.take_press_ahead(Key::escape) || window.should_close() || loop.interrupted();
}

/// The compile cannot be ended, but the wait for it: a later frame swaps the kernel in.
void App::Parts::wait_for_compile(KernelSlot& slot) {
    bool goes_on = false;
    const Zone zone{"wait for a compile"};
    wait_by([&] {
        if (slot.is_compiled_within(kUnnoticed)) return;
        const auto begin = steady_clock::now() - kUnnoticed;
        const HiddenAtEnd hidden{app, &App::hide_wait};
        while (!goes_on && !slot.is_compiled_within(kSlice)) {
            goes_on = user_goes_on();
            const std::chrono::duration<double> waited = steady_clock::now() - begin;
            if (app && !window.headless() && waited >= kHintAfter)
                app->show_wait(fmt::format("Compiling {}, {:.0f} s. Esc goes on without it.",
                                           slot.name(), waited.count()));
        }
    });
    if (!goes_on) slot.wait();
}

void App::Parts::wait() {
    wait_for([this](std::chrono::nanoseconds most) { return stream.wait_for(most); });
}

void App::Parts::wait_for(const IsDone& is_done) {
    device_output::direct_to(console);
    if (is_done(0ms)) return;
    wait_by([&] { wait_in_slices(is_done); });
}

/// A wait that may be long, as the program wants it.
void App::Parts::wait_by(const std::function<void()>& call) {
    if (around_waits) around_waits(call);
    else call();
}

void App::Parts::wait_in_slices(const IsDone& is_done) {
    if (is_done(kUnnoticed)) return;
    const auto begin = steady_clock::now() - kUnnoticed;
    const HiddenAtEnd hidden{app, &App::hide_wait};
    bool told = false, told_more = false;
    while (!is_done(kSlice)) {
        if (wait_is_cancelled()) return cancel_simulation();
        const std::chrono::duration<double> waited = steady_clock::now() - begin;
        if (waited < kHintAfter) continue;
        if (!gpu::can_cancel()) { // its GL may wait for the kernel, too: nothing can be drawn
            if (!std::exchange(told, true))
                log::warning("a kernel has run for {:.0f} s and this device cannot cancel it: "
                             "Ctrl+C or closing the window ends the program",
                             waited.count());
            if (waited > kLost && !std::exchange(told_more, true))
                log::warning(
                    "if the kernel cannot take as long: a GPU on which a program faulted may "
                    "stop to draw until the machine is restarted (dmesg then has Xid 109)");
        } else if (app && !window.headless()) {
            app->show_wait(
                fmt::format("A kernel has run for {:.0f} s. Esc cancels it.", waited.count()));
        }
    }
}

void App::Parts::synchronize() {
    try {
        wait();
        stream.synchronize();
    } catch (const gpu::Error& error) {
        if (!report_fault(error) || window.headless()) throw;
    }
}

void App::Parts::unmap() {
    try {
        frame_map.unmap_all();
    } catch (const gpu::Error& error) {
        if (!report_fault(error)) throw;
    }
}

std::string App::Parts::finish() noexcept {
    try {
        if (app) app->on_end_of_session();
        gpu::Context::primary(device).make_current();
        wait();
        stream.synchronize();
        if (app) steps.write_results();
    } catch (const std::exception& error) { return error.what(); }
    return {};
}

void App::wait() { p_->wait(); }
void App::synchronize() { p_->synchronize(); }
void App::unmap() { p_->unmap(); }
std::string App::finish() noexcept { return p_->finish(); }

void App::set_around_waits(std::function<void(const std::function<void()>&)> call) {
    p_->around_waits = std::move(call);
}
void App::set_while_waiting(std::function<void()> call) { p_->while_waiting = std::move(call); }

} // namespace lathe
