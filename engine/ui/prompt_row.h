// SPDX-License-Identifier: MIT
// A row in which lines of Python are typed, below the console. Whoever runs them gives the hooks;
// without there is no row.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace lathe {

struct PromptHooks {
    /// A line was entered; it runs between frames.
    std::function<void(const std::string&)> take;
    /// Words that a text may end with, each with what stands before it in the text.
    std::function<std::vector<std::string>(const std::string&)> complete;
    /// The lines so far are the beginning of a statement.
    std::function<bool()> wants_more;
};

class PromptRow {
public:
    PromptHooks hooks;

    explicit operator bool() const { return bool(hooks.take); }
    /// The keyboard goes there in the next frame.
    void focus() { wants_focus_ = true; }
    /// Inside a window, as wide as that is. Enter takes the line, Tab completes, up and down go
    /// through the lines before. True where candidates are to be shown: they are in `candidates`.
    bool draw();
    std::vector<std::string> candidates;

private:
    struct Callback;
    void complete(std::string& text);
    void recall(int step, std::string& text);
    void enter();

    std::string text_;
    std::vector<std::string> history_;
    std::size_t at_ = 0; ///< in history_; its size: the new line
    bool wants_focus_ = false;
    bool has_candidates_ = false;
};

} // namespace lathe
