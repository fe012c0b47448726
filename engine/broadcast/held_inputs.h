// SPDX-License-Identifier: MIT
// Keys and buttons that are down, so that they go up when their hand is gone. Private to
// engine/broadcast.
#pragma once

#include "engine/app/input.h"

#include <algorithm>
#include <variant>
#include <vector>

namespace lathe {

class HeldInputs {
public:
    void note(const InputEvent& event) {
        if (const auto* key = std::get_if<KeyEvent>(&event)) note(keys_, key->key, key->down);
        if (const auto* button = std::get_if<ButtonEvent>(&event))
            note(buttons_, button->button, button->down);
    }
    void release_into(std::vector<InputEvent>& events) {
        for (const Key key : keys_) events.push_back(KeyEvent{key, false, false, 0});
        for (const MouseButton button : buttons_) events.push_back(ButtonEvent{button, false, 0});
        keys_.clear();
        buttons_.clear();
    }

private:
    template <class T> static void note(std::vector<T>& held, T what, bool down) {
        std::erase(held, what);
        if (down) held.push_back(what);
    }
    std::vector<Key> keys_;
    std::vector<MouseButton> buttons_;
};

} // namespace lathe
