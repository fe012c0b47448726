// SPDX-License-Identifier: MIT
// A number of a kernel's source that a script moves as the mouse does in the studio.
#include "engine/live/literal.h"

#include "engine/core/error.h"
#include "engine/live/kernel_slot.h"
#include "python/bind/bind.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <optional>

namespace lathe::bind {

namespace {

/// What a script holds; the slot knows whether it still does.
class HeldLiteral {
public:
    HeldLiteral(KernelSlot& slot, int line, int column) : slot_{slot} {
        if (column == 0)
            for (const Literal& l : find_literals(slot.source()))
                if (l.line == line && column == 0) column = l.column;
        if (column == 0 || !slot.grab_literal(line, column))
            throw py::value_error{
                column == 0 ? fmt::format("{}:{}: no number in this line", slot.name(), line)
                            : fmt::format("{}:{}:{}: no number here", slot.name(), line, column)};
        id_ = slot.moved_literal()->id;
    }

    bool is_held() const {
        const MovedLiteral* const moved = slot_.moved_literal();
        return moved && moved->held && moved->id == id_;
    }
    const MovedLiteral& moved() const {
        if (!is_held())
            throw Error{
                fmt::format("{}: the number was let go: by release(), another literal(), or "
                            "an edit of the source",
                            slot_.name())};
        return *slot_.moved_literal();
    }
    void set(const LiteralNumber& number) {
        (void)moved();
        slot_.move_literal(number);
    }
    void release() {
        if (is_held()) slot_.release_literal();
    }

private:
    KernelSlot& slot_;
    std::uint64_t id_ = 0;
};

void set_text(HeldLiteral& held, const std::string& text) {
    const auto number = LiteralNumber::parse(text);
    const LiteralType type = held.moved().number.type();
    if (!number || number->type() != type)
        throw py::value_error{
            fmt::format("\"{}\" is no number of type {} in CUDA C++", text, name_of(type))};
    held.set(*number);
}

void set_value(HeldLiteral& held, const py::object& value) {
    const LiteralNumber& old = held.moved().number;
    const auto number = py::isinstance<py::float_>(value)
                            ? old.with_value(value.cast<double>())
                            : old.with_value(value.cast<std::int64_t>());
    if (!number)
        throw py::value_error{fmt::format(
            "{} is no value of type {}", py::repr(value).cast<std::string>(), name_of(old.type()))};
    held.set(*number);
}

std::string way_of(const HeldLiteral& held) {
    switch (held.moved().way) {
    case LiteralWay::compiling: return "compiling";
    case LiteralWay::variable: return "variable";
    case LiteralWay::constant: return "constant";
    }
    return "";
}

} // namespace

void bind_literal(py::module_& m) {
    py::class_<HeldLiteral>(m, "Literal", "A number of a kernel's source that is moved.")
        .def_property(
            "value", [](const HeldLiteral& h) { return h.moved().number.value(); }, &set_value,
            "The number; setting it moves the picture from the next frame on. ValueError where its "
            "type has no such value.")
        .def_property(
            "text", [](const HeldLiteral& h) { return h.moved().number.text(); }, &set_text,
            "The same as it stands in the source, such as '0.037f'.")
        .def(
            "step",
            [](HeldLiteral& h, std::int64_t steps, std::optional<int> place) {
                const LiteralNumber& number = h.moved().number;
                h.set(number.moved(steps, place.value_or(h.moved().first.step_place())));
            },
            py::arg("steps") = 1, py::arg("place") = py::none(),
            "Moves it by its last digits, or by units of 10 ** place, as the mouse does.")
        .def_property_readonly("way", &way_of,
                               "compiling, variable (no compile for a value), or constant (each "
                               "value is compiled).")
        .def_property_readonly("held", &HeldLiteral::is_held, "False after its release.")
        .def("release", &HeldLiteral::release,
             "The source keeps the number and is compiled, beside what runs.")
        .def("__enter__", [](py::object self) { return self; })
        .def("__exit__", [](HeldLiteral& h, const py::args&) { h.release(); })
        .def("__repr__", [](const HeldLiteral& h) {
            return h.is_held() ? fmt::format("Literal({})", h.moved().number.text())
                               : std::string{"Literal(released)"};
        });

    auto slot = py::type::of<KernelSlot>();
    py::class_<KernelSlot>(slot).def(
        "literal", [](KernelSlot& s, int line, int column) { return HeldLiteral{s, line, column}; },
        py::arg("line"), py::arg("column") = 0, py::keep_alive<0, 1>(),
        "Holds the number at a line and a column (bytes, both from 1; 0: the first one of the "
        "line), to be moved without a compile. ValueError where there is none.");
}

} // namespace lathe::bind
