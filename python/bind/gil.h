// SPDX-License-Identifier: MIT
// Python's lock given away for a scope: by calls that wait, and by destructors.
#pragma once

#include <pybind11/pybind11.h>

namespace lathe::bind {

/// As pybind11::gil_scoped_release. But a thread that wants the lock back when the interpreter has
/// ended is ended by Python, from within this destructor: it must let that pass.
class GilRelease {
public:
    [[nodiscard]] GilRelease() : state_{PyEval_SaveThread()} {}
    GilRelease(const GilRelease&) = delete;
    GilRelease& operator=(const GilRelease&) = delete;
    ~GilRelease() noexcept(false) { PyEval_RestoreThread(state_); }

private:
    PyThreadState* state_;
};

/// The same for code that runs with the lock or without, such as destructors.
class WithoutGil {
public:
    [[nodiscard]] WithoutGil() {
        if (Py_IsInitialized() && PyGILState_Check()) state_ = PyEval_SaveThread();
    }
    WithoutGil(const WithoutGil&) = delete;
    WithoutGil& operator=(const WithoutGil&) = delete;
    ~WithoutGil() {
        if (state_) PyEval_RestoreThread(state_);
    }

private:
    PyThreadState* state_ = nullptr;
};

/// For holders of what the driver may wait for when it ends.
template <class T> struct DeleteWithoutGil {
    void operator()(T* object) const {
        const WithoutGil release;
        delete object;
    }
};

} // namespace lathe::bind
