// SPDX-License-Identifier: MIT
// C++ exceptions as Python ones, here and nowhere else. Names and bases are PyCUDA's; `routine` and
// `code` say which driver call failed and how.
#include "python/bind/bind.h"

#include "engine/core/error.h"
#include "gpu/array/array.h"
#include "gpu/compiler.h"
#include "gpu/driver/check.h"
#include "gpu/libraries/library.h"

#include <pybind11/stl.h>

#include <cstring>
#include <exception>
#include <string>
#include <utility>

namespace lathe::bind {

namespace {

struct Classes {
    PyObject* error = nullptr;
    PyObject* compile_error = nullptr;
    PyObject* memory_error = nullptr;
    PyObject* logic_error = nullptr;
    PyObject* launch_error = nullptr;
    PyObject* runtime_error = nullptr;
};
Classes classes; // references held until the process ends

PyObject* new_class(py::module_& m, const char* name, PyObject* base, const char* doc) {
    const std::string full = std::string{"lathe."} + name;
    PyObject* made = PyErr_NewExceptionWithDoc(full.c_str(), doc, base, nullptr);
    if (!made) throw py::error_already_set();
    m.attr(name) = py::handle{made};
    return made;
}

/// PyCUDA's table: which class a driver code becomes.
PyObject* class_of(CUresult code) {
    switch (code) {
    case CUDA_ERROR_OUT_OF_MEMORY: return classes.memory_error;
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING: return classes.launch_error;
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_FILE_NOT_FOUND:
    case CUDA_ERROR_NOT_READY:
    case CUDA_ERROR_ECC_UNCORRECTABLE: return classes.runtime_error;
    case CUDA_ERROR_UNKNOWN: return classes.error;
    default: return classes.logic_error;
    }
}

void raise(PyObject* type, const py::object& value) { PyErr_SetObject(type, value.ptr()); }

/// Words may quote bytes of a damaged file.
py::object words(const char* text) {
    return py::reinterpret_steal<py::object>(
        PyUnicode_DecodeUTF8(text, py::ssize_t(std::strlen(text)), "replace"));
}

void translate(std::exception_ptr pointer) {
    if (!pointer) return;
    try {
        std::rethrow_exception(pointer);
    } catch (const gpu::CompileError& e) {
        py::object value = py::handle{classes.compile_error}(e.what());
        value.attr("msg") = e.what();
        value.attr("command_line") = e.command_line();
        value.attr("stdout") = py::none();
        value.attr("stderr") = e.log();
        value.attr("log") = e.log();
        py::list diagnostics;
        for (const Diagnostic& d : e.diagnostics()) diagnostics.append(to_string(d));
        value.attr("diagnostics") = diagnostics;
        raise(classes.compile_error, value);
    } catch (const gpu::Error& e) {
        PyObject* type = class_of(e.code());
        py::object value = py::handle{type}(words(e.what()));
        value.attr("routine") = e.routine();
        value.attr("code") = static_cast<int>(e.code());
        raise(type, value);
    } catch (const gpu::ShapeError& e) {
        raise(PyExc_ValueError, words(e.what()));
    } catch (const gpu::ReadOnlyError& e) {
        raise(PyExc_ValueError, words(e.what()));
    } catch (const gpu::TypeError& e) {
        raise(PyExc_TypeError, words(e.what()));
    } catch (const gpu::LibraryMissing& e) {
        raise(PyExc_ImportError, words(e.what()));
    } catch (const FileMissing& e) {
        raise(PyExc_FileNotFoundError, words(e.what()));
    } catch (const Error& e) { raise(classes.error, words(e.what())); }
}

} // namespace

PyObject* raise_in_python(std::exception_ptr thrown) noexcept {
    static thread_local std::exception_ptr pending;
    pending = std::move(thrown);
    static const py::object* const thrower = new py::object{
        py::cpp_function([] { std::rethrow_exception(std::exchange(pending, nullptr)); })};
    return PyObject_CallNoArgs(thrower->ptr());
}

void raise_interrupt() {
    py::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

void bind_errors(py::module_& m) {
    classes.error =
        new_class(m, "Error", PyExc_Exception, "What Lathe, the CUDA driver or GL reports.");
    classes.compile_error =
        new_class(m, "CompileError", classes.error,
                  "A kernel source that does not compile. `log` is the compiler's text, "
                  "`diagnostics` its messages as 'file:line:column: error: text'.");
    classes.memory_error =
        new_class(m, "MemoryError", classes.error, "The device is out of memory.");
    classes.logic_error =
        new_class(m, "LogicError", classes.error, "The driver refused a call or a kernel faulted.");
    classes.launch_error =
        new_class(m, "LaunchError", classes.error, "A kernel launch failed or needs too much.");
    classes.runtime_error = new_class(m, "RuntimeError", classes.error,
                                      "No device, no code for it, or a defect of it.");
    py::register_exception_translator(&translate);
}

} // namespace lathe::bind
