// SPDX-License-Identifier: MIT
// Keys, mouse, wheel and text of one frame. Events come from the window or are injected by tests;
// both take the same way, so a test's click is a click.
#pragma once

#include "engine/core/api.h"

#include <glm/vec2.hpp>

#include <array>
#include <chrono>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lathe {

/// Numbers are GLFW's, which for printable keys are ASCII (a US keyboard's).
// clang-format off
enum class Key : int {
    unknown = -1,
    space = 32, apostrophe = 39, comma = 44, minus, period, slash,
    digit_0 = 48, digit_1, digit_2, digit_3, digit_4, digit_5, digit_6, digit_7, digit_8, digit_9,
    semicolon = 59, equal = 61,
    a = 65, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z,
    left_bracket = 91, backslash, right_bracket, grave = 96,
    escape = 256, enter, tab, backspace, insert, del, right, left, down, up, page_up, page_down,
    home, end,
    caps_lock = 280,
    f1 = 290, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12,
    keypad_0 = 320, keypad_1, keypad_2, keypad_3, keypad_4, keypad_5, keypad_6, keypad_7, keypad_8,
    keypad_9, keypad_decimal, keypad_divide, keypad_multiply, keypad_subtract, keypad_add,
    keypad_enter, keypad_equal,
    left_shift = 340, left_control, left_alt, left_super, right_shift, right_control, right_alt,
    right_super, menu,
};
// clang-format on
inline constexpr int kKeyCount = 349;

/// "a", "7", "space", "left", "f5"; nothing for another name.
LATHE_API std::optional<Key> key_named(std::string_view name);
/// The name by which key_named() finds it; "unknown" where it has none.
LATHE_API std::string name_of(Key key);

enum class MouseButton { left, right, middle };

/// Bits of `modifiers`.
enum Modifier : unsigned { kShift = 1, kControl = 2, kAlt = 4, kSuper = 8 };

struct KeyEvent {
    Key key = Key::unknown;
    bool down = true;
    bool repeat = false;
    unsigned modifiers = 0;
};
// Places are framebuffer pixels from the top left corner. What is marked so is filled in by
// InputState::handle(), whoever makes the event.
struct ButtonEvent {
    MouseButton button = MouseButton::left;
    bool down = true;
    unsigned modifiers = 0;
    glm::vec2 position{}; ///< filled in
    /// Filled in. 2: a press within 0.35 s and 4 pixels of the one before, both of this button and
    /// without modifiers. A third begins anew.
    int clicks = 1;
};
struct MoveEvent {
    glm::vec2 position{};
    glm::vec2 delta{};                   ///< filled in: since the place before
    unsigned modifiers = 0;              ///< filled in
    std::optional<MouseButton> button{}; ///< filled in: held, the one that went down last
};
struct WheelEvent {
    glm::vec2 delta{};
    glm::vec2 position{};   ///< filled in
    unsigned modifiers = 0; ///< filled in
};
struct TextEvent {
    char32_t character = 0;
};
struct FocusEvent {
    bool focused = true;
};
struct DropEvent {
    std::vector<std::filesystem::path> files;
    glm::vec2 position{}; ///< filled in
};
/// The window has another size. Injected, it changes the size.
struct ResizeEvent {
    int width = 0, height = 0; ///< framebuffer pixels
};
/// Injected: the user closes the window.
struct CloseEvent {};
using InputEvent = std::variant<KeyEvent, ButtonEvent, MoveEvent, WheelEvent, TextEvent, FocusEvent,
                                DropEvent, ResizeEvent, CloseEvent>;

class LATHE_API InputState {
public:
    /// Forgets what lasted one frame (presses, wheel, text, events). Presses and text of the extra
    /// frames before it count as its own.
    void begin_frame();
    /// The same of a frame that only panels have: a step is slow. What comes in it, and no panel
    /// captures, is kept for the next frame with a step.
    void begin_extra_frame();
    void handle(InputEvent event,
                std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now());

    bool is_down(Key key) const;
    /// Went down in this frame; a repeat is no press.
    bool pressed(Key key) const;
    bool released(Key key) const;
    /// How often it went down in this frame, repeats included.
    int presses(Key key) const;
    bool is_down(MouseButton button) const { return buttons_.at(std::size_t(button)).down; }
    bool pressed(MouseButton button) const { return buttons_.at(std::size_t(button)).pressed; }
    bool released(MouseButton button) const { return buttons_.at(std::size_t(button)).released; }
    /// Of the last key or button event, and those whose keys are down.
    unsigned modifiers() const;

    /// Framebuffer pixels from the top left corner.
    glm::vec2 mouse() const { return mouse_; }
    glm::vec2 mouse_delta() const { return mouse_delta_; }
    /// Somebody has told where the mouse is.
    bool mouse_is_known() const { return mouse_known_; }
    /// That part of it with a button down.
    glm::vec2 drag_delta() const { return drag_delta_; }
    bool any_button_down() const;
    bool any_button_pressed() const {
        return pressed(MouseButton::left) || pressed(MouseButton::right) ||
               pressed(MouseButton::middle);
    }
    /// Where the mouse was when the first of the buttons went down.
    glm::vec2 drag_start() const { return drag_start_; }
    glm::vec2 wheel() const { return wheel_; }
    /// Characters typed in this frame, UTF-8.
    const std::string& text() const { return text_; }
    /// Everything of this frame, in order; what the panels are fed with.
    std::span<const InputEvent> events() const { return events_; }
    /// What no panel captures, in order: of this frame, and of the extra frames before it. Keys and
    /// buttons that go up are always told.
    std::vector<InputEvent> program_events() const;

    /// Set by the panels each frame: the mouse or the keys are theirs, cameras and shortcuts wait.
    bool mouse_captured = false;
    bool keyboard_captured = false;

private:
    struct Edge {
        bool down = false, pressed = false, released = false;
        bool kept_press = false, kept_release = false; ///< of extra frames
        void change(bool to);
        void forget(bool is_kept);
        void bring_back();
    };
    void forget();
    bool is_captured(const InputEvent& event) const;
    void count_clicks(ButtonEvent& press, std::chrono::steady_clock::time_point now);
    void follow(const MoveEvent& move);

    std::array<Edge, kKeyCount> keys_{};
    std::array<Edge, 3> buttons_{};
    unsigned modifiers_ = 0;
    glm::vec2 mouse_{}, mouse_delta_{}, drag_delta_{}, drag_start_{}, wheel_{};
    bool mouse_known_ = false;
    std::string text_, kept_text_;
    std::vector<InputEvent> events_, kept_events_;
    struct Press {
        std::chrono::steady_clock::time_point time;
        MouseButton button;
        glm::vec2 place;
    };
    std::optional<Press> first_press_;
    std::vector<MouseButton> held_; ///< the last one went down last
    bool is_extra_ = false;         ///< this frame
};

} // namespace lathe
