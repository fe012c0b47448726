// SPDX-License-Identifier: MIT
#include "engine/app/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace lathe {
namespace {

void append_utf8(std::string& out, char32_t c) {
    if (c < 0x80) {
        out += char(c);
    } else if (c < 0x800) {
        out += {char(0xC0 | (c >> 6)), char(0x80 | (c & 0x3F))};
    } else if (c < 0x10000) {
        out += {char(0xE0 | (c >> 12)), char(0x80 | ((c >> 6) & 0x3F)), char(0x80 | (c & 0x3F))};
    } else if (c < 0x110000) {
        out += {char(0xF0 | (c >> 18)), char(0x80 | ((c >> 12) & 0x3F)),
                char(0x80 | ((c >> 6) & 0x3F)), char(0x80 | (c & 0x3F))};
    }
}

constexpr std::array<std::pair<std::string_view, Key>, 17> kNamedKeys{{
    {"space", Key::space},
    {"enter", Key::enter},
    {"escape", Key::escape},
    {"tab", Key::tab},
    {"left", Key::left},
    {"right", Key::right},
    {"up", Key::up},
    {"down", Key::down},
    {"backspace", Key::backspace},
    {"delete", Key::del},
    {"home", Key::home},
    {"end", Key::end},
    {"page_up", Key::page_up},
    {"page_down", Key::page_down},
    {"shift", Key::left_shift},
    {"control", Key::left_control},
    {"alt", Key::left_alt},
}};

template <class... F> struct Overloaded : F... {
    using F::operator()...;
};

constexpr std::array<std::pair<Key, Modifier>, 8> kModifierKeys{{{Key::left_shift, kShift},
                                                                 {Key::right_shift, kShift},
                                                                 {Key::left_control, kControl},
                                                                 {Key::right_control, kControl},
                                                                 {Key::left_alt, kAlt},
                                                                 {Key::right_alt, kAlt},
                                                                 {Key::left_super, kSuper},
                                                                 {Key::right_super, kSuper}}};

bool known(Key key) { return int(key) >= 0 && int(key) < kKeyCount; }

} // namespace

std::optional<Key> key_named(std::string_view name) {
    if (name.size() == 1) {
        const int c = std::toupper(static_cast<unsigned char>(name[0]));
        if (c >= 32 && c < 97) return static_cast<Key>(c);
    }
    for (const auto& [known, key] : kNamedKeys)
        if (name == known) return key;
    for (int number = 1; number <= 12; ++number)
        if (name == fmt::format("f{}", number)) return static_cast<Key>(int(Key::f1) + number - 1);
    return {};
}

void InputState::Edge::change(bool to) {
    // A press and its release may come within one frame; both stay visible in it.
    if (to && !down) pressed = true;
    if (!to && down) released = true;
    down = to;
}

void InputState::Edge::forget(bool is_kept) {
    kept_press |= is_kept && pressed;
    kept_release |= is_kept && released;
    pressed = released = false;
}

void InputState::Edge::bring_back() {
    pressed = std::exchange(kept_press, false);
    released = std::exchange(kept_release, false);
}

void InputState::forget() {
    const bool keys = is_extra_ && !keyboard_captured, buttons = is_extra_ && !mouse_captured;
    for (Edge& k : keys_) k.forget(keys);
    for (Edge& b : buttons_) b.forget(buttons);
    if (keys) kept_text_ += text_;
    mouse_delta_ = drag_delta_ = wheel_ = {};
    text_.clear();
    events_.clear();
}

void InputState::begin_frame() {
    forget();
    is_extra_ = false;
    for (Edge& k : keys_) k.bring_back();
    for (Edge& b : buttons_) b.bring_back();
    text_ = std::exchange(kept_text_, {});
}

void InputState::begin_extra_frame() {
    forget();
    is_extra_ = true;
}

void InputState::handle(const InputEvent& event) {
    events_.push_back(event);
    std::visit(Overloaded{
                   [&](const KeyEvent& e) {
                       modifiers_ = e.modifiers;
                       if (known(e.key)) keys_[std::size_t(e.key)].change(e.down);
                   },
                   [&](const ButtonEvent& e) {
                       modifiers_ = e.modifiers;
                       if (e.down && !any_button_down()) drag_start_ = mouse_;
                       buttons_.at(std::size_t(e.button)).change(e.down);
                   },
                   [&](const MoveEvent& e) {
                       if (mouse_known_) {
                           const glm::vec2 way = e.position - mouse_;
                           mouse_delta_ += way;
                           if (any_button_down()) drag_delta_ += way;
                       }
                       mouse_ = e.position;
                       mouse_known_ = true;
                   },
                   [&](const WheelEvent& e) { wheel_ += e.delta; },
                   [&](const TextEvent& e) { append_utf8(text_, e.character); },
                   [&](const FocusEvent& e) {
                       // What is let go elsewhere is never told to us.
                       if (e.focused) return;
                       for (Edge& k : keys_) k.change(false);
                       for (Edge& b : buttons_) b.change(false);
                       modifiers_ = 0;
                   },
                   [](const DropEvent&) {},
               },
               event);
}

bool InputState::any_button_down() const { return std::ranges::any_of(buttons_, &Edge::down); }

bool InputState::is_down(Key key) const { return known(key) && keys_[std::size_t(key)].down; }
bool InputState::pressed(Key key) const { return known(key) && keys_[std::size_t(key)].pressed; }
int InputState::presses(Key key) const {
    const auto n = std::ranges::count_if(events_, [&](const InputEvent& event) {
        const auto* e = std::get_if<KeyEvent>(&event);
        return e && e->key == key && e->down;
    });
    return std::max(int(n), int(pressed(key)));
}

bool InputState::released(Key key) const { return known(key) && keys_[std::size_t(key)].released; }

unsigned InputState::modifiers() const {
    unsigned all = modifiers_;
    for (const auto& [key, modifier] : kModifierKeys)
        if (is_down(key)) all |= modifier;
    return all;
}

} // namespace lathe
