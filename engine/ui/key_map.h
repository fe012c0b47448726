// SPDX-License-Identifier: MIT
// Every key of the studio, and what the mouse does with one. The panel (F1) shows this table, and a
// test compares docs/keys.md with it: a new key gets its row here and there.
#pragma once

#include "engine/app/input.h"

#include <span>
#include <string_view>

namespace lathe {

struct KeyRow {
    std::string_view keys; ///< "Ctrl+Enter or F5"
    std::string_view does; ///< "compiles now, without the short wait"
};
struct KeyGroup {
    std::string_view where; ///< "In the editor"
    std::span<const KeyRow> rows;
};
std::span<const KeyGroup> key_map();

class KeyMapPanel {
public:
    bool is_open() const { return is_open_; }
    void toggle() { is_open_ = !is_open_; }
    /// F1, and Escape while it is open; true where the key was one of them.
    bool handle(const KeyEvent& key);
    /// A window over all panels, within a frame.
    void draw();

private:
    bool is_open_ = false;
};

} // namespace lathe
