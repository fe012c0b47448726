// SPDX-License-Identifier: MIT
#include "engine/app/input.h"

#include <fmt/format.h>
#include <glm/geometric.hpp>

#include <algorithm>
#include <cctype>
#include <iterator>
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

constexpr std::array<std::pair<std::string_view, Key>, 42> kNamedKeys{{
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
    {"insert", Key::insert},
    {"home", Key::home},
    {"end", Key::end},
    {"page_up", Key::page_up},
    {"page_down", Key::page_down},
    {"caps_lock", Key::caps_lock},
    {"menu", Key::menu},
    {"shift", Key::left_shift},
    {"control", Key::left_control},
    {"alt", Key::left_alt},
    {"super", Key::left_super},
    {"right_shift", Key::right_shift},
    {"right_control", Key::right_control},
    {"right_alt", Key::right_alt},
    {"right_super", Key::right_super},
    {"keypad_0", Key::keypad_0},
    {"keypad_1", Key::keypad_1},
    {"keypad_2", Key::keypad_2},
    {"keypad_3", Key::keypad_3},
    {"keypad_4", Key::keypad_4},
    {"keypad_5", Key::keypad_5},
    {"keypad_6", Key::keypad_6},
    {"keypad_7", Key::keypad_7},
    {"keypad_8", Key::keypad_8},
    {"keypad_9", Key::keypad_9},
    {"keypad_decimal", Key::keypad_decimal},
    {"keypad_divide", Key::keypad_divide},
    {"keypad_multiply", Key::keypad_multiply},
    {"keypad_subtract", Key::keypad_subtract},
    {"keypad_add", Key::keypad_add},
    {"keypad_enter", Key::keypad_enter},
    {"keypad_equal", Key::keypad_equal},
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

std::string name_of(Key key) {
    for (const auto& [name, known] : kNamedKeys)
        if (key == known) return std::string{name};
    if (key >= Key::f1 && key <= Key::f12) return fmt::format("f{}", int(key) - int(Key::f1) + 1);
    const int number = int(key);
    if (number <= 32 || number >= 97) return "unknown";
    return std::string(1, char(std::tolower(number)));
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
    if (is_extra_) kept_events_ = program_events();
    else kept_events_.clear();
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

void InputState::handle(InputEvent event, std::chrono::steady_clock::time_point now) {
    std::visit(Overloaded{
                   [&](const KeyEvent& e) {
                       modifiers_ = e.modifiers;
                       if (known(e.key)) keys_[std::size_t(e.key)].change(e.down);
                   },
                   [&](ButtonEvent& e) {
                       modifiers_ = e.modifiers;
                       e.position = mouse_;
                       if (e.down && !any_button_down()) drag_start_ = mouse_;
                       buttons_.at(std::size_t(e.button)).change(e.down);
                       std::erase(held_, e.button);
                       if (!e.down) return;
                       held_.push_back(e.button);
                       count_clicks(e, now);
                   },
                   [&](MoveEvent& e) {
                       e.delta = mouse_known_ ? e.position - mouse_ : glm::vec2{};
                       e.modifiers = modifiers();
                       e.button = held_.empty() ? std::nullopt : std::optional{held_.back()};
                       follow(e);
                   },
                   [&](WheelEvent& e) {
                       e.position = mouse_;
                       e.modifiers = modifiers();
                       wheel_ += e.delta;
                   },
                   [&](const TextEvent& e) { append_utf8(text_, e.character); },
                   [&](const FocusEvent& e) {
                       // What is let go elsewhere is never told to us.
                       if (e.focused) return;
                       for (Edge& k : keys_) k.change(false);
                       for (Edge& b : buttons_) b.change(false);
                       held_.clear();
                       modifiers_ = 0;
                   },
                   [&](DropEvent& e) { e.position = mouse_; },
                   [](const ResizeEvent&) {},
                   [](const CloseEvent&) {},
               },
               event);
    events_.push_back(std::move(event));
}

void InputState::follow(const MoveEvent& move) {
    mouse_delta_ += move.delta;
    if (move.button) drag_delta_ += move.delta;
    mouse_ = move.position;
    mouse_known_ = true;
}

void InputState::count_clicks(ButtonEvent& press, std::chrono::steady_clock::time_point now) {
    using namespace std::chrono_literals;
    if (press.modifiers != 0) return;
    const bool is_second = first_press_ && first_press_->button == press.button &&
                           now - first_press_->time <= 350ms &&
                           glm::distance(press.position, first_press_->place) <= 4;
    press.clicks = is_second ? 2 : 1;
    if (is_second) first_press_.reset();
    else first_press_ = Press{now, press.button, press.position};
}

bool InputState::is_captured(const InputEvent& event) const {
    return std::visit(Overloaded{[&](const KeyEvent& e) { return keyboard_captured && e.down; },
                                 [&](const TextEvent&) { return keyboard_captured; },
                                 [&](const ButtonEvent& e) { return mouse_captured && e.down; },
                                 [&](const MoveEvent&) { return mouse_captured; },
                                 [&](const WheelEvent&) { return mouse_captured; },
                                 [](const auto&) { return false; }},
                      event);
}

std::vector<InputEvent> InputState::program_events() const {
    std::vector<InputEvent> all = kept_events_;
    std::ranges::copy_if(events_, std::back_inserter(all),
                         [&](const InputEvent& event) { return !is_captured(event); });
    return all;
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
