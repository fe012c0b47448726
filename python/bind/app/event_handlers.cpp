// SPDX-License-Identifier: MIT
#include "engine/app/event_handlers.h"

#include "python/bind/app/input_names.h"
#include "python/bind/app/python_call.h"
#include "python/bind/bind.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace lathe::bind {

namespace {

using Place = std::pair<float, float>;
using ModifierNames = std::vector<std::string>;

Place place_of(glm::vec2 place) { return {place.x, place.y}; }

std::string kind_of(MouseEvent::Kind kind) {
    switch (kind) {
    case MouseEvent::Kind::press: return "press";
    case MouseEvent::Kind::double_click: return "double_click";
    case MouseEvent::Kind::release: return "release";
    case MouseEvent::Kind::move: return "move";
    case MouseEvent::Kind::drag: break;
    }
    return "drag";
}

auto key_call(const py::function& function) {
    return [call = python_call_with<std::string, bool, ModifierNames>(function)](
               const KeyEvent& e) { call(name_of(e.key), e.repeat, modifier_names(e.modifiers)); };
}

auto mouse_call(const py::function& function) {
    return [call = python_call_with<std::string, std::string, Place, Place, ModifierNames>(
                function)](const MouseEvent& e) {
        return call(kind_of(e.kind), button_name(e.button), place_of(e.position), place_of(e.delta),
                    modifier_names(e.modifiers));
    };
}

auto wheel_call(const py::function& function) {
    return [call = python_call_with<Place, Place, ModifierNames>(function)](const WheelEvent& e) {
        return call(place_of(e.delta), place_of(e.position), modifier_names(e.modifiers));
    };
}

auto drop_call(const py::function& function) {
    using Files = std::vector<std::filesystem::path>;
    return [call = python_call_with<Files, Place>(function)](const DropEvent& e) {
        return call(e.files, place_of(e.position));
    };
}

} // namespace

void bind_event_handlers(py::module_& m) {
    py::class_<EventHandlers> c(
        m, "EventHandlers",
        "Functions that are called when keys, mouse and window tell something.");
    c.def(
        "on_key",
        [](EventHandlers& e, const std::string& key, const py::function& call, bool repeats) {
            e.on_key(key, key_call(call), repeats);
        },
        py::arg("key"), py::arg("call"), py::arg("repeats"));
    c.def(
        "on_key_up",
        [](EventHandlers& e, const std::string& key, const py::function& call) {
            e.on_key_up(key, key_call(call));
        },
        py::arg("key"), py::arg("call"));
    c.def("on_mouse",
          [](EventHandlers& e, const py::function& call) { e.on_mouse(mouse_call(call)); });
    c.def("on_wheel",
          [](EventHandlers& e, const py::function& call) { e.on_wheel(wheel_call(call)); });
    c.def("on_drop",
          [](EventHandlers& e, const py::function& call) { e.on_drop(drop_call(call)); });
    c.def("on_resize", [](EventHandlers& e, const py::function& function) {
        e.on_resize([call = python_call_with<int, int>(function)](const ResizeEvent& size) {
            call(size.width, size.height);
        });
    });
    c.def("on_focus", [](EventHandlers& e, const py::function& function) {
        e.on_focus([call = python_call_with<bool>(function)](const FocusEvent& focus) {
            call(focus.focused);
        });
    });
    c.def("on_close",
          [](EventHandlers& e, const py::function& call) { e.on_close(python_call(call)); });
}

} // namespace lathe::bind
