// SPDX-License-Identifier: MIT
#include "engine/app/event_handlers.h"

#include "engine/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace lathe {
namespace {

/// Each is called, even after one that threw. True where one gave true.
template <class Event>
bool call_all(const std::vector<std::function<bool(const Event&)>>& calls, const Event& event,
              const EventHandlers::Report& report) {
    bool taken = false;
    const auto now = calls; // they may register others
    for (const auto& call : now) {
        try {
            taken |= call(event);
        } catch (...) { report(std::current_exception()); }
    }
    return taken;
}

template <class Event, class Call> std::function<bool(const Event&)> never_taking(Call call) {
    return [call = std::move(call)](const Event& event) {
        call(event);
        return false;
    };
}

MouseEvent mouse_event(const ButtonEvent& e) {
    return {.kind = e.down ? MouseEvent::Kind::press : MouseEvent::Kind::release,
            .button = e.button,
            .position = e.position,
            .modifiers = e.modifiers};
}

MouseEvent mouse_event(const MoveEvent& e) {
    return {.kind = e.button ? MouseEvent::Kind::drag : MouseEvent::Kind::move,
            .button = e.button.value_or(MouseButton::left),
            .position = e.position,
            .delta = e.delta,
            .modifiers = e.modifiers};
}

} // namespace

std::optional<Modifier> modifier_named(std::string_view name) {
    for (const auto& [known, modifier] : kModifierNames)
        if (known == name) return modifier;
    return {};
}

EventHandlers::KeyHandler EventHandlers::key_handler(std::string_view key) {
    KeyHandler handler;
    std::string_view rest = key;
    for (std::size_t plus; (plus = rest.find('+', 1)) != rest.npos; rest.remove_prefix(plus + 1)) {
        const auto modifier = modifier_named(rest.substr(0, plus));
        if (!modifier)
            throw Error{fmt::format("unknown modifier '{}' in '{}': shift, control, alt or super",
                                    rest.substr(0, plus), key)};
        handler.modifiers |= *modifier;
    }
    if (!rest.empty() && !(handler.key = key_named(rest)))
        throw Error{fmt::format("unknown key '{}': a character, or a name such as space, left, f5, "
                                "with modifiers as in control+s",
                                key)};
    return handler;
}

bool EventHandlers::KeyHandler::wants(const KeyEvent& event) const {
    if (event.down == up || (event.repeat && !repeats)) return false;
    if (!key) return true;
    return *key == event.key && (up || modifiers == event.modifiers);
}

void EventHandlers::on_key(std::string_view key, std::function<void(const KeyEvent&)> call,
                           bool repeats) {
    KeyHandler handler = key_handler(key);
    handler.call = std::move(call);
    handler.repeats = repeats;
    keys_.push_back(std::move(handler));
}

void EventHandlers::on_key_up(std::string_view key, std::function<void(const KeyEvent&)> call) {
    KeyHandler handler = key_handler(key);
    handler.call = std::move(call);
    handler.up = true;
    keys_.push_back(std::move(handler));
}

void EventHandlers::on_mouse(std::function<bool(const MouseEvent&)> call) {
    mouse_.push_back(std::move(call));
}
void EventHandlers::on_wheel(std::function<bool(const WheelEvent&)> call) {
    wheel_.push_back(std::move(call));
}
void EventHandlers::on_drop(std::function<bool(const DropEvent&)> call) {
    drop_.push_back(std::move(call));
}
void EventHandlers::on_resize(std::function<void(const ResizeEvent&)> call) {
    resize_.push_back(never_taking<ResizeEvent>(std::move(call)));
}
void EventHandlers::on_focus(std::function<void(const FocusEvent&)> call) {
    focus_.push_back(never_taking<FocusEvent>(std::move(call)));
}
void EventHandlers::on_close(std::function<bool()> call) {
    close_.push_back([call = std::move(call)](const CloseEvent&) { return call(); });
}

void EventHandlers::clear() { *this = {}; }

bool EventHandlers::claims(const KeyEvent& key) const {
    return std::ranges::any_of(keys_, [&](const KeyHandler& each) {
        return each.key == key.key && !each.up && each.modifiers == key.modifiers;
    });
}

EventHandlers::Taken EventHandlers::handle(const std::vector<InputEvent>& events,
                                           const Report& report) const {
    Taken taken;
    for (const InputEvent& event : events) {
        if (const auto* key = std::get_if<KeyEvent>(&event)) {
            const auto now = keys_;
            for (const KeyHandler& each : now) {
                if (!each.wants(*key)) continue;
                try {
                    each.call(*key);
                } catch (...) { report(std::current_exception()); }
            }
        } else if (const auto* button = std::get_if<ButtonEvent>(&event)) {
            MouseEvent mouse = mouse_event(*button);
            taken.mouse |= call_all(mouse_, mouse, report);
            if (!button->down || button->clicks != 2) continue;
            mouse.kind = MouseEvent::Kind::double_click;
            taken.mouse |= call_all(mouse_, mouse, report);
        } else if (const auto* move = std::get_if<MoveEvent>(&event)) {
            taken.mouse |= call_all(mouse_, mouse_event(*move), report);
        } else if (const auto* wheel = std::get_if<WheelEvent>(&event)) {
            taken.mouse |= call_all(wheel_, *wheel, report);
        } else if (const auto* drop = std::get_if<DropEvent>(&event)) {
            bool has_failed = false; // and said so: nobody else needs to be asked
            const auto note = [&](const std::exception_ptr& error) {
                has_failed = true;
                report(error);
            };
            if (!call_all(drop_, *drop, note) && !has_failed) taken.left.push_back(*drop);
        } else if (const auto* size = std::get_if<ResizeEvent>(&event)) {
            call_all(resize_, *size, report);
        } else if (const auto* focus = std::get_if<FocusEvent>(&event)) {
            call_all(focus_, *focus, report);
        }
    }
    return taken;
}

bool EventHandlers::keeps_open(const Report& report) const {
    return call_all(close_, CloseEvent{}, report);
}

} // namespace lathe
