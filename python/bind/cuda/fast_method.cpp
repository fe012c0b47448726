// SPDX-License-Identifier: MIT
#include "python/bind/cuda/fast_method.h"

#include "python/bind/kernel/argument_plan.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace lathe::bind {

PyObject* replace_method(py::handle type, const char* name, FastMethod method) {
    const py::object bound = type.attr("__dict__")[name];
    const auto text = py::str(type.attr(name).attr("__doc__")).cast<std::string>();
    // Python keeps the definition's address.
    auto* const definition =
        new PyMethodDef{name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(method)),
                        METH_FASTCALL | METH_KEYWORDS, (new std::string{text})->c_str()};
    const auto descriptor = py::reinterpret_steal<py::object>(
        PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(type.ptr()), definition));
    if (!descriptor) throw py::error_already_set();
    py::setattr(type, name, descriptor);
    return py::object{bound}.release().ptr();
}

PyObject* call_instead(PyObject* callable, PyObject* self, PyObject* const* args, std::size_t count,
                       PyObject* keywords) {
    const std::size_t all = count + (keywords ? std::size_t(PyTuple_GET_SIZE(keywords)) : 0);
    std::array<PyObject*, 64> few;
    std::vector<PyObject*> many;
    PyObject** values = few.data();
    if (all + 1 > few.size()) {
        many.resize(all + 1);
        values = many.data();
    }
    values[0] = self;
    std::copy_n(args, all, values + 1);
    return PyObject_Vectorcall(callable, values, count + 1, keywords);
}

bool to_stream(PyObject* value, const PyStream*& to) {
    static PyTypeObject* const type =
        reinterpret_cast<PyTypeObject*>(py::type::of<PyStream>().release().ptr());
    to = value == Py_None || Py_TYPE(value) != type ? nullptr : bound_object<PyStream>(value);
    return to || value == Py_None;
}

} // namespace lathe::bind
