// SPDX-License-Identifier: MIT
// The lines of a Console: filtered, copied, followed. A frame reads the new ones and draws those in
// view; what is known of the others is kept.
#pragma once

#include "engine/app/console.h"
#include "engine/core/api.h"
#include "engine/ui/prompt_row.h"

#include <cstdint>
#include <deque>
#include <string>

namespace lathe {

class LATHE_API ConsolePanel {
public:
    explicit ConsolePanel(Console& console) : console_{console} {}

    /// Inside an ImGui frame.
    void draw();
    /// There are errors that no frame has drawn yet.
    bool has_news() const { return console_.errors() > errors_seen_; }
    /// Below the lines, once it has hooks.
    PromptRow prompt;

private:
    struct Row {
        Console::Line line;
        std::string origin; ///< when and from whom
        float height = -1;  ///< 0: not shown; less: not measured
    };
    bool shown(const Console::Line& line) const;
    void read_lines();
    void draw_toolbar();
    void draw_lines();
    void draw_row(const Row& row, float indent);
    void draw_menu() const;
    void forget_heights();

    Console& console_;
    std::deque<Row> rows_;
    std::uint64_t read_ = 0;     ///< written() of what rows_ hold
    float width_ = 0, font_ = 0; ///< that heights are measured for
    std::string menu_text_;      ///< of the line whose menu is open
    std::string filter_;
    bool hide_info_ = false;
    bool follow_ = true;
    std::uint64_t drawn_ = 0;
    int errors_seen_ = 0;
};

} // namespace lathe
