// SPDX-License-Identifier: MIT
// What a program does when the user presses a key, uses the mouse or drops a file. They are called
// at the beginning of each frame, of those without a step, too, and in the order of the events.
// What a panel captures is not theirs.
#pragma once

#include "engine/app/input.h"
#include "engine/core/api.h"

#include <glm/vec2.hpp>

#include <array>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lathe {

inline constexpr std::array<std::pair<std::string_view, Modifier>, 4> kModifierNames{
    {{"shift", kShift}, {"control", kControl}, {"alt", kAlt}, {"super", kSuper}}};
/// Nothing for another name.
LATHE_API std::optional<Modifier> modifier_named(std::string_view name);

struct MouseEvent {
    enum class Kind {
        press,
        double_click, ///< after the second press
        release,
        move,
        drag, ///< a move while a button is held
    };
    Kind kind = Kind::press;
    MouseButton button = MouseButton::left; ///< of a drag the one that went down last
    glm::vec2 position{};                   ///< framebuffer pixels from the top left corner
    glm::vec2 delta{};                      ///< of a move or a drag: since the event before
    unsigned modifiers = 0;
};

class LATHE_API EventHandlers {
public:
    /// Is called when a key goes down, and with `repeats` while it is held, too. `key`: "s", "f5",
    /// "control+shift+z"; empty: any key with any modifiers. Of a key that is named, what Lathe
    /// itself does with it (docs/keys.md) rests. Throws lathe::Error for an unknown name.
    void on_key(std::string_view key, std::function<void(const KeyEvent&)> call,
                bool repeats = false);
    /// The same when it goes up, whatever the modifiers are then.
    void on_key_up(std::string_view key, std::function<void(const KeyEvent&)> call);
    /// True for a press: neither it nor the drag that it begins moves a camera.
    void on_mouse(std::function<bool(const MouseEvent&)> call);
    void on_wheel(std::function<bool(const WheelEvent&)> call); ///< true: the cameras rest
    void on_drop(std::function<bool(const DropEvent&)> call);   ///< true: the files are taken
    void on_resize(std::function<void(const ResizeEvent&)> call);
    void on_focus(std::function<void(const FocusEvent&)> call);
    /// The user closes the window; true: it stays open.
    void on_close(std::function<bool()> call);
    void clear();

    /// A function was registered for this key by its name.
    bool claims(const KeyEvent& key) const;

    struct Taken {
        bool mouse = false;
        std::vector<DropEvent> left; ///< drops that nobody took
    };
    using Report = std::function<void(const std::exception_ptr&)>;
    /// Calls what was registered. `report` gets what they throw; the others are called
    /// nevertheless.
    Taken handle(const std::vector<InputEvent>& events, const Report& report) const;
    bool keeps_open(const Report& report) const;

private:
    struct KeyHandler {
        std::optional<Key> key; ///< unset: any
        unsigned modifiers = 0;
        bool repeats = false, up = false;
        std::function<void(const KeyEvent&)> call;
        bool wants(const KeyEvent& event) const;
    };
    static KeyHandler key_handler(std::string_view key);
    template <class Event> using Handlers = std::vector<std::function<bool(const Event&)>>;

    std::vector<KeyHandler> keys_;
    Handlers<MouseEvent> mouse_;
    Handlers<WheelEvent> wheel_;
    Handlers<DropEvent> drop_;
    Handlers<ResizeEvent> resize_;
    Handlers<FocusEvent> focus_;
    Handlers<CloseEvent> close_;
};

} // namespace lathe
