// SPDX-License-Identifier: MIT
// The menus at the left of the top row. An entry that has a key does what that key does: it is the
// key, pressed for the user (studio_menu.cpp has the entries).
#pragma once

#include "engine/app/input.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace lathe {

struct MenuEntry {
    std::string title;  ///< empty: a line between entries
    KeyEvent key{};     ///< pressed by the entry; Key::unknown: `act` is called
    std::string keys{}; ///< shown at the right; empty: those of `key`
    std::function<void()> act{};
    bool is_on = false; ///< has a tick
    bool works = true;
};

struct Menu {
    const char* title;
    std::function<std::vector<MenuEntry>()> entries; ///< asked for while it is open
};

/// "Ctrl+Shift+F", as the key map writes it. Of letters and function keys.
std::string key_text(const KeyEvent& key);

class MainMenu {
public:
    /// Within a frame. In a narrow window all menus are in one. `press` gets an entry's key.
    void draw(std::span<const Menu> menus, const std::function<void(const KeyEvent&)>& press);
    /// Of the last frame, with the space around it: where the rest of the row begins.
    float width() const { return width_; }

private:
    float width_ = 0;
};

} // namespace lathe
