// SPDX-License-Identifier: MIT
#include "engine/live/parameter_set.h"

#include "python/bind/bind.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <limits>

namespace lathe::bind {

namespace {

constexpr const char* kScript = "script";
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Parameter made(const std::string& name, const py::object& value, std::optional<double> min,
               std::optional<double> max, std::optional<double> step, bool log,
               const std::vector<std::string>& choices, bool color) {
    Directive d;
    d.min = min;
    d.max = max;
    d.step = step;
    d.log = log;
    d.color = color;
    d.choices = choices;
    ParameterKind kind = ParameterKind::real;
    int components = 1;
    if (!choices.empty()) {
        kind = ParameterKind::choice;
        std::int64_t index = 0;
        if (py::isinstance<py::str>(value)) {
            const auto text = value.cast<std::string>();
            while (index < std::int64_t(choices.size()) && choices[std::size_t(index)] != text)
                ++index;
            if (index == std::int64_t(choices.size()))
                throw py::value_error("'" + text + "' is not one of the choices of " + name);
        } else index = value.cast<std::int64_t>();
        d.initial = {double(index)};
    } else if (py::isinstance<py::bool_>(value)) {
        kind = ParameterKind::boolean;
        d.initial = {value.cast<bool>() ? 1.0 : 0.0};
    } else if (py::isinstance<py::int_>(value)) {
        kind = ParameterKind::integer;
        d.initial = {value.cast<double>()};
    } else if (PySequence_Check(value.ptr())) {
        kind = ParameterKind::vector;
        d.initial = value.cast<std::vector<double>>();
        components = int(d.initial.size());
    } else {
        d.initial = {value.cast<double>()};
    }
    for (const double v : d.initial)
        if ((min && v < *min) || (max && v > *max))
            throw py::value_error(fmt::format("param {}: the value {:g} is not in {:g} to {:g}",
                                              name, v, min.value_or(-kInfinity),
                                              max.value_or(kInfinity)));
    return make_parameter(name, kind, components, d);
}

py::object as_python(const Parameter& p, const ParameterValue& value) {
    if (p.kind == ParameterKind::vector)
        return py::tuple(py::cast(std::get<std::vector<double>>(value)));
    return std::visit([](const auto& v) { return py::cast(v); }, value);
}

} // namespace

void bind_parameter_set(py::module_& m) {
    py::class_<ParameterSet>(m, "Parameters", "All sliders of a program, by name.")
        .def(
            "declare",
            [](ParameterSet& s, const std::string& name, const py::object& value,
               std::optional<double> min, std::optional<double> max, std::optional<double> step,
               bool log, const std::vector<std::string>& choices, bool color) {
                s.declare_one(kScript, made(name, value, min, max, step, log, choices, color));
            },
            py::arg("name"), py::arg("value"), py::arg("min") = py::none(),
            py::arg("max") = py::none(), py::arg("step") = py::none(), py::arg("log") = false,
            py::arg("choices") = std::vector<std::string>{}, py::arg("color") = false,
            "Adds a slider; its type is that of `value`. One that is there keeps the user's value.")
        .def(
            "get",
            [](ParameterSet& s, const std::string& name) {
                const ParameterValue value = s.get(name);
                return as_python(*s.find(name), value);
            },
            py::arg("name"),
            "The value; a choice is its index. Raises lathe.Error for unknown names.")
        .def(
            "set",
            [](ParameterSet& s, const std::string& name, const py::object& value) {
                ParameterValue v;
                if (py::isinstance<py::bool_>(value)) v = value.cast<bool>();
                else if (const Parameter* p = s.find(name); p && py::isinstance<py::str>(value))
                    v = parse_value(*p, value.cast<std::string>()); // a choice's name
                else if (PyIndex_Check(value.ptr())) v = value.cast<std::int64_t>();
                else if (PySequence_Check(value.ptr())) v = value.cast<std::vector<double>>();
                else v = value.cast<double>();
                s.set(name, v);
            },
            py::arg("name"), py::arg("value"), "Sets a value, clamped to the slider's range.")
        .def("has", &ParameterSet::has, py::arg("name"), "It is there, or members of it are.")
        .def("set_from_text", &ParameterSet::set_from_text, py::arg("assignment"),
             "name=value, before or after the slider exists.")
        .def("check_assignments", &ParameterSet::check_assignments,
             "Raises lathe.Error for assignments to names that nobody declares.")
        .def(
            "withdraw_script", [](ParameterSet& s) { s.withdraw(kScript); },
            "Forgets the script's own sliders; those declared again get their values back.")
        .def("reset", &ParameterSet::reset_all, "All values as they were at the start.")
        .def(
            "texts",
            [](const ParameterSet& s) {
                const ParameterSet::Values all = s.values();
                return std::map<std::string, std::string>{all.begin(), all.end()};
            },
            "Names and values, to the last bit.")
        .def(
            "restore",
            [](ParameterSet& s, const std::map<std::string, std::string>& texts) {
                s.restore({texts.begin(), texts.end()});
            },
            py::arg("texts"))
        .def(
            "as_dict",
            [](const ParameterSet& s) {
                py::dict out;
                for (const Parameter* p : s.all()) out[py::str(p->name)] = as_python(*p, p->value);
                return out;
            },
            "Names and values.")
        .def_property_readonly("version", &ParameterSet::version, "Grows with each change.");
}

} // namespace lathe::bind
