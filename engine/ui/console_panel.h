// SPDX-License-Identifier: MIT
// The lines of a Console: filtered, copied, followed.
#pragma once

#include "engine/app/console.h"
#include "engine/core/api.h"

#include <cstdint>
#include <string>

namespace lathe {

class LATHE_API ConsolePanel {
public:
    explicit ConsolePanel(Console& console) : console_{console} {}

    /// Inside an ImGui frame.
    void draw();

private:
    bool shown(const Console::Line& line) const;
    void draw_toolbar();
    void draw_lines();

    Console& console_;
    std::string filter_;
    bool hide_info_ = false;
    bool follow_ = true;
    std::uint64_t drawn_ = 0;
};

} // namespace lathe
