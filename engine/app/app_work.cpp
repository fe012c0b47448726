// SPDX-License-Identifier: MIT
// The simulation's part of a frame: from its first work on the device to its last. Frames overlap
// where the device goes on while the host prepares the next one.
#include "engine/app/app_parts.h"
#include "gl/context.h"
#include "gl/sync.h"
#include "gpu/driver/check.h"

namespace lathe {

/// On a device that cannot cancel, memory goes to OpenGL in the order of the stream and nobody
/// waits. Panels are to go on while a step is slow, so with them the step is waited for.
bool App::Parts::frames_overlap() const {
    return !gpu::can_cancel() && !(app && app->has_panels());
}

void App::Parts::begin_work() {
    ++frames_begun;
    work().has_begun = work().has_ended = work().is_awaited = false;
}

/// Before something is given to the device: the first time in a frame counts.
void App::Parts::note_work() {
    if (!in_frame || work().has_begun || work().has_ended) return;
    work().begin.record(stream);
    work().has_begun = true;
}

void App::Parts::end_work() {
    if (work().has_ended) return;
    work().end.record(stream);
    work().has_ended = true;
}

/// Waits for this frame's work, or for that of the frame before where they overlap.
void App::Parts::finish_work() {
    try {
        FrameWork& now = work();
        end_work();
        now.is_awaited = true;
        now.generations.clear();
        for (const AppSlot& s : slots) now.generations.push_back(s.slot->generation());
        // The stream may wait for GL commands of this frame, which nobody else would send off.
        if (!window.gl_info().is_software) gl::flush();
        FrameWork& before = works[(frames_begun - 1) % 2];
        if (!frames_overlap()) {
            wait();
            stream.synchronize();
            take(now);
        } else if (before.is_awaited) {
            wait_for([&](std::chrono::nanoseconds most) { return before.end.wait_for(most); });
            before.end.synchronize();
            take(before);
        }
    } catch (const gpu::Error& error) {
        if (!report_fault(error)) throw;
    }
}

/// Of work that is done: its kernels have run without fault.
void App::Parts::take(FrameWork& done) {
    done.is_awaited = false;
    if (done.has_begun) loop.add_sim_ms(double(done.end.elapsed_since(done.begin).count()));
    for (std::size_t k = 0; k < done.generations.size(); ++k)
        if (slots[k].slot->generation() == done.generations[k]) slots[k].slot->confirm();
}

void App::note_work() { p_->note_work(); }

} // namespace lathe
