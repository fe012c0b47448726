// SPDX-License-Identifier: MIT
// Handles of other processes' memory and events.
#pragma once

#include "gpu/ipc.h"

#include <pybind11/pybind11.h>

namespace lathe::bind {

/// From bytes, a bytearray or another buffer of 64 bytes. Throws TypeError or ValueError naming
/// `function`.
gpu::IpcHandle ipc_handle_from(pybind11::handle value, const char* function);

} // namespace lathe::bind
