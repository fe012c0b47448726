// SPDX-License-Identifier: MIT
// What `stream=` takes in Python: None, a Stream, or any object with __cuda_stream__, which becomes
// a Stream for the call.
#pragma once

#include "gpu/stream.h"

#include <pybind11/pybind11.h>

namespace lathe::bind {

using PyStream = gpu::Stream;

/// None in Python is the legacy default stream.
gpu::StreamView stream_of(const PyStream* stream);

/// To be called before a function of Python's is put into a stream: from then on a launch gives up
/// the interpreter's lock, since a full queue may wait for such a function.
void expect_python_in_streams() noexcept;
bool is_python_in_streams() noexcept;
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
