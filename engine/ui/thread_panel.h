// SPDX-License-Identifier: MIT
// One thread of a kernel, line by line (engine/live/thread_watch.h): the thread is typed or picked,
// the next launch is followed, and its steps are gone through, from mark to mark (thread_marks.h),
// with the values of the variables (thread_values.h). Or the warp that it is of (warp_view.h).
#pragma once

#include "engine/live/thread_watch.h"
#include "engine/live/warp_watch.h"
#include "engine/scene/picking.h"
#include "engine/ui/thread_marks.h"
#include "engine/ui/thread_values.h"
#include "engine/ui/warp_view.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lathe {

class ThreadPanel {
public:
    ThreadPanel(ThreadWatch& watch, WarpWatch& warps)
        : watch_{watch}, warps_{warps}, warp_{warps} {}

    /// Inside the panel's window.
    void draw(const std::vector<KernelSlot*>& slots, bool is_paused);
    /// As the button does. False where no slot has the kernel.
    bool follow(const gpu::ThreadOfKernel& thread, const std::vector<KernelSlot*>& slots);

    /// Where the step that is shown stands: a line of the slot's text. Nothing where that text is
    /// another now, and for steps in other files.
    struct Place {
        const KernelSlot* slot;
        int line;
    };
    std::optional<Place> place();
    /// Lines at which it stops; also the editor sets them.
    ThreadMarks& marks() { return marks_; }
    const ThreadValues& values() const { return values_; }
    int step() const { return step_; }
    /// Another step is shown since the last call.
    bool take_move() { return std::exchange(has_moved_, false) | warp_.take_move(); }

private:
    void draw_choice(const std::vector<KernelSlot*>& slots);
    bool draw_state(FollowState state, const std::string& problem, bool is_paused);
    void draw_steps();
    void draw_step_row();
    void draw_lines();
    void draw_row(int number, float width);
    void take_keys();
    void take_result();
    void go(int step);
    void go_to_mark(bool back);
    void go_over(bool back);
    const KernelSlot* slot_of_text(const gpu::TraceLine& line) const;
    void follow_chosen();
    void follow_warp();
    bool is_of_text(const gpu::TraceLine& line) const;

    ThreadWatch& watch_;
    WarpWatch& warps_;
    WarpView warp_;
    ThreadMarks marks_;
    ThreadValues values_;
    bool shows_warp_ = false;          ///< else the thread
    const KernelSlot* slot_ = nullptr; ///< chosen
    std::string kernel_;
    std::array<int, 3> block_{}, thread_{};
    std::uint64_t seen_ = 0; ///< result
    std::vector<std::string> text_;
    int step_ = 0;
    bool has_moved_ = false;
    bool scrolls_ = false; ///< to the step
    int menu_line_ = 0;    ///< whose mark is edited
};

} // namespace lathe
