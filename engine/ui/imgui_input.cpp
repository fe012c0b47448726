// SPDX-License-Identifier: MIT
#include "engine/ui/imgui_input.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <utility>

namespace lathe {

namespace {

ImGuiKey imgui_key(Key key) {
    const int k = int(key);
    if (k >= int(Key::a) && k <= int(Key::z)) return ImGuiKey(ImGuiKey_A + k - int(Key::a));
    if (k >= int(Key::digit_0) && k <= int(Key::digit_9))
        return ImGuiKey(ImGuiKey_0 + k - int(Key::digit_0));
    if (k >= int(Key::f1) && k <= int(Key::f12)) return ImGuiKey(ImGuiKey_F1 + k - int(Key::f1));
    if (k >= int(Key::keypad_0) && k <= int(Key::keypad_9))
        return ImGuiKey(ImGuiKey_Keypad0 + k - int(Key::keypad_0));
    switch (key) {
    case Key::space: return ImGuiKey_Space;
    case Key::apostrophe: return ImGuiKey_Apostrophe;
    case Key::comma: return ImGuiKey_Comma;
    case Key::minus: return ImGuiKey_Minus;
    case Key::period: return ImGuiKey_Period;
    case Key::slash: return ImGuiKey_Slash;
    case Key::semicolon: return ImGuiKey_Semicolon;
    case Key::equal: return ImGuiKey_Equal;
    case Key::left_bracket: return ImGuiKey_LeftBracket;
    case Key::backslash: return ImGuiKey_Backslash;
    case Key::right_bracket: return ImGuiKey_RightBracket;
    case Key::grave: return ImGuiKey_GraveAccent;
    case Key::escape: return ImGuiKey_Escape;
    case Key::enter: return ImGuiKey_Enter;
    case Key::tab: return ImGuiKey_Tab;
    case Key::backspace: return ImGuiKey_Backspace;
    case Key::insert: return ImGuiKey_Insert;
    case Key::del: return ImGuiKey_Delete;
    case Key::right: return ImGuiKey_RightArrow;
    case Key::left: return ImGuiKey_LeftArrow;
    case Key::down: return ImGuiKey_DownArrow;
    case Key::up: return ImGuiKey_UpArrow;
    case Key::page_up: return ImGuiKey_PageUp;
    case Key::page_down: return ImGuiKey_PageDown;
    case Key::home: return ImGuiKey_Home;
    case Key::end: return ImGuiKey_End;
    case Key::caps_lock: return ImGuiKey_CapsLock;
    case Key::keypad_decimal: return ImGuiKey_KeypadDecimal;
    case Key::keypad_divide: return ImGuiKey_KeypadDivide;
    case Key::keypad_multiply: return ImGuiKey_KeypadMultiply;
    case Key::keypad_subtract: return ImGuiKey_KeypadSubtract;
    case Key::keypad_add: return ImGuiKey_KeypadAdd;
    case Key::keypad_enter: return ImGuiKey_KeypadEnter;
    case Key::keypad_equal: return ImGuiKey_KeypadEqual;
    case Key::left_shift: return ImGuiKey_LeftShift;
    case Key::left_control: return ImGuiKey_LeftCtrl;
    case Key::left_alt: return ImGuiKey_LeftAlt;
    case Key::left_super: return ImGuiKey_LeftSuper;
    case Key::right_shift: return ImGuiKey_RightShift;
    case Key::right_control: return ImGuiKey_RightCtrl;
    case Key::right_alt: return ImGuiKey_RightAlt;
    case Key::right_super: return ImGuiKey_RightSuper;
    case Key::menu: return ImGuiKey_Menu;
    default: return ImGuiKey_None;
    }
}

/// X11 says of a modifier's own key what was before it.
unsigned modifiers_after(const KeyEvent& event) {
    const auto own = [&]() -> unsigned {
        switch (event.key) {
        case Key::left_control:
        case Key::right_control: return kControl;
        case Key::left_shift:
        case Key::right_shift: return kShift;
        case Key::left_alt:
        case Key::right_alt: return kAlt;
        case Key::left_super:
        case Key::right_super: return kSuper;
        default: return 0;
        }
    }();
    return event.down ? event.modifiers | own : event.modifiers & ~own;
}

/// The modifiers once `event` is fed; as they are, where it says nothing of them.
unsigned modifiers_after(const InputEvent& event, unsigned modifiers) {
    if (const auto* key = std::get_if<KeyEvent>(&event)) return modifiers_after(*key);
    if (const auto* button = std::get_if<ButtonEvent>(&event)) return button->modifiers;
    return modifiers;
}

bool is_press(const InputEvent& event) {
    if (const auto* key = std::get_if<KeyEvent>(&event))
        return key->down && (key->key < Key::left_shift || key->key > Key::right_super);
    const auto* button = std::get_if<ButtonEvent>(&event);
    return button && button->down;
}

/// A key that no text comes with: Enter, Home, F8.
bool is_command(const InputEvent& event) {
    const auto* key = std::get_if<KeyEvent>(&event);
    return key && key->down && !key->repeat && key->key >= Key::escape && key->key <= Key::f12;
}

} // namespace

void ImGuiInput::feed() {
    // What ImGui has put off from the last frame may hold a press. A key that follows one in the
    // very next frame would be lost: the editor asks for keys one after another until one is down,
    // and ImGui gives a key only to who asked for it in the frame before.
    const bool was_pressed = std::exchange(is_pressed_, false);
    bool is_pressed = was_pressed || !ImGui::GetCurrentContext()->InputEventsQueue.empty();
    const ImVec2 was_at = ImGui::GetIO().MousePos;
    bool has_moved = false, has_button = false;
    for (; !waiting_.empty(); waiting_.pop_front()) {
        const InputEvent& event = waiting_.front();
        const bool is_button = std::holds_alternative<ButtonEvent>(event);
        if (is_button ? has_moved : has_button && std::holds_alternative<MoveEvent>(event)) return;
        has_button |= is_button;
        if (const auto* move = std::get_if<MoveEvent>(&event))
            has_moved = move->position.x != was_at.x || move->position.y != was_at.y;
        if (is_pressed && (is_command(event) || modifiers_after(event, modifiers_) != modifiers_))
            return;
        if (is_press(event)) is_pressed = is_pressed_ = true;
        feed(event);
    }
}

void ImGuiInput::feed(const InputEvent& event) {
    ImGuiIO& io = ImGui::GetIO();
    modifiers_ = modifiers_after(event, modifiers_);
    io.AddKeyEvent(ImGuiMod_Ctrl, modifiers_ & kControl);
    io.AddKeyEvent(ImGuiMod_Shift, modifiers_ & kShift);
    io.AddKeyEvent(ImGuiMod_Alt, modifiers_ & kAlt);
    io.AddKeyEvent(ImGuiMod_Super, modifiers_ & kSuper);
    if (const auto* key = std::get_if<KeyEvent>(&event)) {
        if (const ImGuiKey k = imgui_key(key->key); k != ImGuiKey_None && !key->repeat)
            io.AddKeyEvent(k, key->down);
    } else if (const auto* button = std::get_if<ButtonEvent>(&event)) {
        io.AddMouseButtonEvent(int(button->button), button->down);
    } else if (const auto* move = std::get_if<MoveEvent>(&event)) {
        io.AddMousePosEvent(move->position.x, move->position.y);
    } else if (const auto* wheel = std::get_if<WheelEvent>(&event)) {
        io.AddMouseWheelEvent(wheel->delta.x, wheel->delta.y);
    } else if (const auto* typed = std::get_if<TextEvent>(&event)) {
        io.AddInputCharacter(unsigned(typed->character));
    } else if (const auto* focus = std::get_if<FocusEvent>(&event)) {
        io.AddFocusEvent(focus->focused);
    }
}

} // namespace lathe
