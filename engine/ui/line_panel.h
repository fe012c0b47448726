// SPDX-License-Identifier: MIT
// A line of a kernel, all of its threads (engine/live/line_watch.h): an expression as a picture,
// the threads that meet a condition, and a pause when one does.
#pragma once

#include "engine/live/line_watch.h"
#include "engine/scene/picking.h"
#include "engine/ui/value_picture.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lathe {

class LinePanel {
public:
    explicit LinePanel(LineWatch& watch) : watch_{watch} {}

    /// Inside the panel's window.
    void draw(const std::vector<KernelSlot*>& slots, bool is_paused);
    /// Watches a line of the slot's text; the expression is a word of it, if that is a variable
    /// there.
    void ask(const KernelSlot& slot, int line, std::string word);

    /// A click on the picture: the thread's steps are wanted.
    std::function<void(const gpu::ThreadOfKernel&)> follow;

private:
    void draw_question();
    void draw_field(const char* label, const char* tip, std::string& text);
    void draw_variables();
    void draw_answer();
    void draw_picture(float width);
    void watch_as_typed();
    void look_at_word();
    void say() const;
    /// In words, what is wrong or under way; empty where there is a picture.
    std::string state_in_words(bool is_paused);
    std::string words_of(std::size_t thread) const;
    void wish_thread(std::size_t thread);

    LineWatch& watch_;
    WatchedLine typed_;
    ValuePicture picture_;
    std::uint64_t seen_ = 0;  ///< result
    int asked_ = 0;           ///< calls of ask()
    bool is_word_ = false;    ///< what is shown is of ask(): perhaps no variable
    bool is_problem_ = false; ///< what state_in_words() says
};

} // namespace lathe
