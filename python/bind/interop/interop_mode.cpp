// SPDX-License-Identifier: MIT
#include "engine/interop/interop_mode.h"

#include "python/bind/bind.h"

namespace lathe::bind {

void bind_interop_mode(py::module_& m) {
    py::enum_<InteropMode>(m, "InteropMode", "How CUDA and GL share memory.")
        .value("zero_copy", InteropMode::zero_copy)
        .value("host_copy", InteropMode::host_copy)
        .value("device_only", InteropMode::device_only);
    m.def("interop_mode", &interop_mode, "The mode of this thread's GL and CUDA contexts.");
    m.def("interop_reason", &interop_reason, "Why it is so, in a sentence.");
    m.def(
        "bytes_copied", [] { return interop_stats().bytes_copied; },
        "Bytes that shared objects copied through the host since the start.");
}

} // namespace lathe::bind
