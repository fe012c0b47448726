// SPDX-License-Identifier: MIT
#include "engine/app/history.h"

#include "python/bind/app/history.h"
#include "python/bind/app/python_call.h"
#include "python/bind/bind.h"

#include <pybind11/stl.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lathe::bind {

namespace {

/// What Python keeps of a state, let go with the GIL held.
std::shared_ptr<const void> keep(py::object values) {
    return {new py::object{std::move(values)}, [](py::object* kept) {
                if (!Py_IsInitialized()) return;
                const py::gil_scoped_acquire acquire;
                delete kept;
            }};
}

const py::object& object_of(const void* kept) { return *static_cast<const py::object*>(kept); }

} // namespace

void set_history_values(History& history, const py::function& copy, const py::function& put_back,
                        const py::function& is_same) {
    const auto kept = [](const py::function& f) { return std::make_shared<KeptFunction>(f); };
    history.values.copy = [call = kept(copy)]() -> History::Values::Copy {
        const py::gil_scoped_acquire acquire;
        const py::object made = call->call();
        if (made.is_none()) return {};
        const auto [values, bytes] = made.cast<std::pair<py::object, std::size_t>>();
        return {keep(values), bytes};
    };
    history.values.put_back = [call = kept(put_back)](const void* values) {
        const py::gil_scoped_acquire acquire;
        call->call(object_of(values));
    };
    history.values.is_same = [call = kept(is_same)](const void* values) {
        const py::gil_scoped_acquire acquire;
        return PyObject_IsTrue(call->call(object_of(values)).ptr()) == 1;
    };
}

void bind_history(py::module_& m) {
    py::class_<Branch>(m, "Branch", "Steps of a run; those before its fork are its parent's.")
        .def_readonly("number", &Branch::number)
        .def_readonly("parent", &Branch::parent, "Its number, or None.")
        .def_readonly("fork", &Branch::fork, "Its first step.")
        .def_property_readonly("end", &Branch::end, "The step that would be its next one.");
    py::class_<History>(m, "History",
                        "States of a run that can be gone back to, kept on the device.")
        .def_property("budget", &History::budget, &History::set_budget,
                      "Bytes that it may have; 0: there is none.")
        .def_property_readonly(
            "bytes", [](const History& h) { return h.timeline().bytes(); }, "That it has.")
        .def_property_readonly(
            "steps", [](const History& h) { return h.timeline().steps(); },
            "Whose state is kept, on the way to the end of the current branch.")
        .def_property_readonly(
            "branch", [](const History& h) { return h.timeline().current().number; },
            "Number of the current one.")
        .def_property_readonly(
            "branches",
            [](const History& h) {
                std::vector<Branch> all;
                for (const auto& [number, branch] : h.timeline().branches())
                    all.push_back({.number = number,
                                   .parent = branch.parent,
                                   .fork = branch.fork,
                                   .lengths = branch.lengths});
                return all;
            },
            "All, by number.")
        .def_property_readonly("ended_by", &History::ended_by,
                               "Why it has ended by itself; empty where it has not.");
}

} // namespace lathe::bind
