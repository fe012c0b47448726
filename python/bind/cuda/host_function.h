// SPDX-License-Identifier: MIT
// Python functions that streams and graphs call. A driver's thread never waits for Python's lock:
// it hands the function to a thread of Python's (lathe.cuda.host_functions) and waits for that one.
#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <memory>
#include <mutex>

namespace lathe::bind {

namespace py = pybind11;

/// A function with its arguments. Made and changed under Python's lock; may end without it.
class PyCall {
public:
    PyCall(py::object function, py::tuple arguments);
    PyCall(const PyCall&) = delete;
    PyCall& operator=(const PyCall&) = delete;
    ~PyCall();

    /// What is called from now on.
    void set(py::object function, py::tuple arguments);
    /// (function, arguments), under Python's lock.
    py::tuple get() const;

private:
    PyObject* pair_; ///< a reference
};

/// What a stream calls: runs `call` on Python's thread and waits for its end. It gives up waiting
/// where the program ends, and where the function did not begin for ten seconds, as while somebody
/// holds Python's lock and waits for this very stream. Then the function never runs, a warning says
/// so, and raise_left_out() raises: no driver lets a function fail its stream.
std::function<void()> host_function(std::shared_ptr<PyCall> call);

/// Throws gpu::Error on Python's thread for host functions: the stream that it would wait for waits
/// for it.
void refuse_in_host_function(const char* routine);
/// After a wait for the device: throws gpu::Error (CUDA_ERROR_LAUNCH_TIMEOUT), once, where
/// functions were left out.
void raise_left_out(const char* routine);

} // namespace lathe::bind
