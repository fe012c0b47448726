// SPDX-License-Identifier: MIT
// Lines at which a run through the steps of a followed thread stops, each with a condition that may
// be empty (gpu/inspect/trace_condition.h). They move with their text.
#pragma once

#include "engine/live/thread_watch.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lathe {

class ThreadMarks {
public:
    struct Mark {
        const KernelSlot* slot = nullptr;
        int line = 0;            ///< of the slot's present text
        std::string condition{}; ///< empty: always
        std::string problem{};   ///< of the condition
    };

    const std::vector<Mark>& all() const { return marks_; }
    /// Null where there is none.
    const Mark* at(const KernelSlot* slot, int line) const;
    /// Marks the line, and says it in the console.
    void set(const KernelSlot& slot, int line, std::string condition);
    void remove(const KernelSlot& slot, int line);
    void toggle(const KernelSlot& slot, int line);

    /// In a popup: the mark of a line, and its condition.
    void draw_menu(const KernelSlot& slot, int line);

    /// Once a frame: lines go where their text went; those that were changed lose their marks.
    void follow_texts();
    /// The numbers of the lines at which a run stops, in their order. `watch` has lines.
    const std::vector<std::size_t>& stops(const ThreadWatch& watch);

private:
    struct Text {
        const KernelSlot* slot = nullptr;
        std::uint64_t version = 0;
        std::string text;
    };

    std::vector<Mark> marks_;
    std::vector<Text> texts_; ///< that the lines are of
    std::vector<std::size_t> stops_;
    std::uint64_t changes_ = 1, counted_ = 0; ///< of marks, and those that stops_ has
    std::uint64_t results_ = 0;               ///< the launch that stops_ are of
    const KernelSlot* edited_ = nullptr;      ///< the condition of this line is typed
    int edited_line_ = 0;
    std::string typed_;
};

} // namespace lathe
