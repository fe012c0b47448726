// SPDX-License-Identifier: MIT
// What `stream=` takes in Python: None, a Stream, or any object with __cuda_stream__, which becomes
// a Stream for the call.
#pragma once

#include "gpu/stream.h"

#include <pybind11/pybind11.h>

#include <utility>

namespace lathe::bind {

using PyStream = gpu::Stream;

/// None in Python is the legacy default stream.
gpu::StreamView stream_of(const PyStream* stream);

/// To be called before a function of Python's is put into a stream: from then on a launch gives up
/// the interpreter's lock, since a full queue may wait for such a function.
void expect_python_in_streams() noexcept;
bool is_python_in_streams() noexcept;
/// `made`, which keeps the stream alive. py::keep_alive<0, N> would do, but pybind11 3.1 applies it
/// to refused calls, too, which have no result.
template <class T> pybind11::object with_stream(T made, const PyStream* stream) {
    pybind11::object object = pybind11::cast(std::move(made));
    pybind11::detail::keep_alive_impl(
        object, pybind11::cast(stream, pybind11::return_value_policy::reference));
    return object;
}

/// Another library's stream.
struct ForeignStream {
    CUstream handle = nullptr;
};

} // namespace lathe::bind

template <> struct pybind11::detail::type_caster<lathe::bind::ForeignStream> {
    PYBIND11_TYPE_CASTER(lathe::bind::ForeignStream, const_name("SupportsCudaStream"));

    /// Throws TypeError where __cuda_stream__ does not give (0, handle).
    bool load(handle source, bool convert);
};
